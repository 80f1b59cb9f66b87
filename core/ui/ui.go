// Package ui is what a front end is to golem, and the front ends that need
// nothing but writers: plain lines (S4 §3), JSON lines, and a test double.
// The core emits events and asks two questions; every front end is an
// implementation of the one small interface below (S4-01, S4-15..33).
//
// Nothing here knows a terminal: a host lends writers and, where a person can
// be asked, a Person.
package ui

import (
	"context"
	"io"

	"golem/core/approval"
	"golem/core/run"
	"golem/core/trace"
)

// UI is a front end. Emit sees every event of a run, transient ones included,
// in order. Approve is asked one question at a time. Prompt gives the next
// message of a chat; its io.EOF ends the chat.
type UI interface {
	trace.Sink
	approval.Approver
	Prompt(ctx context.Context) (run.Input, error)
}

// Person is where questions are put and answered: natively the controlling
// terminal. It is written to like any writer and used from one goroutine at
// a time.
type Person interface {
	io.Writer
	// Ask throws away what was typed ahead, writes prompt and reads one line,
	// without its end. An error, io.EOF included, means that nobody answered.
	Ask(ctx context.Context, prompt string) (string, error)
}

// Lines gives the messages of a chat, one a call, without line ends; io.EOF
// ends it.
type Lines interface {
	Line(ctx context.Context) (string, error)
}
