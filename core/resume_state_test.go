package core_test

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"golem/core"
	"golem/core/approval"
	"golem/core/conversation"
	"golem/core/options"
	"golem/core/run"
	"golem/core/state"
	"golem/core/trace"
	"golem/core/ui"
)

// Scenario 58: after five exchanges, a person goes back to before the third and continues
// differently. Both branches are listed, complete, and can be resumed.
func TestRewind(t *testing.T) {
	files := yardFiles()
	files["s.yaml"] = "script: 1\nworkers:\n  main:\n    - when: {match: \"(.+)\"}\n      say: \"heard $1\"\n"
	y := newYard(t, moment{files: files})
	u := always()
	for _, text := range []string{"m1", "m2", "m3", "m4", "m5", "/rewind 3", "other", "/rewind 9", "/rewind x"} {
		u.Inputs = append(u.Inputs, run.Input{Text: text})
	}
	y.open(t).Chat(t.Context(), nil, u, core.RunOptions{ID: "20260101-000000-aaaaaa"})
	s := state.Memory(y.state)
	list := conversation.List(&s)
	if len(list) != 2 || list[0].From == nil || *list[0].From != (conversation.Origin{ID: "20260101-000000-aaaaaa", At: 3}) || list[0].Messages != 3 || list[1].Messages != 5 {
		t.Fatalf("the list is %+v", list)
	}
	if got := strings.Join(talk(t, y), "|"); got != "you : m1|golem : heard m1|you : m2|golem : heard m2|you : other|golem : heard other" {
		t.Errorf("the branch is %q", got)
	}
	var wrong []string
	for _, e := range u.Events() {
		if b, ok := e.Body.(trace.Status); ok && b.Level == "error" {
			wrong = append(wrong, b.Text)
		}
	}
	if len(wrong) != 2 || !strings.Contains(wrong[0], "this conversation has 3") {
		t.Errorf("said %q", wrong)
	}

	// The other branch can be resumed at its end, and a branch of it can be made.
	u = always()
	u.Inputs = []run.Input{{Text: "m6"}}
	res := y.open(t).Chat(t.Context(), nil, u, core.RunOptions{Running: options.Running{Resume: new("20260101-000000-aaaaaa")}})
	if res.Output.Text != "heard m6" {
		t.Errorf("%v %q", res.Error, res.Output.Text)
	}
	u = always()
	u.Inputs = []run.Input{{Text: "again"}}
	y.open(t).Chat(t.Context(), nil, u, core.RunOptions{ID: "20260101-000000-cccccc", Running: options.Running{Resume: new("20260101-000000-aaaaaa"), At: 2}})
	if list = conversation.List(&s); len(list) != 3 || list[1].Messages != 6 || list[0].Messages != 2 || list[0].Turns != 2 {
		t.Errorf("the list is %+v", list)
	}
}

// A result has the id of the chat's own conversation, even if another one was written later:
// after /rewind the id of the branch, and none if nothing was said.
func TestResultNamesItsConversation(t *testing.T) {
	files := yardFiles()
	files["s.yaml"] = "script: 1\nworkers:\n  main: [{say: ok}, {say: ok}, {say: ok}]\n"
	y := newYard(t, moment{files: files})
	chat := func(o core.RunOptions, texts ...string) string {
		u := always()
		for _, text := range append(texts, "/exit") {
			u.Inputs = append(u.Inputs, run.Input{Text: text})
		}
		return y.open(t).Chat(t.Context(), nil, u, o).Conversation
	}
	mine, other := "20260101-000000-aaaaaa", "20260101-000000-bbbbbb"
	if got := chat(core.RunOptions{ID: mine}, "m1"); got != mine {
		t.Errorf("a chat: %q", got)
	}
	if got := y.open(t).Run(t.Context(), run.Input{Text: "go"}, always(), core.RunOptions{ID: other}).Conversation; got != other {
		t.Errorf("a run: %q", got)
	}
	if got := chat(core.RunOptions{Running: options.Running{Resume: new(mine)}}); got != mine {
		t.Errorf("gone on with, and nothing said: %q", got)
	}
	if got := chat(core.RunOptions{ID: "20260101-000000-cccccc"}); got != "" {
		t.Errorf("nothing said: %q", got)
	}
	got := chat(core.RunOptions{Running: options.Running{Resume: new(mine)}}, "m2", "/rewind 2")
	s := state.Memory(y.state)
	if list := conversation.List(&s); got == mine || got != list[0].ID || list[0].From == nil {
		t.Errorf("after /rewind: %q of %+v", got, list)
	}
}

