// Package ui defines the interface of a front end, and has the words and lines that all of
// them show, and the front ends that only need a writer: JSON lines, and one for tests. The
// core sends events and asks two kinds of questions; every front end implements
// the small interface UI (S4-01, S4-15..33).
//
// This package knows nothing about terminals: a host provides writers and, if a
// person can be asked, a Person.
package ui

import (
	"context"
	"io"

	"golem/core/approval"
	"golem/core/run"
	"golem/core/trace"
)

// UI is a front end. Emit gets every event of a run in order, including
// transient ones. Approve gets one question at a time. Prompt returns the next
// message of a chat; io.EOF ends the chat.
type UI interface {
	trace.Sink
	approval.Approver
	Prompt(ctx context.Context) (run.Input, error)
}

// Person is the place where a person sees and answers questions: natively the
// controlling terminal. Its Write shows text there. Use it from one goroutine at a time.
type Person interface {
	io.Writer
	// Ask discards what was typed before, writes prompt and reads one line,
	// without its line end. Any error, including io.EOF, means that nobody
	// answered.
	Ask(ctx context.Context, prompt string) (string, error)
}

// Lines returns the messages of a chat, one per call, without line ends; io.EOF
// after the last.
type Lines interface {
	Line(ctx context.Context) (string, error)
}
