package ui

import (
	"context"
	"io"
	"slices"
	"sync"

	"golem/core/approval"
	"golem/core/run"
	"golem/core/trace"
)

// Script is a front end for tests. It records every event, answers questions by
// call id or in order, and takes the messages of a chat from a list. The zero
// value answers no question and ends a chat at once. Set the fields, then use
// it. It is safe for concurrent use.
type Script struct {
	ByCall  map[string][]approval.Decision // answers by the trace id of the call, in order
	Answers []approval.Decision            // answers for calls that ByCall does not contain, in order
	Inputs  []run.Input

	mu     sync.Mutex
	events []trace.Event
	asked  []approval.Request
}

var _ UI = (*Script)(nil)

// Emit records the event.
func (s *Script) Emit(e trace.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, e)
}

// Approve returns the next answer with the request's id. If no answer is left,
// it returns approval.ErrNobody.
func (s *Script) Approve(ctx context.Context, r approval.Request) (approval.Decision, error) {
	if err := ctx.Err(); err != nil {
		return approval.Decision{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r)
	if list, ok := s.ByCall[r.Call]; ok && len(list) > 0 {
		s.ByCall[r.Call] = list[1:]
		return bind(list[0], r), nil
	}
	if len(s.Answers) == 0 {
		return approval.Decision{}, approval.ErrNobody
	}
	d := s.Answers[0]
	s.Answers = s.Answers[1:]
	return bind(d, r), nil
}

// bind sets the id of the request in a decision, unless the test has set one.
func bind(d approval.Decision, r approval.Request) approval.Decision {
	if d.ID == "" {
		d.ID = r.ID
	}
	return d
}

// Prompt returns the next of Inputs, and io.EOF after the last.
func (s *Script) Prompt(ctx context.Context) (run.Input, error) {
	if err := ctx.Err(); err != nil {
		return run.Input{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.Inputs) == 0 {
		return run.Input{}, io.EOF
	}
	in := s.Inputs[0]
	s.Inputs = s.Inputs[1:]
	return in, nil
}

// Events returns the events so far, in order.
func (s *Script) Events() []trace.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.events)
}

// Asked returns the questions so far, in order.
func (s *Script) Asked() []approval.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}
