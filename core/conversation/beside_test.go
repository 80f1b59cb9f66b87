package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"time"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
)

// keep writes a conversation of one message.
func keep(s *state.Store, id string) {
	j := conversation.Start(s, nil, conversation.Entry{Run: id, Worker: "main"})
	j.Add(conversation.Entry{T: conversation.InputEntry, Input: &conversation.Input{Text: id}})
	j.Flush()
	j.Close()
}

// beside makes s call do, once, when the lock with this name is taken.
func beside(s *state.Store, name string, do func()) {
	host := s.Host
	s.Host = locking{host, func(ctx context.Context, wanted string) (func(), error) {
		release, err := host.Lock(ctx, wanted)
		if err == nil && wanted == name && do != nil {
			now := do
			do = nil
			now()
		}
		return release, err
	}}
}

// locking is a host whose locks are taken by a function.
type locking struct {
	state.Host
	lock func(ctx context.Context, name string) (release func(), err error)
}

func (l locking) Lock(ctx context.Context, name string) (release func(), err error) {
	return l.lock(ctx, name)
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

// X6: conversations that a pull or a copy brings along, however many and whatever their
// times, neither displace the person's own nor become the newest one; they stay.
func TestForeignConversationsDisplaceNone(t *testing.T) {
	files, theirs := sandbox.Memory(), state.Memory(sandbox.Memory())
	theirs.Project = "/elsewhere"
	s := state.Memory(files)
	keep(&s, "mine")
	keep(&s, "later")
	keep(&theirs, "x")
	data, err := fs.ReadFile(theirs.Files, "conversations/x.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for n := range conversation.KeptCount + 5 {
		if err := s.Files.WriteFile(fmt.Sprintf("conversations/2099%04d.jsonl", n), data); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Files.WriteFile("order/conversations.json", []byte(`{"golem":"order","v":1,"mac":"00"}`+"\n[]")); err != nil {
		t.Fatal(err)
	}
	keep(&s, "new")
	for _, id := range []string{"mine", "later", "new"} {
		if k, err := conversation.Read(&s, id); err != nil || k.Err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	if id := conversation.Newest(&s); id != "new" {
		t.Errorf("the newest is %s", id)
	}
	if n := len(conversation.List(&s)); n != conversation.KeptCount+8 {
		t.Errorf("%d are listed", n)
	}
}

// The order is that of writing, whatever the files' times say, and one that is continued
// is the newest.
func TestTheOrderIsThatOfWriting(t *testing.T) {
	s := state.Memory(sandbox.Memory())
	for _, id := range []string{"c", "a", "b"} {
		keep(&s, id)
	}
	if data, err := fs.ReadFile(s.Files, "conversations/c.jsonl"); err != nil || s.Files.WriteFile("conversations/c.jsonl", data) != nil {
		t.Fatal(err)
	}
	if id := conversation.Newest(&s); id != "b" {
		t.Errorf("the newest is %s", id)
	}
	release, err := conversation.Hold(&s, "a")
	if err != nil {
		t.Fatal(err)
	}
	k, err := conversation.Read(&s, "a")
	if err != nil {
		t.Fatal(err)
	}
	j, err := conversation.Resume(&s, nil, k, release)
	if err != nil {
		t.Fatal(err)
	}
	j.Close()
	if id := conversation.Newest(&s); id != "a" {
		t.Errorf("the newest is %s", id)
	}
}

// A conversation that another golem continues while the oldest ones are removed is not
// removed.
func TestPruneBesideResume(t *testing.T) {
	for _, killed := range []bool{false, true} {
		pruneBesideResume(t, killed)
	}
}

func pruneBesideResume(t *testing.T, killed bool) {
	t.Helper()
	s := state.Memory(sandbox.Memory())
	keep(&s, "old")
	for n := range conversation.KeptCount {
		keep(&s, "c"+string(rune('A'+n/26))+string(rune('a'+n%26)))
		if n == conversation.KeptCount-2 {
			break
		}
	}
	other := s
	s.Host = locking{s.Host, func(ctx context.Context, wanted string) (func(), error) {
		if wanted == "conversation-old" { // just before this golem gets the lock, another one continues the conversation
			release, err := conversation.Hold(&other, "old")
			if err != nil {
				return nil, err
			}
			k, err := conversation.Read(&other, "old")
			if err != nil {
				return nil, err
			}
			j, err := conversation.Resume(&other, nil, k, release)
			if err != nil {
				return nil, err
			}
			j.Add(conversation.Entry{T: conversation.InputEntry, Input: &conversation.Input{Text: "and more"}})
			j.Flush()
			if killed {
				release()
			} else {
				j.Close()
			}
		}
		return other.Host.Lock(ctx, wanted)
	}}
	keep(&s, "new")
	if _, err := conversation.Read(&other, "old"); errors.Is(err, fault.NotFound) {
		t.Errorf("what was just said is gone (killed then: %t): %v", killed, err)
	}
}
