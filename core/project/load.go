package project

import (
	"slices"

	"golem/core/fault"
)

// loaded is a definition file once it was read, with all that is wrong in it.
type loaded struct {
	worker *Worker // nil if the file could not be read at all
	eff    *node   // merged configuration, for the places of faults
	def    *definition
	faults fault.List
}

// load reads a definition file, once. p.mu must be held.
func (p *Project) load(l location) *loaded {
	if done, ok := p.workers[l]; ok {
		return done
	}
	out := &loaded{}
	p.workers[l] = out
	out.def, out.faults = p.define(l)
	if out.def != nil {
		var more fault.List
		out.worker, out.eff, more = p.build(out.def)
		p.byWorker[out.worker] = out
		out.faults = append(out.faults, more...)
	}
	out.faults.Sort()
	return out
}

// runnable is load for a worker that is to run: any fault refuses it.
func (p *Project) runnable(l location) (*Worker, error) {
	if err := p.faults.Err(); err != nil {
		return nil, err
	}
	got := p.load(l)
	faults := slices.Clone(got.faults)
	if got.worker != nil {
		faults = append(faults, p.toolsetFaults(got, p.src.Platform, nil)...)
		faults = append(faults, p.toolModuleFaults(got)...)
	}
	faults.Sort()
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return got.worker, nil
}

// Entry returns the worker that starts: Source.Entry, else the manifest's
// entry, else main.worker, else main in a workers root (SPEC §1).
func (p *Project) Entry() (*Worker, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.faults.Err(); err != nil {
		return nil, err
	}
	l, f := p.entry()
	if f != nil {
		return nil, f
	}
	return p.runnable(l)
}

func (p *Project) entry() (location, *fault.Fault) {
	if p.src.Entry != "" {
		return p.resolve(p.src.Entry, true)
	}
	if n := p.settings.get("entry"); n != nil {
		l, f := p.resolve(n.text, true)
		if f != nil {
			f = f.At(n.file, n.line, n.column)
		}
		return l, f
	}
	l, f := p.resolve("main", true)
	if f != nil && f.Code == fault.WorkerNotFound {
		name := p.src.Name
		if name == "" {
			name = "."
		}
		return l, fault.New(fault.Project, "No main.worker in %s", brief(name)).
			Hinting("write main.worker, set entry: in the manifest, or name a worker with --entry")
	}
	return l, f
}

// Worker returns the worker a reference names, from the project root. The
// same file gives the same *Worker.
func (p *Project) Worker(ref string) (*Worker, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l, f := p.resolve(ref, false)
	if f != nil {
		return nil, f
	}
	return p.runnable(l)
}

// Delegates returns the workers that w may call, in the order they are
// allowed, each once. '*' is every worker below the workers roots but w, by
// ID; only that lists a directory (S2-42).
func (p *Project) Delegates(w *Worker) ([]*Worker, error) {
	return p.workersOf(w, "toolsets", "workers", "allowed_workers")
}

// Imported returns the workers that w imports. Importing permits nothing
// (S2-22): it tells E_NOT_ALLOWED from E_UNKNOWN_TOOL.
func (p *Project) Imported(w *Worker) ([]*Worker, error) {
	return p.workersOf(w, "imports", "workers")
}

func (p *Project) workersOf(w *Worker, path ...string) ([]*Worker, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []*Worker
	var faults fault.List
	targets, bad := p.targets(w, path...)
	faults = append(faults, bad...)
	for _, l := range targets {
		got, err := p.runnable(l)
		if err != nil {
			faults = append(faults, listOfFaults(err)...)
			continue
		}
		out = append(out, got)
	}
	faults.Sort()
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return out, nil
}

func listOfFaults(err error) fault.List {
	if l, ok := err.(fault.List); ok {
		return l
	}
	return fault.List{fault.Of(err, fault.Config)}
}

// targets resolves a list of references that stands in w's configuration,
// each fault at its own line.
func (p *Project) targets(w *Worker, path ...string) ([]location, fault.List) {
	got := p.byWorker[w]
	if got == nil {
		return nil, fault.List{fault.New(fault.WorkerNotFound, "worker %s is not of this project", quoted(w.ID))}
	}
	list := got.eff.path(path...)
	if list == nil {
		return nil, nil
	}
	var out []location
	var faults fault.List
	seen := map[location]bool{}
	add := func(l location) {
		if !seen[l] {
			seen[l] = true
			out = append(out, l)
		}
	}
	for _, item := range list.items {
		if item.text == "*" && path[0] == "toolsets" {
			all, bad := p.everyWorker(got.def.location)
			faults = append(faults, bad...)
			for _, l := range all {
				add(l)
			}
			continue
		}
		l, f := p.resolve(item.text, false)
		if f != nil {
			faults = append(faults, f.At(item.file, item.line, item.column))
			continue
		}
		add(l)
	}
	return out, faults
}

// everyWorker is what '*' allows: the project's own, without the worker itself.
func (p *Project) everyWorker(self location) ([]location, fault.List) {
	var out []location
	s := p.scan()
	faults := slices.Clone(s.faults)
	for _, id := range s.ids {
		if l := s.found[id][0]; !l.builtin && l != self {
			out = append(out, l)
		}
	}
	return out, faults
}

// Closure returns w and all that is reachable from it over imports and
// allowed workers, each once, w first, then breadth-first. Cycles are fine;
// two files with one ID are E_AMBIGUOUS (S2-26).
func (p *Project) Closure(w *Worker) ([]*Worker, error) {
	out := []*Worker{w}
	seen := map[*Worker]bool{w: true}
	byID := map[string]*Worker{w.ID: w}
	var faults fault.List
	for i := 0; i < len(out); i++ {
		imported, err := p.Imported(out[i])
		if err != nil {
			faults = append(faults, listOfFaults(err)...)
		}
		allowed, err := p.Delegates(out[i])
		if err != nil {
			faults = append(faults, listOfFaults(err)...)
		}
		for _, next := range append(imported, allowed...) {
			if seen[next] {
				continue
			}
			seen[next] = true
			if other := byID[next.ID]; other != nil {
				faults = append(faults, twoFiles(next.ID, other.File, next.File))
			}
			byID[next.ID] = next
			out = append(out, next)
		}
	}
	faults.Sort()
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return out, nil
}

func twoFiles(id, first, second string) *fault.Fault {
	files := []string{first, second}
	slices.Sort(files)
	return at{files[1], 1, 1}.fault(fault.Ambiguous, "%s is defined by %s and %s, and both are used", quoted(id), files[0], files[1]).
		Hinting("rename one of them")
}
