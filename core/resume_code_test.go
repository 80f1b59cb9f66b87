package core_test

import (
	"fmt"
	"strings"
	"testing"

	"golem/core"
	"golem/core/conversation"
	"golem/core/options"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/trace"
	"golem/core/ui"
)

// A run that a hardened module answered goes on as a chat: the model sees the answer of the
// module, also after /rewind, and calls after a fallback keep their ids (SPEC §18, §14).
func TestConversationsOfHardenedWorkers(t *testing.T) {
	for name, c := range map[string]struct{ input, said, chat string }{
		"the module answered": {"a crash", `you: a crash|golem: {"label":"bug"}`, "4 4 6"},
		"the worker answered": {"hello", "you: hello|tool: read_file: ok|golem: I read it", "6 6 8"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkshop(t, map[string]string{
				"main.worker": "---\ntoolsets: {filesystem: {}}\nhardened: {module: workers/main.wasm}\n---\nSort.\n",
				"notes.txt":   "from the notes\n",
				"s.yaml": "script: 1\nworkers:\n  main:\n    - when: {text: hello, turn: 1}\n      calls: [{tool: read_file, args: {path: /notes.txt}}]\n" +
					"    - when: {tool: read_file}\n      say: I read it\n    - when: {match: '.*'}\n      say: heard\n",
			}, map[string]string{"workers/main.wasm": "triage"})
			w.kept = state.Memory(sandbox.Memory())
			first, _ := w.run(t, core.Options{}, func(i *core.Instance, ro core.RunOptions) run.Result {
				return i.Run(t.Context(), run.Input{Text: c.input}, &ui.Script{}, ro)
			})
			if first.Error != nil {
				t.Fatal(first.Error)
			}
			u := &ui.Script{Inputs: []run.Input{{Text: "and now?"}, {Text: "/rewind 2"}, {Text: "once more"}, {Text: "go on"}}}
			res, _ := w.run(t, core.Options{}, func(i *core.Instance, ro core.RunOptions) run.Result {
				ro.Resume = new(first.Conversation)
				return i.Chat(t.Context(), nil, u, ro)
			})
			var sizes []string
			for _, e := range u.Events() {
				switch b := e.Body.(type) {
				case trace.ModelStart:
					sizes = append(sizes, fmt.Sprint(b.Messages))
				case trace.Error:
					t.Error(b.Message)
				}
			}
			if got := strings.Join(sizes, " "); got != c.chat || res.Error != nil {
				t.Errorf("the requests had %s messages, want %s; %v", got, c.chat, res.Error)
			}
			k, err := conversation.Read(&w.kept, first.Conversation)
			if err != nil {
				t.Fatal(err)
			}
			var said []string
			for _, s := range k.Said()[:strings.Count(c.said, "|")+1] {
				text := s.Who + ": " + s.Text
				if s.Who == "tool" {
					text = s.Who + ": " + s.Tool + ": " + map[bool]string{true: "ok"}[s.Error == nil]
				}
				said = append(said, text)
			}
			if got := strings.Join(said, "|"); got != c.said {
				t.Errorf("%s, want %s", got, c.said)
			}
			if pairs := k.Pairs(); len(pairs) != strings.Count(c.said, "I read it") {
				t.Errorf("%d answers of the worker", len(pairs))
			}
		})
	}
}

// A resumed run that a hardened module answered has the same answer again, without a request.
func TestARunAnsweredByCodeIsResumed(t *testing.T) {
	w := newWorkshop(t, map[string]string{
		"main.worker": "---\nhardened: {module: workers/main.wasm}\n---\nSort.\n", "s.yaml": "script: 1\nworkers: {}\n",
	}, map[string]string{"workers/main.wasm": "triage"})
	w.kept = state.Memory(sandbox.Memory())
	for _, resume := range []*string{nil, new("")} {
		res, events := w.run(t, core.Options{}, func(i *core.Instance, ro core.RunOptions) run.Result {
			ro.Running = options.Running{Resume: resume}
			return i.Run(t.Context(), run.Input{Text: "a crash"}, &ui.Script{}, ro)
		})
		if res.Error != nil || res.Output.String() != `{"label":"bug"}` {
			t.Errorf("%v %s", res.Error, res.Output.String())
		}
		for _, e := range events {
			if _, asked := e.Body.(trace.ModelStart); asked {
				t.Error("the model was asked")
			}
		}
	}
}

// What the first answer of a chat used is that of its own exchange, whatever followed: golem
// harden says so what a call costs.
func TestUsageOfAFirstAnswer(t *testing.T) {
	used := func(inputs ...run.Input) int {
		w := newWorkshop(t, map[string]string{"main.worker": "---\ndescription: Answers.\n---\nAnswer.\n", "s.yaml": "script: 1\nworkers:\n  main:\n    - when: {match: '.*'}\n      say: heard\n"}, nil)
		w.kept = state.Memory(sandbox.Memory())
		res, _ := w.run(t, core.Options{}, func(i *core.Instance, ro core.RunOptions) run.Result {
			return i.Chat(t.Context(), nil, &ui.Script{Inputs: inputs}, ro)
		})
		k, err := conversation.Read(&w.kept, res.Conversation)
		if err != nil {
			t.Fatal(err)
		}
		pairs := k.Pairs()
		if len(pairs) != 1 || pairs[0].Usage.In == 0 {
			t.Fatalf("%+v", pairs)
		}
		return pairs[0].Usage.In
	}
	if one, more := used(run.Input{Text: "one"}), used(run.Input{Text: "one"}, run.Input{Text: "two"}, run.Input{Text: "three"}); one != more {
		t.Errorf("%d tokens, and %d if the chat went on", one, more)
	}
}
