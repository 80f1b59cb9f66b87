package run

import (
	"context"
	"errors"
	"slices"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/sandbox"
)

// Views returns the faults of the workers' views: a mount outside what the caller sees
// (E_ESCALATION), a source that does not exist, a restriction to nothing. It follows
// the allowed calls, from the entry and then from each worker that no other one calls,
// and checks each worker once under each view of a caller.
func (c *Checker) Views(ctx context.Context) fault.List {
	v := &viewCheck{ctx: ctx, r: c.r, viewer: c.viewer(), judged: map[judgement]bool{}, opened: map[*project.Worker]bool{}, called: map[*project.Worker]bool{}, heirs: map[heir]*sight{}, all: map[*sandbox.Bound]bool{}}
	if entry, err := c.r.Project.Workers.Entry(); err == nil {
		v.checkFrom(entry)
	}
	for _, w := range c.Workers() {
		if !v.called[w] {
			v.checkFrom(w)
		}
	}
	return v.faults
}

type viewCheck struct {
	ctx    context.Context
	r      *Runner
	viewer *viewer
	faults fault.List
	judged map[judgement]bool
	opened map[*project.Worker]bool // workers whose calls were followed, once each
	called map[*project.Worker]bool // workers that were checked, as a root or under a caller
	heirs  map[heir]*sight
	all    map[*sandbox.Bound]bool // bounds under which all workers were checked, for '*'
}

// judgement is a worker together with what its caller sees.
type judgement struct {
	bound  *sandbox.Bound
	worker *project.Worker
}

// heir is the key of the workers that see what their caller sees: they share one sight.
type heir struct {
	bound    *sandbox.Bound
	readonly bool
}

// caller is a worker whose calls are still to be followed.
type caller struct {
	worker *project.Worker
	sight  *sight
	chain  []string
}

// checkFrom checks a root and all workers that are reached from it.
func (v *viewCheck) checkFrom(root *project.Worker) {
	queue := v.open(nil, root)
	for len(queue) > 0 {
		here := queue[0]
		queue = queue[1:]
		if slices.Contains(here.worker.Delegates.Refs, "*") {
			if v.all[here.sight.bound] {
				continue
			}
			v.all[here.sight.bound] = true
		}
		allowed, err := v.r.Project.Workers.Delegates(here.worker)
		if err != nil {
			continue // reported elsewhere
		}
		for _, w := range allowed {
			queue = append(queue, v.open(&here, w)...)
		}
	}
}

// open checks a worker under its caller, and returns it if its own calls are still to
// be followed.
func (v *viewCheck) open(from *caller, w *project.Worker) []caller {
	next := caller{worker: w, chain: []string{w.ID}}
	var above *sight
	if from != nil {
		above, next.chain = from.sight, append(from.chain[:len(from.chain):len(from.chain)], w.ID)
	}
	if !v.first(above, w) {
		return nil
	}
	v.called[w] = true
	if v.r.Project.Workers.Faulty(w, "sandbox") {
		return nil // what it sees is not known
	}
	var err error
	next.sight, err = v.sight(above, w)
	v.faults = append(v.faults, next.sight.later...)
	if err != nil {
		var list fault.List
		if !errors.As(err, &list) {
			list = fault.List{fault.Of(err, fault.Config)}
		}
		for _, f := range list {
			v.faults = append(v.faults, f.InChain(next.chain))
		}
		return nil
	}
	for _, ts := range w.Toolsets {
		if v.r.Project.Workers.Faulty(w, "toolsets", ts.Name) {
			continue
		}
		if err := v.r.Toolsets.Whole(w.ID, ts.Name, next.sight.part, next.sight.view); err != nil {
			v.faults = append(v.faults, fault.Of(err, fault.Escalation).At(ts.File, ts.Line, 0).InChain(next.chain))
		}
	}
	if f := moduleFiles(v.r.Project, w, next.sight.files); f != nil {
		v.faults = append(v.faults, f.InChain(next.chain))
	}
	if v.opened[w] {
		return nil
	}
	v.opened[w] = true
	return []caller{next}
}

// first reports whether a worker was not checked yet under what its caller sees, and
// notes it as checked.
func (v *viewCheck) first(above *sight, w *project.Worker) bool {
	j := judgement{worker: w}
	if above != nil {
		j.bound = above.bound
	}
	again := v.judged[j]
	v.judged[j] = true
	return !again
}

// sight returns what a worker sees under its caller. Workers that name neither mounts
// nor a restriction share one.
func (v *viewCheck) sight(above *sight, w *project.Worker) (*sight, error) {
	if above == nil || w.Sandbox.NamesMounts || w.Sandbox.Restrict != "" {
		s, err := v.viewer.sight(v.ctx, w, above)
		return &s, err
	}
	key := heir{above.bound, w.Sandbox.ReadOnly}
	if s := v.heirs[key]; s != nil {
		return s, nil
	}
	s, err := v.viewer.sight(v.ctx, w, above)
	if err == nil {
		v.heirs[key] = &s
	}
	return &s, err
}
