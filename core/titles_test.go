package core_test

import (
	"errors"
	"strings"
	"testing"

	"golem/core"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/options"
	"golem/core/run"
	"golem/core/state"
)

// A conversation has the first line of its first message as title, until the person gives it
// another one: in the chat, or later. A branch keeps it, search finds it, and a conversation
// that is in use is E_BUSY.
func TestTitles(t *testing.T) {
	files := yardFiles()
	files["s.yaml"] = "script: 1\nworkers:\n  main: [{say: about owls}, {say: two}, {say: three}]\n"
	y := newYard(t, moment{files: files})
	s := state.Memory(y.state)
	u := always()
	u.Inputs = []run.Input{{Text: "Tell me\nmore"}, {Text: "m2"}, {Text: "/title   Owls at\tnight \n and more"}, {Text: "/title"}}
	id := "20260101-000000-aaaaaa"
	y.open(t).Chat(t.Context(), nil, u, core.RunOptions{ID: id})
	title := func(id, want string) {
		t.Helper()
		k, err := conversation.Read(&s, id)
		if err != nil || k.Err != nil || k.Title() != want {
			t.Errorf("%s: %q, %v, want %q", id, k.Title(), err, want)
		}
	}
	title(id, "Owls at night")
	if got, err := conversation.Rename(&s, nil, id, strings.Repeat("word ", 20)); err != nil || len([]rune(got)) > 60 {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := conversation.Rename(&s, nil, id, "Birds"); err != nil {
		t.Error(err)
	}
	title(id, "Birds")
	if _, err := conversation.Rename(&s, nil, id, " \n"); !errors.Is(err, fault.Usage) {
		t.Error(err)
	}
	release, err := conversation.Hold(&s, id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conversation.Rename(&s, nil, id, "x"); !errors.Is(err, fault.Busy) {
		t.Error(err)
	}
	release()
	branch := "20260101-000000-bbbbbb"
	u = always()
	u.Inputs = []run.Input{{Text: "another"}}
	y.open(t).Chat(t.Context(), nil, u, core.RunOptions{ID: branch, Running: options.Running{Resume: &id, At: 2}})
	title(branch, "Birds")
	all := conversation.List(&s)
	for words, want := range map[string]int{"": 2, "OWLS birds": 2, "another": 1, "nothing": 0, "me more": 2} {
		if got := conversation.Search(&s, all, words); len(got) != want {
			t.Errorf("%q: %d, want %d", words, len(got), want)
		}
	}
	if got := conversation.Branches(&s, id); len(got) != 1 || got[0].N != 2 || got[0].Index != 0 || len(got[0].IDs) != 2 {
		t.Errorf("%+v", got)
	}
}