// A conversation that came with a clone, was edited by hand or was written by a newer golem is
// not resumed or changed. Lists show it.
func TestForeignConversations(t *testing.T) {
	y := newYard(t, moment{files: yardFiles()})
	y.open(t).Run(t.Context(), run.Input{Text: "go"}, always(), core.RunOptions{ID: "20260101-000000-aaaaaa"})
	name := path.Join(conversation.Dir, "20260101-000000-aaaaaa.jsonl")
	file := contents(y.state)[name]
	for what, c := range map[string]struct{ file, code string }{
		"edited":  {strings.Replace(file, "now the sum", "rm everything", 1), "E_TRUST"},
		"cut":     {strings.Replace(file, strings.SplitAfter(file, "\n")[3], "", 1), "E_TRUST"},
		"no MAC":  {`{"golem":"conversation","v":1}` + "\n", "E_CONFIG"},
		"newer":   {strings.Replace(file, `"v":1`, `"v":2`, 1), "E_CONFIG"},
		"garbage": {"\x00\x01\x02", "E_CONFIG"},
	} {
		there := newYard(t, moment{files: yardFiles(), kept: map[string]string{name: c.file}})
		u := always()
		res := there.open(t).Run(t.Context(), run.Input{}, u, core.RunOptions{Running: options.Running{Resume: new("")}})
		if res.Exit() != 2 || string(res.Error.Code) != c.code || count(u).turns > 0 {
			t.Errorf("%s: exit %d, %v", what, res.Exit(), res.Error)
		}
		if got := contents(there.state); got[name] != c.file || len(got) != 1 {
			t.Errorf("%s: it is not what it was: %v", what, got)
		}
		s := state.Memory(there.state)
		if list := conversation.List(&s); len(list) != 1 || list[0].Error == nil || string(list[0].Error.Code) != c.code {
			t.Errorf("%s: the list is %+v", what, list)
		}
	}
}

// A conversation is used by one golem at a time and belongs to one worker, and golem asks if the
// worker's file has changed.
func TestWhoMayGoOn(t *testing.T) {
	y := newYard(t, moment{files: yardFiles()})
	id := "20260101-000000-aaaaaa"
	y.open(t).Run(t.Context(), run.Input{Text: "go"}, always(), core.RunOptions{ID: id})
	resume := func(u ui.UI, o string) run.Result {
		return y.open(t).Run(t.Context(), run.Input{}, u, core.RunOptions{Running: options.Running{Resume: new(o)}})
	}
	if res := resume(always(), "../x"); res.Exit() != 2 || res.Error.Code != "E_NOT_FOUND" {
		t.Errorf("%d %v", res.Exit(), res.Error)
	}
	if res := resume(always(), "20260101-000000-bbbbbb"); res.Exit() != 2 || res.Error.Code != "E_NOT_FOUND" {
		t.Errorf("%d %v", res.Exit(), res.Error)
	}
	if err := y.tree.WriteFile("main.worker", []byte(yardFiles()["main.worker"]+"More.\n")); err != nil {
		t.Fatal(err)
	}
	if res := resume(&ui.Script{}, id); res.Exit() != 3 {
		t.Errorf("nobody there: %d %v", res.Exit(), res.Error)
	}
	if res := resume(&ui.Script{Answers: []approval.Decision{{Answer: approval.No}}}, id); res.Exit() != 2 || res.Error.Code != "E_CONFLICT" {
		t.Errorf("no: %d %v", res.Exit(), res.Error)
	}
	said := yes(t, y, id)
	if !strings.Contains(said, "main.worker has changed") {
		t.Errorf("with Changed it says %q", said)
	}
	if err := y.tree.WriteFile("main.worker", []byte(yardFiles()["main.worker"]+"Even more.\n")); err != nil {
		t.Fatal(err)
	}
	u := always()
	if res := resume(u, id); res.Output.Text != "done" || len(u.Asked()) != 1 {
		t.Errorf("yes: %v, asked %v", res.Error, u.Asked())
	}
	u = always()
	if res := resume(u, id); res.Output.Text != "done" || len(u.Asked()) != 0 {
		t.Errorf("a second time: %v, asked %v", res.Error, u.Asked())
	}
}

// yes resumes a conversation with Resume.Changed, so that nobody is asked, and returns the
// warnings.
func yes(t *testing.T, y *yard, id string) (said string) {
	t.Helper()
	u := &ui.Script{}
	res := y.open(t).Run(t.Context(), run.Input{}, u, core.RunOptions{Running: options.Running{Resume: new(id), Changed: true}})
	if res.Output.Text != "done" || len(u.Asked()) != 0 {
		t.Errorf("%v, asked %v", res.Error, u.Asked())
	}
	for _, e := range u.Events() {
		if w, ok := e.Body.(trace.Warning); ok {
			said += w.Message
		}
	}
	return said
}

