package migrate

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/project"
)

// checkSame returns an error if a worker that golem could read before would be another one
// after the changes. That would be a defect of a rule; nothing may be written then.
func (s Source) checkSame(over *overlay) error {
	before, err := s.load(s.Files)
	if before == nil {
		return err
	}
	after, err := s.load(over)
	if after == nil {
		return err
	}
	rows, _ := before.Workers.List()
	for _, row := range rows {
		was, err := before.Workers.Find("./" + row.Path)
		if err != nil || row.Source != "project" || !complete(before, was) {
			continue // it could not run
		}
		is, err := after.Workers.Find("./" + row.Path)
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
	_, allowed := p.Workers.Allowed(w)
	_, imported := p.Workers.Imported(w)
	_, modules := p.Modules.Of(w)
	return allowed == nil && imported == nil && modules == nil
}

// ourModel returns a model or a pattern of compatible_models with golem's name of its
// provider: golem has no provider of the other name, so nothing could run with it.
func ourModel(p *project.Project, name string) string {
	provider, _, _ := strings.Cut(name, ":")
	if _, own := p.Manifest.Providers[provider]; own {
		return name
	}
	if ours := config.ModelName(name); ours != "" {
		return ours
	}
	return name
}

func ourModels(p *project.Project, names []string) []string {
	out := slices.Clone(names)
	for i, name := range out {
		out[i] = ourModel(p, name)
	}
	return out
}

// meaning returns the configuration of a worker for a comparison: without the places of
// its settings, other tools' names of providers, the spelling of its modules and, if broken, a text that golem could not
// render.
func meaning(p *project.Project, w *project.Worker, broken bool) any {
	c := *w
	if broken {
		c.Instructions = ""
	}
	c.Model = ourModel(p, w.Model)
	c.Fallbacks, c.CompatibleModels = ourModels(p, w.Fallbacks), ourModels(p, w.CompatibleModels)
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
	modules, _ := p.Modules.Of(w) // complete has looked
	data, err := json.Marshal(c)
	return []any{string(data), modules, err == nil}
}
