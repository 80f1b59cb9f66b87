package ui

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/sorting"
)

// Field is one question of a form that is made from a tool's schema (SPEC §11).
type Field struct {
	Name, About string
	Type        string   // in the schema; "" if it has none or several
	Enum        []string // for a string: the values that the schema allows
	Text        bool     // the answer is the string itself; otherwise it is JSON
	Required    bool
}

// Former is a front end that can ask for all fields at once. The answers are in the order
// of the fields; ok is false if the person closed the form.
type Former interface {
	Form(ctx context.Context, title string, fields []Field) (answers []string, ok bool, err error)
}

// Fields returns the questions for an object schema: required ones first, each group
// sorted by name. It returns nil if the schema is not valid JSON.
func Fields(schema json.RawMessage) []Field {
	var s struct {
		Properties map[string]struct {
			Type        any    `json:"type"`
			Description string `json:"description"`
			Enum        []any  `json:"enum"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	var out []Field
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		f := Field{Name: name, About: p.Description, Text: p.Type == "string", Required: slices.Contains(s.Required, name)}
		f.Type, _ = p.Type.(string)
		for _, v := range p.Enum {
			if text, is := v.(string); is && f.Text {
				f.Enum = append(f.Enum, text)
			}
		}
		out = append(out, f)
	}
	sorting.By(out, func(a, b Field) int {
		switch {
		case a.Required == b.Required:
			return 0
		case a.Required:
			return -1
		}
		return 1
	})
	return out
}

// Question returns the question for the field, on one line.
func (f Field) Question() string {
	q := f.Name
	if f.About != "" {
		q += " (" + f.About + ")"
	}
	if !f.Text {
		q += ", as JSON"
	}
	if !f.Required {
		q += ", or - for none"
	}
	return OneLine(q) + ":"
}

// Value returns the value that an answer means: a string, or JSON of the schema's type.
// It returns nil if the field is not required and the answer is empty or "-", and
// E_TOOL_INPUT if the answer does not fit the field.
func (f Field) Value(answer string) (any, error) {
	answer = strings.TrimSpace(answer)
	switch {
	case (answer == "" || answer == "-") && !f.Required:
		return nil, nil
	case f.Text && len(f.Enum) > 0 && !slices.Contains(f.Enum, answer):
		return nil, fault.New(fault.ToolInput, "%s is not one of the values", f.Name).Hinting("%s", OneLine(strings.Join(f.Enum, ", ")))
	case f.Text:
		return answer, nil
	case !json.Valid([]byte(answer)):
		return nil, fault.New(fault.ToolInput, "%s is not JSON", f.Name).Hinting("write it as JSON, for example [\"a\"] or 3")
	case f.Type != "" && f.Type != typeOf(answer) && (f.Type != "number" || typeOf(answer) != "integer"):
		return nil, fault.New(fault.ToolInput, "%s must be of the type %s", f.Name, f.Type)
	}
	return json.RawMessage(answer), nil
}

// typeOf returns the name of a JSON value's type in a schema.
func typeOf(value string) string {
	switch value[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	if strings.ContainsAny(value, ".eE") {
		return "number"
	}
	return "integer"
}

// Fill asks for the arguments of a tool, one question per field, and returns them as
// JSON. If no field is required, it asks nothing and returns "".
func Fill(schema json.RawMessage, ask func(question string) (string, error)) (string, error) {
	fields := Fields(schema)
	if len(fields) == 0 || !fields[0].Required {
		return "", nil
	}
	var answers []string
	for _, f := range fields {
		answer, err := ask(f.Question())
		if err == nil {
			_, err = f.Value(answer)
		}
		if err != nil {
			return "", err
		}
		answers = append(answers, answer)
	}
	return Arguments(fields, answers)
}

// Arguments returns the answers to the fields, in the same order, as a JSON object for
// the tool. Errors are those of Field.Value.
func Arguments(fields []Field, answers []string) (string, error) {
	out := map[string]any{}
	for i, f := range fields {
		value, err := f.Value(answers[i])
		if err != nil {
			return "", err
		}
		if value != nil {
			out[f.Name] = value
		}
	}
	data, err := json.Marshal(out)
	return string(data), err
}
