package model

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"golem/core/fault"
)

// events reads an answer: server-sent events, or one JSON document in their
// place. It gives at most limit bytes and is never silent for longer than the
// guard allows.
//
// It is lenient where providers differ: lines may end in LF, CRLF or CR, comments
// and unknown event names pass, data may stretch over several lines, and the
// empty line between two events may be missing.
type events struct {
	src   io.ReadCloser
	guard *guard
	left  int64
	limit int64
	in    *bufio.Reader
	cr    bool // the last line ended in CR: an LF that follows belongs to it
	stop  func() bool
	text  func(string) string // makes quoted text fit for a message

	name    string // the event's name, "" if it has none
	pending []byte // data lines of an event that is not complete
	given   bool   // an event was given
	odd     []byte // the first line with a field that is not of the standard
	done    bool   // the provider said that the answer is complete
	out     []byte // for Read
	ended   bool   // Read has given all
}

func newEvents(src io.ReadCloser, g *guard, limit int64, text func(string) string) *events {
	e := &events{src: src, guard: g, left: limit, limit: limit, text: text}
	e.in = bufio.NewReaderSize(source{e}, 16<<10)
	// The end of the request's context does not always end a read of the body; closing
	// the body does.
	e.stop = context.AfterFunc(g.ctx, func() { _ = src.Close() })
	return e
}

// source is the raw body, within the limits of events.
type source struct{ e *events }

func (s source) Read(p []byte) (int, error) {
	if err := s.e.guard.ctx.Err(); err != nil {
		return 0, err
	}
	s.e.guard.heard()
	n, err := s.e.src.Read(p[:min(int64(len(p)), max(s.e.left, 0)+1)])
	s.e.guard.pause()
	if s.e.left -= int64(n); s.e.left < 0 {
		return 0, (&failure{message: fmt.Sprintf("the answer is longer than %d bytes", s.e.limit)}).
			fault(fault.Model, "request a shorter answer")
	}
	return n, err
}

// next returns the data of the next event, without line breaks; as a rule it is JSON.
// It returns io.EOF at the end; done then tells whether the provider marked the end.
func (e *events) next() ([]byte, error) {
	for !e.done {
		line, err := e.readLine()
		if err != nil && err != io.EOF {
			return nil, err
		}
		data, lineErr := e.line(line, err == io.EOF)
		if lineErr != nil {
			return nil, lineErr
		}
		if data == nil && err == io.EOF {
			return e.last()
		}
		if data != nil {
			e.given = true
			return data, nil
		}
	}
	return nil, io.EOF
}

// readLine reads a line and the LF or CR at its end. It does not wait for the
// byte behind a CR, which may come with the next event only.
func (e *events) readLine() ([]byte, error) {
	var line []byte
	for {
		if _, err := e.in.Peek(1); err != nil {
			return line, err
		}
		part, _ := e.in.Peek(e.in.Buffered())
		if e.cr && part[0] == '\n' {
			e.cr = false
			_, _ = e.in.Discard(1)
			continue
		}
		e.cr = false
		n, ended := len(part), false
		for _, end := range []byte("\n\r") {
			if i := bytes.IndexByte(part[:n], end); i >= 0 {
				n, ended, e.cr = i+1, true, end == '\r'
			}
		}
		line = append(line, part[:n]...)
		_, _ = e.in.Discard(n)
		if ended {
			return line, nil
		}
	}
}

// last returns the data that is left when the body has ended; io.EOF if there is none.
func (e *events) last() ([]byte, error) {
	data := e.pending
	e.pending = nil
	switch {
	case len(data) == 0 && !e.given && e.odd != nil:
		return nil, malformed(e.text, e.odd, nil)
	case len(data) == 0:
		return nil, io.EOF
	case json.Valid(data):
		e.given = true
		return data, nil
	}
	return nil, io.ErrUnexpectedEOF
}

// line reads one line, and returns an event's data if the line completes one.
func (e *events) line(line []byte, last bool) ([]byte, error) {
	line = bytes.TrimPrefix(bytes.TrimRight(line, "\r\n"), []byte("\uFEFF"))
	if len(bytes.TrimSpace(line)) == 0 {
		data, name := e.pending, e.name
		e.pending, e.name = nil, ""
		if name == "error" && len(data) > 0 && !json.Valid(data) { // plain text
			data = append(append([]byte(`{"error":`), quote(string(data))...), '}')
		}
		return data, nil
	}
	if c := bytes.TrimLeft(line, " \t")[0]; c == '{' || c == '[' {
		return e.document(line)
	}
	if plain := bytes.TrimLeft(line, " \t"); known(plain) { // the standard has no blanks there; some gateways do
		line = plain
	}
	name, value, found := bytes.Cut(line, []byte(":"))
	if last && !found && partial(string(line)) {
		return nil, io.ErrUnexpectedEOF
	}
	switch string(name) {
	case "", "id", "retry": // a comment, or nothing that golem needs
		return nil, nil
	case "event":
		e.name = string(bytes.TrimSpace(value))
		return nil, nil
	case "data":
		return e.data(bytes.TrimSpace(value)), nil
	}
	if found && !bytes.ContainsAny(name, " \t<") { // the standard wants unknown fields ignored
		if e.odd == nil {
			e.odd = bytes.Clone(line)
		}
		return nil, nil
	}
	return nil, malformed(e.text, line, nil)
}

