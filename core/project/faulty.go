package project

import (
	"slices"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/yamltree"
)

// Unread returns the worker files of the project that cannot be read at all, sorted.
func (ws *Workers) Unread() []string {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	var out []string
	for l, got := range ws.files {
		if got.Worker == nil && l.InProject() {
			out = append(out, l.String())
		}
	}
	slices.Sort(out)
	return out
}

// ID returns the ID of a worker file.
func (ws *Workers) ID(file string) string {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	return ws.trees.WorkerID(ws.trees.Location(file))
}

// Faulty reports whether a worker, or what it inherits, has an error below a key of its
// configuration, as "sandbox" or "toolsets", "mcp". Without a key it reports whether
// there is any error. What follows from such a part is no fault of its own.
func (ws *Workers) Faulty(w *Worker, keys ...string) bool {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	got := w.loaded
	if got == nil {
		return true
	}
	_, missing := ws.modules.discovered(got)
	faults := slices.Concat(ws.faults, got.Faults, ws.ToolsetFaults(got, ws.setup.Platform.Name), missing)
	return slices.ContainsFunc(faults, func(f *fault.Fault) bool {
		if f.Severity == fault.Warning {
			return false
		}
		at := ws.keysAt(got, f)
		return slices.Equal(at[:min(len(at), len(keys))], keys[:min(len(at), len(keys))])
	})
}

// keysAt returns the keys of the file, outermost first, in which a fault is; none if that
// is not known. A misspelt outermost key stands for the one that it is most like.
func (ws *Workers) keysAt(got *Loaded, f *fault.Fault) []string {
	if f.Where == nil || f.Where.Line == 0 {
		return []string{""}
	}
	at := yamltree.At(f.Where.File, f.Where.Line, f.Where.Column)
	for _, n := range []struct {
		tree  *yamltree.Node
		shape *yamltree.Shape
	}{{got.Definition.Raw, config.WorkerShape}, {ws.trees.all[0].Raw, config.ManifestShape}, {ws.trees.TreeOf(got.Definition.Location).Raw, config.LibraryShape}} {
		if n.tree == nil || n.tree.File != at.File {
			continue
		}
		keys := n.tree.KeysAt(at)
		if len(keys) == 0 {
			break
		}
		name := keys[0]
		if canonical := n.shape.Aliases[name]; canonical != "" {
			name = canonical
		}
		if n.shape.Keys[name] == nil {
			if near := fault.Nearest(name, n.shape.Names()); near != "" {
				name = near
			}
		}
		if name == "allow_workers" {
			return []string{"toolsets", "workers"}
		}
		return append([]string{name}, keys[1:]...)
	}
	return []string{""}
}
