package prompt

import (
	"bytes"
	"encoding/json"
	"maps"
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
			return v.String() // longer than any number of the engine
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
		Text: Text{File: w.TextFile, Line: w.TextLine, Source: w.Instructions},
		Load: func(name string) (Text, error) {
			file, text, err := p.Text(w, name)
			return Text{File: file, Source: text}, err
		},
		Beside: func(name string) string { return p.Beside(w, name) },
	}
}
