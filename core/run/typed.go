package run

import (
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

// checkMessage checks a message against what the worker accepts. The first message of a
// conversation is the worker's input; later ones are text.
func (s *Session) checkMessage(in Input) error {
	w := s.frame.worker
	if len(s.frame.conversation.Messages) > 0 {
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
