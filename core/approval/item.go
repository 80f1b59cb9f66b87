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
// about it.
type Item struct {
	Tool       tool.Tool
	Call       tool.Call // Args as the caller sent them, not checked yet
	Policy     Policy    // the policy of the worker that makes the call
	WorkerPath []string  // IDs from the root to that worker
	Workers    []Worker  // the same workers with their calls and tasks
	// FromModel is false only if a person starts the call: then tools with exec
	// manual may run (S4-02..04). A call from inside a tool counts as a
	// model's.
	FromModel bool
	By        Caller // nil: Outside
}

// Asker is told of a question to a person.
type Asker interface {
	// Asking is called before a person is asked, and done after the answer: in
	// between, clocks stop and no new call starts. Waiting for another question
	// to end does not count.
	Asking() (done func())
	// Shown gets the request just before the person sees it.
	Shown(r Request)
}

// Caller is what makes a call.
type Caller interface {
	Asker
	// Tainted reports whether the run has already read untrusted content (SECURITY
	// 13). It can change while the call waits for an answer.
	Tainted() bool
	// Coerced gets what was changed in arguments that did not fit the tool's schema and
	// could only mean one thing, before the decision.
	Coerced(notes []string)
	// Permit returns an error for a call that no answer could allow, such as
	// one to the network where the sandbox has none. It gets the call's risk,
	// after blocked was checked and before anybody is asked.
	Permit(ctx context.Context, risk tool.Risk) error
	// Observe gets the decision, before the tool runs or the denial is
	// returned. It is called exactly once for each call with valid arguments,
	// and for each manual tool that a model called.
	Observe(r Record)
	// Enter is called just before the tool runs and returns the context for the
	// tool. leave is called when the tool has returned; a tool that ignores its
	// context may return later than Gate.Call. An error prevents the call.
	Enter(ctx context.Context, risk tool.Risk) (inner context.Context, leave func(), err error)
	// SourceOf returns what a mount's name stands for, so that a decision about one
	// worker's mount is not used for another mount with the same name.
	SourceOf(mount string) string
}

// Outside is the Caller of a call outside a run: nothing is told, and nothing stops it.
type Outside struct{}

var _ Caller = Outside{}

// Asking does nothing.
func (Outside) Asking() (done func()) { return func() {} }

// Shown does nothing.
func (Outside) Shown(Request) {}

// Tainted returns false.
func (Outside) Tainted() bool { return false }

// Coerced does nothing.
func (Outside) Coerced([]string) {}

// Permit returns nil.
func (Outside) Permit(context.Context, tool.Risk) error { return nil }

// Observe does nothing.
func (Outside) Observe(Record) {}

// Enter returns the same context.
func (Outside) Enter(ctx context.Context, _ tool.Risk) (inner context.Context, leave func(), err error) {
	return ctx, func() {}, nil
}

// SourceOf returns the name: it alone identifies a mount.
func (Outside) SourceOf(mount string) string { return mount }
