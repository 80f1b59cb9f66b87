package core_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"golem/core"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/options"
	"golem/core/run"
	"golem/core/state"
	"golem/core/trace"
)

// killedAt returns the moment of that name of a run of the yard.
func killedAt(t *testing.T, whole *yard, what string) moment {
	t.Helper()
	at := slices.IndexFunc(whole.moments, func(m moment) bool { return m.what == what })
	if at < 0 {
		t.Fatalf("there is no moment %s", what)
	}
	return whole.moments[at]
}

// --doubt settles a call whose end is not known, without a question. A write that does no
// more when it runs twice runs again without a question and without the flag.
func TestDoubtsAreSettled(t *testing.T) {
	whole := newYard(t, moment{files: yardFiles()})
	whole.open(t).Run(t.Context(), run.Input{Text: "go"}, always(), core.RunOptions{ID: "20260101-000000-aaaaaa"})
	edit, write := killedAt(t, whole, "after writing sum.txt"), killedAt(t, whole, "after writing out/helper.txt")
	edit.files["sum.txt"] = "-"
	delete(write.files, "out/helper.txt")
	for _, c := range []struct {
		at    moment
		doubt string
		sum   string // its content afterwards
		said  string // in a warning; "": none
	}{
		{edit, options.DoubtRepeat, "a+b", "it runs again"},
		{edit, options.DoubtFail, "-", "it is taken as failed"},
		{write, "", "a+b", ""},
		{write, options.DoubtFail, "a+b", ""},
	} {
		y, u := newYard(t, c.at), always()
		res := y.open(t).Run(t.Context(), run.Input{}, u, core.RunOptions{Running: options.Running{Resume: new(""), Doubt: c.doubt}})
		got := contents(y.tree)
		if res.Output.Text != "done" || got["sum.txt"] != c.sum || got["out/helper.txt"] != "written" {
			t.Errorf("%s %q: %v %q, files %v", c.at.what, c.doubt, res.Error, res.Output.Text, got)
		}
		said := ""
		for _, e := range u.Events() {
			if w, ok := e.Body.(trace.Warning); ok && strings.Contains(w.Message, "was running when golem ended") {
				said += w.Message
			}
		}
		if c.said == "" && said != "" || !strings.Contains(said, c.said) {
			t.Errorf("%s %q: said %q", c.at.what, c.doubt, said)
		}
		for _, asked := range count(u).asked {
			if strings.HasPrefix(asked, "resume") {
				t.Errorf("%s %q: asked %s", c.at.what, c.doubt, asked)
			}
		}
	}
	y := newYard(t, edit)
	res := y.open(t).Run(t.Context(), run.Input{}, always(), core.RunOptions{Running: options.Running{Resume: new(""), Doubt: "perhaps"}})
	if !errors.Is(res.Error, fault.Usage) || !maps.Equal(contents(y.state), edit.kept) {
		t.Errorf("perhaps: %v", res.Error)
	}
}

const packScript = `script: 1
workers:
  main:
    - calls: [{tool: helper, args: {input: "write a"}}, {tool: move_file, args: {from: /old, to: /new}}]
    - calls: [{tool: delete_file, args: {path: /gone.txt}}, {tool: make_directory, args: {path: /old/deep}}]
    - calls: [{tool: edit_file, args: {path: /sum.txt, old: "-", new: "a+b"}}, {tool: edit_file, args: {path: /new/a.txt, old: "a", new: "aa"}}]
    - say: done
  helper:
    - calls: [{tool: write_file, args: {path: /out/helper.txt, content: "written"}}]
    - say: I wrote it
`

// volatileFiles are those of a project whose run moves, removes, makes and changes files.
func volatileFiles() map[string]string {
	files := yardFiles()
	files["s.yaml"], files["gone.txt"], files["old/a.txt"], files["old/b.txt"] = packScript, "gone", "a", "b"
	return files
}

// A run of a packed project, whose files end with the process, goes on from any moment: golem
// puts back what its calls had changed, asks about no call, and the files are in the end those
// of a run that was not killed.
func TestARunWithoutFilesOfItsOwnGoesOnFromAnyMoment(t *testing.T) {
	whole := newYard(t, moment{files: volatileFiles()})
	whole.volatile = true
	res := whole.open(t).Run(t.Context(), run.Input{Text: "go"}, always(), core.RunOptions{ID: "20260101-000000-aaaaaa"})
	want := contents(whole.tree)
	if res.Output.Text != "done" || want["new/a.txt"] != "aa" || want["old/a.txt"] != "" || want["gone.txt"] != "" || want["sum.txt"] != "a+b" {
		t.Fatalf("%v %q, files %v", res.Error, res.Output.Text, want)
	}
	again := 0
	for i, m := range whole.moments {
		if inputsIn(m) == 0 {
			continue
		}
		again++
		y, u := newYard(t, moment{files: volatileFiles(), kept: m.kept}), always()
		y.volatile = true
		res := y.open(t).Run(t.Context(), run.Input{}, u, core.RunOptions{Running: options.Running{Resume: new("")}})
		if got := contents(y.tree); res.Output.Text != "done" || !maps.Equal(got, want) {
			t.Fatalf("moment %d, %s: %v %q, files %v", i, m.what, res.Error, res.Output.Text, got)
		}
		for _, asked := range count(u).asked {
			if strings.HasPrefix(asked, "resume") {
				t.Fatalf("moment %d, %s: asked %s", i, m.what, asked)
			}
		}
	}
	if again < 30 {
		t.Errorf("went on from %d moments", again)
	}
	s := state.Memory(whole.state)
	if err := conversation.Remove(&s, "20260101-000000-aaaaaa"); err != nil {
		t.Fatal(err)
	}
	for name := range contents(whole.state) {
		if strings.HasPrefix(name, conversation.Dir) {
			t.Errorf("after removing, there is %s", name)
		}
	}
}

// A content that golem cannot give back, because it has a secret or was changed, is an error
// before anything runs.
func TestContentsThatAreNotThere(t *testing.T) {
	files := volatileFiles()
	files["s.yaml"] = strings.Replace(packScript, "content: \"written\"", "content: \"key sk-secret-0123456789\"", 1)
	secret := newYard(t, moment{files: files})
	secret.volatile = true
	secret.open(t).Run(t.Context(), run.Input{Text: "go"}, always(), core.RunOptions{ID: "20260101-000000-aaaaaa"})
	for name, text := range contents(secret.state) {
		if strings.Contains(text, "sk-secret") {
			t.Errorf("%s has the secret", name)
		}
	}
	whole := newYard(t, moment{files: volatileFiles()})
	whole.volatile = true
	whole.open(t).Run(t.Context(), run.Input{Text: "go"}, always(), core.RunOptions{ID: "20260101-000000-aaaaaa"})
	changed := contents(whole.state)
	for name := range changed {
		if strings.Contains(name, ".d/") {
			changed[name] = "another content"
		}
	}
	for want, kept := range map[string]map[string]string{"it has a secret": contents(secret.state), "was changed": changed} {
		y := newYard(t, moment{files: volatileFiles(), kept: kept})
		y.volatile = true
		res := y.open(t).Run(t.Context(), run.Input{}, always(), core.RunOptions{Running: options.Running{Resume: new("")}})
		if !errors.Is(res.Error, fault.Conflict) || !strings.Contains(res.Error.Error(), want) {
			t.Errorf("%s: %v", want, res.Error)
		}
	}
}
