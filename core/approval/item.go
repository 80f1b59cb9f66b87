package approval

import (
	"context"
	"errors"

	"golem/core/tool"
)

// ErrNobody is returned by an Approver that can ask nobody, because there is no
// terminal or --headless was given. The call is denied and the run ends with
// exit code 3.
var ErrNobody = errors.New("nobody could be asked")

// Item is one call that goes through the gate, with what the gate needs to know
// about it. Every function may be nil.
type Item struct {
	Tool       tool.Tool
	Call       tool.Call // Args as the caller sent them, not decoded yet
	Policy     Policy    // the policy of the worker that makes the call
	WorkerPath []string  // IDs from the root to that worker
	Workers    []Worker  // the same workers with their calls and tasks
	// FromModel is false only if a person starts the call: then tools with exec
	// manual may run (S4-02..04). A call from inside a tool counts as a
	// model's.
	FromModel bool
	// Tainted reports whether the run has already read untrusted content (SECURITY
	// 13). It can change while the call waits for an answer.
	Tainted func() bool

	// Coerced gets what was changed in arguments that did not fit the tool's schema and
	// could only mean one thing, before the decision. It may be nil.
	Coerced func(notes []string)
	// Observe gets the decision, before the tool runs or the denial is
	// returned. It is called exactly once for each call with valid arguments,
	// and for each manual tool that a model called.
	Observe func(Record)
	// Asking is called before a person is asked, and done after the answer: in
	// between, clocks stop and no new call starts. Waiting for another question
	// to end does not count.
	Asking func() (done func())
	// Shown gets the request just before the person sees it.
	Shown func(Request)
	// Enter is called just before the tool runs and returns the context for the
	// tool. leave is called when the tool has returned; a tool that ignores its
	// context may return later than Gate.Call. An error prevents the call.
	Enter func(ctx context.Context, risk tool.Risk) (inner context.Context, leave func(), err error)
	// Permit returns an error for a call that no answer could allow, such as
	// one to the network where the sandbox has none. It gets the call's risk,
	// after blocked was checked and before anybody is asked.
	Permit func(risk tool.Risk) error
	// Source returns what a mount's name stands for, so that a decision about
	// one worker's mount is not used for another mount with the same name. With
	// nil, the name alone identifies a mount.
	Source func(mount string) string
}

func (it Item) observe(r Record) {
	if it.Observe != nil {
		it.Observe(r)
	}
}
