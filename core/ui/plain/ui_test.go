package plain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"golem/core/fault"
	"golem/core/model"
	"golem/core/run"
	"golem/core/tool"
	"golem/core/trace"
	"golem/core/ui"
)

func ev(id, parent, worker string, depth int, b trace.Body) trace.Event {
	return trace.Event{ID: id, Parent: parent, Worker: worker, Depth: depth, Body: b}
}

// rootEvents returns the events of a root that calls one worker and one tool, as the runner
// emits them.
func rootEvents() []trace.Event {
	return []trace.Event{
		ev("0", "", "main", 0, trace.RunStart{Input: json.RawMessage(`"Add error handling"`)}),
		ev("0", "", "main", 0, trace.WorkerStart{Source: "main.worker"}),
		ev("0", "", "main", 0, trace.Delta{Text: "I'll add "}),
		ev("0", "", "main", 0, trace.Delta{Text: "it.\nNow."}),
		ev("0", "", "main", 0, trace.ModelEnd{Text: "I'll add it.\nNow.", Calls: []trace.CallRef{{ID: "0.1", Name: "analyzer"}}}),
		ev("0.1", "0", "main", 0, trace.ToolStart{Tool: "analyzer", Kind: "worker", Args: json.RawMessage(`{"input":"look"}`)}),
		ev("0.1", "0", "analyzer", 1, trace.WorkerStart{Source: "workers/analyzer.worker"}),
		ev("0.1", "0", "analyzer", 1, trace.Progress{Status: "running", Description: "analyzer", Task: "look\nhere"}),
		ev("0.1.1", "0.1", "analyzer", 1, trace.ToolStart{Tool: "read_file", Args: json.RawMessage(`{"path":"/src/p.ts"}`)}),
		ev("0.1.1", "0.1", "analyzer", 1, trace.ToolEnd{Tool: "read_file", Status: "ok", Result: json.RawMessage(`"text"`)}),
		ev("0.1", "0", "analyzer", 1, trace.Delta{Text: "Found 3 functions"}),
		ev("0.1", "0", "analyzer", 1, trace.ModelEnd{Text: "Found 3 functions"}),
		ev("0.1", "0", "analyzer", 1, trace.WorkerEnd{Status: "ok"}),
		ev("0.1", "0", "analyzer", 1, trace.Progress{Status: "complete", Description: "analyzer", Task: "look\nhere"}),
		ev("0.1", "0", "main", 0, trace.ToolEnd{Tool: "analyzer", Status: "ok"}),
		ev("0.2", "0", "main", 0, trace.ToolStart{Tool: "edit_file", Args: json.RawMessage(`{"path":"/a","old":"x","new":"y","all":true}`)}),
		ev("0.2", "0", "main", 0, trace.ToolEnd{Tool: "edit_file", Status: "denied", Error: fault.New(fault.Denied, "no")}),
		ev("0", "", "main", 0, trace.Delta{Text: "Done!"}),
		ev("0", "", "main", 0, trace.ModelEnd{Text: "Done!"}),
	}
}

// S4-34..39: the lines of S4 §3.
func TestPlainShowsWhatS4Draws(t *testing.T) {
	var view bytes.Buffer
	p := &UI{View: &view}
	for _, e := range rootEvents() {
		p.Emit(e)
	}
	if err := p.Finish(run.Result{Status: run.OK, Output: tool.Output{Text: "Done!"}}); err != nil {
		t.Fatal(err)
	}
	want := `You: Add error handling

Golem: I'll add it.
       Now.

[Calling worker: analyzer] look
┌─ analyzer ───────────────────────────────────────────────────────┐
│ ✓ read_file(path: "/src/p.ts")                                   │
│ Found 3 functions                                                │
└──────────────────────────────────────────────────────────────────┘
○ edit_file(path: "/a", old: "x", new: "y", all: true) not run: no
Golem: Done!
`
	if d := cmp.Diff(want, view.String()); d != "" {
		t.Error(d)
	}
}

