package trace

import (
	"encoding/json"
	"io"
	"sync"
	"time"
)

// timeFormat is RFC 3339 with microseconds; times are UTC.
const timeFormat = "2006-01-02T15:04:05.000000Z"

// Writer is the Sink that keeps a trace: JSON lines, a header first. Kept
// events get gapless numbers in the order they come; each line is one Write,
// so that a run that is killed leaves whole lines and at most one torn one.
// It may be used from many goroutines. Its cost is linear in the bytes it
// writes; nothing is held back.
type Writer struct {
	// OnError hears of each output that fails, once; that output gets no
	// further lines, and the run goes on. Set it before the first event. It
	// is called while the Writer is locked and must not emit.
	OnError func(error)

	mu      sync.Mutex
	now     func() time.Time
	header  Header
	begun   bool
	closed  bool
	seq     int64
	enc     *scratch
	outputs []*output
	err     error
}

// output is one place the lines go to.
type output struct {
	w         io.Writer
	transient bool // also what a trace file does not keep
	failed    bool
}

// NewWriter makes a writer of a trace file: transient events are left out. A
// nil w writes nowhere, until Also. The header is written before the first
// event, or at Close; its Golem, V and, if empty, Started are filled in.
func NewWriter(w io.Writer, h Header, now func() time.Time) *Writer {
	if now == nil {
		now = time.Now
	}
	h.Golem, h.V = "trace", Version
	tw := &Writer{now: now, header: h, enc: newScratch()}
	if w != nil {
		tw.outputs = []*output{{w: w}}
	}
	return tw
}

// Version is the format's version; it rises only on an incompatible change.
const Version = 1

// NewStream makes a writer of the lines of --json: those of the trace, and
// the transient ones without seq (SPEC §16).
func NewStream(w io.Writer, h Header, now func() time.Time) *Writer {
	tw := NewWriter(nil, h, now)
	tw.Also(w, true)
	return tw
}

// Also sends the same lines, byte for byte, to a further output, which fails
// on its own. Call it before the first event.
func (t *Writer) Also(w io.Writer, transient bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.outputs = append(t.outputs, &output{w: w, transient: transient})
}

// Emit writes one event. After Close it does nothing.
func (t *Writer) Emit(e Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || e.Body == nil {
		return
	}
	t.begin()
	transient := e.Body.Transient()
	if transient && !t.streams() {
		return
	}
	e.Seq = 0
	e.TS = t.now().UTC().Format(timeFormat)
	if !transient {
		e.Seq = t.seq + 1
	}
	line, err := t.enc.line(e)
	if err != nil {
		// Say so in the trace itself: a body that cannot be written is a
		// defect of golem, not a reason to lose the place in the order.
		e.Body = Warning{Message: "an event could not be written: " + err.Error()}
		if transient {
			return
		}
		if line, err = t.enc.line(e); err != nil {
			return
		}
	}
	if !transient {
		t.seq++
	}
	t.write(append(line, '\n'), transient)
}

// Err is the first failure to write, nil if there was none.
func (t *Writer) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// Close ends the trace and returns the first failure. It does not close the
// outputs, which belong to the host. A second Close does nothing.
func (t *Writer) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.begin()
		t.closed = true
	}
	return t.err
}

func (t *Writer) streams() bool {
	for _, o := range t.outputs {
		if o.transient && !o.failed {
			return true
		}
	}
	return false
}

func (t *Writer) begin() {
	if t.begun {
		return
	}
	t.begun = true
	if t.header.Started == "" {
		t.header.Started = t.now().UTC().Format(timeFormat)
	}
	t.write(append(headerLine(t.header), '\n'), false)
}

func headerLine(h Header) []byte {
	data, err := json.Marshal(h)
	if err != nil { // unreachable: strings and a number always encode
		return []byte("{}")
	}
	return appendJSON(nil, data, true)
}

func (t *Writer) write(line []byte, transient bool) {
	for _, o := range t.outputs {
		if o.failed || transient && !o.transient {
			continue
		}
		n, err := o.w.Write(line)
		if err == nil && n < len(line) {
			err = io.ErrShortWrite
		}
		if err == nil {
			continue
		}
		o.failed = true
		if t.err == nil {
			t.err = err
		}
		if t.OnError != nil {
			t.OnError(err)
		}
	}
}

var _ Sink = (*Writer)(nil)

// Sinks sends every event to each sink, in order.
type Sinks []Sink

// Emit passes the event on.
func (s Sinks) Emit(e Event) {
	for _, next := range s {
		next.Emit(e)
	}
}
