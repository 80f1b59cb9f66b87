package main

import (
	"golem/core/project"
)

// plan is golem run --dry-run --json.
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

// callTree is golem workers --tree --json.
func callTree(c *call) (any, []byte, error) {
	_, inst, _, err := instance(c)
	if inst == nil {
		return nil, nil, err
	}
	return inst.CallTree(c.ctx), nil, nil
}

// describe is golem describe --json, of the worker that the page names, else of the
// entry. The page makes the text itself, which is 7 KB less to load.
func describe(c *call) (any, []byte, error) {
	a, inst, _, err := instance(c)
	if err != nil {
		return nil, nil, err
	}
	var w *project.Worker
	if a.Worker == "" {
		w, err = inst.Entry()
	} else {
		w, err = inst.Project().Worker(a.Worker)
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
