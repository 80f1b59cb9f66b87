package project

import (
	"golem/core/config"
	"golem/core/fault"
	"golem/core/yamltree"
)

// Hardened says which module answers for a worker before its model does (SPEC §18).
type Hardened struct {
	Module  Module
	Missing bool // there is no such file yet, see Setup.NoModuleYet
	// OnlyValid: the module gets only inputs that fit the worker's input_schema.
	OnlyValid bool
	// OrError: where the module does not answer, the call fails; else the worker answers.
	OrError bool
	Files   bool     // it reads the files that the worker sees
	Calls   []string // tools of the worker that it may call
	File    string   // the file that says so, for faults
	Line    int
}

// hardened sets the worker's Hardened.
func (b *built) hardened() {
	n := b.d.Node.Get("hardened")
	if n == nil {
		return
	}
	tree := b.ws.trees.TreeOf(b.d.Location)
	at := func(key string) yamltree.Pos {
		if v := n.Get(key); v != nil {
			return v.Pos
		}
		return n.Pos
	}
	switch {
	case b.w.Mode == "chat":
		b.add(n.Pos.Fault(fault.Usage, "a worker with mode: chat cannot be hardened: its answers depend on what was said before").
			Hinting("remove hardened, or mode: chat"))
	case tree.Library != "" || !b.d.InProject():
		b.add(n.Pos.Fault(fault.Usage, "only a worker of the project can be hardened, and %s is not one", fault.Quoted(b.w.ID)).
			Hinting("copy the worker into the project, and harden the copy"))
	case n.Get("when").String() == "schema" && b.d.Node.Get("input_schema") == nil:
		b.add(at("when").Fault(fault.Config, "hardened.when is schema, and the worker has no input_schema").
			Hinting("write input_schema, or when: always"))
	}
	name, ok := config.Inside(n.Get("module").String())
	if !ok {
		return // the shape has reported it
	}
	l := b.d.In(name)
	missing := !b.ws.trees.Exists(l)
	if missing && !b.ws.setup.NoModuleYet {
		b.add(at("module").Fault(fault.NotFound, "hardened.module is %s, and there is no such file", l).
			Hinting("make it with golem harden %s, or remove hardened: the worker then answers itself", fault.Brief(b.w.ID)))
	}
	b.w.Hardened = &Hardened{
		Module: Module{Path: l.String(), Level: ownLevel}, Missing: missing, OnlyValid: n.Get("when").String() == "schema", OrError: n.Get("otherwise").String() == "error",
		Files: n.Get("fs").Flag(), Calls: n.Get("calls").Texts(), File: n.Pos.File, Line: n.Pos.Line,
	}
	b.ws.trees.defining(l.String())
	b.ws.trees.linked(l)
	lock := b.ws.modules.lockFile()
	b.faults = append(b.faults, lock.Faults...)
	b.w.Hardened.Module.Locked, b.w.Hardened.Module.Digest = lock.Digests != nil, lock.Digests[l.String()]
}

// Hardening returns the module that answers for w before its model; nil if there is none, or if
// --no-import-tools was given or its file is missing.
func (ms *Modules) Hardening(w *Worker) *Hardened {
	if ms.setup.Options.NoImportTools || w.Hardened == nil || w.Hardened.Missing {
		return nil
	}
	return w.Hardened
}

// AndHardened returns the modules that w may use and the one that answers for it.
func (ms *Modules) AndHardened(w *Worker) ([]Module, error) {
	found, err := ms.Of(w)
	if h := ms.Hardening(w); h != nil {
		d := discovery{modules: found}
		d.add(ownLevel, h.Module.Path)
		if len(d.modules) > len(found) {
			d.modules[len(found)] = h.Module
		}
		found = d.modules
	}
	return found, err
}
