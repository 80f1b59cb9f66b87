package core_test

import (
	"fmt"
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

// A run that is killed at any moment can be resumed. Models and tools are not asked again for
// what was kept. The person is asked about a write that may not have ended, and approvals are
// asked again. Answer and files are those of a run that was not killed, and both parts of the
// run can be undone.
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
			continue // nothing to resume
		}
		again++
		what := fmt.Sprintf("moment %d, %s", i, m.what)
		u := always()
		y := newYard(t, m)
		res := y.open(t).Run(t.Context(), run.Input{}, u, core.RunOptions{Running: options.Running{Resume: new("")}})
		if res.Status != run.OK || res.Output.Text != "done" {
			t.Fatalf("%s: %v %q", what, res.Error, res.Output.Text)
		}
		if got := contents(y.tree); !maps.Equal(got, files) {
			t.Fatalf("%s: the files are %v, want %v", what, got, files)
		}
		undoAll(t, y.open(t))
		if got := contents(y.tree); !maps.Equal(got, yardFiles()) {
			t.Fatalf("%s: undone, the files are %v", what, got)
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

// A write that may not have ended runs again only if the person says yes. If nobody can be
// asked, the exit code is 3 and nothing changes.
func TestAnUnknownEndIsAskedAbout(t *testing.T) {
	whole := newYard(t, moment{files: yardFiles()})
	whole.open(t).Run(t.Context(), run.Input{Text: "go"}, always(), core.RunOptions{ID: "20260101-000000-aaaaaa"})
	at := slices.IndexFunc(whole.moments, func(m moment) bool { return m.what == "after writing sum.txt" })
	m := whole.moments[at]
	m.files["sum.txt"] = "-"

	nobody := &ui.Script{}
	y := newYard(t, m)
	res := y.open(t).Run(t.Context(), run.Input{}, nobody, core.RunOptions{Running: options.Running{Resume: new("")}})
	if res.Exit() != 3 || !strings.Contains(res.Error.Error(), "edit_file was running") || !maps.Equal(contents(y.state), m.kept) {
		t.Errorf("nobody there: exit %d, %v", res.Exit(), res.Error)
	}
	y = newYard(t, m)
	no := &ui.Script{Answers: []approval.Decision{{Answer: approval.No}}}
	res = y.open(t).Run(t.Context(), run.Input{}, no, core.RunOptions{Running: options.Running{Resume: new("")}})
	if res.Output.Text != "done" || contents(y.tree)["sum.txt"] != "-" || len(no.Asked()) != 1 {
		t.Errorf("no: %v %q, asked %v, files %v", res.Error, res.Output.Text, no.Asked(), contents(y.tree))
	}
	if r := no.Asked()[0]; r.Kind != approval.KindResume || len(r.Lines) != 1 || !strings.Contains(r.Lines[0].Value, "sum.txt") {
		t.Errorf("asked %+v", r)
	}
}

// A chat that is killed at any moment can be resumed completely, and its last exchange is
// finished.
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
		y.open(t).Chat(t.Context(), nil, u, core.RunOptions{Running: options.Running{Resume: new("")}})
		if got := talk(t, y); !slices.Equal(got, want) {
			t.Fatalf("moment %d, %s: it is %q, want %q", i, m.what, got, want)
		}
	}
}

// talk returns the messages of the newest conversation.
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