// Secrets are not kept in a conversation, and a call whose arguments had one is not run again.
func TestSecretsAreNotKept(t *testing.T) {
	files := yardFiles()
	files["s.yaml"] = `script: 1
workers:
  main:
    - calls: [{tool: write_file, args: {path: /k.txt, content: "sk-secret-0123456789"}}]
    - say: done
`
	y := newYard(t, moment{files: files})
	y.open(t).Run(t.Context(), run.Input{Text: "go, sk-secret-0123456789"}, always(), core.RunOptions{ID: "20260101-000000-aaaaaa"})
	for name, data := range contents(y.state) {
		if strings.Contains(data, "secret-0123456789") {
			t.Errorf("%s has the key: %s", name, data)
		}
	}
	at := slices.IndexFunc(y.moments, func(m moment) bool { return m.what == "before writing k.txt" })
	there := newYard(t, y.moments[at])
	u := always()
	res := there.open(t).Run(t.Context(), run.Input{}, u, core.RunOptions{Running: options.Running{Resume: new("")}})
	if res.Output.Text != "done" || contents(there.tree)["k.txt"] != "" || len(u.Asked()) != 1 || !strings.Contains(u.Asked()[0].Title, "had a secret") {
		t.Errorf("%v %q, asked %+v, files %v", res.Error, res.Output.Text, u.Asked(), contents(there.tree))
	}
}

// After the person stops an exchange, the chat goes on, and its conversation can be resumed.
func TestStoppingAnExchange(t *testing.T) {
	files := yardFiles()
	files["s.yaml"] = `script: 1
workers:
  main:
    - when: {text: slow}
      hang: true
    - say: first
    - say: second
`
	y := newYard(t, moment{files: files})
	u := always()
	u.Inputs = []run.Input{{Text: "a"}, {Text: "slow"}, {Text: "b"}}
	n := 0
	res := y.open(t).Chat(t.Context(), nil, u, core.RunOptions{
		ID: "20260101-000000-aaaaaa",
		Host: exchanging{begin: func(ctx context.Context) (context.Context, func()) {
			ctx, stop := context.WithCancel(ctx)
			if n++; n == 2 {
				stop()
			}
			return ctx, stop
		}},
	})
	if res.Status != run.OK || res.Output.Text != "second" {
		t.Errorf("%v %q", res.Error, res.Output.Text)
	}
	want := talk(t, y)
	u = always()
	res = y.open(t).Chat(t.Context(), nil, u, core.RunOptions{Running: options.Running{Resume: new("")}})
	if got := talk(t, y); res.Status != run.OK || count(u).turns != 0 || !slices.Equal(got, want) || len(want) != 6 {
		t.Errorf("%v, %d turns, %q, want %q", res.Error, count(u).turns, got, want)
	}
}

// A conversation keeps its history when the worker's file has another input_schema or
// attachment_policy meanwhile: messages that the model got are not judged again.
func TestHistoryOutlivesAnotherDefinition(t *testing.T) {
	files := yardFiles()
	files["s.yaml"] = "script: 1\nworkers:\n  main:\n    - when: {match: \"(.+)\"}\n      say: \"heard $1\"\n"
	first := "20260101-000000-aaaaaa"
	y := newYard(t, moment{files: files})
	u := always()
	u.Inputs = []run.Input{{Text: "m1"}, {Text: "m2", Attachments: []run.File{{Name: "a.txt", Data: []byte("x")}}}}
	y.open(t).Chat(t.Context(), nil, u, core.RunOptions{ID: first})
	for what, front := range map[string]string{
		"schema": "input_schema: {type: object, properties: {q: {type: string}, r: {type: string}}, required: [q, r]}",
		"policy": "attachment_policy: {denied_suffixes: [.txt]}",
	} {
		again := newYard(t, moment{files: maps.Clone(files), kept: contents(y.state)})
		if err := again.tree.WriteFile("main.worker", []byte("---\n"+front+"\n---\nM.\n")); err != nil {
			t.Fatal(err)
		}
		u = always()
		u.Inputs = []run.Input{{Text: "m3"}}
		res := again.open(t).Chat(t.Context(), nil, u, core.RunOptions{Running: options.Running{Resume: new(first), Changed: true}})
		var sent []int
		for _, e := range u.Events() {
			if b, ok := e.Body.(trace.ModelStart); ok {
				sent = append(sent, b.Messages)
			}
		}
		if res.Output.Text != "heard m3" || !slices.Equal(sent, []int{6}) { // the instructions, two exchanges, and the new message
			t.Errorf("%s: %v %q, requests of %v messages", what, res.Error, res.Output.Text, sent)
		}
	}
}

// exchanging is the host of a chat whose exchanges a function begins.
type exchanging struct {
	core.PlainChat
	begin func(context.Context) (context.Context, func())
}

func (e exchanging) Exchange(ctx context.Context) (context.Context, func()) { return e.begin(ctx) }
