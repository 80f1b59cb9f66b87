package run

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/tool"
)

// inputSchema is what an input schema says of an object.
type inputSchema struct {
	Type       any                        `json:"type"`
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
}

// takesObject is the input schema of a worker whose input is an object; nil: it takes
// something else.
func takesObject(w *project.Worker) *inputSchema {
	var s inputSchema
	if w.Input == nil || json.Unmarshal(w.Input, &s) != nil || s.Type != "object" {
		return nil
	}
	return &s
}

// For is the input as the worker takes it: a text that is a JSON object is that object
// where the input schema is of one.
func (in Input) For(w *project.Worker) Input {
	if text := strings.TrimSpace(in.Text); len(in.JSON) == 0 && strings.HasPrefix(text, "{") && takesObject(w) != nil {
		if raw, err := tool.Decode([]byte(text)); err == nil {
			in.Text, in.JSON = "", raw
		}
	}
	return in
}

// Lacking says that a worker needs an object and what it got is none; its hint is an
// example. nil: it takes the input, as far as that goes.
func Lacking(w *project.Worker, in Input) *fault.Fault {
	schema := takesObject(w)
	if schema == nil || len(in.JSON) > 0 {
		return nil
	}
	what := "the input is plain text"
	switch {
	case in.Text == "":
		what = "no input was given"
	case strings.HasPrefix(strings.TrimSpace(in.Text), "{"):
		what = "the input is not valid JSON"
	}
	names := schema.Required
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(schema.Properties))
	}
	var fields []string
	for _, name := range names[:min(len(names), 6)] {
		fields = append(fields, string(quote(name))+": "+placeholder(schema.Properties[name]))
	}
	return fault.New(fault.ToolInput, "%s needs a JSON object as input, but %s", w.ID, what).Hinting("{%s}", strings.Join(fields, ", "))
}

// placeholder is a value of a schema's type, for an example.
func placeholder(schema json.RawMessage) string {
	var s struct{ Type any }
	if json.Unmarshal(schema, &s) == nil {
		switch s.Type {
		case "integer", "number":
			return "0"
		case "boolean":
			return "true"
		case "array":
			return "[]"
		case "object":
			return "{}"
		}
	}
	return `"…"`
}

// checkMessage holds a message against what the worker takes. The first one of a
// conversation is the worker's input; what is said then is text.
func (s *Session) checkMessage(in Input) error {
	w := s.frame.worker
	if len(s.frame.conversation.Messages) > 0 {
		return checkText(w, in, len(in.Attachments) > 0)
	}
	if f := Lacking(w, in); f != nil {
		return f.Hinting("for example %s; see input_schema in %s", f.Hint, w.File)
	}
	err := checkInput(w, in, len(in.Attachments) > 0)
	if err != nil && w.Input != nil {
		err = fault.Of(err, fault.ToolInput).Hinting("see input_schema in %s", w.File)
	}
	return err
}
