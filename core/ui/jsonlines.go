package ui

import (
	"context"
	"io"
	"sync"

	"golem/core/approval"
	"golem/core/run"
	"golem/core/trace"
)

// JSON is the front end of --json: one JSON object a line, the trace's lines
// and the transient ones between them (SPEC §16). The kept lines come from the
// trace writer itself, which the host points at Lines, so that they are the
// trace's to the byte; Emit adds only what a trace does not keep.
//
// Fill in the fields, then use it; it is safe for concurrent use.
type JSON struct {
	W        io.Writer
	Approver approval.Approver // who is asked; nil: nobody
	Input    Lines             // messages of a chat; nil: none

	mu  sync.Mutex
	err error
}

var _ UI = (*JSON)(nil)

// Lines is where the trace writer's lines go. Each Write is one line.
func (j *JSON) Lines() io.Writer { return lineWriter{j} }

type lineWriter struct{ j *JSON }

func (l lineWriter) Write(p []byte) (int, error) {
	l.j.mu.Lock()
	defer l.j.mu.Unlock()
	return l.j.W.Write(p)
}

// Emit writes transient events.
func (j *JSON) Emit(e trace.Event) {
	if e.Body == nil || !e.Body.Transient() {
		return
	}
	e.Seq = 0
	line, err := trace.Encode(e)
	if err == nil {
		if n := len(line); n == 0 || line[n-1] != '\n' {
			line = append(line, '\n')
		}
		_, err = j.Lines().Write(line)
	}
	if err != nil {
		j.mu.Lock()
		j.err = err
		j.mu.Unlock()
	}
}

// Err is the last failure to write an event, nil if all were written.
func (j *JSON) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// Approve asks Approver.
func (j *JSON) Approve(ctx context.Context, r approval.Request) (approval.Decision, error) {
	if j.Approver == nil {
		return approval.Decision{}, approval.ErrNobody
	}
	return j.Approver.Approve(ctx, r)
}

// Prompt reads the next line of Input.
func (j *JSON) Prompt(ctx context.Context) (run.Input, error) {
	if j.Input == nil {
		return run.Input{}, io.EOF
	}
	line, err := j.Input.Line(ctx)
	return run.Input{Text: line}, err
}