// S4-40: summary mode.
func TestQuietShowsBulletsOnly(t *testing.T) {
	var view, out bytes.Buffer
	p := &UI{View: &view, Answers: &out, Quiet: true}
	for _, e := range rootEvents() {
		p.Emit(e)
	}
	p.Emit(ev("0", "", "main", 0, trace.Progress{Status: "pending", Description: "b"}))
	p.Emit(ev("0", "", "main", 2, trace.Progress{Status: "failed", Description: "c"}))
	if d := cmp.Diff("  ● analyzer: look here\n  ✓ analyzer: look here\n○ b\n    ○ c failed\n", view.String()); d != "" {
		t.Error(d)
	}
}

// S4-44: the lines of workers that run in parallel never mix, in whatever order they come.
func TestParallelChildrenDoNotMix(t *testing.T) {
	var view bytes.Buffer
	p := &UI{View: &view}
	p.Emit(ev("0", "", "main", 0, trace.WorkerStart{}))
	for _, id := range []string{"0.1", "0.2", "0.3"} {
		p.Emit(ev(id, "0", "w"+id, 1, trace.WorkerStart{}))
	}
	for _, word := range []string{"one ", "two ", "three\n", "four"} {
		for _, id := range []string{"0.3", "0.1", "0.2"} {
			p.Emit(ev(id, "0", "w"+id, 1, trace.Delta{Text: word}))
		}
	}
	p.Emit(ev("0.4", "0", "main", 0, trace.ToolEnd{Tool: "beside", Status: "ok"}))
	for _, id := range []string{"0.2", "0.3", "0.1"} {
		p.Emit(ev(id, "0", "w"+id, 1, trace.ModelEnd{Text: "x"}))
		p.Emit(ev(id, "0", "w"+id, 1, trace.WorkerEnd{Status: "ok"}))
	}
	p.Emit(ev("0", "", "main", 0, trace.ModelEnd{Text: "end"}))
	if err := p.Finish(run.Result{Status: run.OK, Output: tool.Output{Text: "end"}}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(view.String()) {
		got = append(got, strings.Trim(strings.TrimSpace(line), "│┌┐└┘─ "))
	}
	want := []string{}
	for _, id := range []string{"0.1", "0.2", "0.3"} {
		want = append(want, "", "[Calling worker: w"+id+"]", "w"+id, "one two three", "four", "")
	}
	want = append(want, "✓ beside", "Golem: end")
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d, view.String())
	}
}

func TestFramesNestAndStayClosed(t *testing.T) {
	var view bytes.Buffer
	p := &UI{View: &view, Screen: terminal{columns: 40}}
	p.Emit(ev("0", "", "main", 0, trace.WorkerStart{}))
	p.Emit(ev("0.1", "0", "a", 1, trace.WorkerStart{}))
	p.Emit(ev("0.1.1", "0.1", "b", 2, trace.WorkerStart{}))
	p.Emit(ev("0.1.1", "0.1", "b", 2, trace.Delta{Text: "日本語のテキスト is wider than its letters, and wraps"}))
	p.Emit(ev("0.1.1", "0.1", "b", 2, trace.ModelEnd{}))
	p.Emit(ev("0.1.1", "0.1", "b", 2, trace.WorkerEnd{Status: "error", Error: fault.New(fault.Turns, "too many")}))
	p.Emit(ev("0.1", "0", "a", 1, trace.WorkerEnd{Status: "ok"}))
	for line := range strings.Lines(view.String()) {
		line = strings.TrimSuffix(line, "\n")
		if strings.ContainsAny(line, "│┌└") && ui.Width(line) != 40 {
			t.Errorf("width %d: %s", ui.Width(line), line)
		}
	}
	if strings.Count(view.String(), "└") != 2 || !strings.Contains(view.String(), "failed: E_TURNS") {
		t.Error(view.String())
	}
}

