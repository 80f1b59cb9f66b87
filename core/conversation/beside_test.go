package conversation_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
)

// keep writes a conversation of one message.
func keep(s *state.Store, id string) {
	j := conversation.Start(s, conversation.Entry{Run: id, Worker: "main"})
	j.Add(conversation.Entry{T: conversation.InputEntry, Input: &conversation.Input{Text: id}})
	j.Flush()
	j.Close()
}

// beside makes s call do, once, when the lock with this name is taken.
func beside(s *state.Store, name string, do func()) {
	lock := s.Lock
	s.Lock = func(ctx context.Context, wanted string) (func(), error) {
		release, err := lock(ctx, wanted)
		if err == nil && wanted == name && do != nil {
			now := do
			do = nil
			now()
		}
		return release, err
	}
}

// A list holds the lock of a conversation for a short time at most: another golem can
// continue or remove the conversation meanwhile.
func TestListKeepsNobodyOut(t *testing.T) {
	s := state.Memory(sandbox.Memory())
	keep(&s, "x")
	other := s // another golem
	got := make(chan error, 1)
	beside(&s, "conversation-x", func() {
		go func() {
			release, err := conversation.Hold(&other, "x")
			if err == nil {
				release()
			}
			got <- err
		}()
		time.Sleep(50 * time.Millisecond) // if the list gives the lock back, waiting for it is right
	})
	conversation.List(&s)
	select {
	case err := <-got:
		if err != nil {
			t.Error(err)
		}
	default: // it takes no lock
	}
}

// Two lists at the same time do not report each other's lock as a running conversation.
func TestTwoLists(t *testing.T) {
	s := state.Memory(sandbox.Memory())
	keep(&s, "x")
	other := s
	var second []conversation.Listing
	beside(&s, "conversation-x", func() { second = conversation.List(&other) })
	conversation.List(&s)
	if second != nil && second[0].Status != "open" {
		t.Errorf("it is %s", second[0].Status)
	}
}

// A conversation that another golem continues while the oldest ones are removed is not
// removed.
func TestPruneBesideResume(t *testing.T) {
	s := state.Memory(sandbox.Memory())
	keep(&s, "old")
	time.Sleep(5 * time.Millisecond)
	for n := range conversation.KeptCount {
		keep(&s, "c"+string(rune('A'+n/26))+string(rune('a'+n%26)))
		if n == conversation.KeptCount-2 {
			break
		}
	}
	other := s
	lock := s.Lock
	s.Lock = func(ctx context.Context, wanted string) (func(), error) {
		if wanted == "conversation-old" { // just before this golem gets the lock, another one continues the conversation
			release, err := conversation.Hold(&other, "old")
			if err != nil {
				return nil, err
			}
			k, err := conversation.Read(&other, "old")
			if err != nil {
				return nil, err
			}
			j, err := conversation.Resume(&other, k, release)
			if err != nil {
				return nil, err
			}
			j.Add(conversation.Entry{T: conversation.InputEntry, Input: &conversation.Input{Text: "and more"}})
			j.Flush()
			j.Close()
		}
		return lock(ctx, wanted)
	}
	keep(&s, "new")
	if _, err := conversation.Read(&other, "old"); errors.Is(err, fault.NotFound) {
		t.Error("what was just said is gone:", err)
	}
}
