package approval

import (
	"context"
	"errors"

	"golem/core/tool"
)

// ErrNobody is what an Approver answers when there is nobody to ask: no
// terminal, --headless. The call is denied and the run ends with exit 3.
var ErrNobody = errors.New("nobody could be asked")

// Item is one call on its way through the gate. Every func may be nil.
type Item struct {
	Tool       tool.Tool
	Call       tool.Call // Args as the caller sent them, not yet decoded
	Policy     Policy    // of the worker on whose behalf the call is made
	WorkerPath []string  // IDs from the root to that worker
	Workers    []Worker  // the same with their calls and tasks
	// FromModel is false only where a person starts the call: then manual
	// tools may run (S4-02..04). A tool that calls back counts as a model.
	FromModel bool
	// Tainted says that the run has taken in untrusted content (SECURITY 13).
	Tainted bool

	// Observe hears the decision, exactly once for each call whose arguments
	// decode and fit the schema, and for each manual tool refused to a
	// model: before the tool runs, or before the denial is returned.
	Observe func(Record)
	// Asking brackets the wait for a person, not the wait for one's turn to
	// ask: it stops clocks and holds new calls until done is called.
	Asking func() (done func())
	// Shown gets the request right before the person does.
	Shown func(Request)
	// Enter is called right before the tool runs. The tool gets the context;
	// leave is called when the tool has returned, which for a tool that does not
	// heed its context is after Gate.Call has. An error stops the call.
	Enter func(ctx context.Context, risk tool.Risk) (inner context.Context, leave func(), err error)
	// Permit refuses what no answer could allow, such as the network where the
	// sandbox has none. It is asked with the call's risk after blocked, and
	// before anybody else.
	Permit func(risk tool.Risk) error
	// Source tells what stands behind a mount's name, so that a decision for
	// one worker's mount is not used for another's of the same name. nil:
	// the name says it all.
	Source func(mount string) string
}

func (it Item) observe(r Record) {
	if it.Observe != nil {
		it.Observe(r)
	}
}
