package run

import (
	"context"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/tool"
	"golem/core/trace"
)

// Rewind goes back to before the person's message n, from 1: the conversation continues
// as a branch with the name id, and the old conversation stays unchanged.
func (s *Session) Rewind(ctx context.Context, n int, id string) error {
	k, err := s.r.Journal.Again(n, id)
	if err != nil {
		return err
	}
	it, err := s.tree.staged.Branch(ctx, id)
	if err != nil {
		f := fault.Of(err, fault.Quota)
		s.frame.emit(trace.Warning{Code: f.Code, Message: "what was staged before stays with the other conversation: " + f.Message})
	}
	if it != nil {
		s.frame.emit(trace.Clearance{Item: it.ID, Action: "staged", Message: it.Message})
	}
	calls := s.frame.conversation.Calls
	s.talks = 0
	s.forget()
	s.frame.conversation.Calls = 0 // restore counts them again
	s.out = tool.Output{}
	s.tree.paid = true
	s.tree.quiet.Store(true)
	_, err = s.restore(ctx, k, false)
	s.tree.quiet.Store(false)
	s.tree.paid, s.tree.kept = false, nil
	s.frame.conversation.Calls = max(s.frame.conversation.Calls, calls)
	if s.tree.tainted && !k.Taint {
		s.r.Journal.Add(conversation.Entry{T: conversation.TaintEntry})
	}
	s.err = nil
	return err
}

// Again goes back to before the person's last message, as Rewind does, and returns that
// message with its files, and its number.
func (s *Session) Again(ctx context.Context, id string) (Input, int, error) {
	k, err := s.r.Journal.Kept()
	if err != nil {
		return Input{}, 0, err
	}
	last, n := k.Last()
	if last == nil {
		return Input{}, 0, fault.New(fault.Usage, "you have said nothing yet").Hinting("write a message")
	}
	return inputOf(last), n, s.Rewind(ctx, n, id)
}
