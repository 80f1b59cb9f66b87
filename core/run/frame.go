package run

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/trace"
)

// rootID is the trace id of the root call (SPEC §16).
const rootID = "0"

func childID(parent string, index int) string { return parent + "." + strconv.Itoa(index) }

// frame is one worker run. It has three parts: which worker runs and where in the tree,
// what it may use, and what it and its model have said. Only the conversation can
// outlive the run.
type frame struct {
	identity
	powers
	conversation *conversation.Conversation // /new replaces it (S0-59)
	current      currentTurn
	size         model.Estimator // of the next request
	changed      int             // the last turn before which kept notes and compactions were repeated
}

// identity says which worker runs, and where in the tree. Only the root's task changes.
type identity struct {
	tree   *tree
	worker *project.Worker
	id     string // in the trace
	parent *frame // nil at the root
	depth  int
	chain  []string // worker IDs, root first, this one last
	task   string   // the beginning of its task
}

// powers are what a worker run may see, call and spend.
type powers struct {
	sight   sight
	sets    []tool.Toolset     // closed with the frame
	workers []toolset.Delegate // the workers that it may call
	tools   *tool.Set
	budget  *budget
	model   model.Model // nil until openModel
	// output is the JSON Schema that the answer has to fit; nil: none.
	output json.RawMessage
	// modelSettings are the settings of the worker's file, with those of the run over them.
	modelSettings model.Settings

	inert       bool           // made for golem check: no code of a module runs
	collected   *collected     // golem check collects all errors; nil: the first one ends openTools
	opening     bool           // a root whose run has not begun in the trace yet
	warnings    []*fault.Fault // from making the tools; emitted when the worker begins
	undescribed []string       // modules whose tools are not known, because no code may run
	changing    []changing     // toolsets whose tools can change between turns
}

// currentTurn is the state that the calls of the turn under way share.
type currentTurn struct {
	shown int // how many bytes of each result the model is shown; 0: all

	mu      sync.Mutex        // guards callees: calls of one turn run beside each other
	callees map[string]callee // by the call's id
}

// callee is the worker that a call reached, by any name.
type callee struct {
	id   string
	file bool // a worker file defines it; else a module provides the worker
}

// reach notes the worker that a call has reached.
func (t *currentTurn) reach(call string, who callee) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.callees == nil {
		t.callees = map[string]callee{}
	}
	t.callees[call] = who
}

// callee returns the worker that a call of this turn has reached; the zero callee if none.
func (t *currentTurn) callee(call string) callee {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.callees[call]
}

// forget forgets the callees, once the results of the turn are kept.
func (t *currentTurn) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.callees)
}