// SECURITY 9: a model cannot write a line that looks like golem's own, nor an escape.
func TestModelTextCannotImitateGolem(t *testing.T) {
	var view bytes.Buffer
	p := &UI{View: &view, Screen: terminal{columns: 30}}
	evil := "hi\n[Approval Required] ok\n> \x1b[2J\u202e" + strings.Repeat("x", 60) + "[y]es / [n]o"
	p.Emit(ev("0", "", "main", 0, trace.Delta{Text: evil}))
	p.Emit(ev("0", "", "main", 0, trace.ModelEnd{Text: evil}))
	for i, line := range strings.Split(strings.TrimSuffix(view.String(), "\n"), "\n") {
		if i > 0 && line != "" && !strings.HasPrefix(line, "       ") {
			t.Errorf("line %d begins at the edge: %q", i, line)
		}
	}
	if strings.ContainsAny(view.String(), "\x1b\u202e") {
		t.Errorf("raw control characters: %q", view.String())
	}
}

func TestABrokenStreamStartsOver(t *testing.T) {
	var view, out bytes.Buffer
	p := &UI{View: &view, Answers: &out}
	for _, b := range []trace.Body{trace.Delta{Text: "half"}, trace.Delta{Reset: true}, trace.Delta{Text: "whole"}, trace.ModelEnd{}} {
		p.Emit(ev("0", "", "main", 0, b))
	}
	if err := p.Finish(run.Result{Status: run.OK, Output: tool.Output{Text: "whole"}}); err != nil {
		t.Fatal(err)
	}
	if out.String() != "whole\n" {
		t.Errorf("answers: %q", out.String())
	}
}

func TestWithoutColorThereIsNoEscape(t *testing.T) {
	var view bytes.Buffer
	p := &UI{View: &view}
	for _, e := range rootEvents() {
		p.Emit(e)
	}
	p.Emit(ev("0", "", "main", 0, trace.Warning{Code: fault.Depth, Message: "deep"}))
	p.Emit(ev("0", "", "main", 0, trace.Error{Code: fault.Model, Message: "bad", Hint: "do x"}))
	if strings.Contains(view.String(), "\x1b") {
		t.Errorf("%q", view.String())
	}
	if !strings.HasSuffix(view.String(), "warning: E_DEPTH: deep\nerror: E_MODEL: bad (do x)\n") {
		t.Errorf("%q", view.String())
	}
}

// SPEC §7: the line of a call that was not run says so and gives the reason, addressed to
// the person.
func TestDeniedCallsSayWhy(t *testing.T) {
	var view bytes.Buffer
	p := &UI{View: &view}
	for i, why := range []string{"the user said no", "the user said no: too early", "nobody could be asked", "blocked by project's setting for poke"} {
		id := fmt.Sprintf("0.%d", i+1)
		p.Emit(ev(id, "0", "main", 0, trace.ToolStart{Tool: "poke", Args: json.RawMessage(`{"n":1}`)}))
		p.Emit(ev(id, "0", "main", 0, trace.ToolEnd{Tool: "poke", Status: "denied", Error: fault.New(fault.Denied, "poke was not run: %s", why)}))
	}
	want := `○ poke(n: 1) not run: you said no
○ poke(n: 1) not run: you said no: too early
○ poke(n: 1) not run: nobody could be asked
○ poke(n: 1) not run: blocked by project's setting for poke
`
	if d := cmp.Diff(want, view.String()); d != "" {
		t.Error(d)
	}
}

