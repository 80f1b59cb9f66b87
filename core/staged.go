package core

import (
	"context"
	"path"
	"strings"

	"golem/core/clearance"
	"golem/core/consent"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/sandbox"
	"golem/core/trace"
)

// staged returns the store of the project's staged items. It is nil if nothing is kept,
// because the platform keeps no state or has no files, or the files are in memory.
func (m mounting) staged(p *project.Project) *clearance.Store {
	if !m.platform.State.Kept() || m.options.InMemory() || m.platform.Volatile || m.platform.Files == nil {
		return nil
	}
	targets := map[string]clearance.Target{}
	for name, t := range p.Manifest.Targets {
		targets[name] = clearance.Target(t)
	}
	return &clearance.Store{State: &m.platform.State, Targets: targets, Real: realFiles{m, p}, Now: m.platform.Now}
}

// realFiles are the files to which a person pushes items.
type realFiles struct {
	m mounting
	p *project.Project
}

func (r realFiles) Mount(source string) (sandbox.FS, error) { return r.m.platform.Files.Mount(source) }

func (r realFiles) Guard(place string) (bool, error) { return r.m.protection(r.p).Pushing(place) }

// remote sends branches to the remotes of the project's targets that a person trusts.
type remote struct {
	files   realFiles
	consent *consent.Consent
}

// Send implements clearance.Remote.
func (r remote) Send(ctx context.Context, name string, to clearance.Target, commit string) error {
	if err := r.consent.Remote(name); err != nil {
		return err
	}
	b, err := r.files.Branch(to)
	if err != nil {
		return err
	}
	sender, can := b.(clearance.Sender)
	if !can {
		return fault.New(fault.Platform, "this platform sends nothing to other repositories").Hinting("send the branch with git, or push with golem on the command line")
	}
	return sender.Send(ctx, to.Remote, commit)
}

// undo returns the store of the files that runs replaced; nil if staged returns nil.
func (m mounting) undo(p *project.Project) *clearance.Store {
	s := m.staged(p)
	if s != nil {
		s.Undo, s.Targets = true, nil
	}
	return s
}

// Branch opens the branch of a target. Like any mount, a repository outside the project needs
// --allow-outside.
func (r realFiles) Branch(to clearance.Target) (clearance.Branch, error) {
	if r.m.platform.Git == nil {
		return nil, clearance.ErrNoGit
	}
	root, below := ".", to.Git
	if path.IsAbs(below) || below == ".." || strings.HasPrefix(below, "../") {
		root, below = below, "."
	}
	files, err := r.m.platform.Files.Mount(root)
	if sub, ok := files.(sandbox.SubFS); ok && err == nil && below != "." {
		files, err = sub.SubFS(below)
	}
	if err != nil {
		return nil, err
	}
	return r.m.platform.Git(files, to.Git, to.Branch)
}

// settle finishes what an earlier golem left unfinished with staged items and undo, before
// anything else is done in the project (SPEC §9). It returns errors as warnings.
func settle(ctx context.Context, stores ...*clearance.Store) (out []trace.Body) {
	for _, s := range stores {
		if err := s.Settle(ctx); err != nil {
			f := fault.Of(err, fault.Conflict)
			out = append(out, trace.Warning{Code: f.Code, Message: f.Text()})
		}
	}
	return out
}
