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
		Text:    Text{File: w.TextFile, Line: w.TextLine, Source: w.Instructions, Shifted: w.TextShifted},
		Defined: definedFor(w),
		Files:   loaderChain{p, w},
	}
}

// loaderChain are the files that a worker's template can read.
type loaderChain struct {
	project *project.Project
	worker  *project.Worker
}

func (l loaderChain) Load(name string) (Text, error) {
	file, text, err := l.project.Templates.Text(l.worker, name)
	return Text{File: file, Source: text}, err
}

func (l loaderChain) Places(name string) []string { return l.project.Templates.Dirs(l.worker, name) }

func (l loaderChain) Beside(name string) string { return l.project.Templates.Beside(l.worker, name) }

// Defined are the names that a template may get: x, or x.y for a field of input, vars, worker
// and project.
type Defined struct {
	fields, vars map[string]bool
	anyField     bool // the input can have fields that its schema does not list
	anyVar       bool
}

// definedFor returns the names that a worker's template may get. Without input_schema the
// input is a text.
func definedFor(w *project.Worker) *Defined {
	fields, closed := closedFields(w.Input)
	n := &Defined{fields: fields, vars: map[string]bool{}, anyField: !closed && len(w.Input) > 0}
	var vars map[string]json.RawMessage
	n.anyVar = len(w.Vars) > 0 && json.Unmarshal(w.Vars, &vars) != nil
	for name, value := range vars {
		n.vars[name] = value != nil
	}
	return n
}

func (n *Defined) has(name string) bool {
	of, field, part := strings.Cut(name, ".")
	if !part {
		return n.anyField || n.fields[name] || slices.Contains(ownNames, name)
	}
	switch of {
	case "input":
		return n.anyField || n.fields[field]
	case "vars":
		return n.anyVar || n.vars[field]
	case "worker":
		return slices.Contains([]string{"id", "name", "description"}, field)
	case "project":
		return slices.Contains([]string{"name", "version", "description"}, field)
	}
	return true
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
