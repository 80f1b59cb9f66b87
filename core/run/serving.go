package run

import (
	"golem/core/fault"
	"golem/core/project"
	"golem/core/tool"
	"golem/core/toolset"
)

// serving returns the workers that serve names in toolsets.custom.tools, because no module
// has a tool of that name. If one has, both are one name, which is an error; for golem's own
// workers the module's tool is used.
func (o *opener) serving(served []project.Allowed, modules []tool.Tool) ([]toolset.Delegate, error) {
	var out []toolset.Delegate
	for _, a := range served {
		code := byModule(a.Tool, modules)
		switch {
		case code.Module == nil:
			d := byFile(a, a.Tool)
			d.Served = true
			out = append(out, d)
		case a.Worker.Hardened != nil: // the worker, whose own module answers
			d := byFile(a, a.Tool)
			d.Served = true
			out = append(out, d)
		case !a.Worker.Builtin():
			if err := o.collected.unlessCollected(bothNamed(a.Tool, code.Module, a.Worker)); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// bothNamed returns the fault of a name that a module's tool and a worker have.
func bothNamed(name string, t tool.Tool, w *project.Worker) error {
	return fault.New(fault.Ambiguous, "%s is a tool of %s and the worker %s", name, t.Spec().Module, w.File).
		Hinting("one replaces the other: remove or rename one of them").At(w.File, 1, 1)
}
