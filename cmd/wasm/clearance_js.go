package main

import (
	"context"

	"golem/core/clearance"
	"golem/core/fault"
)

// deciding has the parameters of the method clearance. Action is list, diff, push,
// discard or defer.
type deciding struct {
	Project     string   `json:"project"`
	Action      string   `json:"action"`
	Item        string   `json:"item"`
	Digest      string   `json:"digest"` // of the snapshot that was shown
	Target      string   `json:"target"`
	Definitions []string `json:"definitions"`
}

// decideItem lists staged items or decides about one, as golem clearance does.
func decideItem(c *call, d deciding) (any, []byte, error) {
	if d.Action == "push" {
		release, err := c.lockProject(d.Project)
		if err != nil {
			return nil, nil, err
		}
		defer release()
	}
	o, err := instance(c)
	if o.inst == nil || err != nil && d.Action == "push" { // a project with faults may protect too little
		return nil, nil, err
	}
	store := o.inst.Clearance()
	settled := store.Settle(c.ctx)
	var it clearance.Item
	switch d.Action {
	case "list":
		out := []clearance.Listing{}
		items, err := store.List()
		for _, it := range items {
			out = append(out, it.Listing(nil))
		}
		return out, nil, err
	case "diff":
		var diffs []clearance.FileDiff
		if it, err = store.Get(d.Item); err == nil {
			diffs, err = store.Diff(it, d.Target)
		}
		if err != nil {
			return nil, nil, err
		}
		return it.Listing(diffs), nil, nil
	case "push":
		if settled != nil {
			return nil, nil, settled
		}
		// A push that has begun is finished, even if the page cancels the call.
		it, err = store.Push(context.WithoutCancel(c.ctx), d.Item, clearance.Push{Target: d.Target, Digest: d.Digest, Definitions: d.Definitions})
	case "discard":
		it, err = store.Discard(c.ctx, d.Item)
	case "defer":
		it, err = store.Defer(c.ctx, d.Item)
	default:
		err = fault.New(fault.Usage, "there is nothing called %s", fault.Brief(d.Action)).Hinting("list, diff, push, discard or defer")
	}
	if err != nil {
		return nil, nil, err
	}
	return it.Listing(nil), nil, nil
}
