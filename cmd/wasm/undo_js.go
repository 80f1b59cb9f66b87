package main

import (
	"context"

	"golem/core/clearance"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/state"
)

// undoing has the parameters of the method undo. Action is list, diff, undo or redo.
type undoing struct {
	Project     string   `json:"project"`
	Action      string   `json:"action"`
	Run         string   `json:"run"`
	Item        string   `json:"item"`   // a part of the run; "": the one that is next
	Digest      string   `json:"digest"` // of the diff that was shown
	Definitions []string `json:"definitions"`
	Partial     bool     `json:"partial"`
}

// undoRun lists what runs wrote, or undoes or redoes it, as golem undo does.
func undoRun(c *call, u undoing) (any, []byte, error) {
	writes := u.Action == "undo" || u.Action == "redo"
	if writes {
		release, err := c.lockProject(u.Project)
		if err != nil {
			return nil, nil, err
		}
		defer release()
	}
	o, err := instance(c)
	if o.inst == nil || err != nil && writes { // a project with faults may protect too little
		return nil, nil, err
	}
	store := o.inst.Undo()
	if err := store.Settle(c.ctx); err != nil && writes {
		return nil, nil, err
	}
	if u.Action == "list" {
		out := []clearance.Listing{}
		items, err := store.Runs(c.ctx)
		for _, it := range items {
			out = append(out, it.Listing(nil))
		}
		return out, nil, err
	}
	it, err := store.Of(c.ctx, u.Run, u.Action == "redo")
	if err == nil && u.Item != "" {
		if it, err = store.Get(u.Item); err == nil && it.Run != u.Run {
			err = fault.New(fault.NotFound, "the run %s has no part %s", fault.Brief(u.Run), fault.Brief(u.Item)).Hinting("list the parts of runs again")
		}
	}
	var diffs []clearance.FileDiff
	switch {
	case err != nil:
	case u.Action == "diff":
		diffs, err = store.Diff(it, "")
	case writes: // an undo that has begun is finished, even if the page cancels the call
		it, err = store.Push(context.WithoutCancel(c.ctx), it.ID, clearance.Push{
			Digest: u.Digest, Definitions: u.Definitions, Partial: u.Partial, Redo: u.Action == "redo",
		})
	default:
		err = fault.New(fault.Usage, "there is nothing called %s", fault.Brief(u.Action)).Hinting("list, diff, undo or redo")
	}
	if err != nil {
		return nil, nil, err
	}
	return it.Listing(diffs), nil, nil
}

// removeConversation removes a conversation, as golem conversations remove does.
func removeConversation(s *state.Store, n named) (any, []byte, error) {
	return nil, nil, conversation.Remove(s, n.Name)
}
