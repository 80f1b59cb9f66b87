package main

import "golem/core/project"

// plan returns what golem run --dry-run --json prints.
func plan(c *call, o opened) (any, []byte, error) {
	p, err := o.inst.Plan(c.ctx)
	if err != nil {
		return nil, nil, err
	}
	return p, nil, nil
}

// callTree returns what golem workers --tree --json prints.
func callTree(c *call, o opened) (any, []byte, error) {
	return o.inst.CallTree(c.ctx), nil, nil
}

// describe returns what golem describe --json prints, for the worker that the page names
// or for the entry. The page renders the text itself: this makes golem.wasm 7 KB smaller.
func describe(c *call, o opened) (any, []byte, error) {
	var w *project.Worker
	var err error
	if o.Worker == "" {
		w, err = o.inst.Entry()
	} else {
		w, err = o.inst.Project().Workers.Find(o.Worker)
	}
	if err != nil {
		return nil, nil, err
	}
	d, err := o.inst.Describe(c.ctx, w, nil)
	if err != nil {
		return nil, nil, err
	}
	return d, nil, nil
}
