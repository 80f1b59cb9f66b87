package core

import "golem/core/trace"

// front shows a run to a person and writes its trace. While the person is asked, hold keeps
// back what else would be shown.
type front struct {
	trace.Sink
	hold *trace.Hold
}

// Asking begins a question.
func (f front) Asking() (done func()) { return f.hold.Asking() }
