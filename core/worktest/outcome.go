package worktest

import (
	"io/fs"
	"sync"

	"golem/core/fault"
	"golem/core/run"
	"golem/core/tool"
	"golem/core/trace"
)

// Outcome is what a run of a case did.
type Outcome struct {
	Status string // ok, needs_input or the code of Fault
	Output tool.Output
	Fault  *fault.Fault // nil: the run ended well
	Calls  []Call       // in the order of their ends
	Turns  int64        // model requests of all workers
	Usage  trace.Usage
	Files  fs.FS // the project's files afterwards, in memory
}

// Call is one call of a tool or a worker.
type Call struct {
	ID, Tool, Status string // Status as in the trace, tool.end
}

// Observer gathers what a run does from its events. It is safe for concurrent use; the zero
// value is ready.
type Observer struct {
	mu      sync.Mutex
	outcome Outcome
	asked   bool // the worker asked the person a question
}

var _ trace.Sink = (*Observer)(nil)

// Emit adds an event.
func (o *Observer) Emit(e trace.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch b := e.Body.(type) {
	case trace.ModelStart:
		o.outcome.Turns++
	case trace.ToolEnd:
		o.outcome.Calls = append(o.outcome.Calls, Call{e.ID, b.Tool, b.Status})
	}
}

// Asked notes that the worker asked the person for input.
func (o *Observer) Asked() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked = true
}

// Outcome returns what the run did, with its result and the files afterwards.
func (o *Observer) Outcome(res run.Result, files fs.FS) Outcome {
	o.mu.Lock()
	defer o.mu.Unlock()
	out := o.outcome
	out.Output, out.Fault, out.Usage, out.Files = res.Output, res.Error, res.Spent(), files
	switch {
	case res.Error != nil:
		out.Status = string(res.Error.Code)
	case o.asked || res.Status == run.NeedsInput:
		out.Status = "needs_input"
	default:
		out.Status = "ok"
	}
	return out
}
