package core_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"golem/core"
	"golem/core/approval"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/trace"
	"golem/core/ui"
)

// This file is scenario 57 in process: golem is killed at every moment at which
// something lasting changes, and goes on from what is there then.

// moment is what a kill leaves: the project's files and golem's own.
type moment struct {
	what        string
	files, kept map[string]string
}

// yard is a project in memory of which every moment is noted.
type yard struct {
	tree, state sandbox.FS
	quiet       bool               // notes nothing
	change      func(*state.Store) // before it is lent; nil: nothing
	mu          sync.Mutex
	moments     []moment
}

func newYard(t *testing.T, m moment) *yard {
	t.Helper()
	y := &yard{tree: sandbox.Memory(), state: sandbox.Memory()}
	for to, files := range map[sandbox.FS]map[string]string{y.tree: m.files, y.state: m.kept} {
		for name, data := range files {
			if err := to.WriteFile(name, []byte(data)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return y
}

func contents(f fs.FS) map[string]string {
	out := map[string]string{}
	_ = fs.WalkDir(f, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, _ := fs.ReadFile(f, name)
			out[name] = string(data)
		}
		return nil
	})
	return out
}

func (y *yard) note(what string) {
	if y.quiet {
		return
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	y.moments = append(y.moments, moment{what, contents(y.tree), contents(y.state)})
}

// noted notes the moments around each change of the project's files.
type noted struct {
	sandbox.FS
	yard *yard
}

func (n noted) WriteFile(name string, data []byte) error {
	n.yard.note("before writing " + name)
	err := n.FS.WriteFile(name, data)
	n.yard.note("after writing " + name)
	return err
}

// appended adds to a file and notes the moments: before, in the middle of the last
// line, after.
type appended struct {
	yard *yard
	name string
}

func (a appended) Write(b []byte) (int, error) {
	old, _ := fs.ReadFile(a.yard.state, a.name)
	for _, n := range []int{0, len(b) - 9, len(b)} {
		if err := a.yard.state.WriteFile(a.name, append(bytes.Clone(old), b[:n]...)); err != nil {
			return 0, err
		}
		a.yard.note(fmt.Sprintf("%d of %d bytes of the conversation written", n, len(b)))
	}
	return len(b), nil
}

func (appended) Close() error { return nil }

func (y *yard) open(t *testing.T) *core.Instance {
	t.Helper()
	kept := state.Memory(y.state)
	kept.Append = func(name string) (io.WriteCloser, error) { return appended{y, name}, nil }
	if y.change != nil {
		y.change(&kept)
	}
	inst, err := core.Open(core.Platform{
		Name: "native", Version: "test", TrustKey: "/yard", State: kept,
		Mount:      func(string) (sandbox.FS, error) { return noted{y.tree, y}, nil },
		ReadScript: func(name string) ([]byte, error) { return fs.ReadFile(y.tree, name) },
		Env:        map[string]string{"OPENAI_API_KEY": "sk-secret-0123456789"},
	}, core.Options{Files: y.tree, Name: "yard", Model: "script:s.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	return inst
}

// counted is what a run asked of models and tools.
type counted struct {
	turns int
	tools []string // ids of the calls that were started
	asked []string // kinds of the questions
}

func count(u *ui.Script) counted {
	var c counted
	for _, e := range u.Events() {
		switch e.Body.(type) {
		case trace.ModelEnd:
			c.turns++
		case trace.ToolStart:
			c.tools = append(c.tools, e.ID)
		}
	}
	for _, r := range u.Asked() {
		c.asked = append(c.asked, string(r.Kind)+" "+r.Call)
	}
	return c
}

// always answers every question with yes.
func always() *ui.Script {
	yes := make([]approval.Decision, 100)
	for i := range yes {
		yes[i] = approval.Decision{Answer: approval.Yes}
	}
	return &ui.Script{Answers: yes}
}

const yardScript = `script: 1
workers:
  main:
    - calls: [{tool: read_file, args: {path: /in.txt}}, {tool: helper, args: {input: "write a"}}, {tool: helper, args: {input: "write b"}}]
    - say: now the sum
      calls: [{tool: write_file, args: {path: /out/sum.txt, content: "a+b"}}]
    - calls: [{tool: nothing_of_that_name, args: {}}]
    - say: done
  helper:
    - when: {text: "write a", turn: 1}
      calls: [{tool: read_file, args: {path: /in.txt}}]
    - when: {text: "write b", turn: 1}
      calls: [{tool: read_file, args: {path: /in.txt}}]
    - calls: [{tool: write_file, args: {path: /out/helper.txt, content: "written"}}]
    - say: I wrote it
`

func yardFiles() map[string]string {
	return map[string]string{
		"main.worker":           "---\ntoolsets: {filesystem: {}}\nallow_workers: [helper]\n---\nM.\n",
		"workers/helper.worker": "---\ndescription: Helps.\ntoolsets: {filesystem: {}}\n---\nH.\n",
		"in.txt":                "in", "s.yaml": yardScript,
	}
}

func keptAnswers(m moment) (answers int, ends map[string]bool) {
	ends = map[string]bool{}
	for _, file := range m.kept {
		for line := range strings.Lines(file) {
			if !strings.HasSuffix(line, "\n") {
				continue
			}
			if strings.Contains(line, `"line":{"t":"answer"`) {
				answers++
			}
			if _, rest, ok := strings.Cut(line, `"line":{"t":"end"`); ok {
				_, id, _ := strings.Cut(rest, `"id":"`)
				id, _, _ = strings.Cut(id, `"`)
				ends[id] = true
			}
		}
	}
	return answers, ends
}

// inputsIn counts what the person said, as far as it was kept.
func inputsIn(m moment) (n int) {
	for _, file := range m.kept {
		n += strings.Count(file[:strings.LastIndex(file, "\n")+1], `"t":"input"`)
	}
	return n
}

// A run that is killed at any moment goes on: what was kept is not asked for again,
// a write whose end is unknown is asked about, approvals are asked anew, and answer
// and files are those of a run that was not killed.
func TestARunGoesOnFromAnyMoment(t *testing.T) {
	whole := newYard(t, moment{files: yardFiles()})
	u := always()
	res := whole.open(t).Run(t.Context(), run.Input{Text: "go"}, u, core.RunOptions{ID: "20260101-000000-aaaaaa"})
	want, files := count(u), contents(whole.tree)
	if res.Status != run.OK || res.Output.Text != "done" || want.turns != 10 {
		t.Fatalf("%v %q after %d turns", res.Error, res.Output.Text, want.turns)
	}
	again, doubts := 0, 0
	for i, m := range whole.moments {
		if inputsIn(m) == 0 {
			continue // nothing to go on with
		}
		again++
		what := fmt.Sprintf("moment %d, %s", i, m.what)
		u := always()
		y := newYard(t, m)
		res := y.open(t).Run(t.Context(), run.Input{}, u, core.RunOptions{Resume: &core.Resume{}})
		if res.Status != run.OK || res.Output.Text != "done" {
			t.Fatalf("%s: %v %q", what, res.Error, res.Output.Text)
		}
		if got := contents(y.tree); !maps.Equal(got, files) {
			t.Fatalf("%s: the files are %v, want %v", what, got, files)
		}
		answers, ends := keptAnswers(m)
		got := count(u)
		if got.turns+answers != want.turns {
			t.Fatalf("%s: %d answers were kept and %d asked for, want %d together", what, answers, got.turns, want.turns)
		}
		for _, id := range got.tools {
			if ends[id] {
				t.Fatalf("%s: the call %s ran again", what, id)
			}
		}
		for _, a := range got.asked {
			if strings.HasPrefix(a, "resume") {
				doubts++
			}
		}
	}
	if again < 40 || doubts == 0 {
		t.Errorf("went on from %d moments, with %d doubts", again, doubts)
	}
}

// A write whose end is unknown runs again only if the person says so; nobody there
// is exit 3, and nothing changed.
func TestAnUnknownEndIsAskedAbout(t *testing.T) {
	whole := newYard(t, moment{files: yardFiles()})
	whole.open(t).Run(t.Context(), run.Input{Text: "go"}, always(), core.RunOptions{ID: "20260101-000000-aaaaaa"})
	at := slices.IndexFunc(whole.moments, func(m moment) bool { return m.what == "after writing out/sum.txt" })
	m := whole.moments[at]
	delete(m.files, "out/sum.txt")

	nobody := &ui.Script{}
	y := newYard(t, m)
	res := y.open(t).Run(t.Context(), run.Input{}, nobody, core.RunOptions{Resume: &core.Resume{}})
	if res.Exit() != 3 || !strings.Contains(res.Error.Error(), "write_file was running") || !maps.Equal(contents(y.state), m.kept) {
		t.Errorf("nobody there: exit %d, %v", res.Exit(), res.Error)
	}
	y = newYard(t, m)
	no := &ui.Script{Answers: []approval.Decision{{Answer: approval.No}}}
	res = y.open(t).Run(t.Context(), run.Input{}, no, core.RunOptions{Resume: &core.Resume{}})
	if res.Output.Text != "done" || contents(y.tree)["out/sum.txt"] != "" || len(no.Asked()) != 1 {
		t.Errorf("no: %v %q, asked %v, files %v", res.Error, res.Output.Text, no.Asked(), contents(y.tree))
	}
	if r := no.Asked()[0]; r.Kind != approval.KindResume || len(r.Lines) != 1 || !strings.Contains(r.Lines[0].Value, "sum.txt") {
		t.Errorf("asked %+v", r)
	}
}

// A chat that is killed at any moment is resumed whole, and its last exchange ends.
func TestAChatGoesOnFromAnyMoment(t *testing.T) {
	files := yardFiles()
	files["s.yaml"] = `script: 1
workers:
  main:
    - when: {text: one}
      once: true
      calls: [{tool: write_file, args: {path: /one.txt, content: "1"}}]
    - when: {text: two}
      once: true
      say: two it is
    - say: written
    - say: and three
`
	inputs := []string{"one", "two", "three"}
	said := func(from int) (out []run.Input) {
		for _, text := range inputs[min(from, len(inputs)):] {
			out = append(out, run.Input{Text: text})
		}
		return out
	}
	whole := newYard(t, moment{files: files})
	u := always()
	u.Inputs = said(0)
	res := whole.open(t).Chat(t.Context(), nil, u, core.RunOptions{ID: "20260101-000000-aaaaaa"})
	want := talk(t, whole)
	if res.Output.Text != "and three" || len(want) != 7 {
		t.Fatalf("%v %q %q", res.Error, res.Output.Text, want)
	}
	for i, m := range whole.moments {
		n := inputsIn(m)
		if n == 0 {
			continue
		}
		u := always()
		u.Inputs = said(n)
		y := newYard(t, m)
		y.open(t).Chat(t.Context(), nil, u, core.RunOptions{Resume: &core.Resume{}})
		if got := talk(t, y); !slices.Equal(got, want) {
			t.Fatalf("moment %d, %s: it is %q, want %q", i, m.what, got, want)
		}
	}
}

// talk is the newest conversation as people read it.
func talk(t *testing.T, y *yard) []string {
	t.Helper()
	s := state.Memory(y.state)
	k, err := conversation.Read(&s, "")
	if err != nil || k.Err != nil {
		t.Fatal(err, k.Err)
	}
	var out []string
	for _, one := range k.Said() {
		out = append(out, one.Who+" "+one.Tool+": "+one.Text)
	}
	return out
}

// Scenario 58: of five exchanges one goes back to before the third and says something
// else; both branches are listed, whole, and go on.
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

	// The other branch goes on, as a branch of itself and where it ended.
	u = always()
	u.Inputs = []run.Input{{Text: "m6"}}
	res := y.open(t).Chat(t.Context(), nil, u, core.RunOptions{Resume: &core.Resume{ID: "20260101-000000-aaaaaa"}})
	if res.Output.Text != "heard m6" {
		t.Errorf("%v %q", res.Error, res.Output.Text)
	}
	u = always()
	u.Inputs = []run.Input{{Text: "again"}}
	y.open(t).Chat(t.Context(), nil, u, core.RunOptions{ID: "20260101-000000-cccccc", Resume: &core.Resume{ID: "20260101-000000-aaaaaa", At: 2}})
	if list = conversation.List(&s); len(list) != 3 || list[1].Messages != 6 || list[0].Messages != 2 || list[0].Turns != 2 {
		t.Errorf("the list is %+v", list)
	}
}

// What a clone brought along, what was edited by hand and what a newer golem wrote is
// not resumed, and stays as it is; a list shows it.
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
		"empty":   {"", "E_CONFIG"},
	} {
		there := newYard(t, moment{files: yardFiles(), kept: map[string]string{name: c.file}})
		u := always()
		res := there.open(t).Run(t.Context(), run.Input{}, u, core.RunOptions{Resume: &core.Resume{}})
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

// A conversation has one golem at a time, is one worker's, and says when the worker's
// file has changed.
func TestWhoMayGoOn(t *testing.T) {
	y := newYard(t, moment{files: yardFiles()})
	id := "20260101-000000-aaaaaa"
	y.open(t).Run(t.Context(), run.Input{Text: "go"}, always(), core.RunOptions{ID: id})
	resume := func(u ui.UI, o string) run.Result {
		return y.open(t).Run(t.Context(), run.Input{}, u, core.RunOptions{Resume: &core.Resume{ID: o}})
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
	u := always()
	if res := resume(u, id); res.Output.Text != "done" || len(u.Asked()) != 1 {
		t.Errorf("yes: %v, asked %v", res.Error, u.Asked())
	}
	u = always()
	if res := resume(u, id); res.Output.Text != "done" || len(u.Asked()) != 0 {
		t.Errorf("a second time: %v, asked %v", res.Error, u.Asked())
	}
}

// Secrets are not kept, and a call whose arguments had one is not run again.
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
	res := there.open(t).Run(t.Context(), run.Input{}, u, core.RunOptions{Resume: &core.Resume{}})
	if res.Output.Text != "done" || contents(there.tree)["k.txt"] != "" || len(u.Asked()) != 1 || !strings.Contains(u.Asked()[0].Title, "had a secret") {
		t.Errorf("%v %q, asked %+v, files %v", res.Error, res.Output.Text, u.Asked(), contents(there.tree))
	}
}

// An exchange that the person stopped ends; the chat and what was kept go on.
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
		Exchange: func(ctx context.Context) (context.Context, func()) {
			ctx, stop := context.WithCancel(ctx)
			if n++; n == 2 {
				stop()
			}
			return ctx, stop
		},
	})
	if res.Status != run.OK || res.Output.Text != "second" {
		t.Errorf("%v %q", res.Error, res.Output.Text)
	}
	want := talk(t, y)
	u = always()
	res = y.open(t).Chat(t.Context(), nil, u, core.RunOptions{Resume: &core.Resume{}})
	if got := talk(t, y); res.Status != run.OK || count(u).turns != 0 || !slices.Equal(got, want) || len(want) != 6 {
		t.Errorf("%v, %d turns, %q, want %q", res.Error, count(u).turns, got, want)
	}
}

