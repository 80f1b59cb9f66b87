package openaiserve

import (
	"context"
	"io"
	"sync/atomic"

	"golem/core/approval"
	"golem/core/run"
	"golem/core/trace"
	"golem/core/ui"
)

// front is the front end of one run. It answers no question: what asks is denied.
type front struct {
	length atomic.Bool // the last answer of the root reached the output limit
	on     func(trace.Event)
}

var _ ui.UI = (*front)(nil)

// rootID is the id of the root's run in events.
const rootID = "0"

// Emit takes note of how the answer ends, and passes the event on.
func (f *front) Emit(e trace.Event) {
	if end, is := e.Body.(trace.ModelEnd); is && e.ID == rootID {
		f.length.Store(end.Finish == "length")
	}
	if f.on != nil {
		f.on(e)
	}
}

// cut reports whether the answer reached the model's output limit.
func (f *front) cut() bool { return f.length.Load() }

// Prompt returns io.EOF: a request is one exchange, so that there is no further message.
func (f *front) Prompt(context.Context) (run.Input, error) { return run.Input{}, io.EOF }

// Approve returns approval.ErrNobody.
func (f *front) Approve(context.Context, approval.Request) (approval.Decision, error) {
	return approval.Decision{}, approval.ErrNobody
}
