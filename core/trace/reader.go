package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"golem/core/fault"
)

// Bounds on what is read: a trace may come from anywhere.
const (
	maxLine   = 256 << 20 // bytes: a line of --json holds its texts whole
	maxEvents = 2 << 20   // for Read, which keeps them all
)

// Reader reads a trace, or the lines of --json, event by event. It holds one
// line at a time.
type Reader struct {
	// Texts finds the long texts that lie beside the trace; nil: there are
	// none, and each reads as its beginning. Set it before Next.
	Texts Texts

	texts  *inliner
	max    int // bytes of a line
	in     *bufio.Reader
	buf    []byte
	line   int
	header Header
}

// NewReader reads the header. Errors are E_CONFIG and name the line.
func NewReader(r io.Reader) (*Reader, error) {
	t := &Reader{in: bufio.NewReaderSize(r, 64<<10), max: maxLine}
	line, whole, err := t.next()
	if errors.Is(err, io.EOF) {
		return nil, t.bad("the file is empty")
	}
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(line, &t.header) != nil || t.header.Golem != "trace" {
		if !whole {
			return nil, t.bad("the first line, the header of the trace, is missing or damaged")
		}
		return nil, t.bad("this file is not a trace that golem wrote")
	}
	if t.header.V != Version {
		return nil, t.bad("the trace has format version %d; this golem reads %d", t.header.V, Version)
	}
	return t, nil
}

// Next returns the next event, io.EOF at the end. Empty lines are passed
// over, types this version does not know come as Unknown. An error ends the
// reading.
func (t *Reader) Next() (Event, error) {
	for {
		line, whole, err := t.next()
		if err != nil {
			return Event{}, err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if t.texts == nil {
			t.texts = &inliner{texts: t.Texts, room: maxInline}
		}
		e, err := Decode(t.texts.line(line))
		if err == nil {
			return e, nil
		}
		if !whole { // the run was killed while it wrote the line
			return Event{}, io.EOF
		}
		return Event{}, t.bad("%s", fault.Of(err, fault.Config).Message)
	}
}

// next reads one line; whole is false for a last line without its break.
func (t *Reader) next() (line []byte, whole bool, err error) {
	t.buf = t.buf[:0]
	t.line++
	for {
		part, err := t.in.ReadSlice('\n')
		if len(t.buf)+len(part) > t.max {
			return nil, false, t.bad("the line has more than %d bytes", t.max)
		}
		t.buf = append(t.buf, part...)
		switch {
		case err == nil:
			return bytes.TrimSuffix(t.buf, []byte{'\n'}), true, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			if len(t.buf) == 0 {
				return nil, false, io.EOF
			}
			return t.buf, false, nil
		default:
			return nil, false, fault.New(fault.Config, "the rest of the trace cannot be read").At("", t.line, 0)
		}
	}
}

func (t *Reader) bad(format string, args ...any) error {
	f := fault.New(fault.Config, "line %d: "+format, append([]any{t.line}, args...)...)
	return f.Hinting("name a file that golem wrote, such as one in .golem/runs")
}

// Read reads a whole trace with the long texts beside it; nil texts: there are
// none. A last line that was cut off in the middle is dropped without an error. On
// an error the events before it are returned with it.
func Read(r io.Reader, texts Texts) (Header, []Event, error) {
	t, err := NewReader(r)
	if err != nil {
		return Header{}, nil, err
	}
	t.Texts = texts
	var events []Event
	for {
		e, err := t.Next()
		if errors.Is(err, io.EOF) {
			return t.header, events, nil
		}
		if err != nil {
			return t.header, events, err
		}
		if len(events) == maxEvents {
			return t.header, events, t.bad("the trace has more than %d events", maxEvents)
		}
		events = append(events, e)
	}
}

// envelope is what every line has.
type envelope struct {
	Seq    int64  `json:"seq"`
	TS     string `json:"ts"`
	Type   string `json:"type"`
	ID     string `json:"id"`
	Parent string `json:"parent"`
	Worker string `json:"worker"`
	Depth  int    `json:"depth"`
}

// rawFields hold any JSON; there what stands for a text that is not beside the
// trace stays the object it is.
var rawFields = map[string]bool{"input": true, "output": true, "args": true, "result": true, "request": true}

// Decode reads one line of a trace, the inverse of Encode. What stands for a
// long text reads as its beginning and a note where a body has only room for
// text. Unknown fields are ignored.
func Decode(line []byte) (Event, error) {
	var v envelope
	if err := json.Unmarshal(line, &v); err != nil {
		return Event{}, fault.New(fault.Config, "this is not a valid event: %s", jsonProblem(err))
	}
	if v.Type == "" {
		return Event{}, fault.New(fault.Config, "this event has no type")
	}
	if bytes.Contains(line, []byte(`"cut"`)) {
		line = textual(line, func(field string) bool { return rawFields[field] })
	}
	body, err := decodeBody(v.Type, line)
	if err != nil {
		return Event{}, fault.New(fault.Config, "this %s event is not valid: %s", shortType(v.Type), jsonProblem(err))
	}
	return Event{Seq: v.Seq, TS: v.TS, ID: v.ID, Parent: v.Parent, Worker: v.Worker, Depth: v.Depth, Body: body}, nil
}

func shortType(s string) string { return Visible(head(s, 40)) }

// jsonProblem is what is wrong with a line, without Go's own names.
func jsonProblem(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return "the field " + Visible(head(wrong.Field, 80)) + " has the wrong type"
	}
	return "malformed JSON"
}
