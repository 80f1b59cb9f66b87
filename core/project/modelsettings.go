package project

import (
	"slices"

	"golem/core/config"
	"golem/core/fault"
)

// modelSettings sets the worker's ModelSettings.
func (b *built) modelSettings() {
	n := b.eff.Get("model_settings")
	if n == nil || len(n.Fields) == 0 {
		return
	}
	raw, err := n.JSON()
	if err != nil {
		b.add(fault.Of(err, fault.Config))
		return
	}
	b.w.ModelSettings = raw
}

// Extras returns the model_settings.extra of the project's files, which golem adds to
// each request to a worker's model: one Said for each key, also if only a part of its value
// is from a file. It leaves out those of flags and of the person's configuration.
func (p *Project) Extras(w *Worker) []config.Said {
	extra := w.eff.Path("model_settings", "extra")
	if extra == nil {
		return nil
	}
	files := []string{p.Trees.Own().Manifest.File, w.File}
	if s := p.Trees.TreeOf(p.Trees.Location(w.File)); s.Name != "" { // a library's manifest has defaults for its workers
		files = append(files, Location{s.Name, s.Manifest.File}.String())
	}
	var out []config.Said
	for _, f := range extra.Fields {
		if slices.ContainsFunc(files, f.Value.StandsIn) {
			out = append(out, config.NewSaid(f.Value, "model_settings.extra."+f.Name, f.Name))
		}
	}
	return out
}

// SettingAt returns the position of one of a worker's model_settings; line 0 if it is
// not set.
func (w *Worker) SettingAt(name string) (file string, line int) {
	n := w.eff.Path("model_settings", name)
	if n == nil {
		return w.File, 0
	}
	return n.Pos.File, n.Pos.Line
}
