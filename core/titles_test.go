package core_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"golem/core"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/options"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/trace"
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

// With titles: model in the person's configuration, the model makes the title after the first
// answer, front ends hear of it, and it is asked once. Where nobody is there it makes none.
func TestTitlesOfAModel(t *testing.T) {
	chat := func(ro core.RunOptions, answers ...string) (titles []string) {
		tree, kept := sandbox.Memory(), state.Memory(sandbox.Memory())
		if err := tree.WriteFile("main.worker", []byte("---\nmodel: acme:m\n---\nM.\n")); err != nil {
			t.Fatal(err)
		}
		end := &odd{t: t, answers: answers}
		inst, err := core.Open(core.Platform{
			Name: "native", Version: "test", Env: map[string]string{"ACME_KEY": "k-0123456789"},
			Person:       core.Person{Config: []byte("titles: model\nproviders: {acme: {base_url: 'https://models.acme.example/v1', api_key_env: ACME_KEY}}\n")},
			Site:         core.Site{State: kept, Files: core.Tree{FS: tree}},
			ModelSources: core.ModelSources{HTTP: end},
		}, core.Options{Files: tree, Name: "titles"})
		if err != nil {
			t.Fatal(err)
		}
		u := always()
		u.Inputs = []run.Input{{Text: "Which owls are small?"}, {Text: "And which are white?"}}
		res := inst.Chat(t.Context(), nil, u, ro)
		if res.Error != nil || len(end.answers) > 0 {
			t.Errorf("%v; these answers were not asked for: %q", res.Error, end.answers)
		}
		for _, e := range u.Events() {
			if b, is := e.Body.(trace.Status); is && b.Title != "" {
				titles = append(titles, b.Title)
			}
		}
		k, err := conversation.Read(&kept, res.Conversation)
		if err != nil {
			t.Fatal(err)
		}
		return append(titles, k.Title())
	}
	if got := chat(core.RunOptions{Person: true}, "pygmy owls", `*Small owls*`, "snowy owls"); !slices.Equal(got, []string{"Small owls", "Small owls"}) {
		t.Errorf("%q", got)
	}
	if got := chat(core.RunOptions{}, "pygmy owls", "snowy owls"); !slices.Equal(got, []string{"Which owls are small?"}) {
		t.Errorf("nobody is there: %q", got)
	}
}
