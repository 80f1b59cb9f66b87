package project

import (
	"errors"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// loaded is a definition file that was read, with all its faults.
type loaded struct {
	worker *Worker        // nil if the file could not be read at all
	eff    *yamltree.Node // merged configuration, for the positions of faults
	def    *definition
	faults fault.List
	own    fault.List // those of the file by itself, without what it inherits

	discovered *discovery // nil until golem looked for tool modules
}

// load reads a definition file, once. p.mu must be held.
func (p *Project) load(l location) *loaded {
	if done, ok := p.workers[l]; ok {
		return done
	}
	out := &loaded{}
	p.workers[l] = out
	out.def, out.own = p.define(l)
	out.faults = slices.Clone(out.own)
	if out.def != nil {
		var more fault.List
		out.worker, out.eff, more = p.build(out.def)
		p.byWorker[out.worker] = out
		p.refersTo(out)
		p.startsOf(out)
		out.faults = append(out.faults, more...)
	}
	out.faults.Sort()
	return out
}

// runnable loads a worker that is to run. It returns an error if the worker has any
// fault of severity Error.
func (p *Project) runnable(l location) (*Worker, error) {
	if err := p.ready(); err != nil {
		return nil, err
	}
	return p.finished(p.load(l))
}

// ready returns the errors of the manifest, flags and environment, with which no worker
// can run.
func (p *Project) ready() error {
	if p.src.Part {
		return nil
	}
	return p.faults.Err()
}

// finished returns a loaded worker, or its errors, with those of its toolsets and tool
// modules on this platform.
func (p *Project) finished(got *loaded) (*Worker, error) {
	if p.src.Part && got.worker != nil {
		return got.worker, nil
	}
	faults := slices.Clone(got.faults)
	if f := p.engineFault(p.src.Platform); f != nil {
		faults = append(faults, f)
	}
	if got.worker != nil {
		faults = append(faults, p.toolsetFaults(got, p.src.Platform)...)
		faults = append(faults, p.toolModuleFaults(got)...)
	}
	faults.Sort()
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return got.worker, nil
}

// Entry returns the worker that a run starts with: Source.Entry, otherwise the
// manifest's entry, otherwise main.worker, otherwise main in a workers root (SPEC
// §1).
func (p *Project) Entry() (*Worker, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.ready(); err != nil {
		return nil, err
	}
	l, f := p.entry()
	if f == nil {
		return p.runnable(l)
	}
	if code := p.entryTool(f); code != nil {
		return p.finished(code)
	}
	return nil, f
}

func (p *Project) entry() (location, *fault.Fault) {
	if p.src.Entry != "" {
		return p.resolve("", p.src.Entry, true)
	}
	if n := p.settings.Get("entry"); n != nil {
		l, f := p.resolve("", n.Text, true)
		if f != nil {
			f = f.At(n.File, n.Line, n.Column)
		}
		return l, f
	}
	l, f := p.resolve("", "main", true)
	if f != nil && f.Code == fault.WorkerNotFound {
		name := p.src.Name
		if name == "" {
			name = "."
		}
		return l, fault.New(fault.Project, "No main.worker in %s", fault.Brief(name)).
			Hinting("write main.worker, set entry: in the manifest, or name a worker with --entry")
	}
	return l, f
}

// Worker returns the worker that a reference names, as seen from the project root.
// Two references to one file return the same *Worker.
func (p *Project) Worker(ref string) (*Worker, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l, f := p.resolve("", ref, false)
	if f != nil {
		return nil, f
	}
	return p.runnable(l)
}

// WorkerAt returns the worker of a definition file that List or a worker named:
// "workers/a.worker", "utils:workers/a.worker".
func (p *Project) WorkerAt(file string) (*Worker, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.place(file)
	if !p.exists(l) {
		return nil, fault.New(fault.WorkerNotFound, "there is no worker file %s", fault.Quoted(file))
	}
	return p.runnable(l)
}

// HasWorker reports whether a name is the ID of a worker, or the name of a worker's
// tool (a/b is a__b there). It opens no file and lists no directory.
func (p *Project) HasWorker(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range []string{name, strings.ReplaceAll(name, "__", "/")} {
		if r, f := parseReference(id); f == nil && r.id != "" && r.lib == "" {
			if l, _, _, f := p.resolveID(p.scope(""), id); f != nil || l.name != "" {
				return true
			}
		}
	}
	return false
}

// Delegates returns the workers that w may call, each once, in the order of its
// allowed_workers, then those that may serve names of its toolsets.custom.tools. '*' stands for all workers of the project except w, by ID; only
// for '*' a directory is listed (S2-42).
func (p *Project) Delegates(w *Worker) ([]*Worker, error) {
	allowed, err := p.Allowed(w)
	if err != nil {
		return nil, err
	}
	served, err := p.Served(w)
	if err != nil {
		return nil, err
	}
	allowed = append(allowed, served...)
	var out []*Worker
	for _, a := range allowed {
		if a.Worker != nil {
			out = append(out, a.Worker)
		}
	}
	return out, nil
}

// Allowed is one name of allowed_workers: a worker, or a name without a worker file
// that may be a tool of a module (SPEC §5, S3-24).
type Allowed struct {
	Worker  *Worker
	Name    string // the name for the caller: Worker's ID, without its library if the reference has none
	Tool    string // the name in toolsets.custom.tools that Worker serves; "": it is in allowed_workers
	Missing error  // if Worker is nil: the error to report if no module has a tool of that name

	library string // the caller's library, if Worker is in it, too
}

// Named reports whether a reference, as the caller writes it, means the worker. It
// opens no file.
func (a Allowed) Named(ref string) bool {
	return ref == a.Name || a.Worker.Named(ref) || a.library != "" && !strings.Contains(ref, ":") && a.Worker.Named(a.library+":"+ref)
}

// Allowed returns what allowed_workers names, in order. A name without a worker is in
// the result only if w has tool modules; otherwise it is an error.
func (p *Project) Allowed(w *Worker) ([]Allowed, error) {
	return p.targetsOf(w, "toolsets", "workers", "allowed_workers")
}

// Imported returns the workers that w imports. An import permits no call (S2-22). It
// decides the error of a call: E_NOT_ALLOWED for an imported worker,
// E_UNKNOWN_TOOL for any other.
func (p *Project) Imported(w *Worker) ([]*Worker, error) {
	imported, err := p.targetsOf(w, "imports", "workers")
	out := make([]*Worker, len(imported))
	for i, a := range imported {
		out[i] = a.Worker
	}
	return out, err
}

func (p *Project) targetsOf(w *Worker, path ...string) ([]Allowed, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []Allowed
	var faults fault.List
	targets, bad := p.targets(w, path...)
	faults = append(faults, bad...)
	for _, t := range targets {
		if t.tool != "" {
			out = append(out, Allowed{Name: t.tool, Missing: t.missing})
			continue
		}
		got, err := p.runnable(t.location)
		if err != nil {
			faults = append(faults, listOfFaults(err)...)
			continue
		}
		out = append(out, Allowed{Worker: got, Name: t.name, library: t.library})
	}
	faults.Sort()
	if err := faults.Err(); err != nil && !p.src.Part {
		return nil, err
	}
	return out, nil
}

func listOfFaults(err error) fault.List { return faultsOf(err, fault.Config) }

// faultsOf returns all faults of an error; code is for an error that is no fault.
func faultsOf(err error, code fault.Code) fault.List {
	var l fault.List
	if errors.As(err, &l) {
		return l
	}
	return fault.List{fault.Of(err, code)}
}

// targets resolves a list of references in w's configuration. Each fault has the
// position of its reference.
func (p *Project) targets(w *Worker, path ...string) ([]allowedName, fault.List) {
	got := p.byWorker[w]
	if got == nil {
		return nil, fault.List{fault.New(fault.WorkerNotFound, "worker %s does not belong to this project", fault.Quoted(w.ID))}
	}
	list := got.eff.Path(path...)
	if list == nil {
		return nil, nil
	}
	var out []allowedName
	var faults fault.List
	seen := map[location]bool{}
	from := got.def.source
	add := func(l location, prefixed bool) {
		if !seen[l] {
			seen[l] = true
			a := allowedName{location: l, name: p.workerID(l)}
			if lib := p.sourceOf(l).library; lib != "" && !prefixed {
				a.name = strings.TrimPrefix(a.name, lib+":")
				if l.source == from {
					a.library = lib
				}
			}
			out = append(out, a)
		}
	}
	for _, item := range list.Items {
		if item.Text == "*" && path[0] == "toolsets" {
			all, bad := p.everyWorker(got.def.location)
			faults = append(faults, bad...)
			for _, l := range all {
				add(l, false)
			}
			continue
		}
		l, f := p.resolve(from, item.Text, false)
		if f != nil {
			f = f.At(item.File, item.Line, item.Column)
			if path[0] == "toolsets" && p.mayBeTool(got, item.Text, f) {
				if !slices.ContainsFunc(out, func(t allowedName) bool { return t.tool == item.Text }) {
					out = append(out, allowedName{tool: item.Text, missing: f})
				}
			} else {
				faults = append(faults, f)
			}
			continue
		}
		add(l, strings.Contains(item.Text, ":"))
	}
	return out, faults
}

// allowedName is what a reference names: a worker file, or the tool of a module.
type allowedName struct {
	location
	name    string       // what the caller calls it
	library string       // the caller's library, if the worker is in it, too
	tool    string       // "" for a worker file
	missing *fault.Fault // the error to report if no module has that tool
}

// mayBeTool reports whether a reference to a worker that does not exist may name a
// tool: it is an ID, and the worker has modules.
func (p *Project) mayBeTool(got *loaded, ref string, f *fault.Fault) bool {
	r, bad := parseReference(ref)
	if bad != nil || r.id == "" || f.Code != fault.WorkerNotFound {
		return false
	}
	modules, _ := p.modules(got) // their faults are reported when the tools are made
	return len(modules) > 0
}

// everyWorker returns the workers that '*' allows: those of the project or the library
// that the worker belongs to, without the worker itself.
func (p *Project) everyWorker(self location) ([]location, fault.List) {
	var out []location
	s := p.scan(self.source)
	faults := slices.Clone(s.faults)
	for _, id := range s.ids {
		if l := s.found[id][0]; l.source == self.source && l != self {
			out = append(out, l)
		}
	}
	return out, faults
}

// Closure returns w and all workers that can be reached from it through imports and
// allowed workers, each once: w first, then level by level. Cycles are not an error;
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
	if err := faults.Err(); err != nil && !p.src.Part {
		return nil, err
	}
	return out, nil
}

func twoFiles(id, first, second string) *fault.Fault {
	files := []string{first, second}
	slices.Sort(files)
	return yamltree.At(files[1], 1, 1).Fault(fault.Ambiguous, "%s is defined by %s and %s, and both are used", fault.Quoted(id), files[0], files[1]).
		Hinting("rename one of them")
}
