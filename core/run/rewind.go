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
	k, err := s.tree.r.Keeping.Journal.Again(n, id)
	if err != nil {
		return err
	}
	it, err := s.tree.staging.work.Branch(ctx, id)
	if err != nil {
		f := fault.Of(err, fault.Quota)
		s.run.emit(trace.Warning{Code: f.Code, Message: "what was staged before stays with the other conversation: " + f.Message})
	}
	if it != nil {
		s.run.emit(trace.Clearance{Item: it.ID, Action: "staged", Message: it.Message})
	}
	calls := s.run.conversation.Calls
	s.talks = 0
	s.forget()
	s.run.conversation.Calls = 0 // restore counts them again
	s.out = tool.Output{}
	_, err = s.restore(ctx, k, false, true)
	s.tree.replay = nil
	s.run.conversation.Calls = max(s.run.conversation.Calls, calls)
	if t := &s.tree.taint; (t.is.Load() || t.own.Load()) && !k.Taint {
		s.tree.r.Keeping.Journal.Add(conversation.TaintOf(t.is.Load()))
	}
	s.err = nil
	return err
}

// Again goes back to before the person's message n, from 1, as Rewind does, and returns that
// message with its files, and its number. 0 means the last message.
func (s *Session) Again(ctx context.Context, n int, id string) (Input, int, error) {
	k, err := s.tree.r.Keeping.Journal.Kept()
	if err != nil {
		return Input{}, 0, err
	}
	said, n, err := k.Message(n)
	if err != nil {
		return Input{}, 0, err
	}
	return inputOf(said), n, s.Rewind(ctx, n, id)
}
