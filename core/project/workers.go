package project

import (
	"slices"
	"sync"

	"golem/core/fault"
	"golem/core/yamltree"
)

// Workers loads the workers of a project, each file once, and finds out which workers and
// tools each of them names.
type Workers struct {
	setup    *Setup
	trees    *Trees
	names    *Names
	modules  *Modules
	given    *yamltree.Node // {limits: …, model_settings: …} that a person set for the run; nil without
	approval Approval
	faults   fault.List // of the whole project

	mu    sync.Mutex
	files map[Location]*Loaded
	code  *Loaded // the entry, if it is a tool
}

// Loaded is a definition file that was read, with all its faults.
type Loaded struct {
	Worker     *Worker        // nil if the file could not be read at all
	Keys       *yamltree.Node // merged configuration, for the positions of faults
	Definition *Definition
	Faults     fault.List
	Own        fault.List // those of the file by itself, without what it inherits

}

// Load reads a definition file, once.
func (ws *Workers) Load(l Location) *Loaded {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	return ws.load(l)
}

// load does the work of Load. ws.mu must be held.
func (ws *Workers) load(l Location) *Loaded {
	if done, ok := ws.files[l]; ok {
		return done
	}
	out := &Loaded{}
	ws.files[l] = out
	out.Definition, out.Own = ws.define(l)
	out.Faults = slices.Clone(out.Own)
	if out.Definition != nil {
		var more fault.List
		out.Worker, out.Keys, more = ws.build(out.Definition)
		out.Worker.loaded = out
		ws.refersTo(out)
		ws.startsOf(out)
		out.Faults = append(out.Faults, more...)
	}
	out.Faults.Sort()
	return out
}

// runnable loads a worker that is to run. It returns an error if the worker has any
// fault of severity Error.
func (ws *Workers) runnable(l Location) (*Worker, error) {
	if err := ws.ready(); err != nil {
		return nil, err
	}
	return ws.finished(ws.load(l))
}

// ready returns the errors of the manifest, flags and environment, with which no worker
// can run.
func (ws *Workers) ready() error {
	if ws.setup.Part {
		return nil
	}
	return ws.faults.Err()
}

// finished returns a loaded worker, or its errors, with those of its toolsets and tool
// modules on this platform.
func (ws *Workers) finished(got *Loaded) (*Worker, error) {
	if ws.setup.Part && got.Worker != nil {
		return got.Worker, nil
	}
	faults := slices.Clone(got.Faults)
	if f := ws.EngineFault(ws.setup.Platform.Name); f != nil {
		faults = append(faults, f)
	}
	if got.Worker != nil {
		faults = append(faults, ws.ToolsetFaults(got, ws.setup.Platform.Name)...)
		faults = append(faults, ws.modules.toolModuleFaults(got)...)
	}
	faults.Sort()
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return got.Worker, nil
}

// Entry returns the worker that a run starts with: Options.Entry, otherwise the
// manifest's entry, otherwise main.worker, otherwise main in a workers root (SPEC
// §1).
func (ws *Workers) Entry() (*Worker, error) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if err := ws.ready(); err != nil {
		return nil, err
	}
	l, f := ws.EntryFile()
	if f == nil {
		return ws.runnable(l)
	}
	if code := ws.entryTool(f); code != nil {
		return ws.finished(code)
	}
	return nil, f
}

// EntryFile returns the file of the worker that a run starts with; it may not exist.
func (ws *Workers) EntryFile() (Location, *fault.Fault) {
	if ws.setup.Options.Entry != "" {
		return ws.names.Resolve("", ws.setup.Options.Entry, true)
	}
	if n := ws.trees.Own().Keys.Get("entry"); n != nil {
		l, f := ws.names.Resolve("", n.Text, true)
		if f != nil {
			f = f.At(n.File, n.Line, n.Column)
		}
		return l, f
	}
	l, f := ws.names.Resolve("", "main", true)
	if f != nil && f.Code == fault.WorkerNotFound {
		name := ws.setup.Name
		if name == "" {
			name = "."
		}
		return l, fault.New(fault.Project, "No main.worker in %s", fault.Brief(name)).
			Hinting("write main.worker, set entry: in the manifest, or name a worker with --entry").InPage("", "write main.worker, set entry: in the manifest, or choose a worker")
	}
	return l, f
}

// Find returns the worker that a reference names, as seen from the project root.
// Two references to one file return the same *Worker.
func (ws *Workers) Find(ref string) (*Worker, error) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	l, f := ws.names.Resolve("", ref, false)
	if f != nil {
		return nil, f
	}
	return ws.runnable(l)
}

// InFile returns the worker of a definition file that List or a worker named:
// "workers/a.worker", "utils:workers/a.worker".
func (ws *Workers) InFile(file string) (*Worker, error) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	l := ws.trees.Location(file)
	if !ws.trees.Exists(l) {
		return nil, fault.New(fault.WorkerNotFound, "there is no worker file %s", fault.Quoted(file))
	}
	return ws.runnable(l)
}

// Warnings returns what a run of w leaves out although it does not fail: tools whose
// source code was not built. With --no-import-tools it returns none.
func (ws *Workers) Warnings(w *Worker) fault.List {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	got := w.loaded
	if ws.setup.Options.NoImportTools || got == nil || ws.modules.withoutTools(got) {
		return nil
	}
	faults := ws.modules.Unbuilt(got.Definition.In("."))
	if dir := got.OwnDir(); dir != "" {
		faults = append(faults, ws.modules.Unbuilt(got.Definition.In(dir))...)
	}
	for i, f := range faults {
		c := *f
		c.Severity = fault.Warning
		faults[i] = &c
	}
	faults.Sort()
	return faults
}
