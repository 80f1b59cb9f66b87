package core_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"golem/core"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/options"
	"golem/core/run"
	"golem/core/trace"
	"golem/core/ui"
)

// earlierInput is a message of a conversation that another program keeps.
func earlierInput() run.Input {
	return run.Input{Text: "and now?", Earlier: []run.Earlier{
		{Text: "first", Attachments: []run.File{{Name: "note.txt", Data: []byte("what the note says")}}},
		{Worker: true, Text: "an answer"},
	}}
}

func earlierYard(t *testing.T, m moment) *yard {
	if m.files == nil {
		m.files = map[string]string{
			"main.worker": "---\nmode: chat\n---\nYou are M.\n",
			"s.yaml":      "script: 1\nworkers:\n  main:\n    - {when: {text: 'and now?'}, say: done}\n",
		}
	}
	return newYard(t, m)
}

// Messages that come along with an input are in the request between the instructions and the
// input, with their files; in the trace; and in the kept conversation, so that a run that was
// killed goes on with the same request.
func TestEarlierMessages(t *testing.T) {
	whole := earlierYard(t, moment{})
	u := &ui.Script{}
	res := whole.open(t).Run(t.Context(), earlierInput(), u, core.RunOptions{ID: "20260101-000000-aaaaaa"})
	if res.Status != run.OK || res.Output.Text != "done" {
		t.Fatalf("%v %q", res.Error, res.Output.Text)
	}
	at := slices.IndexFunc(u.Events(), func(e trace.Event) bool { _, is := e.Body.(trace.RunStart); return is })
	start := u.Events()[at].Body.(trace.RunStart)
	if len(start.Earlier) != 2 || start.Earlier[0].Role != "user" || start.Earlier[0].Text != "first" || start.Earlier[0].Files[0].Name != "note.txt" ||
		start.Earlier[1].Role != "assistant" || start.Earlier[1].Text != "an answer" {
		t.Errorf("the trace has %+v", start.Earlier)
	}
	want := requestOf(t, whole, options.Running{}, earlierInput())
	if len(want) != 4 || want[0].Role != model.System || !strings.Contains(want[0].Text, "You are M.") ||
		!strings.Contains(want[1].Text, "first") || len(want[1].Parts) != 1 || string(want[1].Parts[0].Data) != "what the note says" ||
		want[2].Role != model.Assistant || want[2].Text != "an answer" || want[3].Role != model.User || want[3].Text != "and now?" {
		t.Fatalf("the request is %+v", want)
	}
	again := 0
	for _, m := range whole.moments {
		if inputsIn(m) == 0 || strings.Contains(m.kept["conversations/20260101-000000-aaaaaa.jsonl"], `"t":"done"`) {
			continue
		}
		again++
		got := requestOf(t, earlierYard(t, m), options.Running{Resume: new("")}, run.Input{})
		if !slices.EqualFunc(got, want, func(a, b model.Message) bool { return a.Role == b.Role && a.Text == b.Text }) {
			t.Errorf("%s: the request is %+v", m.what, got)
		}
	}
	if again == 0 {
		t.Error("no moment to go on from")
	}
}

// requestOf returns the messages of the only request of a run.
func requestOf(t *testing.T, y *yard, how options.Running, in run.Input) []model.Message {
	t.Helper()
	prompt := prompts{}
	res := y.open(t).Run(t.Context(), in, &ui.Script{}, core.RunOptions{Running: how, Artifact: prompt})
	if res.Status != run.OK || res.Output.Text != "done" {
		t.Fatalf("%v %q", res.Error, res.Output.Text)
	}
	var out []model.Message
	if err := json.Unmarshal(prompt["0.prompt.json"], &out); err != nil || len(out) == 0 {
		t.Fatalf("%v, %d messages", err, len(out))
	}
	return out[:len(out)-1] // without the answer
}

// prompts are the artifacts of a run, by name.
type prompts map[string][]byte

func (p prompts) Put(name string, data []byte) error {
	p[name] = data
	return nil
}

// Such a run is no case of a test and no example for golem harden, because its answer depends
// on messages that neither has. What was said is shown.
func TestEarlierMessagesAreNoExample(t *testing.T) {
	y := earlierYard(t, moment{})
	inst := y.open(t)
	if res := inst.Run(t.Context(), earlierInput(), &ui.Script{}, core.RunOptions{}); res.Status != run.OK {
		t.Fatal(res.Error)
	}
	kept, err := conversation.Read(inst.Conversations(), "")
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, s := range kept.Said() {
		said = append(said, s.Who+" "+s.Whole())
	}
	if got := strings.Join(said, "|"); got != "you first\n[note.txt]|golem an answer|you and now?|golem done" || kept.Messages() != 1 {
		t.Errorf("said: %s, %d messages", got, kept.Messages())
	}
	if pairs := kept.Pairs(); len(pairs) != 0 {
		t.Errorf("pairs: %+v", pairs)
	}
	tests, err := inst.Tests()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tests.Accept(t.Context(), ""); !errors.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "another program keeps") {
		t.Errorf("accepted: %v", err)
	}
}

// Known keys in earlier messages and their files are kept nowhere; too much is refused, and the
// worker's policy holds for their files.
func TestEarlierMessagesAreBounded(t *testing.T) {
	y := earlierYard(t, moment{})
	in := earlierInput()
	in.Earlier[0].Text = "my key is sk-secret-0123456789"
	in.Earlier[0].Attachments[0].Data = []byte("key sk-secret-0123456789")
	if res := y.open(t).Run(t.Context(), in, &ui.Script{}, core.RunOptions{}); res.Status != run.OK {
		t.Fatal(res.Error)
	}
	for name, text := range contents(y.state) {
		if strings.Contains(text, "sk-secret-0123456789") || strings.Contains(text, "c2stc2VjcmV0LTAxMjM0NTY3ODk") {
			t.Errorf("%s has the key: %s", name, text)
		}
	}
	in.Earlier = []run.Earlier{{Text: strings.Repeat("x", run.MaxInput/2)}, {Worker: true, Text: strings.Repeat("x", run.MaxInput/2+1)}}
	if res := y.open(t).Run(t.Context(), in, &ui.Script{}, core.RunOptions{}); res.Error == nil || res.Error.Code != fault.Limit {
		t.Errorf("too much: %v", res.Error)
	}
	in.Earlier = []run.Earlier{{Attachments: make([]run.File, 5)}}
	if res := y.open(t).Run(t.Context(), in, &ui.Script{}, core.RunOptions{}); res.Error == nil || res.Error.Code != fault.Attachment {
		t.Errorf("too many files: %v", res.Error)
	}
}