// frame returns a worker run that is ready under parent; with nil as parent, as the
// root. The caller closes it.
func (t *tree) frame(ctx context.Context, w *project.Worker, parent *frame, id string) (*frame, error) {
	f := &frame{
		identity:     identity{tree: t, worker: w, id: id, parent: parent},
		powers:       powers{budget: &budget{worker: w.ID, limits: w.Limits, ledger: &t.money}, output: w.Output},
		conversation: conversation.New(id),
	}
	if parent != nil {
		f.depth = parent.depth + 1
		f.chain = append(append(f.chain, parent.chain...), w.ID)
		f.budget.parent = parent.budget
	} else {
		f.chain = []string{w.ID}
	}

	var err error
	var caller *sight
	if parent != nil {
		caller = &parent.sight
	}
	if f.sight, err = t.sight(ctx, w, caller); err != nil {
		return nil, fault.Of(err, fault.Config).InChain(f.chain)
	}
	f.opening = parent == nil
	err = f.openTools(ctx)
	if err == nil {
		err = f.settings(ctx)
	}
	f.opening = false
	if err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// modelChoice returns the worker whose configuration names the model: the one with the
// person's choice in the chat, else this worker, else the nearest caller that names one
// (SPEC §5); nil if none does. from is the origin for the trace.
func (f *frame) modelChoice() (by *project.Worker, from string) {
	if w := f.tree.chosen; w != nil {
		return w, fromChat
	}
	if f.worker.Model != "" && (f.parent == nil || !f.worker.ModelIsLast) {
		return f.worker, f.worker.Origins["model"]
	}
	for n := f.parent; n != nil; n = n.parent {
		if n.worker.Model != "" && (n.parent == nil || !n.worker.ModelIsLast) {
			return n.worker, "caller " + n.worker.ID
		}
	}
	return nil, ""
}

// openModel opens the model before anything is spent, so that a missing key or a wrong
// name fails first.
func (f *frame) openModel(ctx context.Context) error {
	by, from := f.modelChoice()
	if by == nil {
		return fault.Of(f.worker.NeedModel(), fault.Model).InChain(f.chain)
	}
	var err error
	for _, one := range by.Models() {
		if err := f.worker.FitsModel(one.Model, from); err != nil {
			return fault.Of(err, fault.Model).InChain(f.chain)
		}
	}
	if err = f.readSettings(); err != nil {
		return err
	}
	for _, w := range f.tree.r.Project.ModelWarnings(f.worker) {
		f.warn(w)
	}
	if trust := f.tree.r.TrustSettings; trust != nil {
		err = trust(ctx, f.worker, f.question)
	}
	var all []model.Model
	for _, one := range by.Models() {
		var m model.Model
		if err == nil {
			m, err = f.tree.model(ctx, one, f.question)
		}
		if err == nil {
			err = fitsRecorded(f.worker, one.Model, m)
		}
		all = append(all, f.retrying(m))
	}
	if err != nil {
		if f.tree.r.unasked(fault.Of(err, fault.Model)) {
			f.tree.deny(Denial{ID: f.id, Tool: "model " + by.Model, Trust: true})
		}
		return fault.Of(err, fault.Model).InChain(f.chain)
	}
	f.model = model.WithFallback(all, func(from, to model.Model, why *fault.Fault) {
		f.emit(trace.Warning{Code: fault.Model, Message: fmt.Sprintf("%s answers instead of %s: %s", to.Name(), from.Name(), why.Message)})
	})
	return nil
}

// fitsRecorded returns an error if m is a recording of a model that the worker's
// compatible_models do not allow.
func fitsRecorded(w *project.Worker, name string, m model.Model) error {
	if recorded := model.Recorded(m); recorded != "" {
		return w.FitsModel(recorded, "recorded in "+name)
	}
	return nil
}

// retrying returns m with the worker's retries.
func (f *frame) retrying(m model.Model) model.Model {
	return model.WithRetry(m, model.RetryPolicy{Attempts: f.worker.Retry.Attempts}, func(r model.Retry) {
		f.emit(trace.Retry{Turn: r.Turn, Attempt: r.Attempt, Code: r.Code, Message: r.Message, WaitMS: r.Wait.Milliseconds()})
	})
}

func (f *frame) close() {
	if f.model != nil {
		model.Forget(f.model, f.conversation.Name)
	}
	for _, s := range f.sets {
		if err := s.Close(); err != nil {
			f.emit(trace.Warning{Code: fault.Tool, Message: fmt.Sprintf("closing a toolset: %v", err)})
		}
	}
	if f.parent == nil {
		f.tree.disconnect(f.at())
	}
}

// at returns an event of this worker run, without its body. Its parent is the call that
// contains it, which may be a call of a tool and not of the caller.
func (i *identity) at() trace.Event {
	return trace.Event{ID: i.id, Parent: parentID(i.id), Worker: i.worker.ID, Depth: i.depth}
}

func (i *identity) emit(b trace.Body) {
	e := i.at()
	e.Body = b
	i.tree.emit(e)
}

// offered returns the specs that the model is given: all tools but manual and hidden ones.
func (p *powers) offered() []tool.Spec {
	var out []tool.Spec
	for _, t := range p.tools.All() {
		if h, ok := t.(tool.Hidden); ok && h.Hidden() {
			continue
		}
		if s := t.Spec(); s.Exec != tool.ExecManual && model.Unfit(s) == nil {
			out = append(out, s)
		}
	}
	return out
}
