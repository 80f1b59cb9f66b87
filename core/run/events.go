package run

import (
	"slices"
	"sync"
	"sync/atomic"

	"golem/core/sorting"
	"golem/core/trace"
)

// events passes the events of a run on to its front end.
type events struct {
	front Front
	quiet atomic.Bool // a kept conversation is repeated: nothing is passed on

	mu     sync.Mutex
	given  []string     // what is told once in a run, see isFirst
	before bool         // the run has not begun in the trace yet
	early  []trace.Body // what happened before it
}

// nobody is the front end that shows nothing.
type nobody struct{}

func (nobody) Emit(trace.Event)      {}
func (nobody) Asking() (done func()) { return func() {} }

func newEvents(f Front) *events {
	if f == nil {
		f = nobody{}
	}
	return &events{front: f, before: true}
}

func (e *events) emit(one trace.Event) {
	if !e.quiet.Load() {
		e.front.Emit(one)
	}
}

// isFirst reports whether text is asked about for the first time in the run.
func (e *events) isFirst(text string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if slices.Contains(e.given, text) {
		return false
	}
	e.given = append(e.given, text)
	return true
}

// emitBegun emits an event of the run. If the run has not begun in the trace, begin
// returns it later.
func (e *events) emitBegun(one trace.Event) {
	e.mu.Lock()
	before := e.before
	if before {
		e.early = append(e.early, one.Body)
	}
	e.mu.Unlock()
	if !before {
		e.emit(one)
	}
}

// emitShown emits an event of the run. If the run has not begun in the trace, it emits early
// in its place, and begin returns the event's body later.
func (e *events) emitShown(one trace.Event, early trace.Body) {
	e.mu.Lock()
	if e.before {
		e.early = append(e.early, one.Body)
		one.Body = early
	}
	e.mu.Unlock()
	e.emit(one)
}

// begin notes that the run has begun in the trace, and returns what happened before.
func (e *events) begin() []trace.Body {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := e.early
	e.before, e.early = false, nil
	return out
}

// tally has the calls that were denied and the workers that failed below the root.
type tally struct {
	mu       sync.Mutex
	denied   []Denial  // nobody could be asked
	declined []Denial  // for any other reason
	failed   []Failure // workers
}

func (t *tally) deny(d Denial) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.denied = append(t.denied, d)
}

func (t *tally) decline(d Denial) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.declined = append(t.declined, d)
}

func (t *tally) fail(f Failure) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed = append(t.failed, f)
}

// addTo adds what went wrong to res, in call order.
func (t *tally) addTo(res *Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	byID := func(a, b Denial) int { return trace.CompareID(a.ID, b.ID) }
	res.Denied, res.Declined, res.Failed = slices.Clone(t.denied), slices.Clone(t.declined), slices.Clone(t.failed)
	sorting.By(res.Denied, byID)
	sorting.By(res.Declined, byID)
	sorting.By(res.Failed, func(a, b Failure) int { return trace.CompareID(a.ID, b.ID) })
}
