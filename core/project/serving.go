package project

import (
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/yamltree"
)

// Serving is a name in toolsets.custom.tools and the worker of that name. If no module
// has the tool, the worker serves the name, so that a worker can replace a tool without a
// change in its callers (SPEC §5, S3-24).
type Serving struct {
	Item *yamltree.Node
	By   Location
}

// Servings returns the names in a worker's toolsets.custom.tools that a worker has,
// except the worker itself. For a/b, the name is a__b.
func (ws *Workers) Servings(got *Loaded) []Serving {
	list := got.Keys.Path("toolsets", "custom", "tools")
	if list == nil {
		return nil
	}
	var out []Serving
	for _, item := range list.Items {
		for _, id := range []string{item.Text, strings.ReplaceAll(item.Text, "__", "/")} {
			r, f := parseReference(id)
			if f != nil || r.id == "" || r.lib != "" || tool.ToolName(id) != item.Text {
				continue
			}
			if l, f := ws.names.Resolve(got.Definition.Tree, id, false); f == nil {
				if l != got.Definition.Location && !slices.ContainsFunc(out, func(s Serving) bool { return s.By == l }) {
					out = append(out, Serving{item, l})
				}
				break
			}
		}
	}
	return out
}

// Served returns the workers that may serve names in w's toolsets.custom.tools, without
// those that are in its allowed_workers. Whether a module has the tool is not known here.
func (ws *Workers) Served(w *Worker) ([]Allowed, error) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	got := w.loaded
	if got == nil {
		return nil, nil
	}
	names := ws.Servings(got)
	if len(names) == 0 {
		return nil, nil
	}
	listed, _ := ws.targets(w, "toolsets", "workers", "allowed_workers")
	var out []Allowed
	var faults fault.List
	for _, s := range names {
		if slices.ContainsFunc(listed, func(a allowedName) bool { return a.Location == s.By }) {
			continue
		}
		by, err := ws.runnable(s.By)
		if err != nil {
			faults = append(faults, listOfFaults(err)...)
			continue
		}
		out = append(out, Allowed{Worker: by, Name: ws.trees.WorkerID(s.By), Tool: s.Item.Text})
	}
	faults.Sort()
	if err := faults.Err(); err != nil && !ws.setup.Part {
		return nil, err
	}
	return out, nil
}