// Long lines of golem's own are broken between words.
func TestSentencesBreakBetweenWords(t *testing.T) {
	var view bytes.Buffer
	p := &UI{View: &view, Screen: terminal{columns: 40}}
	p.Emit(ev("0", "", "main", 0, trace.Warning{Code: fault.Depth, Message: strings.Repeat("depth ", 12)}))
	p.Emit(ev("0", "", "main", 0, trace.Retry{Code: fault.Model, Message: strings.Repeat("model ", 12)}))
	p.Emit(ev("0.1", "0", "main", 0, trace.ToolStart{Tool: "poke", Args: json.RawMessage(`{"a":"one two three four five","b":"six seven eight nine ten"}`)}))
	p.Emit(ev("0.1", "0", "main", 0, trace.ToolEnd{Tool: "poke", Status: "ok"}))
	want := `warning: E_DEPTH: depth depth depth
  depth depth depth depth depth depth
  depth depth depth
retrying in 0.0 s: E_MODEL model model
  model model model model model model
  model model model model
✓ poke(a: "one two three four five", b:
  "six seven eight nine ten")
`
	if d := cmp.Diff(want, view.String()); d != "" {
		t.Error(d)
	}
}

// SPEC §5: a call that was stopped or not run is shown once, with its reason.
func TestStoppedCallsSayWhy(t *testing.T) {
	var view bytes.Buffer
	p := &UI{View: &view}
	for i, status := range []string{"stopped", "not_run"} {
		id := fmt.Sprintf("0.%d", i+1)
		p.Emit(ev(id, "0", "main", 0, trace.ToolStart{Tool: "wait", Args: json.RawMessage(`{}`)}))
		p.Emit(ev(id, "0", "main", 0, trace.ToolEnd{Tool: "wait", Status: status, Error: fault.New(fault.Interrupted, "%s: interrupted", strings.ReplaceAll(status, "_", " "))}))
	}
	if d := cmp.Diff("○ wait() stopped: interrupted\n○ wait() not run: interrupted\n", view.String()); d != "" {
		t.Error(d)
	}
}

// The output ends with the cost of the run if it is known, also after an error. If it is
// not known, the output ends with the tokens only with Verbose.
func TestCostAtTheEnd(t *testing.T) {
	known := model.Usage{In: 2200, Cached: 1600, Out: 120, Cost: 3_200_000_000}
	for _, c := range []struct {
		usage          model.Usage
		quiet, verbose bool
		want           string
	}{
		{usage: known, want: "Cost: $0.0032 (2200 tokens in, 1600 of them from the cache, 120 out)\n"},
		{usage: known, quiet: true},
		{usage: model.Usage{In: 10, Out: 5, Unpriced: true}},
		{usage: model.Usage{In: 10, Out: 5, Unpriced: true}, verbose: true, want: "Used: 10 tokens in, 5 out\n"},
		{usage: model.Usage{}, verbose: true},
		{usage: model.Usage{In: 10, Out: 5, Estimated: true, Unpriced: true, Cost: 1_500_000_000_000}, want: "Cost: at least ~$1.50 (about 10 tokens in, 5 out)\n"},
	} {
		var view, answers strings.Builder
		p := &UI{View: &view, Answers: &answers, Quiet: c.quiet, Verbose: c.verbose}
		if err := p.Finish(run.Result{Status: run.OK, Output: tool.Output{Text: "Done!"}, Usage: c.usage}); err != nil || view.String() != c.want {
			t.Errorf("%+v: the view is %q, want %q: %v", c, view.String(), c.want, err)
		}
		view.Reset()
		p = &UI{View: &view, Quiet: c.quiet, Verbose: c.verbose}
		if err := p.Finish(run.Result{Status: run.Failed, Error: fault.New(fault.Budget, "no"), Usage: c.usage}); err != nil || !strings.HasSuffix(view.String(), "\n"+c.want) && c.want != "" {
			t.Errorf("%+v: after a failure the view is %q: %v", c, view.String(), err)
		}
	}
}

// If a file is written with the content that it already had, a note is shown in place of
// an empty diff.
func TestPlainUnchanged(t *testing.T) {
	var out strings.Builder
	p := &UI{View: &out}
	p.Emit(ev("0", "", "main", 0, trace.WorkerStart{}))
	p.Emit(ev("0.1", "0", "main", 0, trace.Diff{Path: "/a.txt", Before: "1", After: "1"}))
	if got := out.String(); !strings.Contains(got, "  /a.txt is unchanged\n") {
		t.Errorf("%q", got)
	}
}
