package run

import (
	"golem/core/fault"
	"golem/core/project"
	"golem/core/tool"
)

// serve adds the workers that serve names in toolsets.custom.tools, because no module has
// a tool of that name. If one has, both are one name, which is an error; for golem's own
// workers the module's tool is used.
func (f *frame) serve(served []project.Allowed, modules []tool.Tool) error {
	for _, a := range served {
		code := f.byModule(a.Tool, modules)
		switch {
		case code.Module == nil:
			d := f.byFile(a, a.Tool)
			d.Served = true
			f.workers = append(f.workers, d)
		case !a.Worker.Builtin():
			if err := f.failed(bothNamed(a.Tool, code.Module, a.Worker)); err != nil {
				return err
			}
		}
	}
	return nil
}

// bothNamed returns the fault of a name that a module's tool and a worker have.
func bothNamed(name string, t tool.Tool, w *project.Worker) error {
	return fault.New(fault.Ambiguous, "%s is a tool of %s and the worker %s", name, t.Spec().Module, w.File).
		Hinting("one replaces the other: remove or rename one of them").At(w.File, 1, 1)
}
