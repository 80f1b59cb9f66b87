package run

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// The states of a worker's call, as front ends show them (S4-33).
const (
	progressPending  = "pending"
	progressRunning  = "running"
	progressComplete = "complete"
	progressFailed   = "failed"
)

// maxTask is how many bytes of a task are shown beside a worker's name.
const maxTask = 500

// shortObject returns an object with its long values cut, so that it is JSON of at most
// maxTask bytes. An object with too many fields is returned unchanged.
func shortObject(raw json.RawMessage) string {
	var all map[string]json.RawMessage
	if len(raw) <= maxTask || json.Unmarshal(raw, &all) != nil {
		return string(raw)
	}
	for most := maxTask / 2; most > 0; most /= 2 {
		for name, value := range all {
			text := string(value)
			if _ = json.Unmarshal(value, &text); len(text) > most { // a value that is not a string is cut as JSON
				all[name] = unescaped(strings.ToValidUTF8(text[:most], "") + "…")
			}
		}
		if out := unescaped(all); len(out) <= maxTask {
			return string(out)
		}
	}
	return string(raw)
}

// unescaped returns a value as JSON on one line, for people: <, > and & are not
// escaped.
func unescaped(v any) json.RawMessage {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // it cannot fail: v has only texts and what was JSON before
	return bytes.TrimSpace(out.Bytes())
}

// shortTask returns the beginning of a task, on one line of at most maxTask bytes.
func shortTask(text string) string {
	if len(text) > 2*maxTask {
		text = text[:2*maxTask]
	}
	var line bytes.Buffer
	for _, word := range strings.Fields(strings.ToValidUTF8(text, "\uFFFD")) {
		if line.Len() > 0 {
			line.WriteByte(' ')
		}
		line.WriteString(word)
	}
	if line.Len() <= maxTask {
		return line.String()
	}
	cut := line.Bytes()[:maxTask-len("…")]
	for len(cut) > 0 && !utf8.Valid(cut) {
		cut = cut[:len(cut)-1]
	}
	return string(cut) + "…"
}
