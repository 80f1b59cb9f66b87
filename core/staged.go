package core

import (
	"context"
	"path"
	"strings"

	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/sandbox"
	"golem/core/trace"
)

// staged returns the store of the project's staged items. It is nil if nothing is kept,
// because the platform keeps no state or has no files, or the sandbox is in memory.
func (m mounting) staged(p *project.Project) *clearance.Store {
	if !m.platform.State.Kept() || m.options.MemorySandbox || m.platform.Mount == nil {
		return nil
	}
	targets := map[string]clearance.Target{}
	for name, t := range p.Manifest().Targets {
		targets[name] = clearance.Target(t)
	}
	var git func(clearance.Target) (clearance.Branch, error)
	if m.platform.Git != nil {
		git = m.branch
	}
	return &clearance.Store{
		State: &m.platform.State, Targets: targets, Git: git, Now: m.platform.Now,
		Mount: func(source string) (sandbox.FS, error) { return m.platform.Mount(source) },
		Guard: func(source string) (bool, error) {
			return m.protection(p).Pushing(source)
		},
	}
}

// undo returns the store of the files that runs replaced; nil if staged returns nil.
func (m mounting) undo(p *project.Project) *clearance.Store {
	s := m.staged(p)
	if s != nil {
		s.Undo, s.Targets = true, nil
	}
	return s
}

// branch opens the branch of a target. Like any mount, a repository outside the project needs
// --allow-outside.
func (m mounting) branch(to clearance.Target) (clearance.Branch, error) {
	root, below := ".", to.Git
	if path.IsAbs(below) || below == ".." || strings.HasPrefix(below, "../") {
		root, below = below, "."
	}
	files, err := m.platform.Mount(root)
	if sub, ok := files.(sandbox.SubFS); ok && err == nil && below != "." {
		files, err = sub.SubFS(below)
	}
	if err != nil {
		return nil, err
	}
	return m.platform.Git(files, to.Git, to.Branch)
}

// settle finishes what an earlier golem left unfinished with staged items and undo, before
// anything else is done in the project (SPEC §9). It returns errors as warnings.
func (i *Instance) settle(ctx context.Context) (out []trace.Body) {
	for _, s := range []*clearance.Store{i.Clearance(), i.Undo()} {
		if err := s.Settle(ctx); err != nil {
			f := fault.Of(err, fault.Conflict)
			out = append(out, trace.Warning{Code: f.Code, Message: f.Text()})
		}
	}
	return out
}
