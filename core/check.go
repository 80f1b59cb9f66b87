package core

import (
	"context"
	"slices"

	"golem/core/fault"
	"golem/core/prompt"
)

// Check returns every problem that the project has on the named platform (""
// means this one). It uses no model, runs no tool and writes nothing.
func (i *Instance) Check(platform string) fault.List {
	if platform == "" {
		platform = i.platform.Name
	}
	c := i.checker()
	faults := append(i.project.Check(platform), c.Views(context.Background())...)
	if platform != i.platform.Name {
		faults.Sort()
		return faults.Compact()
	}
	workers := c.Workers()
	broken, tools := i.project.Broken()
	c.Also(tools)
	for _, w := range c.Workers() {
		faults = append(faults, c.Tools(context.Background(), w)...)
	}
	for _, w := range broken {
		if w.Template {
			bad := prompt.InstructionsOf(i.project, w).Check(context.Background())
			faults = append(faults, slices.DeleteFunc(bad, func(f *fault.Fault) bool { return f.Severity == fault.Warning })...) // a name that is unknown here may be defined in the broken part
		}
	}
	if entry, err := i.project.Entry(); err == nil && entry.Tool != "" {
		faults = append(faults, c.Tools(context.Background(), entry)...)
	}
	for _, w := range workers {
		if w.Template {
			faults = append(faults, prompt.InstructionsOf(i.project, w).Check(context.Background())...)
		}
	}
	faults = append(faults, i.models.Faults(workers)...)
	if trust := i.consent.Faults(context.Background()); len(trust) > 0 { // warn of each widening, in place of the errors of workers
		faults = slices.DeleteFunc(faults, func(f *fault.Fault) bool { return f.Code == fault.Trust })
		faults = append(faults, trust...)
	}
	faults.Sort()
	return faults.Compact()
}
