package trace

import (
	"encoding/json"
	"io"
	"slices"
	"sync"
	"time"
)

// timeFormat is RFC 3339 with microseconds. Times are in UTC.
const timeFormat = "2006-01-02T15:04:05.000000Z"

// Writer is a Sink that writes a trace: a header line, then one JSON object per
// line. It leaves out transient events and numbers the others without gaps, in
// the order in which they arrive. Each line is written with one Write, so that
// a run that is killed leaves complete lines and at most one incomplete one. It
// is safe for concurrent use, delays nothing, and takes time proportional to
// the bytes that it writes.
type Writer struct {
	// Texts stores a text that is too long for a line, under a file name that
	// is used once. It is called before the line is written and must not call
	// Emit. With nil, long texts stay in the lines. Set it before the first
	// event.
	Texts Files
	// OnError gets the first error of each output, and the first error of
	// storing a long text. After an error, that output gets no more lines, and
	// the run continues. It is called while the Writer is locked, so it must
	// not call Emit. Set it before the first event.
	OnError func(error)

	mu      sync.Mutex
	now     func() time.Time
	header  Header
	begun   bool
	closed  bool
	seq     int64
	enc     *scratch
	texts   keeper
	lost    bool // a text could not be stored, and OnError was called
	outputs []*output
	err     error
}

// output is one writer that gets the lines.
type output struct {
	w      io.Writer
	whole  bool // long texts stay in its lines
	failed bool
}

// NewWriter returns a writer for a trace file. With a nil w it writes only to
// the outputs added by Whole. The header is written before the first event, or
// by Close; NewWriter sets its Golem, V and, if it is empty, Started.
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

// Version is the version of the trace format. It rises only for an incompatible
// change.
const Version = 1

// Whole adds an output that gets the same lines with complete texts (--json,
// the page). If it fails, the other outputs are not affected. Call it before
// the first event.
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
		// A body that cannot be written is a defect of golem. A warning takes the
		// event's place, so that the trace shows it.
		e.Body = Warning{Message: "an event could not be written: " + err.Error()}
		if t.enc.prepare(e) != nil {
			return
		}
	}
	t.seq++
	t.lines()
}

// lines writes the prepared event: first its long texts, then the line without them to
// the trace file, then the complete line to the outputs added by Whole.
func (t *Writer) lines() {
	if t.Texts == nil {
		t.write(append(t.enc.line(nil), '\n'), true, true)
		return
	}
	c := &cutter{}
	line := append(t.enc.line(c), '\n')
	t.texts.files = t.Texts
	for _, text := range c.took {
		if err := t.texts.putText(text); err != nil && !t.lost {
			t.lost = true
			t.failed(err)
		}
	}
	t.write(line, true, len(c.took) == 0)
	if len(c.took) > 0 && t.hasOutput() {
		t.write(append(t.enc.line(nil), '\n'), false, true)
	}
}

// hasOutput reports whether any output gets complete lines.
func (t *Writer) hasOutput() bool {
	return slices.ContainsFunc(t.outputs, func(o *output) bool { return o.whole && !o.failed })
}

// Close ends the trace and returns the first error. It does not close the
// outputs, which belong to the caller. A second Close does nothing.
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

// write sends a line to the trace file, to the outputs that get complete lines, or to
// both.
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

// failed records the first error and reports each to OnError.
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

// Emit passes the event to every sink.
func (s Sinks) Emit(e Event) {
	for _, next := range s {
		next.Emit(e)
	}
}
