package run

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"

	"golem/core/approval"
	"golem/core/clearance"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/mcp"
	"golem/core/model"
	"golem/core/project"
	"golem/core/sandbox"
	"golem/core/sorting"
	"golem/core/trace"
)

// tree is the state that all worker runs below one root share: the gate's side effects,
// the schedule, the clock, and the order of events.
type tree struct {
	r     *Runner
	sched *schedule
	clock clock
	money ledger // of every budget of the tree
	quota *sandbox.Quota
	// staged is what the tree's workers change in staged mounts.
	staged  *clearance.Work
	record  *clearance.Record // what they replace in other mounts
	pending string            // what the root was last told about pending items
	// loaded are the IDs of the root's import closure. A call of one of these workers
	// that is not allowed gets another fault than an unknown name.
	loaded  []string
	closure []*project.Worker // of the root; empty if no root was opened
	knowing sync.Once
	knows   *toolNames // the tools of closure, to check names in approval settings

	// The person's choices in the chat, between two exchanges: the root worker with the
	// chosen model, nil for the model of the files; and settings that replace the
	// workers' own.
	chosen   *project.Worker
	settings model.Settings

	mu       sync.Mutex
	denied   []Denial
	declined []Denial
	failed   []Failure
	warned   bool     // the depth warning is given once
	noticed  []string // warnings of making tools, given once
	enough   bool     // a person has refused more turns for the root, or nobody was there
	tainted  bool     // untrusted content was read (SECURITY 13)

	// Set while a kept conversation is restored, by the goroutine that restores it: what
	// was kept, nil once it is used up; the end of the exchange that is repeated, nil if
	// the exchange continues; and whether its spending is booked already.
	kept   *conversation.Kept
	closed *conversation.Entry
	step   int // index of the exchange in kept.Steps
	paid   bool
	quiet  atomic.Bool // no event is emitted

	mounts  onces[sandbox.FS] // directories that the platform opens, by name
	sources onces[source]     // of mounts, by name
	models  onces[model.Model]
	looks   bool                   // nothing runs: the tools are only listed
	servers onces[*mcp.Connection] // of MCP, by name and configuration; closed with the root
}

func newTree(r *Runner) *tree {
	t := &tree{r: r, sched: newSchedule(), quota: sandbox.NewQuota(r.Quota)}
	t.staged, t.record = newWork(t), newRecord(t)
	return t
}

// emit sends an event to the Sink, unless quiet is set.
func (t *tree) emit(e trace.Event) {
	if !t.quiet.Load() {
		t.r.Sink.Emit(e)
	}
}

// ask begins a question to a person: until done is called, deadlines stand still, no
// call starts, and a front end shows nothing else (S4-45).
func (t *tree) ask() (done func()) {
	open, resume := t.sched.ask(), t.clock.pause()
	show := func() {}
	if t.r.Asking != nil {
		show = t.r.Asking()
	}
	return sync.OnceFunc(func() {
		show()
		resume()
		open()
	})
}

// shown emits the question itself.
func (t *tree) shown(e trace.Event, r approval.Request) {
	data, err := json.Marshal(r)
	if err != nil {
		return // a request is strings and valid JSON; nothing to announce otherwise
	}
	e.Body = trace.Ask{Request: data}
	t.emit(e)
}

// decline books a call that was denied for another reason than that nobody
// could be asked.
func (t *tree) decline(d Denial) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.declined = append(t.declined, d)
}

// fail books a worker that failed.
func (t *tree) fail(f Failure) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed = append(t.failed, f)
}

func (t *tree) deny(d Denial) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.denied = append(t.denied, d)
}

// book adds what went wrong below the root to res, in call order.
func (t *tree) book(res *Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	byID := func(a, b Denial) int { return trace.CompareID(a.ID, b.ID) }
	res.Denied, res.Declined, res.Failed = slices.Clone(t.denied), slices.Clone(t.declined), slices.Clone(t.failed)
	sorting.By(res.Denied, byID)
	sorting.By(res.Declined, byID)
	sorting.By(res.Failed, func(a, b Failure) int { return trace.CompareID(a.ID, b.ID) })
}

// taint marks the run as having read untrusted content, once; from names what
// brought it.
func (t *tree) taint(at trace.Event, from string) {
	t.mu.Lock()
	already := t.tainted
	t.tainted = true
	t.mu.Unlock()
	if !already {
		t.r.Journal.Add(conversation.Entry{T: conversation.TaintEntry})
		then := "to be asked before network calls and commands after it, write approval: {taint: ask} into the manifest"
		if t.r.Gate != nil && t.r.Gate.TaintAsk {
			then = "from now on, network calls and commands ask"
		}
		at.Body = trace.Warning{Code: fault.Trust, Message: "untrusted content from outside the project was read (" + from + "), and it may contain instructions of other people; " + then}
		t.emit(at)
	}
}

func (t *tree) isTainted() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tainted
}

// model opens each model once for the whole tree, because scripts have a position. A
// script's name is opened once for each origin, which decides where the script is read.
func (t *tree) model(ctx context.Context, w *project.Worker, ask Asker) (model.Model, error) {
	return t.models.get(ctx, w.Model+"\x00"+w.Origins["model"], true, func() (model.Model, error) {
		if t.r.Trust != nil {
			if err := t.r.Trust(ctx, w, ask); err != nil {
				return nil, err
			}
		}
		return t.r.Model(ctx, w)
	})
}

// cause returns why ctx ended, as a fault: E_TIMEOUT with what ran out, or
// E_INTERRUPTED; nil if it has not.
func cause(ctx context.Context) *fault.Fault {
	if err := context.Cause(ctx); err != nil {
		return fault.Of(err, fault.Interrupted)
	}
	return nil
}
