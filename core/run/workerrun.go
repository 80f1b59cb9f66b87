package run

import (
	"context"
	"encoding/json"
	"sync"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
	"golem/core/trace"
)

// workerRun is one run of one worker: where it is in the tree, what it may see, call and
// spend, and what it and its model have said. Only the conversation can outlive it.
type workerRun struct {
	place
	tree    *tree
	sight   sight
	toolbox *toolbox
	budget  *budget

	model model.Model // nil until openModel
	// settings are the settings of the worker's file, with those of the run over them.
	settings model.Settings
	// output is the JSON Schema that the answer has to fit; nil: none.
	output json.RawMessage
	size   model.Estimator // of the next request

	conversation *conversation.Conversation // /new replaces it (S0-59)
	turn         turn
}

// turn is the state that the calls of the turn under way share.
type turn struct {
	refused  bool // the provider refused the request because of what is in it
	shown    int  // how many bytes of each result the model is shown; 0: all
	reasoned *trace.Reasoned
	thought  *conversation.Thought // of the root

	mu      sync.Mutex        // guards callees: calls of one turn run beside each other
	callees map[string]callee // by the call's id
}

// callee is the worker that a call reached, by any name.
type callee struct {
	id   string
	file bool // a worker file defines it; else a module provides the worker
}

// reach notes the worker that a call has reached.
func (t *turn) reach(call string, who callee) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.callees == nil {
		t.callees = map[string]callee{}
	}
	t.callees[call] = who
}

// callee returns the worker that a call of this turn has reached; the zero callee if none.
func (t *turn) callee(call string) callee {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.callees[call]
}

// forget forgets the callees, once the results of the turn are kept.
func (t *turn) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.callees)
}

// start returns a worker run that is ready under caller; with nil, as the root. The
// caller closes it.
func (t *tree) start(ctx context.Context, w *project.Worker, caller *workerRun, id string) (*workerRun, error) {
	f := &workerRun{
		tree: t, budget: &budget{worker: w.ID, limits: w.Limits, ledger: t.money}, output: w.Output, conversation: conversation.New(id),
	}
	var above *sight
	if caller == nil {
		f.place = newPlace(w, id, nil, t.events)
		if a := accountOf(t.r.Models); a != nil {
			f.budget.parent = &a.budget
		}
	} else {
		f.place = newPlace(w, id, &caller.place, t.events)
		f.budget.parent, above = caller.budget, &caller.sight
	}
	var err error
	if f.sight, err = t.viewer.sight(ctx, w, above); err != nil {
		return nil, fault.Of(err, fault.Config).InChain(f.chain)
	}
	o := opener{Runner: t.r, tree: t, place: &f.place, sight: &f.sight}
	if f.toolbox, err = o.open(ctx); err == nil {
		err = f.toolbox.checkSettings(ctx, &t.names)
		if f := sharedName(w, f.toolbox.Set); err == nil && f != nil {
			err = f
		}
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// openModel opens the worker's model, with its settings.
func (f *workerRun) openModel(ctx context.Context) error {
	by, from := f.tree.models.choice(&f.place)
	if by == nil {
		return fault.Of(f.worker.NeedModel(), fault.Model).InChain(f.chain)
	}
	for _, one := range by.Models() {
		if err := f.worker.FitsModel(one.Model, from); err != nil {
			return fault.Of(err, fault.Model).InChain(f.chain)
		}
	}
	settings, err := f.tree.models.settingsOf(&f.place)
	if err != nil {
		return err
	}
	f.settings = settings
	for _, w := range f.tree.r.Project.Workers.ModelWarnings(f.worker, f.tree.r.Models.Beginnings()) {
		f.warn(w)
	}
	opened, err := f.tree.models.open(ctx, &f.place, by, f.tree.person.asker(&f.place))
	if err != nil {
		err = f.tree.untrusted(f.id, "model "+by.Model, fault.Of(err, fault.Model))
		return fault.Of(err, fault.Model).InChain(f.chain)
	}
	f.model = opened
	return nil
}

func (f *workerRun) close() {
	if f.model != nil {
		model.Forget(f.model, f.conversation.Name)
	}
	f.toolbox.close()
	if f.caller == nil {
		f.tree.servers.close(&f.place)
	}
}
