package run

import (
	"context"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/sandbox"
)

// viewSpec is what a worker run's view is built from; children narrow it.
type viewSpec struct {
	restricts   []string // io/fs names, outermost ancestor's first
	readonly    bool
	constraints []sandbox.Constraint // modes the ancestors hold their sources to
	extra       sandbox.FS           // holds the attachments; the view shows it read-only, once there are some
}

// view builds what a worker run sees: the mounts it declares, under every
// ancestor's restrictions and modes, then its own (SPEC §8; S0-49, S1-78).
// A worker without a sandbox, without file tools and without a module that is
// lent the files sees only attachments.
func (t *tree) view(ctx context.Context, w *project.Worker, parent *frame) (viewSpec, sandbox.FS, error) {
	spec := viewSpec{extra: sandbox.Memory()}
	if parent != nil {
		p := parent.view
		spec.restricts = append(spec.restricts, p.restricts...)
		spec.readonly = p.readonly
		spec.constraints = append(spec.constraints, p.constraints...)
	}
	spec.readonly = spec.readonly || w.Sandbox.ReadOnly
	if err := spec.escalates(w); err != nil {
		return spec, nil, err
	}
	if r := w.Sandbox.Restrict; r != "" {
		name, err := sandbox.Clean(r)
		if err != nil {
			return spec, nil, err
		}
		spec.restricts = append(spec.restricts, name)
	}
	files, err := t.build(ctx, w, &spec)
	return spec, files, err
}

// escalates refuses a restriction or a mount of the worker's own that lies
// wholly outside an ancestor's restriction.
func (v viewSpec) escalates(w *project.Worker) error {
	outside := func(what, target string) error {
		name, err := sandbox.Clean(target)
		if err != nil {
			return err
		}
		for _, r := range v.restricts {
			if !sandbox.Within(name, r) && !sandbox.Within(r, name) {
				return fault.New(fault.Escalation, "%s %s of %s lies outside the caller's restriction %s", what, target, w.ID, sandbox.Abs(r)).
					At(w.File, 0, 0).Hinting("a worker can only narrow what its caller sees")
			}
		}
		return nil
	}
	if r := w.Sandbox.Restrict; r != "" {
		if err := outside("restrict", r); err != nil {
			return err
		}
	}
	for _, m := range w.Sandbox.Mounts {
		if m.Own {
			if err := outside("the mount", m.Target); err != nil {
				return err
			}
		}
	}
	return nil
}

// build opens the mounts and wraps them, innermost protection first.
func (t *tree) build(ctx context.Context, w *project.Worker, spec *viewSpec) (sandbox.FS, error) {
	var mounts []sandbox.Mount
	if w.Sandbox.Declared || w.Sandbox.Lent || hasToolset(w.Toolsets, "filesystem") {
		for _, m := range w.Sandbox.Mounts {
			fsys, err := t.mount(ctx, m.Source)
			if err != nil {
				return nil, fault.Of(err, fault.NotFound).At(w.File, 0, 0)
			}
			at, err := sandbox.Clean(m.Target)
			if err != nil {
				return nil, err
			}
			source := sandbox.SourceOf(fsys, m.Source)
			spec.constraints = append(spec.constraints, sandbox.Constraint{Source: source, Mode: m.Mode})
			mounts = append(mounts, sandbox.Mount{
				Name: m.Name, At: at, FS: fsys, Source: source, Mode: m.Mode,
				Suffixes: m.Suffixes, MaxFileBytes: m.MaxFileBytes,
			})
		}
	}
	mounts = append(mounts, sandbox.Mount{
		Name: attachDir, At: attachDir, FS: spec.extra, Mode: sandbox.ReadOnly, HideEmpty: true, Unrestricted: true,
	})
	return sandbox.View(sandbox.ViewSpec{
		Mounts: mounts, Constraints: spec.constraints, Restricts: spec.restricts, ReadOnly: spec.readonly,
		Protection: t.r.Protection, Quota: t.quota,
	})
}
