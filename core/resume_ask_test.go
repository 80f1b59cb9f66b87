package core_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"golem/core"
	"golem/core/approval"
	"golem/core/conversation"
	"golem/core/options"
	"golem/core/run"
	"golem/core/state"
	"golem/core/ui"
)

// A person in a chat is asked before an exchange in which golem was killed goes on, at any
// moment. With a no nothing is sent, and the conversation goes on with the next message.
func TestAKilledExchangeIsAskedAbout(t *testing.T) {
	whole, u := newYard(t, moment{files: yardFiles()}), always()
	u.Inputs = []run.Input{{Text: "go"}}
	whole.open(t).Chat(t.Context(), nil, u, core.RunOptions{ID: "20260101-000000-aaaaaa"})
	open := 0
	for _, m := range whole.moments {
		kept := newYard(t, m)
		s := state.Memory(kept.state)
		if k, err := conversation.Read(&s, ""); err != nil || !k.Pending(false) {
			continue
		}
		if open++; open%5 != 1 {
			continue
		}
		ro := core.RunOptions{Person: true, AskToGoOn: true, Running: options.Running{Resume: new("")}}
		u := always()
		res := kept.open(t).Chat(t.Context(), nil, u, ro)
		if q := u.Asked(); len(q) == 0 || !strings.HasPrefix(q[0].Title, "Your last message was interrupted") || q[0].Lines[0].Value != "go" || res.Output.Text != "done" {
			t.Fatalf("%s: %v %q, asked %+v", m.what, res.Error, res.Output.Text, q)
		}
		kept, u = newYard(t, m), &ui.Script{Answers: []approval.Decision{{Answer: approval.No}}}
		res = kept.open(t).Chat(t.Context(), nil, u, ro)
		if got := count(u); got.turns != 0 || !maps.Equal(contents(kept.tree), m.files) || len(u.Asked()) != 1 || res.Status != run.Interrupted {
			t.Fatalf("%s: %v, %+v, asked %+v", m.what, res.Error, got, u.Asked())
		}
		u = always()
		u.Inputs = []run.Input{{Text: "more"}}
		res = kept.open(t).Chat(t.Context(), nil, u, ro)
		s = state.Memory(kept.state)
		k, err := conversation.Read(&s, "")
		if q := u.Asked(); err != nil || k.Messages() != 2 || slices.ContainsFunc(q, func(r approval.Request) bool { return r.Kind == approval.KindResume }) {
			t.Fatalf("%s: then %v, %v, asked %+v", m.what, err, res.Error, q)
		}
	}
	if open < 20 {
		t.Errorf("%d moments", open)
	}
}

// What the root's model reasoned is kept for the person, with its size, and is in no request
// and in no Markdown.
func TestReasoningStaysWithTheConversation(t *testing.T) {
	files := yardFiles()
	long := strings.Repeat("word ", conversation.MaxThought)
	files["s.yaml"] = "script: 1\nworkers:\n  main:\n    - say: \"<think>because, and the key is sk-secret-0123456789</think>so\"\n    - say: \"<think>" + long + "</think>then\"\n"
	y, u := newYard(t, moment{files: files}), always()
	u.Inputs = []run.Input{{Text: "why"}, {Text: "and"}}
	res := y.open(t).Chat(t.Context(), nil, u, core.RunOptions{ID: "20260101-000000-aaaaaa"})
	s := state.Memory(y.state)
	k, err := conversation.Read(&s, "")
	if err != nil || res.Error != nil {
		t.Fatal(err, res.Error)
	}
	said := k.Said()
	if len(said) != 6 || said[1].Who != "thought" || !strings.HasPrefix(said[1].Text, "because") || strings.Contains(said[1].Text, "sk-secret") || said[1].Spent == nil || said[1].Spent.Tokens == 0 {
		t.Fatalf("%+v", said)
	}
	if text := said[4].Text; len(text) > conversation.MaxThought+100 || !strings.HasSuffix(text, "beginning of long reasoning]") || !strings.HasPrefix(text, "word word") {
		t.Errorf("%d bytes, %q", len(text), text[len(text)-100:])
	}
	if md := k.Markdown(); strings.Contains(md, "because") {
		t.Error(md)
	}
}
