package ui

import (
	"context"
	"io"
	"sync"

	"golem/core/approval"
	"golem/core/run"
	"golem/core/trace"
)

// JSON is the front end of --json: it prints one JSON object per line, namely
// the trace's lines and the transient events between them (SPEC §16). The trace
// writer writes the trace's lines to Lines; Emit adds only the transient events.
//
// Set the fields, then use it. It is safe for concurrent use.
type JSON struct {
	W        io.Writer
	Approver approval.Approver // who is asked; nil: nobody can be asked
	Input    Lines             // messages of a chat; nil: none

	mu  sync.Mutex
	err error
}

var _ UI = (*JSON)(nil)

// Lines returns the writer for the trace's lines. Each Write must be one line.
func (j *JSON) Lines() io.Writer { return lineWriter{j} }

type lineWriter struct{ j *JSON }

func (l lineWriter) Write(p []byte) (int, error) {
	l.j.mu.Lock()
	defer l.j.mu.Unlock()
	return l.j.W.Write(p)
}

// Emit prints a transient event and ignores any other. An error is kept for Err.
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

// Err returns the last error of writing an event, or nil.
func (j *JSON) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// Approve asks the Approver, or returns approval.ErrNobody if there is none.
func (j *JSON) Approve(ctx context.Context, r approval.Request) (approval.Decision, error) {
	if j.Approver == nil {
		return approval.Decision{}, approval.ErrNobody
	}
	return j.Approver.Approve(ctx, r)
}

// Prompt returns the next line of Input, or io.EOF if there is no Input.
func (j *JSON) Prompt(ctx context.Context) (run.Input, error) {
	if j.Input == nil {
		return run.Input{}, io.EOF
	}
	line, err := j.Input.Line(ctx)
	return run.Input{Text: line}, err
}