// A conversation of 10,000 messages is listed, resumed and made shorter, and one that
// cannot be written any more is a warning: the run goes on.
func TestLongConversations(t *testing.T) {
	y := newYard(t, moment{files: yardFiles()})
	s := state.Memory(y.state)
	file := &lines{}
	s.Append = func(string) (io.WriteCloser, error) { return file, nil }
	j := conversation.Start(&s, conversation.Entry{Run: "20260101-000000-aaaaaa", Mode: "chat", Worker: "main", File: "main.worker"})
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
	res := there.open(t).Chat(t.Context(), nil, u, core.RunOptions{ID: "20260101-000000-bbbbbb", Resume: &core.Resume{}})
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

// What cannot be written is a warning, once, and the run ends as it would.
func TestAConversationThatCannotBeKept(t *testing.T) {
	for what, store := range map[string]func(*state.Store){
		"a full disk": func(s *state.Store) {
			s.Append = func(string) (io.WriteCloser, error) { return full{}, nil }
		},
		"a read-only disk": func(s *state.Store) {
			s.Append = func(string) (io.WriteCloser, error) { return nil, fault.New(fault.ReadOnly, "the disk is read-only") }
		},
		"no key": func(s *state.Store) {
			s.Key = func() ([]byte, error) { return nil, fault.New(fault.Config, "no key") }
		},
		"no locks": func(s *state.Store) {
			s.Lock = func(context.Context, string) (func(), error) { return nil, fault.New(fault.Platform, "no locks") }
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

// full is a file on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, fault.New(fault.Quota, "the disk is full") }
func (full) Close() error              { return nil }

// Two golems on one conversation: the second is refused, and a branch is not.
func TestOneGolemAtATime(t *testing.T) {
	y := newYard(t, moment{files: yardFiles()})
	id := "20260101-000000-aaaaaa"
	y.open(t).Run(t.Context(), run.Input{Text: "go"}, always(), core.RunOptions{ID: id})
	shared := state.Memory(y.state)
	y.change = func(s *state.Store) { s.Lock = shared.Lock }
	release, err := shared.TryHold("conversation-" + id)
	if err != nil {
		t.Fatal(err)
	}
	res := y.open(t).Run(t.Context(), run.Input{}, always(), core.RunOptions{Resume: &core.Resume{ID: id}})
	if res.Exit() != 2 || res.Error.Code != fault.Busy {
		t.Errorf("a second golem: exit %d, %v", res.Exit(), res.Error)
	}
	if list := conversation.List(&shared); len(list) != 1 || list[0].Status != "running" {
		t.Errorf("the list is %+v", list)
	}
	u := always()
	u.Inputs = []run.Input{{Text: "/exit"}}
	if res := y.open(t).Chat(t.Context(), nil, u, core.RunOptions{ID: "20260101-000000-bbbbbb", Resume: &core.Resume{ID: id, At: 1}}); res.Exit() != 0 {
		t.Errorf("a branch: exit %d, %v", res.Exit(), res.Error)
	}
	release()
	if res := y.open(t).Run(t.Context(), run.Input{}, always(), core.RunOptions{Resume: &core.Resume{ID: id}}); res.Output.Text != "done" {
		t.Errorf("after it: %v", res.Error)
	}
}
