package migrate

import (
	"encoding/json"
	"reflect"

	"golem/core/fault"
	"golem/core/project"
)

// same returns an error if a worker that golem could read before would be another one
// after the changes. That would be a defect of a rule; nothing may be written then.
func (s Source) same(over *overlay) error {
	before, err := s.load(s.Files)
	if before == nil {
		return err
	}
	after, err := s.load(over)
	if after == nil {
		return err
	}
	rows, _ := before.List()
	for _, row := range rows {
		was, err := before.Worker("./" + row.Path)
		if err != nil || row.Source != "project" || !complete(before, was) {
			continue // it could not run
		}
		is, err := after.Worker("./" + row.Path)
		broken := was.Template && !parses(was.Instructions)
		if err != nil || !reflect.DeepEqual(meaning(before, was, broken), meaning(after, is, broken)) {
			return fault.New(fault.Config, "a change would alter what the worker %s does", row.ID).At(row.Path, 1, 1).
				Hinting("nothing was changed; report this as a defect of golem check --fix")
		}
	}
	return nil
}

// complete reports whether everything that a worker names exists.
func complete(p *project.Project, w *project.Worker) bool {
	_, allowed := p.Allowed(w)
	_, imported := p.Imported(w)
	_, modules := p.Modules(w)
	return allowed == nil && imported == nil && modules == nil
}

// meaning returns the configuration of a worker for a comparison: without the places of
// its settings, the spelling of its modules and, if broken, a text that golem could not
// render.
func meaning(p *project.Project, w *project.Worker, broken bool) any {
	c := *w
	if broken {
		c.Instructions = ""
	}
	c.Digest, c.TextLine, c.Origins, c.Imports.Tools = "", 0, nil, nil
	c.Policy.Origins = nil
	c.Toolsets = nil
	for _, t := range w.Toolsets {
		t.File, t.Line = "", 0
		c.Toolsets = append(c.Toolsets, t)
	}
	c.Sandbox.Mounts = nil
	for _, m := range w.Sandbox.Mounts {
		m.Origin = ""
		c.Sandbox.Mounts = append(c.Sandbox.Mounts, m)
	}
	modules, _ := p.Modules(w) // complete has looked
	data, err := json.Marshal(c)
	return []any{string(data), modules, err == nil}
}
