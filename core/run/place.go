package run

import (
	"slices"
	"strconv"
	"strings"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/trace"
)

// rootID is the trace id of the root call (SPEC §16).
const rootID = "0"

func childID(parent string, index int) string { return parent + "." + strconv.Itoa(index) }

// parentID returns the id of the call that contains another; "" for the root's.
func parentID(id string) string {
	i := strings.LastIndexByte(id, '.')
	return id[:max(i, 0)]
}

// place says which worker runs, where in the tree, and where its events go. Only the
// root's task changes.
type place struct {
	worker *project.Worker
	id     string // in the trace
	caller *place // nil at the root
	depth  int
	chain  []string // worker IDs, root first, this one last
	task   string   // the beginning of its task
	events *events
}

// newPlace returns the place of a worker that caller calls; with nil, of a root.
func newPlace(w *project.Worker, id string, caller *place, e *events) place {
	p := place{worker: w, id: id, caller: caller, events: e}
	if caller != nil {
		p.depth = caller.depth + 1
		p.chain = append(p.chain, caller.chain...)
	}
	p.chain = append(p.chain, w.ID)
	return p
}

// event returns an event of the worker run. Its parent is the call that contains it,
// which may be a call of a tool and not of the caller.
func (p *place) event(b trace.Body) trace.Event {
	return trace.Event{ID: p.id, Parent: parentID(p.id), Worker: p.worker.ID, Depth: p.depth, Body: b}
}

func (p *place) emit(b trace.Body) { p.events.emit(p.event(b)) }

// warn emits a warning, once in a run.
func (p *place) warn(w *fault.Fault) {
	if text := w.Text(); p.events.isFirst(text) {
		p.emit(trace.Warning{Code: w.Code, Message: text})
	}
}

// progress emits the state of a worker's call, under the call's id, which is also the
// child's.
func (p *place) progress(call, status, worker, task string) {
	e := trace.Event{ID: call, Parent: parentID(call), Worker: worker, Depth: p.depth + 1}
	e.Body = trace.Progress{Status: status, Description: worker, Task: task}
	p.events.emit(e)
}

// root returns the place of the root.
func (p *place) root() *place {
	for p.caller != nil {
		p = p.caller
	}
	return p
}

// workers returns the worker runs from the root to this one (S4-28, S4-29).
func (p *place) workers() []approval.Worker {
	var out []approval.Worker
	for n := p; n != nil; n = n.caller {
		out = append(out, approval.Worker{ID: n.id, Worker: n.worker.ID, Depth: n.depth, Task: n.task})
	}
	slices.Reverse(out)
	return out
}

// mayCall checks whether a worker may be called here: depth and cycles (S0-07, S0-08).
func (p *place) mayCall(in *project.Project, w *project.Worker) error {
	depth, limit := p.depth+1, p.worker.Delegation.MaxDepth
	running := false
	for n := p; n != nil; n = n.caller {
		limit = min(limit, n.worker.Delegation.MaxDepth)
		running = running || n.worker.File == w.File
	}
	if depth > limit {
		return fault.New(fault.Depth, "%s is too deep: depth %d, and max_depth is %d", arrow(p.chain, w.ID), depth, limit).
			Hinting("do the work without another worker, or raise delegation.max_depth")
	}
	if running && (!w.Delegation.AllowRecursion || !allowsItself(in, w)) {
		return fault.New(fault.Cycle, "%s is a cycle", arrow(p.chain, w.ID)).
			Hinting("call another worker, or set delegation.allow_recursion and let %s list itself", w.ID)
	}
	if depth > p.worker.Delegation.WarnDepth && p.events.isFirst("warn_depth") {
		p.emit(trace.Warning{Code: fault.Depth, Message: "workers call each other deeper than warn_depth: " + arrow(p.chain, w.ID)})
	}
	return nil
}

func allowsItself(p *project.Project, w *project.Worker) bool {
	own, err := p.Workers.Delegates(w)
	return err == nil && slices.ContainsFunc(own, func(o *project.Worker) bool { return o.File == w.File })
}

// arrow returns a chain of workers for messages: a → b → next.
func arrow(chain []string, next string) string {
	return strings.Join(chain, " → ") + " → " + next
}
