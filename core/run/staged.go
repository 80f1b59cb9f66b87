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

// staging is what the workers of a tree change in files: in staged mounts, and in the real
// files, whose old content is kept for undo.
type staging struct {
	store   *clearance.Store // of the project's items; may be nil
	work    *clearance.Work
	record  *clearance.Record
	changes Changes
	undone  undone
	files   *files
	touched *touched // nil: no conversation is kept
	later   []string // what the root is told before its next request
	told    string   // what the root was last told about items that wait
}

// newStaging returns what the workers of a tree change. Without a store, what they stage
// ends with the run.
func newStaging(r *Runner, opened *files, sched *schedule, e *events) *staging {
	store, k := r.Keeping.Clearance, r.Keeping
	if store == nil {
		store = &clearance.Store{}
	}
	id := k.ID
	if k.Journal != nil && k.Journal.ID != "" {
		id = k.Journal.ID // so that a resumed conversation finds its staged changes
	}
	runs := []string{k.ID}
	if id != k.ID {
		runs = append(runs, id)
	}
	root := cmp.Or(r.Protection.Root, ".") // the place of the project's root
	host := &stagingHost{sched, opened, e}
	record := &clearance.Record{Store: k.Undo, Run: k.ID, Root: root, Host: host}
	var changed *touched
	if k.Journal != nil {
		changed = &touched{root: root}
		if k.Through != nil { // what is staged is lost with the process, as all files of the run
			k.Through = touching{k.Through, changed}
		}
	}
	return &staging{
		files: opened, touched: changed, store: k.Clearance, changes: r.Changes, record: record,
		undone: undone{store: k.Undo, record: record, runs: runs, told: map[string]clearance.State{}},
		work:   &clearance.Work{Store: store, Run: id, Root: root, Host: host, Through: k.Through},
	}
}

// stagingHost is the run, as the package clearance sees it.
type stagingHost struct {
	schedule *schedule
	files    *files
	events   *events
}

var _ clearance.Host = (*stagingHost)(nil)

func (h *stagingHost) Base() (sandbox.FS, error) { return h.files.root(context.Background()) }
func (h *stagingHost) Life() context.Context     { return h.schedule.life() }

// Trouble shows a warning.
func (h *stagingHost) Trouble(f *fault.Fault) {
	h.events.emit(trace.Event{ID: rootID, Body: trace.Warning{Code: f.Code, Message: f.Text()}})
}

// begin sets the root worker that the items name.
func (s *staging) begin(worker string) { s.work.Worker, s.record.Worker = worker, worker }

var _ sandbox.Changes = (*staging)(nil)

// Stage returns the tree that keeps the changes of a staged mount.
func (s *staging) Stage(base sandbox.FS, source string) (sandbox.FS, error) {
	return s.work.Stage(base, source)
}

// Before is called before each change of a real file.
func (s *staging) Before(w sandbox.Write) (after func(made bool), err error) {
	s.wrote(w.Name)
	if w.Op == sandbox.OpRename {
		s.wrote(w.To)
	}
	failed, err := s.record.Before(w)
	if err != nil {
		return nil, err
	}
	return func(made bool) {
		// Not before: the end of another call, which runs at the same time, would otherwise
		// get the path and find what was there until now.
		if s.touched != nil {
			s.touched.note(w)
		}
		if !made && failed != nil {
			failed()
		}
	}, nil
}

// wrote tells who keeps a person's trust of a change by a worker, see Changes.Wrote.
func (s *staging) wrote(name string) {
	if s.changes != nil {
		s.changes.Wrote(name)
	}
}

// desk returns the desk of a worker run; nil if there is no store.
func (s *staging) desk(p *place) toolset.Desk {
	if !s.store.Kept() {
		return nil
	}
	return desk{s, p}
}

// desk is the clearance of one worker run.
type desk struct {
	staging *staging
	place   *place
}

// Stage makes an item of files.
func (d desk) Stage(ctx context.Context, files []clearance.File, message, target string) (clearance.Item, error) {
	it, err := d.staging.work.Commit(ctx, files, message, target)
	if err == nil {
		d.place.emit(trace.Clearance{Item: it.ID, Action: "staged", Message: it.Message, Target: it.Target})
	}
	return it, err
}

// Show returns what a push would write, for the person who decides on it.
func (d desk) Show(id, target string) (digest, diff string, err error) {
	store := d.staging.store
	it, err := store.Get(id)
	if err != nil {
		return "", "", err
	}
	files, err := store.Diff(it, target)
	for _, one := range files {
		if one.Definition {
			diff += "File " + one.To + " defines the project: it is written only if definitions names it\n"
		}
		diff += one.Patch
	}
	return it.Digest(), diff, err
}

// Decide carries out the decision of a person who used a manual tool.
func (d desk) Decide(ctx context.Context, action, id string, how clearance.Push) (it clearance.Item, err error) {
	store := d.staging.store
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
	d.place.emit(done)
	return it, err
}

// close closes the items of an exchange, so that a person can decide on what was staged, and
// undo what was written.
func (s *staging) close(ctx context.Context, p *place) {
	if err := s.record.Close(ctx); err != nil {
		flt := fault.Of(err, fault.Quota)
		p.emit(trace.Warning{Code: flt.Code, Message: "what this run replaced is kept, but not ready to be put back: " + flt.Message})
	}
	s.record.Next()
	it, err := s.work.Close(ctx)
	if err != nil {
		flt := fault.Of(err, fault.Quota)
		p.emit(trace.Warning{Code: flt.Code, Message: "what this run staged is kept, but not ready to be pushed: " + flt.Message})
	}
	if it != nil {
		p.emit(trace.Clearance{Item: it.ID, Action: "staged", Message: it.Message})
	}
}

// resume shows again what was staged before the run was resumed.
func (s *staging) resume(p *place) {
	if err := s.work.Resume(); err != nil {
		flt := fault.Of(err, fault.Config)
		p.emit(trace.Warning{Code: flt.Code, Message: "not all of what was staged before can be shown: " + flt.Message})
	}
}

// waiting returns how many items wait for a person, and a line for each of the first
// maxNamed.
func (s *staging) waiting() (n int, lines []string) {
	items, err := s.store.Waiting()
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

// note returns a message with the pending items for the root's context, before the person's
// message, if they have changed since the last one (S4-10).
func (s *staging) note() []model.Message {
	n, lines := s.waiting()
	text := ""
	if n > 0 {
		text = fmt.Sprintf("[System: %d item(s) pending clearance]\n%s", n, strings.Join(lines, "\n"))
	}
	if text == s.told {
		return nil
	}
	if s.told = text; n == 0 {
		return nil
	}
	return []model.Message{note(text)}
}

// announce emits at the end of a run what waits for a person (S4-36).
func (s *staging) announce(p *place) {
	if n, lines := s.waiting(); n > 0 {
		p.emit(trace.Clearance{Action: "pending", Message: fmt.Sprintf("%d item(s) pending clearance", n), Items: lines})
	}
}
