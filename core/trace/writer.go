package trace

import (
	"encoding/json"
	"io"
	"slices"
	"sync"
	"time"
)

// timeFormat is RFC 3339 with microseconds; times are UTC.
const timeFormat = "2006-01-02T15:04:05.000000Z"

// Writer is the Sink that keeps a trace: JSON lines, a header first. Transient
// events are left out. Kept events get gapless numbers in the order they come;
// each line is one Write, so that a run that is killed leaves whole lines and
// at most one torn one. It may be used from many goroutines. Its cost is
// linear in the bytes it writes; nothing is held back.
type Writer struct {
	// Texts keeps a text that is too long for a line, whole, under a name that
	// is no path and is used once. It is called before the line is written, and
	// must not emit. nil: long texts stay in the lines. Set it before the first event.
	Texts func(name string, data []byte) error
	// OnError hears of each output that fails, once, and of the first text that
	// cannot be kept; an output that fails gets no further lines, and the run
	// goes on. Set it before the first event. It is called while the Writer is
	// locked and must not emit.
	OnError func(error)

	mu      sync.Mutex
	now     func() time.Time
	header  Header
	begun   bool
	closed  bool
	seq     int64
	enc     *scratch
	texts   keeper
	lost    bool // a text could not be kept: told
	outputs []*output
	err     error
}

// output is one place the lines go to.
type output struct {
	w      io.Writer
	whole  bool // long texts stay in its lines
	failed bool
}

// NewWriter makes a writer of a trace file. A nil w writes nowhere, until
// Whole. The header is written before the first event, or at Close; its Golem,
// V and, if empty, Started are filled in.
func NewWriter(w io.Writer, h Header, now func() time.Time) *Writer {
	if now == nil {
		now = time.Now
	}
	h.Golem, h.V = "trace", Version
	tw := &Writer{now: now, header: h, enc: newScratch(), texts: keeper{max: maxBeside}}
	if w != nil {
		tw.outputs = []*output{{w: w}}
	}
	return tw
}

// Version is the format's version; it rises only on an incompatible change.
const Version = 1

// Whole sends the same lines to a further output, which fails on its own: with
// their long texts in them, for those who show them (--json, the page). Call
// it before the first event.
func (t *Writer) Whole(w io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.outputs = append(t.outputs, &output{w: w, whole: true})
}

// Emit writes one event, unless it is transient. After Close it does nothing.
func (t *Writer) Emit(e Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || e.Body == nil || e.Body.Transient() {
		return
	}
	t.begin()
	e.Seq, e.TS = t.seq+1, t.now().UTC().Format(timeFormat)
	if err := t.enc.prepare(e); err != nil {
		// Say so in the trace itself: a body that cannot be written is a
		// defect of golem, not a reason to lose the place in the order.
		e.Body = Warning{Message: "an event could not be written: " + err.Error()}
		if t.enc.prepare(e) != nil {
			return
		}
	}
	t.seq++
	t.lines()
}

// lines writes the prepared event: to files without its long texts, which are
// kept first, then whole to those who show it.
func (t *Writer) lines() {
	if t.Texts == nil {
		t.write(append(t.enc.line(nil), '\n'), true, true)
		return
	}
	c := &cutter{}
	line := append(t.enc.line(c), '\n')
	t.texts.put = t.Texts
	for _, text := range c.took {
		if err := t.texts.keep(text); err != nil && !t.lost {
			t.lost = true
			t.failed(err)
		}
	}
	t.write(line, true, len(c.took) == 0)
	if len(c.took) > 0 && t.shown() {
		t.write(append(t.enc.line(nil), '\n'), false, true)
	}
}

// shown says whether somebody gets whole lines.
func (t *Writer) shown() bool {
	return slices.ContainsFunc(t.outputs, func(o *output) bool { return o.whole && !o.failed })
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

func (t *Writer) begin() {
	if t.begun {
		return
	}
	t.begun = true
	if t.header.Started == "" {
		t.header.Started = t.now().UTC().Format(timeFormat)
	}
	t.write(append(headerLine(t.header), '\n'), true, true)
}

func headerLine(h Header) []byte {
	data, err := json.Marshal(h)
	if err != nil { // unreachable: strings and a number always encode
		return []byte("{}")
	}
	return appendJSON(nil, data, nil)
}

// write sends a line to files, to those who get whole lines, or to both.
func (t *Writer) write(line []byte, files, whole bool) {
	for _, o := range t.outputs {
		if o.failed || o.whole && !whole || !o.whole && !files {
			continue
		}
		n, err := o.w.Write(line)
		if err == nil && n < len(line) {
			err = io.ErrShortWrite
		}
		if err != nil {
			o.failed = true
			t.failed(err)
		}
	}
}

// failed keeps the first failure and tells of each.
func (t *Writer) failed(err error) {
	if t.err == nil {
		t.err = err
	}
	if t.OnError != nil {
		t.OnError(err)
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
