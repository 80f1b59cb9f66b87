package run

import (
	"context"
	"errors"
	"maps"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/sandbox"
)

// sight is what a worker run sees, and lets its children see.
type sight struct {
	files sandbox.FS     // what the worker's tools see
	bound *sandbox.Bound // what the worker's children see at most
	extra sandbox.FS     // has the attachments; the view shows it read-only once there are some

	noNetwork bool            // it or a caller says network_enabled: false
	view      sandbox.FS      // what the worker may see, also if it has no file tools
	part      string          // why the view is not the whole project; "": it is
	policy    approval.Policy // the worker's policy, with the settings of callers for their mounts
	later     fault.List      // warnings about mounts that the first write makes, for golem check
}

// viewer makes what the worker runs of a tree see.
type viewer struct {
	project    *project.Project
	files      *files
	staging    *staging
	protection sandbox.Protection
	quota      *sandbox.Quota
}

func newViewer(r *Runner, f *files, s *staging) viewer {
	return viewer{project: r.Project, files: f, staging: s, protection: r.Protection, quota: sandbox.NewQuota(r.Quota)}
}

// sight returns what a worker run sees: the mounts that it declares, or its caller's,
// within the caller's bound and its own restriction (SPEC §8; S0-49, S1-78). A worker
// without a sandbox, without file tools and without a module that gets files sees only
// attachments; its children see what its caller lets it see.
func (v *viewer) sight(ctx context.Context, w *project.Worker, caller *sight) (sight, error) {
	s := sight{extra: sandbox.Memory(), noNetwork: w.Sandbox.SaysNoNetwork}
	attachments := sandbox.Mount{
		Name: attachDir, At: attachDir, FS: s.extra, Mode: sandbox.ReadOnly, HideEmpty: true, Unrestricted: true,
	}
	spec := sandbox.ViewSpec{ReadOnly: w.Sandbox.ReadOnly, Protection: v.protection, Quota: v.quota, Changes: v.staging}
	if caller != nil {
		spec.Bound, s.noNetwork = caller.bound, s.noNetwork || caller.noNetwork
	}
	if caller == nil || w.Sandbox.NamesMounts {
		var err error
		if spec.Mounts, s.later, err = v.files.openAll(ctx, w); err != nil {
			return s, err
		}
	}
	if r := w.Sandbox.Restrict; r != "" {
		name, err := sandbox.Clean(r)
		if err != nil {
			return s, err
		}
		spec.Restricts = []string{name}
	}
	spec.Mounts = append(spec.Mounts, attachments)
	view, err := sandbox.View(spec)
	if errors.Is(err, fault.Protected) && !hasFiles(w) {
		spec.Mounts, spec.Restricts, spec.Bound = []sandbox.Mount{attachments}, nil, nil // a worker without file tools can run in $GOLEM_HOME too
		view, err = sandbox.View(spec)
	}
	if err != nil {
		return s, placed(err, w)
	}
	if s.files = view; !hasFiles(w) {
		if s.files, err = sandbox.View(sandbox.ViewSpec{Mounts: []sandbox.Mount{attachments}, Protection: v.protection, Quota: v.quota}); err != nil {
			return s, err
		}
	}
	s.view = view
	s.policy = inherit(w.Policy, sandbox.CallerPolicies(view))
	s.bound, s.part = sandbox.BoundOf(view, w.ID), sandbox.Partial(view)
	if caller == nil && !w.Sandbox.NamesMounts && w.Sandbox.Restrict == "" {
		return s, v.wholeProject(ctx, w, s.bound)
	}
	return s, nil
}

// network reports whether the worker may reach the network: its sandbox allows it, and
// neither the worker nor a caller says network_enabled: false.
func (s *sight) network(w *project.Worker) bool { return w.Sandbox.Network && !s.noNetwork }

// inherit returns a worker's policy with the settings of its callers for the mounts by
// which they see the same files: what asks or is blocked there does so here too. What
// is preApproved there holds only for the callers.
func inherit(p approval.Policy, callers map[string][]any) approval.Policy {
	mounts := maps.Clone(p.Mounts)
	for name, policies := range callers {
		merged := maps.Clone(mounts[name])
		for _, says := range policies {
			theirs, _ := says.(approval.MountPolicy)
			for op, set := range theirs {
				if set == approval.Blocked || set == approval.Ask && merged[op] != approval.Blocked {
					if merged == nil {
						merged = approval.MountPolicy{}
					}
					merged[op] = set
				}
			}
		}
		if mounts == nil {
			mounts = map[string]approval.MountPolicy{}
		}
		mounts[name] = merged
	}
	p.Mounts = mounts
	return p
}

// wholeProject lets the children of a root that names no files itself see the project,
// under the manifest's modes, so that a root that only delegates needs no files. The
// manifest's readonly is a default, which a child may override.
func (v *viewer) wholeProject(ctx context.Context, w *project.Worker, b *sandbox.Bound) error {
	root, err := v.files.source(ctx, ".")
	if err != nil {
		return fault.Of(err, fault.NotFound)
	}
	b.ReadOnly = w.Sandbox.SaysReadOnly
	b.Beyond(sandbox.Mount{Name: "root", At: ".", FS: root.fs, Source: root.place, Mode: sandbox.ReadWrite})
	return nil
}

// hasFiles reports whether the worker has a sandbox, a toolset or a module that reaches
// files.
func hasFiles(w *project.Worker) bool {
	return w.Sandbox.Declared || w.Sandbox.Lent || hasToolset(w.Toolsets, "filesystem") || hasToolset(w.Toolsets, "clearance") || hasToolset(w.Toolsets, "git")
}

// moduleFiles returns the fault of the first directory granted to a tool module that
// the worker cannot give it, because the worker does not see it or may only read it;
// nil if there is none.
func moduleFiles(p *project.Project, w *project.Worker, files sandbox.FS) *fault.Fault {
	for _, d := range p.Modules.Directories(w) {
		if _, err := sandbox.Parts(files, d.Dirs); err != nil {
			return fault.Of(err, fault.Grant).At(d.File, d.Line, d.Column)
		}
	}
	return nil
}

// placed returns the fault of a view with its place: the mount that is to blame, else
// the restriction, else the worker's file.
func placed(err error, w *project.Worker) error {
	f := fault.Of(err, fault.Config)
	if f.Where != nil && f.Where.File != "" {
		return f
	}
	if w.Sandbox.Restrict != "" {
		if file, line := position(w.Origins["sandbox.restrict"]); file != "" {
			return f.At(file, line, 0)
		}
	}
	return f.At(w.File, 0, 0)
}
