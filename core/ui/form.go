package ui

import (
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
	Text        bool // the answer is the value itself; otherwise it is JSON
	Required    bool
}

// Fields are the questions for an object schema: required ones first, then by name.
func Fields(schema json.RawMessage) []Field {
	var s struct {
		Properties map[string]struct {
			Type        any    `json:"type"`
			Description string `json:"description"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	var out []Field
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		out = append(out, Field{name, p.Description, p.Type == "string", slices.Contains(s.Required, name)})
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

// Question is the field as a person is asked for it.
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

// Value reads an answer; nil for nothing.
func (f Field) Value(answer string) (any, error) {
	answer = strings.TrimSpace(answer)
	switch {
	case (answer == "" || answer == "-") && !f.Required:
		return nil, nil
	case f.Text:
		return answer, nil
	case !json.Valid([]byte(answer)):
		return nil, fault.New(fault.ToolInput, "%s is not JSON", f.Name).Hinting("write it as JSON, for example [\"a\"] or 3")
	}
	return json.RawMessage(answer), nil
}

// Fill asks for the arguments of a tool, one question a field, and returns them as
// JSON; "" if the tool needs none.
func Fill(schema json.RawMessage, ask func(question string) (string, error)) (string, error) {
	fields := Fields(schema)
	if len(fields) == 0 || !fields[0].Required {
		return "", nil
	}
	out := map[string]any{}
	for _, f := range fields {
		answer, err := ask(f.Question())
		if err != nil {
			return "", err
		}
		value, err := f.Value(answer)
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
