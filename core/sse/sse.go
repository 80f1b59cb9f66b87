// Package sse reads server-sent events, from which the answers of models and of MCP servers
// are made. The limits are the caller's.
//
// It is lenient where servers differ: lines may end in LF, CRLF or CR, comments and unknown
// event names pass, blanks may stand before a field, and the empty line between two events
// may be missing if the data of the first is JSON.
package sse

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Event is one event of a stream.
type Event struct {
	Name string
	Data []byte // its data lines, without the blanks around them, joined by LF
	// Stray is a line that is no field of the standard, which wants such lines ignored. It is
	// an event of its own, without data.
	Stray []byte
}

// Done is the data with which some servers say that a stream is complete.
const Done = "[DONE]"

// ErrLong is the error of an event or a stream that is longer than its limit.
var ErrLong = errors.New("the stream of events is too long")

// maxID is how many bytes the id of an event may have; a longer one is ignored.
const maxID = 1 << 10

// Reader reads the events of a stream, and after Reset those of a stream that continues it.
type Reader struct {
	MaxEvent  int   // bytes of one event; 0: no limit
	MaxStream int64 // bytes of all streams together; 0: no limit

	// LastID is the id of the last complete event that had one: a stream can be continued
	// after it. Retry is how long the server wants a client to wait before that.
	LastID string
	Retry  time.Duration

	in    *bufio.Reader
	size  int64
	first bool  // no line of this stream was read
	cr    bool  // the last line ended in CR: an LF that follows belongs to it
	err   error // why the stream ended

	next Event  // what came of it
	id   string // its id
}

// Reset begins a stream; an event that was not complete is dropped.
func (r *Reader) Reset(in io.Reader) {
	r.in = bufio.NewReaderSize(in, 16<<10)
	r.first, r.cr, r.err, r.next, r.id = true, false, nil, Event{}, r.LastID
}

// All returns the events that are still to come. An error other than the end of the stream
// comes last.
func (r *Reader) All() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for {
			e, err := r.Next()
			if err == io.EOF || !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Next returns the next event. Its error is io.EOF at the end, io.ErrUnexpectedEOF if the
// stream ended within an event, ErrLong, or that of the stream. A last event without its
// empty line is complete if its data is JSON.
func (r *Reader) Next() (Event, error) {
	for r.err == nil {
		var line []byte
		if line, r.err = r.line(); r.err == ErrLong || r.err != nil && len(line) == 0 {
			break
		}
		if r.first {
			r.first, line = false, bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		if e, ok := r.field(line); ok {
			return e, nil
		}
	}
	if data := r.next.Data; r.err != ErrLong && json.Valid(data) {
		return r.complete(), nil
	} else if r.err == io.EOF && len(data) > 0 {
		r.err = io.ErrUnexpectedEOF
	}
	return Event{}, r.err
}

// Within reports whether an event has begun that is not complete.
func (r *Reader) Within() bool { return r.next.Data != nil }

// complete ends the event that is being read and returns it.
func (r *Reader) complete() Event {
	e := r.next
	r.next, r.LastID = Event{}, r.id
	return e
}

// field reads one line and returns the event that it completes or is.
func (r *Reader) field(line []byte) (Event, bool) {
	text := bytes.TrimSpace(line)
	if len(text) == 0 {
		e := r.complete()
		return e, len(e.Data) > 0
	}
	if !bytes.HasPrefix(text, []byte("data:")) && !bytes.HasPrefix(text, []byte("event:")) {
		text = line // blanks before a field are for these alone
	}
	name, value, found := bytes.Cut(text, []byte(":"))
	value = bytes.TrimSpace(value)
	switch string(name) {
	case "":
	case "event":
		r.next.Name = string(value)
	case "data":
		return r.data(value)
	case "id":
		if r.err == nil && len(value) < maxID && bytes.IndexByte(value, 0) < 0 {
			r.id = string(value)
		}
	case "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
			r.Retry = time.Duration(ms) * time.Millisecond
		}
	default:
		if r.err == io.EOF && !found && begins(string(name)) {
			r.err = io.ErrUnexpectedEOF
		}
		return Event{Stray: line}, r.err == nil || r.err == io.EOF
	}
	return Event{}, false
}

// begins reports whether a text is the beginning of a field's name.
func begins(text string) bool {
	return slices.ContainsFunc([]string{"data", "event", "id", "retry"}, func(name string) bool { return strings.HasPrefix(name, text) })
}

func (r *Reader) data(value []byte) (Event, bool) {
	switch {
	case len(value) == 0:
		return Event{}, false
	case r.next.Data != nil:
		r.next.Data = append(append(r.next.Data, '\n'), value...)
		return Event{}, false
	}
	r.next.Data = value
	if string(value) != Done && !json.Valid(value) {
		return Event{}, false
	}
	return r.complete(), true
}

// line returns the next line without its end. It does not wait for the byte behind a CR,
// which may come with the next event only.
func (r *Reader) line() ([]byte, error) {
	var line []byte
	for {
		if _, err := r.in.Peek(1); err != nil {
			return line, err
		}
		part, _ := r.in.Peek(r.in.Buffered())
		if r.cr && part[0] == '\n' {
			r.cr = false
			_, _ = r.in.Discard(1)
			continue
		}
		r.cr = false
		n, end := len(part), byte(0)
		for _, c := range []byte("\n\r") {
			if i := bytes.IndexByte(part[:n], c); i >= 0 {
				n, end = i, c
			}
		}
		r.size += int64(n) + 1
		if r.MaxEvent > 0 && len(r.next.Data)+len(line)+n > r.MaxEvent || r.MaxStream > 0 && r.size > r.MaxStream {
			return nil, ErrLong
		}
		line = append(line, part[:n]...)
		if end == 0 {
			_, _ = r.in.Discard(n)
			continue
		}
		r.cr = end == '\r'
		_, _ = r.in.Discard(n + 1)
		return line, nil
	}
}
