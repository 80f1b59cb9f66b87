package run

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/sandbox"
)

// Prompt returns the system prompt that a run of the worker would begin with for this
// input. The input is checked against the worker's schema first.
func (c *Checker) Prompt(ctx context.Context, w *project.Worker, in Input) (string, error) {
	if err := in.Check(); err != nil {
		return "", err
	}
	if err := checkInput(w, in, false); err != nil {
		return "", err
	}
	text, err := instructions(ctx, c.r.Project, w, task{text: in.Text, object: in.JSON})
	if err != nil {
		return "", fault.Of(err, fault.Template).InChain([]string{w.ID})
	}
	return text, nil
}

// Files returns the files that a worker sees if a person runs it. The caller must not
// write to them.
func (c *Checker) Files(ctx context.Context, w *project.Worker) (fs.FS, error) {
	s, err := c.viewer().sight(ctx, w, nil)
	return s.files, err
}

// View is what a worker sees if it is the first worker of a run.
type View struct {
	Mounts  []project.Mount // with their effective modes; none if the worker sees no files
	Network bool
}

// View returns what a worker sees if a person runs it. If another worker calls it, it
// sees at most what its caller sees. View opens the sources of the mounts and writes
// nothing.
func (c *Checker) View(ctx context.Context, w *project.Worker) (View, fault.List) {
	v := View{Network: w.Sandbox.Network}
	s, err := c.viewer().sight(ctx, w, nil)
	var faults fault.List
	if err != nil && !errors.As(err, &faults) {
		faults = fault.List{fault.Of(err, fault.Config)}
	}
	if err != nil || !hasFiles(w) {
		return v, faults
	}
	seen := sandbox.Mounts(s.files)
	for _, m := range w.Sandbox.Mounts {
		if i := slices.IndexFunc(seen, func(one sandbox.Seen) bool { return one.Name == m.Name }); i >= 0 {
			m.Target, m.Mode = seen[i].At, seen[i].Mode
			v.Mounts = append(v.Mounts, m)
		}
	}
	return v, s.later
}
