package run

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/sandbox"
	"golem/core/toolset"
	"golem/core/trace"
)

// newWork returns what the workers of a tree stage. Without a store it ends with the run.
func newWork(t *tree) *clearance.Work {
	store := t.r.Clearance
	if store == nil {
		store = &clearance.Store{}
	}
	id := t.r.ID
	if j := t.r.Journal; j != nil && j.ID != "" {
		id = j.ID // so that a resumed conversation finds its staged changes
	}
	return &clearance.Work{Store: store, Run: id, Root: t.rootSource(), Life: t.sched.life, Base: func() (sandbox.FS, error) {
		return t.root(context.Background())
	}}
}

// newRecord returns the record of what the workers of a tree replace, for undo.
func newRecord(t *tree) *clearance.Record {
	return &clearance.Record{Store: t.r.Undo, Run: t.r.ID, Root: t.rootSource(), Life: t.sched.life, Trouble: func(f *fault.Fault) {
		t.emit(trace.Event{ID: rootID, Body: trace.Warning{Code: f.Code, Message: f.Text()}})
	}}
}

// beforeWrite is called before each change of a real file.
func (t *tree) beforeWrite(w sandbox.Write) (failed func(), err error) {
	t.wrote(w.Name)
	if w.Op == sandbox.OpRename {
		t.wrote(w.To)
	}
	return t.record.Before(w)
}

// wrote tells who keeps a person's trust of a change by a worker, see Runner.Wrote.
func (t *tree) wrote(name string) {
	if t.r.Wrote != nil {
		t.r.Wrote(name)
	}
}

// rootSource returns the place of the project's root.
func (t *tree) rootSource() string { return cmp.Or(t.r.Protection.Root, ".") }

// desk returns what the worker's toolset clearance can do: nothing if there is no store.
func (f *frame) desk() toolset.Desk {
	if !f.tree.r.Clearance.Kept() {
		return toolset.Desk{}
	}
	return toolset.Desk{
		Stage: func(ctx context.Context, files []clearance.File, message, target string) (clearance.Item, error) {
			it, err := f.tree.staged.Commit(ctx, files, message, target)
			if err == nil {
				f.emit(trace.Clearance{Item: it.ID, Action: "staged", Message: it.Message, Target: it.Target})
			}
			return it, err
		},
		Show:   f.show,
		Decide: f.decide,
	}
}

// show returns what a push would write, for the person who decides on it.
func (f *frame) show(id, target string) (digest, diff string, err error) {
	store := f.tree.r.Clearance
	it, err := store.Get(id)
	if err != nil {
		return "", "", err
	}
	files, err := store.Diff(it, target)
	for _, d := range files {
		if d.Definition {
			diff += "File " + d.To + " defines the project: it is written only if definitions names it\n"
		}
		diff += d.Patch
	}
	return it.Digest(), diff, err
}

// decide carries out the decision of a person who used a manual tool.
func (f *frame) decide(ctx context.Context, action, id string, how clearance.Push) (it clearance.Item, err error) {
	store := f.tree.r.Clearance
	switch action {
	case "push":
		it, err = store.Push(ctx, id, how)
	case "discard":
		it, err = store.Discard(ctx, id)
	default:
		it, err = store.Defer(ctx, id)
	}
	ok := err == nil
	done := trace.Clearance{Item: id, Action: action, Message: it.Message, Target: it.Target, OK: &ok}
	if !ok {
		done.Error = fault.Of(err, fault.Conflict)
	}
	f.emit(done)
	return it, err
}

// closeStaged closes the items of an exchange, so that a person can decide on what was
// staged, and undo what was written.
func (f *frame) closeStaged(ctx context.Context) {
	if err := f.tree.record.Close(ctx); err != nil {
		flt := fault.Of(err, fault.Quota)
		f.emit(trace.Warning{Code: flt.Code, Message: "what this run replaced is kept, but not ready to be put back: " + flt.Message})
	}
	it, err := f.tree.staged.Close(ctx)
	if err != nil {
		f.emit(trace.Warning{Code: fault.Of(err, fault.Quota).Code, Message: "what this run staged is kept, but not ready to be pushed: " + fault.Of(err, fault.Quota).Message})
	}
	if it != nil {
		f.emit(trace.Clearance{Item: it.ID, Action: "staged", Message: it.Message})
	}
}

// resumeStaged shows again what was staged before the run was resumed.
func (f *frame) resumeStaged() {
	if err := f.tree.staged.Resume(); err != nil {
		flt := fault.Of(err, fault.Config)
		f.emit(trace.Warning{Code: flt.Code, Message: "not all of what was staged before can be shown: " + flt.Message})
	}
}

// waiting returns how many items wait for a person, and a line for each of the first
// maxNamed.
func (f *frame) waiting() (n int, lines []string) {
	items, err := f.tree.r.Clearance.Waiting()
	if err != nil {
		return 0, nil // golem clearance list reports the error
	}
	for _, it := range items[:min(len(items), maxNamed)] {
		lines = append(lines, strings.TrimSpace(it.ID+" "+it.Message))
	}
	return len(items), lines
}

// maxNamed is how many pending items a root's context names.
const maxNamed = 20

// pending returns a message with the pending items for the root's context, before the
// person's message, if they have changed since the last one (S4-10).
func (f *frame) pending() []model.Message {
	if f.tree.kept != nil {
		return nil // the conversation has it already; the next exchange tells what waits then
	}
	n, lines := f.waiting()
	text := ""
	if n > 0 {
		text = fmt.Sprintf("[System: %d item(s) pending clearance]\n%s", n, strings.Join(lines, "\n"))
	}
	if text == f.tree.pending {
		return nil
	}
	if f.tree.pending = text; n == 0 {
		return nil
	}
	return []model.Message{{Role: model.User, Text: text, Inner: true}}
}

// announcePending emits at the end of a run what waits for a person (S4-36).
func (f *frame) announcePending() {
	if n, lines := f.waiting(); n > 0 {
		f.emit(trace.Clearance{Action: "pending", Message: fmt.Sprintf("%d item(s) pending clearance", n), Items: lines})
	}
}
