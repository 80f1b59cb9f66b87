package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"golem/core/fault"
)

// Limits for reading, because a trace may come from anywhere.
const (
	maxLine   = 256 << 20 // bytes: a line of --json has its complete texts
	maxEvents = 2 << 20   // for Read, which holds them all in memory
)

// Reader reads a trace, or the lines of --json, event by event. It holds one
// line in memory.
type Reader struct {
	// Texts reads the long texts that are stored beside the trace. With nil,
	// only their beginnings are available. Set it before the first Next.
	Texts Texts

	texts  *inliner
	max    int // bytes of a line
	in     *bufio.Reader
	buf    []byte
	line   int
	header Header
}

// newReader reads the header. Errors are E_CONFIG and name the line.
func newReader(r io.Reader) (*Reader, error) {
	t := &Reader{in: bufio.NewReaderSize(r, 64<<10), max: maxLine}
	line, whole, err := t.next()
	if errors.Is(err, io.EOF) {
		return nil, t.lineError("the file is empty")
	}
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(line, &t.header) != nil || t.header.Golem != "trace" {
		if !whole {
			return nil, t.lineError("the first line, the header of the trace, is missing or damaged")
		}
		return nil, t.lineError("this file is not a trace that golem wrote")
	}
	if t.header.V != Version {
		return nil, t.lineError("the trace has format version %d; this golem reads %d", t.header.V, Version)
	}
	return t, nil
}

// Next returns the next event, or io.EOF at the end. It skips empty lines, and
// returns events of unknown types as Unknown. After an error, no more events
// can be read.
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
		return Event{}, t.lineError("%s", fault.Of(err, fault.Config).Message)
	}
}

// next reads one line. whole is false for a last line without a line break.
func (t *Reader) next() (line []byte, whole bool, err error) {
	t.buf = t.buf[:0]
	t.line++
	for {
		part, err := t.in.ReadSlice('\n')
		if len(t.buf)+len(part) > t.max {
			return nil, false, t.lineError("the line has more than %d bytes", t.max)
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
			return nil, false, fault.New(fault.Config, "the rest of the trace cannot be read: %w", err).At("", t.line, 0)
		}
	}
}

func (t *Reader) lineError(format string, args ...any) error {
	f := fault.New(fault.Config, "line %d: "+format, append([]any{t.line}, args...)...)
	return f.Hinting("name a file that golem wrote, such as one in .golem/runs")
}

// Read reads a complete trace with the long texts that are stored beside it;
// with nil texts, only their beginnings. An incomplete last line is ignored.
// With an error it also returns the events before the error.
func Read(r io.Reader, texts Texts) (Header, []Event, error) {
	t, err := newReader(r)
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
			return t.header, events, t.lineError("the trace has more than %d events", maxEvents)
		}
		events = append(events, e)
	}
}

// envelope has the fields that every line has.
type envelope struct {
	Seq    int64  `json:"seq"`
	TS     string `json:"ts"`
	Type   string `json:"type"`
	ID     string `json:"id"`
	Parent string `json:"parent"`
	Worker string `json:"worker"`
	Depth  int    `json:"depth"`
}

// rawFields can hold any JSON. In them, a cut string whose text is not
// available stays a {cut, sha256, head} object.
var rawFields = map[string]bool{"input": true, "output": true, "args": true, "result": true, "request": true}

// Decode reads one line of a trace; it is the reverse of Encode. A long text
// whose file is not read appears as its beginning with a note. Unknown fields
// are ignored.
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

func shortType(s string) string { return Visible(fault.Head(s, 40)) }

// jsonProblem describes what is wrong with a line, without names from the Go
// code.
func jsonProblem(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return "the field " + Visible(fault.Head(wrong.Field, 80)) + " has the wrong type"
	}
	return "malformed JSON"
}
