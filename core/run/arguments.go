package run

import (
	"encoding/json"
	"maps"
	"sync"

	"golem/core/tool"
)

// arguments are those of one call as the caller wrote them, decoded once. They may not be
// valid JSON, and nothing is checked yet.
type arguments struct {
	text string
	raw  json.RawMessage // the text if it is JSON, else the text as a string

	once   sync.Once
	fields map[string]json.RawMessage // nil: they are no object
}

func newArguments(text string) *arguments {
	a := &arguments{text: text, raw: json.RawMessage(text)}
	if !json.Valid(a.raw) {
		a.raw = quote(text)
	}
	return a
}

// object returns the fields of arguments that are an object; else nil.
func (a *arguments) object() map[string]json.RawMessage {
	a.once.Do(func() {
		if json.Unmarshal(a.raw, &a.fields) != nil {
			a.fields = nil
		}
	})
	return a.fields
}

// delegation returns which worker gets which task, if the call is one of a worker.
func (a *arguments) delegation(spec tool.Spec) (worker, task string) {
	fields := maps.Clone(a.object())
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
