package trace

import (
	"encoding/json"
	"strings"
	"sync/atomic"

	"golem/core/fault"
)

// Artifacts writes the complete messages of worker runs, and the inputs and
// outputs of calls, one file each, named after the id of the call:
// <id>.prompt.json, <id>.in.json, <id>.out.json (--artifacts, SPEC §16). A nil
// *Artifacts writes nothing. It is safe for concurrent use if Files is.
type Artifacts struct {
	Files    Files
	Redactor *atomic.Pointer[Redactor] // nil: nothing is secret
}

// Keep writes v as JSON, with secrets removed, to the file called name. If name does not
// have one of the three forms, it returns E_PATH.
func (a *Artifacts) Keep(name string, v any) error {
	if a == nil || a.Files == nil {
		return nil
	}
	if !artifactName(name) {
		return fault.New(fault.Path, "%q cannot be the name of an artifact", Visible(fault.Head(name, 80)))
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fault.New(fault.Config, "the artifact %s cannot be written as JSON: %w", name, err)
	}
	if a.Redactor != nil {
		data = a.Redactor.Load().JSON(data)
	}
	data = appendJSON(nil, data, nil)
	if err := a.Files.Put(name, append(data, '\n')); err != nil {
		return fault.Of(err, fault.Quota)
	}
	return nil
}

// PromptOf returns the id of the worker run whose messages a file of this name
// holds; false if it holds none.
func PromptOf(name string) (id string, ok bool) {
	id, ok = strings.CutSuffix(name, ".prompt.json")
	return id, ok && validID(id)
}

// artifactName reports whether a name is a call's id with .prompt, .in or .out.
func artifactName(name string) bool {
	for _, what := range []string{".prompt.json", ".in.json", ".out.json"} {
		if id, ok := strings.CutSuffix(name, what); ok {
			return validID(id)
		}
	}
	return false
}
