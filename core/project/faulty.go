package project

import (
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// Blind returns the name of the project file if it cannot be read at all, otherwise "".
// Where the workers are and what they inherit is then not known, so that a check can look
// at each file only by itself.
func (p *Project) Blind() string { return p.blind }

// Unread returns the worker files of the project that cannot be read at all, sorted.
func (p *Project) Unread() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for l, got := range p.workers {
		if got.worker == nil && l.inProject() {
			out = append(out, l.String())
		}
	}
	slices.Sort(out)
	return out
}

// IDOf returns the ID of a worker file.
func (p *Project) IDOf(file string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.workerID(p.place(file))
}

// Faulty reports whether a worker, or what it inherits, has an error below a key of its
// configuration, as "sandbox" or "toolsets", "mcp". Without a key it reports whether
// there is any error. What follows from such a part is no fault of its own.
func (p *Project) Faulty(w *Worker, keys ...string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	got := p.byWorker[w]
	if got == nil {
		return true
	}
	_, missing := p.modules(got)
	faults := slices.Concat(p.faults, got.faults, p.toolsetFaults(got, p.src.Platform), missing)
	return slices.ContainsFunc(faults, func(f *fault.Fault) bool {
		if f.Severity == fault.Warning {
			return false
		}
		at := p.keysAt(got, f)
		return slices.Equal(at[:min(len(at), len(keys))], keys[:min(len(at), len(keys))])
	})
}

// MissingLibraries reports whether a library that the project needs cannot be used, so
// that its workers and tools are not known.
func (p *Project) MissingLibraries() bool {
	return slices.ContainsFunc(p.faults, func(f *fault.Fault) bool { return strings.HasPrefix(string(f.Code), "E_LIBRARY") })
}

// keysAt returns the keys of the file, outermost first, in which a fault is; none if that
// is not known. A misspelt outermost key stands for the one that it is most like.
func (p *Project) keysAt(got *loaded, f *fault.Fault) []string {
	if f.Where == nil || f.Where.Line == 0 {
		return []string{""}
	}
	at := yamltree.At(f.Where.File, f.Where.Line, f.Where.Column)
	for _, n := range []struct {
		tree  *yamltree.Node
		shape *yamltree.Shape
	}{{got.def.raw, workerShape}, {p.sources[0].raw, manifestShape}, {p.sourceOf(got.def.location).raw, libraryShape}} {
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
