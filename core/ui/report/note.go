package report

import (
	"cmp"
	"encoding/json"
	"strings"

	"golem/core/fault"
	"golem/core/trace"
	"golem/core/ui/view"
)

// Note is something that happened during a call in addition to its result.
type Note struct {
	Level string `json:"level"` // info, warn, error
	Text  string `json:"text"`

	timeless string // Text without times; "" if it has none
}

// Notes returns the notes of a call, in the order in which they came.
func Notes(c *view.Call) []Note {
	var out []Note
	for _, b := range c.Notes {
		switch v := b.(type) {
		case trace.Retry:
			timeless := v
			timeless.WaitMS = 0
			out = append(out, Note{"warn", retryText(v), retryText(timeless)})
		case trace.Warning:
			out = append(out, Note{Level: cmp.Or(v.Level, "warn"), Text: joinCode(v.Code, v.Message)})
		case trace.Fallback:
			out = append(out, Note{Level: "info", Text: v.Text()})
		case trace.Error:
			out = append(out, Note{Level: "error", Text: joinCode(v.Code, v.Message)})
		case trace.Message:
			out = append(out, Note{Level: "info", Text: v.Role + ": " + v.Text})
		case trace.Clearance:
			out = append(out, Note{Level: "info", Text: strings.TrimSpace("clearance " + v.Action + " " + v.Item + " " + v.Target)})
		case trace.Approval:
			out = append(out, Note{Level: "info", Text: v.Kind + ": " + v.Rule + ": " + approvalText(v, 400)})
		}
	}
	return out
}

func joinCode(code fault.Code, message string) string {
	if code == "" {
		return message
	}
	return string(code) + ": " + message
}

// plain returns a JSON value for people: a string without its quotes and escapes,
// anything else unchanged.
func plain(raw json.RawMessage) string {
	var s string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
