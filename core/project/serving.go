package project

import (
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/yamltree"
)

// serving is a name in toolsets.custom.tools and the worker of that name. If no module
// has the tool, the worker serves the name, so that a worker can replace a tool without a
// change in its callers (SPEC §5, S3-24).
type serving struct {
	item *yamltree.Node
	at   location
}

// servings returns the names in a worker's toolsets.custom.tools that a worker has,
// except the worker itself. For a/b, the name is a__b.
func (p *Project) servings(got *loaded) []serving {
	list := got.eff.Path("toolsets", "custom", "tools")
	if list == nil {
		return nil
	}
	var out []serving
	for _, item := range list.Items {
		for _, id := range []string{item.Text, strings.ReplaceAll(item.Text, "__", "/")} {
			r, f := parseReference(id)
			if f != nil || r.id == "" || r.lib != "" || tool.ToolName(id) != item.Text {
				continue
			}
			if l, f := p.resolve(got.def.source, id, false); f == nil {
				if l != got.def.location && !slices.ContainsFunc(out, func(s serving) bool { return s.at == l }) {
					out = append(out, serving{item, l})
				}
				break
			}
		}
	}
	return out
}

// Served returns the workers that may serve names in w's toolsets.custom.tools, without
// those that are in its allowed_workers. Whether a module has the tool is not known here.
func (p *Project) Served(w *Worker) ([]Allowed, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	got := p.byWorker[w]
	if got == nil {
		return nil, nil
	}
	names := p.servings(got)
	if len(names) == 0 {
		return nil, nil
	}
	listed, _ := p.targets(w, "toolsets", "workers", "allowed_workers")
	var out []Allowed
	var faults fault.List
	for _, s := range names {
		if slices.ContainsFunc(listed, func(a allowedName) bool { return a.location == s.at }) {
			continue
		}
		by, err := p.runnable(s.at)
		if err != nil {
			faults = append(faults, listOfFaults(err)...)
			continue
		}
		out = append(out, Allowed{Worker: by, Name: p.workerID(s.at), Tool: s.item.Text})
	}
	faults.Sort()
	if err := faults.Err(); err != nil && !p.src.Part {
		return nil, err
	}
	return out, nil
}
