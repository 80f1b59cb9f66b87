package run

import (
	"bytes"
	"encoding/json"
	"strings"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/tool"
)

// task is what a caller wants from a worker: a text or an object, and extras.
type task struct {
	text         string
	object       json.RawMessage
	Instructions string   `json:"instructions"`
	Attachments  []string `json:"attachments"`
	Prior        []string `json:"prior"`
}

// short returns the task for progress and questions, cut to maxTask bytes.
func (t task) short() string {
	if t.object != nil {
		return shortTask(shortObject(t.object))
	}
	return shortTask(t.text)
}

// extras are the arguments of a delegation tool in addition to the worker's own input,
// unless the worker's schema has a field of that name.
var extras = []string{"instructions", "attachments", "prior"}

// splitArgs splits a delegation tool's arguments into input and extras, and checks the
// input against the worker's schema.
func splitArgs(w *project.Worker, args *tool.Arguments) (task, error) {
	var t task
	fields := args.Fields()
	own := schemaFields(w.Input)
	rest := map[string]json.RawMessage{}
	for _, k := range extras {
		if v, ok := fields[k]; ok && !own[k] {
			rest[k] = v
			delete(fields, k)
		}
	}
	raw, err := json.Marshal(rest)
	if err == nil {
		err = json.Unmarshal(raw, &t)
	}
	if err != nil {
		return t, fault.New(fault.ToolInput, "instructions, attachments or prior of %s: %w", w.ID, err)
	}
	return t, t.input(w, fields, own)
}

// input sets the task's text or object and checks it.
func (t *task) input(w *project.Worker, fields map[string]json.RawMessage, own map[string]bool) error {
	if own == nil {
		input := fields["input"]
		if w.Input == nil && bytes.HasPrefix(input, []byte("{")) { // worker_call accepts an object (S1-84)
			var err error
			t.object, err = json.Marshal(input) // in the form that the fields of an object have below
			return err
		}
		if err := json.Unmarshal(input, &t.text); err != nil {
			return fault.New(fault.ToolInput, "input of %s must be a string", w.ID)
		}
		return checkInput(w, Input{Text: t.text}, len(t.Attachments) > 0)
	}
	object, err := json.Marshal(fields)
	if err != nil {
		return fault.New(fault.ToolInput, "the input of %s: %w", w.ID, err)
	}
	t.object = tool.WithDefaults(w.Input, object)
	return checkInput(w, Input{JSON: t.object}, false)
}

// checkText returns E_TOOL_INPUT if an input is empty and the worker does not allow that.
func checkText(w *project.Worker, in Input, attachments bool) error {
	if strings.TrimSpace(in.Text) == "" && len(in.JSON) == 0 && !attachments && !w.AllowEmptyInput {
		return fault.New(fault.ToolInput, "the input of %s is empty", w.ID).
			Hinting("give a task; with allow_empty_input: true the worker also runs without one")
	}
	return nil
}

// checkInput checks an input against the worker's schema; without one, against its rule
// on empty input. It runs before a model sees anything.
func checkInput(w *project.Worker, in Input, attachments bool) error {
	if w.Input == nil {
		return checkText(w, in, attachments)
	}
	schema, err := tool.Compile(w.Input)
	if err != nil {
		return fault.New(fault.Schema, "the input schema of %s is not valid: %w", w.ID, err).At(w.File, 0, 0)
	}
	if vs := schema.Validate(in.Raw()); len(vs) > 0 {
		return tool.InputFault(w.ID, vs)
	}
	return nil
}

// schemaFields returns the properties of an object schema; nil if it is not one.
func schemaFields(schema json.RawMessage) map[string]bool {
	if schema == nil {
		return nil
	}
	var s struct {
		Type       any                        `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &s) != nil || (s.Type != "object" && s.Properties == nil) {
		return nil
	}
	out := make(map[string]bool, len(s.Properties))
	for k := range s.Properties {
		out[k] = true
	}
	return out
}

// maxGiven is the largest schema that a caller may give, in bytes.
const maxGiven = 64 << 10

// outputSchema returns the schema of the answer to an input: the worker's, or the one in
// the field of the input that output_schema_from names.
func outputSchema(w *project.Worker, input json.RawMessage) (json.RawMessage, error) {
	if w.OutputFrom == "" {
		return w.Output, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(input, &fields); err != nil || fields[w.OutputFrom] == nil {
		return w.Output, nil // a text has no fields; the input was checked before
	}
	given, what := fields[w.OutputFrom], "/"+w.OutputFrom
	if len(given) > maxGiven {
		return nil, fault.New(fault.ToolInput, "%s has %d bytes; a schema of an answer may have %d", what, len(given), maxGiven).Hinting("ask for less at once")
	}
	if _, err := tool.Compile(given); err != nil {
		return nil, fault.New(fault.ToolInput, "%s: %s", what, fault.Of(err, fault.Schema).Message).
			Hinting("write JSON Schema 2020-12, with references only inside the schema")
	}
	return given, nil
}

// needsInput returns a child's question in the form that its caller reads.
func needsInput(out tool.Output) tool.Output {
	var fields map[string]any
	if json.Unmarshal(out.Data, &fields) != nil || fields == nil {
		fields = map[string]any{"question": out.Text}
	}
	fields["status"] = string(NeedsInput)
	data, err := json.Marshal(fields)
	if err != nil { // unreachable: the fields came from JSON
		return out
	}
	return tool.Output{Kind: "json", Data: data, NeedsInput: true}
}

// delegated returns which worker gets which task, if a call of a tool is one of a worker. The
// task is shown as the caller wrote it, before the arguments are checked.
func delegated(args *tool.Arguments, spec tool.Spec) (worker, task string) {
	fields := args.WrittenFields()
	if fields == nil {
		return spec.Target, ""
	}
	worker = spec.Target
	if worker == "" && json.Unmarshal(fields["worker"], &worker) != nil {
		worker = spec.Name
	}
	for _, k := range extras {
		delete(fields, k)
	}
	input, one := fields["input"]
	if !one {
		if input = unescaped(fields); len(fields) == 0 {
			return worker, ""
		}
	}
	var text string
	if json.Unmarshal(input, &text) == nil {
		return worker, shortTask(text)
	}
	return worker, shortTask(shortObject(input))
}
