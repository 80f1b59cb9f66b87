package core_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golem/core"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/options"
	"golem/core/run"
	"golem/core/state"
	"golem/core/trace"
)

// A conversation of 10,000 messages can be listed, resumed, compacted and rewound.
func TestLongConversations(t *testing.T) {
	y := newYard(t, moment{files: yardFiles()})
	s := state.Memory(y.state)
	file := &lines{}
	s.Host = opening{s.Host, func(string) (io.WriteCloser, error) { return file, nil }}
	j := conversation.Start(&s, nil, conversation.Entry{Run: "20260101-000000-aaaaaa", Mode: "chat", Worker: "main", File: "main.worker"})
	for i := 1; i <= 10_000; i++ {
		j.Add(conversation.Entry{T: conversation.InputEntry, Input: &conversation.Input{Text: fmt.Sprint("message ", i)}})
		e := conversation.AnswerOf(model.Turn{Text: "heard", Finish: "stop", Model: "script:s.yaml", Attempts: 1})
		e.ID, e.Name, e.Turn = "0", "0#1", i
		j.Add(e)
		j.Add(conversation.Entry{T: conversation.DoneEntry, Status: "ok", Turn: i})
	}
	j.Close()
	if err := y.state.WriteFile("conversations/20260101-000000-aaaaaa.jsonl", file.data); err != nil {
		t.Fatal(err)
	}
	files := yardFiles()
	u := always()
	u.Inputs = []run.Input{{Text: "/compact"}, {Text: "/rewind 5000"}, {Text: "/exit"}}
	there := newYard(t, moment{files: files, kept: contents(y.state)})
	there.quiet = true
	res := there.open(t).Chat(t.Context(), nil, u, core.RunOptions{ID: "20260101-000000-bbbbbb", Running: options.Running{Resume: new("")}})
	list := conversation.List(&s)
	if res.Status != run.OK || len(list) != 1 || list[0].Messages != 10_000 || list[0].Status != "ok" {
		t.Fatalf("%v, the list is %+v", res.Error, list)
	}
	kept := state.Memory(there.state)
	if list = conversation.List(&kept); len(list) != 2 || list[0].Messages+list[1].Messages != 14_999 {
		t.Errorf("the branches are %+v", list)
	}
}

// lines is a file in memory.
type lines struct{ data []byte }

func (l *lines) Write(b []byte) (int, error) { l.data = append(l.data, b...); return len(b), nil }
func (*lines) Close() error                  { return nil }

// If a conversation cannot be written, there is one warning, and the run ends as without it.
func TestAConversationThatCannotBeKept(t *testing.T) {
	for what, store := range map[string]func(*state.Store){
		"a full disk": func(s *state.Store) {
			s.Host = opening{s.Host, func(string) (io.WriteCloser, error) { return full{}, nil }}
		},
		"a read-only disk": func(s *state.Store) {
			s.Host = opening{s.Host, func(string) (io.WriteCloser, error) {
				return nil, fault.New(fault.ReadOnly, "the disk is read-only")
			}}
		},
		"no key": func(s *state.Store) {
			s.Host = noKey{s.Host}
		},
		"no locks": func(s *state.Store) {
			s.Host = noLocks{s.Host}
		},
	} {
		y := newYard(t, moment{files: yardFiles()})
		y.change, y.quiet = store, true
		u := always()
		res := y.open(t).Run(t.Context(), run.Input{Text: "go"}, u, core.RunOptions{ID: "20260101-000000-aaaaaa"})
		said := 0
		for _, e := range u.Events() {
			if w, ok := e.Body.(trace.Warning); ok && strings.Contains(w.Message, "the conversation could not be kept") {
				said++
			}
		}
		if res.Output.Text != "done" || said != 1 {
			t.Errorf("%s: %v %q, %d warnings", what, res.Error, res.Output.Text, said)
		}
	}
}

// noKey is a host without a key.
type noKey struct{ state.Host }

func (noKey) Key() ([]byte, error) { return nil, fault.New(fault.Config, "no key") }

// noLocks is a host without locks.
type noLocks struct{ state.Host }

func (noLocks) Lock(context.Context, string) (func(), error) {
	return nil, fault.New(fault.Platform, "no locks")
}

// A clock that is set back repeatedly does no harm: conversations are kept, listed, resumed and
// removed.
func TestAClockThatIsSetBack(t *testing.T) {
	y := newYard(t, moment{files: yardFiles()})
	y.quiet = true
	var set atomic.Int64
	y.now = func() time.Time {
		return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(-time.Duration(set.Add(1)) * time.Hour)
	}
	for _, ro := range []core.RunOptions{{ID: "20260101-000000-aaaaaa"}, {ID: "20250101-000000-bbbbbb"}, {ID: "20240101-000000-cccccc", Running: options.Running{Resume: new("20260101-000000-aaaaaa")}}} {
		if res := y.open(t).Run(t.Context(), run.Input{Text: "go"}, always(), ro); res.Output.Text != "done" {
			t.Fatalf("%s: %v", ro.ID, res.Error)
		}
	}
	s := state.Memory(y.state)
	list := conversation.List(&s)
	if len(list) != 2 || list[0].Status != "ok" || list[1].Status != "ok" || list[0].Messages != 1 {
		t.Errorf("the list is %+v", list)
	}
	for n, l := range list {
		if err := conversation.Remove(&s, l.ID); err != nil || len(conversation.List(&s)) != 1-n {
			t.Errorf("%s: %v", l.ID, err)
		}
	}
}

// full is a file on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, fault.New(fault.Quota, "the disk is full") }
func (full) Close() error              { return nil }

// Only one golem can use a conversation at a time: a second one is refused, but it may make a
// branch.
func TestOneGolemAtATime(t *testing.T) {
	y := newYard(t, moment{files: yardFiles()})
	id := "20260101-000000-aaaaaa"
	y.open(t).Run(t.Context(), run.Input{Text: "go"}, always(), core.RunOptions{ID: id})
	shared := state.Memory(y.state)
	y.change = func(s *state.Store) { s.Host = shared.Host }
	release, err := shared.TryHold("conversation-" + id)
	if err != nil {
		t.Fatal(err)
	}
	res := y.open(t).Run(t.Context(), run.Input{}, always(), core.RunOptions{Running: options.Running{Resume: new(id)}})
	if res.Exit() != 2 || res.Error.Code != fault.Busy {
		t.Errorf("a second golem: exit %d, %v", res.Exit(), res.Error)
	}
	if err := conversation.Remove(&shared, id); !errors.Is(err, fault.Busy) {
		t.Errorf("removed while it is in use: %v", err)
	}
	if list := conversation.List(&shared); len(list) != 1 || list[0].Status != "running" {
		t.Errorf("the list is %+v", list)
	}
	u := always()
	u.Inputs = []run.Input{{Text: "/exit"}}
	if res := y.open(t).Chat(t.Context(), nil, u, core.RunOptions{ID: "20260101-000000-bbbbbb", Running: options.Running{Resume: new(id), At: 1}}); res.Exit() != 0 {
		t.Errorf("a branch: exit %d, %v", res.Exit(), res.Error)
	}
	release()
	if res := y.open(t).Run(t.Context(), run.Input{}, always(), core.RunOptions{Running: options.Running{Resume: new(id)}}); res.Output.Text != "done" {
		t.Errorf("after it: %v", res.Error)
	}
}
