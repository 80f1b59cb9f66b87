package model

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"golem/core/fault"
	"golem/core/sse"
)

// events reads an answer: server-sent events, or one JSON document in their place. It
// gives at most limit bytes and is never silent for longer than the guard allows.
type events struct {
	src   io.ReadCloser
	guard *guard
	left  int64
	limit int64
	in    *bufio.Reader
	sse   sse.Reader // over in
	stop  func() bool
	text  func(string) string // makes quoted text fit for a message

	given bool   // an event was given
	odd   []byte // the first line with a field that is not of the standard
	done  bool   // the provider said that the answer is complete
	out   []byte // for Read
	ended bool   // Read has given all
}

func newEvents(src io.ReadCloser, g *guard, limit int64, text func(string) string) *events {
	e := &events{src: src, guard: g, left: limit, limit: limit, text: text}
	e.in = bufio.NewReaderSize(bounded{e}, 16<<10)
	e.sse.Reset(e.in)
	// The end of the request's context does not always end a read of the body; closing
	// the body does.
	e.stop = context.AfterFunc(g.ctx, func() { _ = src.Close() })
	return e
}

// bounded is the raw body, within the limits of events.
type bounded struct{ e *events }

func (s bounded) Read(p []byte) (int, error) {
	if err := s.e.guard.ctx.Err(); err != nil {
		return 0, err
	}
	s.e.guard.heard()
	n, err := s.e.src.Read(p[:min(int64(len(p)), max(s.e.left, 0)+1)])
	s.e.guard.pause()
	if s.e.left -= int64(n); s.e.left < 0 {
		return 0, (&failure{message: fmt.Sprintf("the answer is longer than %d bytes", s.e.limit)}).
			fault(fault.Model, remedy{hint: "request a shorter answer"})
	}
	return n, err
}

// next returns the data of the next event, without line breaks; as a rule it is JSON.
// It returns io.EOF at the end; done then tells whether the provider marked the end.
func (e *events) next() ([]byte, error) {
	for !e.done {
		event, err := e.sse.Next()
		switch {
		case err == io.EOF && !e.given && e.odd != nil:
			return nil, malformed(e.text, e.odd, nil)
		case err != nil:
			return nil, err
		case event.Stray != nil:
			if data, err := e.stray(event.Stray); data != nil || err != nil {
				return data, err
			}
		case string(event.Data) == sse.Done:
			e.done = true
		default:
			e.given = true
			data := event.Data
			for i := bytes.IndexByte(data, '\n'); i >= 0; i = bytes.IndexByte(data, '\n') {
				data[i] = ' '
			}
			if event.Name == "error" && !json.Valid(data) { // plain text
				data = append(append([]byte(`{"error":`), quote(string(data))...), '}')
			}
			return data, nil
		}
	}
	return nil, io.EOF
}

// stray reads a line that is no field of an event: the beginning of a document, a field
// that is not of the standard, or something else that is no answer.
func (e *events) stray(line []byte) ([]byte, error) {
	if c := bytes.TrimLeft(line, " \t")[0]; c == '{' || c == '[' {
		return e.document(line)
	}
	if name, _, found := bytes.Cut(line, []byte(":")); !found || bytes.ContainsAny(name, " \t<") {
		return nil, malformed(e.text, line, nil)
	}
	if e.odd == nil {
		e.odd = line
	}
	return nil, nil
}

// document reads a body that is one JSON value and not a stream of events. It is the
// whole answer.
func (e *events) document(first []byte) ([]byte, error) {
	if e.given || e.sse.Within() {
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
	why := ""
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
	return (&failure{retry: syntax != nil && len(line) > 0, message: "the provider's answer is malformed" + why}).
		fault(fault.Model, remedy{hint: "check the address of the provider: it must speak the protocol of its api"})
}
