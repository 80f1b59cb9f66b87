package model

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"golem/core/fault"
)

// errIdle is the cause of a request that ended because the provider was silent.
var errIdle = errors.New("silent for too long")

// guard bounds how long a provider may be silent (SECURITY 12). Its context
// ends with the caller's, or when the provider said nothing for idle.
type guard struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	idle   time.Duration
	timer  *time.Timer
	grace  *time.Timer
	body   *events // of the answer, once there is one
}

func newGuard(ctx context.Context, idle time.Duration) *guard {
	g := &guard{idle: idle}
	g.ctx, g.cancel = context.WithCancelCause(ctx)
	g.timer = time.AfterFunc(idle, func() { g.cancel(errIdle) })
	return g
}

// heard starts the silence anew; pause stops counting while golem itself works.
func (g *guard) heard() { g.timer.Reset(g.idle) }

func (g *guard) pause() { g.timer.Stop() }

// finish leaves the provider a moment more, for the usage after an answer
// that is complete.
func (g *guard) finish(moment time.Duration) {
	if g.grace == nil {
		g.grace = time.AfterFunc(moment, func() { g.cancel(errIdle) })
	}
}

// drain reads what follows an answer's end mark, as a rule nothing, so that the
// connection can be used again. It waits no longer than moment.
func (g *guard) drain(moment time.Duration) {
	if g.body == nil {
		return
	}
	timer := time.AfterFunc(moment, func() { g.cancel(errIdle) })
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, g.body.in, 4<<10) // an error only costs the connection
}

func (g *guard) silent() bool { return errors.Is(context.Cause(g.ctx), errIdle) }

func (g *guard) close() {
	g.timer.Stop()
	if g.grace != nil {
		g.grace.Stop()
	}
	g.cancel(nil)
}

// events is a response body as go-openai may read it: only data lines, at
// most left bytes in all, never silent for longer than the guard allows.
// Comments and the other fields of server-sent events are dropped, since
// go-openai takes them for pieces of an error.
type events struct {
	src   io.ReadCloser
	guard *guard
	left  int64
	limit int64
	in    *bufio.Reader
	out   []byte
	err   error
	stop  func() bool
	text  func(string) string // cleans what is quoted
}

func newEvents(src io.ReadCloser, g *guard, limit int64, text func(string) string) *events {
	e := &events{src: src, guard: g, left: limit, limit: limit, text: text}
	e.in = bufio.NewReaderSize(source{e}, 16<<10)
	// A body need not end with its request's context: closing it does.
	e.stop = context.AfterFunc(g.ctx, func() { _ = src.Close() })
	return e
}

// source is the bounded raw body.
type source struct{ e *events }

func (s source) Read(p []byte) (int, error) {
	if s.e.left <= 0 {
		return 0, (&failure{message: fmt.Sprintf("the answer is longer than %d bytes", s.e.limit)}).
			fault(fault.Model, "ask for a shorter answer")
	}
	if err := s.e.guard.ctx.Err(); err != nil {
		return 0, err
	}
	s.e.guard.heard()
	n, err := s.e.src.Read(p[:min(int64(len(p)), s.e.left)])
	s.e.guard.pause()
	s.e.left -= int64(n)
	return n, err
}

// Read gives whole lines of the form "data: …".
func (e *events) Read(p []byte) (int, error) {
	for len(e.out) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		var line []byte
		line, e.err = e.in.ReadBytes('\n')
		cut := e.err != nil
		if cut && len(bytes.TrimSpace(line)) > 0 && !whole(line) {
			if e.err == io.EOF {
				e.err = io.ErrUnexpectedEOF
			}
			continue
		}
		if err := e.line(line); err != nil {
			e.err = err
		}
	}
	n := copy(p, e.out)
	e.out = e.out[n:]
	return n, nil
}

// whole reports whether a last line without its end is complete all the same.
func whole(line []byte) bool {
	data, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:"))
	data = bytes.TrimSpace(data)
	return ok && (string(data) == "[DONE]" || json.Valid(data))
}

func (e *events) line(line []byte) error {
	line = bytes.TrimPrefix(bytes.TrimRight(line, "\r\n"), []byte("\uFEFF"))
	if len(bytes.TrimSpace(line)) == 0 || line[0] == ':' {
		return nil
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	switch string(name) {
	case "event", "id", "retry":
		return nil
	case "data":
		value = bytes.TrimSpace(value)
		if len(value) == 0 {
			return nil
		}
		e.out = append(e.out[:0], "data: "...)
		if value[0] == '{' { // keeps go-openai from its own reading of {"error":
			e.out, value = append(e.out, "{ "...), value[1:]
		}
		e.out = append(append(e.out, value...), '\n')
		return nil
	}
	return malformed(e.text, line)
}

// malformed is a stream that is no stream of events, or events that are no JSON.
func malformed(text func(string) string, line []byte) error {
	if message, _ := providerSays(line); message != "" {
		return broken("the provider broke off with an error: "+text(message), nil)
	}
	return (&failure{message: "the provider's answer is malformed: " + text(string(line[:min(len(line), 2*maxQuote)]))}).
		fault(fault.Model, "check the address of the provider: it must speak the OpenAI protocol")
}

// Close ends the body; it may be called twice.
func (e *events) Close() error {
	e.stop()
	return e.src.Close()
}
