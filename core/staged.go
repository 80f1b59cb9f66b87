package core

import (
	"context"

	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/sandbox"
	"golem/core/trace"
)

// staged are the project's staged items; nil if nothing is kept: the platform keeps
// no state, or the sandbox is in memory.
func (m mounting) staged(p *project.Project) *clearance.Store {
	if !m.platform.State.Kept() || m.options.MemorySandbox || m.platform.Mount == nil {
		return nil
	}
	targets := map[string]clearance.Target{}
	for name, dir := range p.Manifest().Targets {
		targets[name] = clearance.Target{Dir: dir}
	}
	return &clearance.Store{
		State: &m.platform.State, Targets: targets, Now: m.platform.Now,
		Mount: func(source string) (sandbox.FS, error) { return m.platform.Mount(source) },
		Guard: func(source string) (bool, error) {
			return m.protection(p).Pushing(source)
		},
	}
}

// undo is what runs of the project replaced; nil where staged is.
func (m mounting) undo(p *project.Project) *clearance.Store {
	s := m.staged(p)
	if s != nil {
		s.Undo, s.Targets = true, nil
	}
	return s
}

// settle finishes what a golem that was stopped left unfinished, before anything
// else is done in the project (SPEC §9).
func (i *Instance) settle(ctx context.Context) (out []trace.Body) {
	for _, s := range []*clearance.Store{i.Clearance(), i.Undo()} {
		if err := s.Settle(ctx); err != nil {
			f := fault.Of(err, fault.Conflict)
			out = append(out, trace.Warning{Code: f.Code, Message: f.Text()})
		}
	}
	return out
}
