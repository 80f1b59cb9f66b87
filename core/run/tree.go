package run

import (
	"context"
	"errors"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/trace"
)

// tree is what all worker runs below one root share.
type tree struct {
	r       *Runner
	sched   *schedule
	clock   *clock
	person  *person
	events  *events
	tally   tally
	taint   taint
	money   *ledger // of every budget of the tree
	viewer  viewer
	staging *staging
	models  models
	servers servers
	names   vocabulary
	replay  *replay // the kept conversation that is repeated; nil: none
	looks   bool    // nothing runs: the tools are only listed
}

// newTree returns a tree whose root may call the workers of closure.
func newTree(r *Runner, closure []*project.Worker, looks bool) *tree {
	sched, clock, events := newSchedule(), &clock{}, newEvents(r.Front)
	files := &files{files: r.Files}
	staging := newStaging(r, files, sched, events)
	money := &ledger{}
	if a := accountOf(r.Models); a != nil {
		money = &a.ledger
	}
	return &tree{
		r: r, sched: sched, clock: clock, events: events, staging: staging, looks: looks, money: money,
		person:  &person{gate: r.Gate, sched: sched, clock: clock, events: events},
		taint:   taint{journal: r.Keeping.Journal, events: events, asks: r.Gate != nil && r.Gate.TaintAsk},
		viewer:  newViewer(r, files, staging),
		models:  models{models: r.Models, trust: r.Trust},
		servers: servers{host: r.Servers, trust: r.Trust, values: r.Values},
		names:   vocabulary{r: r, closure: closure},
	}
}

// untrusted returns err, and counts it as a denial if nobody could be asked for trust.
func (t *tree) untrusted(id, what string, err error) error {
	if err != nil && unasked(t.r.Trust, fault.Of(err, fault.Trust)) {
		t.tally.deny(Denial{ID: id, Tool: what, Trust: true})
	}
	return err
}

// artifact stores a whole prompt, input or output.
func (t *tree) artifact(name string, value any) {
	if err := t.r.Keeping.Artifacts.Keep(name, value); err != nil && !errors.Is(err, context.Canceled) {
		t.events.emit(trace.Event{ID: rootID, Body: trace.Warning{Code: fault.Config, Message: "an artifact could not be written: " + err.Error()}})
	}
}

// cause returns why ctx ended, as a fault: E_TIMEOUT with what ran out, or
// E_INTERRUPTED; nil if it has not.
func cause(ctx context.Context) *fault.Fault {
	if err := context.Cause(ctx); err != nil {
		return fault.Of(err, fault.Interrupted)
	}
	return nil
}
