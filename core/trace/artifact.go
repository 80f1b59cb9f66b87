package trace

import (
	"encoding/json"
	"strings"

	"golem/core/fault"
)

// Artifacts keeps the messages of worker runs and the inputs and outputs of calls
// whole, one file each by the id of its call: <id>.prompt.json, <id>.in.json,
// <id>.out.json (--artifacts, SPEC §16). A nil *Artifacts keeps nothing. It may be used from many
// goroutines if Put may.
type Artifacts struct {
	Put    func(name string, data []byte) error // writes one file, replacing it
	Redact *Redactor                            // nil: nothing is secret
}

// Keep writes v as JSON, without its secrets, under one of those names. Any
// other name is E_PATH.
func (a *Artifacts) Keep(name string, v any) error {
	if a == nil || a.Put == nil {
		return nil
	}
	if !artifactName(name) {
		return fault.New(fault.Path, "%q cannot be the name of an artifact", Visible(clip(name, 80)))
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fault.New(fault.Config, "the artifact %s cannot be written as JSON: %w", name, err)
	}
	data = appendJSON(nil, a.Redact.JSON(data), nil)
	if err := a.Put(name, append(data, '\n')); err != nil {
		return fault.Of(err, fault.Quota)
	}
	return nil
}

// artifactName is true for a call's id and prompt, in or out.
func artifactName(name string) bool {
	for _, what := range []string{".prompt.json", ".in.json", ".out.json"} {
		if id, ok := strings.CutSuffix(name, what); ok {
			return validID(id)
		}
	}
	return false
}
