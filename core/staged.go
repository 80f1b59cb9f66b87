package core

import (
	"context"

	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/trace"
)

// Clearance returns the project's staged items, for a person to decide on; nil if
// nothing is kept: the platform keeps no state, or the sandbox is in memory.
func (i *Instance) Clearance() *clearance.Store {
	if !i.platform.State.Kept() || i.options.MemorySandbox || i.platform.Mount == nil {
		return nil
	}
	targets := map[string]clearance.Target{}
	for name, dir := range i.project.Manifest().Targets {
		targets[name] = clearance.Target{Dir: dir}
	}
	return &clearance.Store{
		State: &i.platform.State, Targets: targets, Now: i.platform.Now,
		Mount: func(source string) (sandbox.FS, error) { return i.platform.Mount(source) },
		Guard: func(source string) (bool, error) {
			return mounting{i.platform, i.options}.protection(i.project).Pushing(source)
		},
	}
}

// settle finishes what a golem that was stopped left unfinished, before anything
// else is done in the project (SPEC §9).
func (i *Instance) settle(ctx context.Context) []trace.Body {
	if err := i.Clearance().Settle(ctx); err != nil {
		f := fault.Of(err, fault.Conflict)
		return []trace.Body{trace.Warning{Code: f.Code, Message: f.Text()}}
	}
	return nil
}
