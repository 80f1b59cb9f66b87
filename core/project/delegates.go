package project

import (
	"errors"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// Delegates returns the workers that w may call, each once, in the order of its
// allowed_workers, then those that may serve names of its toolsets.custom.tools. '*' stands
// for all workers of the project except w, by ID; only for '*' a directory is listed (S2-42).
func (ws *Workers) Delegates(w *Worker) ([]*Worker, error) {
	allowed, err := ws.Allowed(w)
	if err != nil {
		return nil, err
	}
	served, err := ws.Served(w)
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
func (ws *Workers) Allowed(w *Worker) ([]Allowed, error) {
	return ws.targetsOf(w, "toolsets", "workers", "allowed_workers")
}

// Imported returns the workers that w imports. An import permits no call (S2-22). It
// decides the error of a call: E_NOT_ALLOWED for an imported worker,
// E_UNKNOWN_TOOL for any other.
func (ws *Workers) Imported(w *Worker) ([]*Worker, error) {
	imported, err := ws.targetsOf(w, "imports", "workers")
	out := make([]*Worker, len(imported))
	for i, a := range imported {
		out[i] = a.Worker
	}
	return out, err
}

func (ws *Workers) targetsOf(w *Worker, path ...string) ([]Allowed, error) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	var out []Allowed
	var faults fault.List
	targets, bad := ws.targets(w, path...)
	faults = append(faults, bad...)
	for _, t := range targets {
		if t.tool != "" {
			out = append(out, Allowed{Name: t.tool, Missing: t.missing})
			continue
		}
		got, err := ws.runnable(t.Location)
		if err != nil {
			faults = append(faults, listOfFaults(err)...)
			continue
		}
		out = append(out, Allowed{Worker: got, Name: t.name, library: t.library})
	}
	faults.Sort()
	if err := faults.Err(); err != nil && !ws.setup.Part {
		return nil, err
	}
	return out, nil
}

func listOfFaults(err error) fault.List { return FaultsOf(err, fault.Config) }

// FaultsOf returns all faults of an error; code is for an error that is no fault.
func FaultsOf(err error, code fault.Code) fault.List {
	var l fault.List
	if errors.As(err, &l) {
		return l
	}
	return fault.List{fault.Of(err, code)}
}

// targets resolves a list of references in w's configuration. Each fault has the
// position of its reference.
func (ws *Workers) targets(w *Worker, path ...string) ([]allowedName, fault.List) {
	got := w.loaded
	if got == nil {
		return nil, fault.List{fault.New(fault.WorkerNotFound, "worker %s does not belong to this project", fault.Quoted(w.ID))}
	}
	list := got.Keys.Path(path...)
	if list == nil {
		return nil, nil
	}
	var out []allowedName
	var faults fault.List
	seen := map[Location]bool{}
	from := got.Definition.Tree
	add := func(l Location, prefixed bool) {
		if !seen[l] {
			seen[l] = true
			a := allowedName{Location: l, name: ws.trees.WorkerID(l)}
			if lib := ws.trees.TreeOf(l).Library; lib != "" && !prefixed {
				a.name = strings.TrimPrefix(a.name, lib+":")
				if l.Tree == from {
					a.library = lib
				}
			}
			out = append(out, a)
		}
	}
	for _, item := range list.Items {
		if item.Text == "*" && path[0] == "toolsets" {
			all, bad := ws.names.Everyone(got.Definition.Location)
			faults = append(faults, bad...)
			for _, l := range all {
				add(l, false)
			}
			continue
		}
		l, f := ws.names.Resolve(from, item.Text, false)
		if f != nil {
			f = f.At(item.File, item.Line, item.Column)
			if path[0] == "toolsets" && ws.MayBeTool(got, item.Text, f) {
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
	Location
	name    string       // what the caller calls it
	library string       // the caller's library, if the worker is in it, too
	tool    string       // "" for a worker file
	missing *fault.Fault // the error to report if no module has that tool
}

// MayBeTool reports whether a reference to a worker that does not exist may name a
// tool: it is an ID, and the worker has modules.
func (ws *Workers) MayBeTool(got *Loaded, ref string, f *fault.Fault) bool {
	r, bad := parseReference(ref)
	if bad != nil || r.id == "" || f.Code != fault.WorkerNotFound {
		return false
	}
	modules, _ := ws.modules.discovered(got) // their faults are reported when the tools are made
	return len(modules) > 0
}

// Closure returns w and all workers that can be reached from it through imports and
// allowed workers, each once: w first, then level by level. Cycles are not an error;
// two files with one ID are E_AMBIGUOUS (S2-26).
func (ws *Workers) Closure(w *Worker) ([]*Worker, error) {
	out := []*Worker{w}
	seen := map[*Worker]bool{w: true}
	byID := map[string]*Worker{w.ID: w}
	var faults fault.List
	for i := 0; i < len(out); i++ {
		imported, err := ws.Imported(out[i])
		if err != nil {
			faults = append(faults, listOfFaults(err)...)
		}
		allowed, err := ws.Delegates(out[i])
		if err != nil {
			faults = append(faults, listOfFaults(err)...)
		}
		for _, next := range append(imported, allowed...) {
			if seen[next] {
				continue
			}
			seen[next] = true
			if other := byID[next.ID]; other != nil {
				faults = append(faults, TwoFiles(next.ID, other.File, next.File))
			}
			byID[next.ID] = next
			out = append(out, next)
		}
	}
	faults.Sort()
	if err := faults.Err(); err != nil && !ws.setup.Part {
		return nil, err
	}
	return out, nil
}

// TwoFiles returns the fault that two files that are used have one ID.
func TwoFiles(id, first, second string) *fault.Fault {
	files := []string{first, second}
	slices.Sort(files)
	return yamltree.At(files[1], 1, 1).Fault(fault.Ambiguous, "%s is defined by %s and %s, and both are used", fault.Quoted(id), files[0], files[1]).
		Hinting("rename one of them")
}
