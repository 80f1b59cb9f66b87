package main

import "golem/core/project"

// plan returns what golem run --dry-run --json prints.
func plan(c *call) (any, []byte, error) {
	_, inst, _, err := instance(c)
	if err != nil {
		return nil, nil, err
	}
	p, err := inst.Plan(c.ctx)
	if err != nil {
		return nil, nil, err
	}
	return p, nil, nil
}

// callTree returns what golem workers --tree --json prints.
func callTree(c *call) (any, []byte, error) {
	_, inst, _, err := instance(c)
	if inst == nil {
		return nil, nil, err
	}
	return inst.CallTree(c.ctx), nil, nil
}

// describe returns what golem describe --json prints, for the worker that the page names
// or for the entry. The page renders the text itself: this makes golem.wasm 7 KB smaller.
func describe(c *call) (any, []byte, error) {
	a, inst, _, err := instance(c)
	if err != nil {
		return nil, nil, err
	}
	var w *project.Worker
	if a.Worker == "" {
		w, err = inst.Entry()
	} else {
		w, err = inst.Project().Workers.Find(a.Worker)
	}
	if err != nil {
		return nil, nil, err
	}
	d, err := inst.Describe(c.ctx, w, nil)
	if err != nil {
		return nil, nil, err
	}
	return d, nil, nil
}
