package run

import (
	"encoding/json"
	"strings"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/tool"
)

// For returns the input in the form that the worker's input schema asks for: if the
// schema describes an object and the text is a JSON object, the result has the parsed
// object in place of the text; otherwise it is the unchanged input.
func (in Input) For(w *project.Worker) Input {
	if text := strings.TrimSpace(strings.TrimPrefix(in.Text, "\uFEFF")); len(in.JSON) == 0 && strings.HasPrefix(text, "{") && schemaFields(w.Input) != nil {
		if raw, err := tool.Decode([]byte(text)); err == nil {
			in.Text, in.JSON = "", raw
		}
	}
	return in
}

// withDefaults returns the first message with the defaults of the worker's input_schema. An
// empty text counts as an object without fields if the defaults are enough.
func withDefaults(w *project.Worker, in Input) Input {
	object := in.JSON
	if strings.TrimSpace(in.Text) == "" && len(object) == 0 && schemaFields(w.Input) != nil {
		object = json.RawMessage("{}")
	}
	if len(object) == 0 || w.Input == nil {
		return in
	}
	whole := in
	whole.JSON = tool.WithDefaults(w.Input, object)
	if len(in.JSON) == 0 && checkInput(w, whole, false) != nil {
		return in
	}
	return whole
}

// checkMessage checks a message against what the worker accepts. The first message of a
// conversation is the worker's input; later ones are text.
func checkMessage(w *project.Worker, in Input, first bool) error {
	if !first {
		return checkText(w, in, len(in.Attachments) > 0)
	}
	err := checkInput(w, in, len(in.Attachments) > 0)
	if err == nil || w.Input == nil {
		return err
	}
	f := fault.Of(err, fault.ToolInput)
	if _, fields := textField(w.Input); len(in.JSON) == 0 && len(fields) > 0 {
		return f.Hinting("write a JSON object with the fields %s; see input_schema in %s", listOr(fields, ""), w.File)
	}
	return f.Hinting("see input_schema in %s", w.File)
}