// known reports whether a line begins with a field that golem reads.
func known(line []byte) bool {
	return bytes.HasPrefix(line, []byte("data:")) || bytes.HasPrefix(line, []byte("event:"))
}

// partial reports whether a last line may be the beginning of a known field.
func partial(line string) bool {
	for _, field := range []string{"data", "event", "id", "retry"} {
		if strings.HasPrefix(field, line) {
			return true
		}
	}
	return false
}

// data reads the value of a data line, and returns an event's data if that is complete:
// a line that is JSON by itself is an event, even if no empty line follows.
func (e *events) data(value []byte) []byte {
	switch {
	case len(value) == 0:
		return nil
	case string(value) == "[DONE]" && len(e.pending) == 0:
		e.done = true
		return nil
	case len(e.pending) == 0 && json.Valid(value):
		return value
	}
	e.pending = append(append(e.pending, value...), ' ')
	return nil
}

// document reads a body that is one JSON value and not a stream of events. It is the
// whole answer.
func (e *events) document(first []byte) ([]byte, error) {
	if e.given || len(e.pending) > 0 {
		if !json.Valid(first) { // perhaps an error of several lines
			rest, _ := io.ReadAll(io.LimitReader(e.in, maxError)) // an error does not matter: what came is quoted
			if c := complain(append(append(bytes.Clone(first), '\n'), rest...)); c.message != "" {
				return nil, c.broken(e.text)
			}
		}
		return nil, malformed(e.text, first, nil)
	}
	rest, err := io.ReadAll(e.in)
	if err != nil {
		return nil, err
	}
	whole := bytes.Clone(first)
	if len(rest) > 0 {
		whole = append(append(whole, '\n'), rest...)
	}
	var value json.RawMessage
	if err := json.Unmarshal(whole, &value); err != nil {
		// An error at the very end is an end that came too early.
		if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) && syntax.Offset >= int64(len(whole)) && complain(first).message == "" {
			return nil, io.ErrUnexpectedEOF
		}
		return nil, malformed(e.text, first, err)
	}
	e.done = true
	var out bytes.Buffer
	err = json.Compact(&out, value) // go-openai reads lines
	return out.Bytes(), err
}

// Read returns the events in the form that go-openai reads: one data line each.
func (e *events) Read(p []byte) (int, error) {
	if len(e.out) == 0 {
		data, err := e.next()
		switch {
		case err == io.EOF && e.done && !e.ended:
			data, e.ended = []byte("[DONE]"), true
		case err != nil:
			return 0, err
		}
		e.out = append(e.out[:0], "data: "...)
		if bytes.HasPrefix(data, []byte(`{"error":`)) { // go-openai would read it in its own way
			e.out, data = append(e.out, "{ "...), data[1:]
		}
		e.out = append(append(e.out, data...), '\n')
	}
	n := copy(p, e.out)
	e.out = e.out[n:]
	return n, nil
}

// Close closes the body; it may be called twice.
func (e *events) Close() error {
	e.stop()
	return e.src.Close()
}

// malformed returns the fault of a stream that is not a stream of events, or of an
// event that cannot be read; err, which may be nil, says why.
func malformed(text func(string) string, line []byte, err error) error {
	if says := complain(line); says.message != "" {
		return says.broken(text)
	}
	why := "the provider's answer is malformed"
	var wrong *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		why += fmt.Sprintf(" (%s is a JSON %s)", wrong.Field, wrong.Value)
	case errors.As(err, &syntax) && len(line) > 0:
		why += fmt.Sprintf(" (not JSON at byte %d)", syntax.Offset)
	}
	if len(line) == 0 {
		why += ": a part of it is missing"
	} else {
		why += ": " + text(string(line[:min(len(line), 2*maxQuote)]))
	}
	return (&failure{message: why}).
		fault(fault.Model, "check the address of the provider: it must speak the protocol of its api")
}
