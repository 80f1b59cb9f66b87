package prompt

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"golem/core/project"
)

// Names are the names that a template can use: the fields of an object input,
// and input, vars, worker and project (SPEC §4), which a field of the input
// cannot replace.
type Names struct {
	Text    string
	Object  json.RawMessage // the input, if it is an object
	Vars    json.RawMessage // an object; nil means that there are none
	Worker  map[string]any
	Project map[string]any
}

// Values decodes the names for Template.Render.
func (n Names) Values() (map[string]any, error) {
	out := map[string]any{}
	var input any = n.Text
	if len(n.Object) > 0 {
		object, err := decode(n.Object)
		if err != nil {
			return nil, err
		}
		input = object
		if fields, ok := object.(map[string]any); ok {
			maps.Copy(out, fields)
		}
	}
	vars, err := decode(n.Vars)
	if err != nil {
		return nil, err
	}
	if vars == nil {
		vars = map[string]any{}
	}
	out["input"], out["vars"], out["worker"], out["project"] = input, vars, n.Worker, n.Project
	return out, nil
}

// decode keeps whole numbers whole: 1 is printed as 1, not as 1.0.
func decode(raw json.RawMessage) (any, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return numbers(v), nil
}

func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		if !strings.ContainsAny(v.String(), ".eE") {
			return v.String() // larger than the engine's whole numbers
		}
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
	}
	return v
}

// InstructionsOf returns the template of a worker's instructions. It reads
// files through the worker's loader chain.
func InstructionsOf(p *project.Project, w *project.Worker) Template {
	return Template{
		Text:  Text{File: w.TextFile, Line: w.TextLine, Source: w.Instructions, Shifted: w.TextShifted},
		Known: known(w),
		Load: func(name string) (Text, error) {
			file, text, err := p.Text(w, name)
			return Text{File: file, Source: text}, err
		},
		Places: func(name string) []string { return p.TextPlaces(w, name) },
		Beside: func(name string) string { return p.Beside(w, name) },
	}
}

// known returns a function that reports whether a worker's template may get a name. An
// input can have fields that an open input_schema does not list; then only the parts of
// vars, worker and project are known. Without input_schema the input is a text.
func known(w *project.Worker) func(name string) bool {
	fields, closed := closedFields(w.Input)
	if len(w.Input) == 0 {
		closed = true
	}
	var vars map[string]json.RawMessage
	open := len(w.Vars) > 0 && json.Unmarshal(w.Vars, &vars) != nil
	return func(name string) bool {
		of, field, part := strings.Cut(name, ".")
		if !part {
			return !closed || fields[name] || slices.Contains(ownNames, name)
		}
		switch of {
		case "input":
			return !closed || fields[field]
		case "vars":
			return open || vars[field] != nil
		case "worker":
			return slices.Contains([]string{"id", "name", "description"}, field)
		case "project":
			return slices.Contains([]string{"name", "version", "description"}, field)
		}
		return true
	}
}

// ownNames are the names that every template has, and those that the engine adds.
var ownNames = []string{
	"input", "vars", "worker", "project", "file", "range", "dict", "namespace", "loop", "self", "super", "caller", "varargs", "kwargs", "true", "false", "none", "True", "False", "None",
}

// closedFields returns the fields of an object schema; false if the schema does not
// list all of them.
func closedFields(schema json.RawMessage) (map[string]bool, bool) {
	var keys map[string]json.RawMessage
	if len(schema) == 0 || json.Unmarshal(schema, &keys) != nil || string(keys["type"]) != `"object"` {
		return nil, false
	}
	for key := range keys {
		if !slices.Contains([]string{"type", "properties", "required", "additionalProperties", "title", "description", "$schema", "$defs", "$id", "examples", "default"}, key) {
			return nil, false
		}
	}
	if more := string(keys["additionalProperties"]); keys["properties"] == nil || more != "" && more != "false" {
		return nil, false
	}
	var properties map[string]json.RawMessage
	if json.Unmarshal(keys["properties"], &properties) != nil {
		return nil, false
	}
	out := map[string]bool{}
	for name := range properties {
		out[name] = true
	}
	return out, true
}
