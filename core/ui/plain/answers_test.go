package plain

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/run"
	"golem/core/tool"
	"golem/core/trace"
)

// SPEC §12: results on standard output, everything else elsewhere.
func TestAnswersGetTheAnswerAndNothingElse(t *testing.T) {
	var view, out bytes.Buffer
	p := &UI{View: &view, Answers: &out}
	for _, e := range rootEvents() {
		p.Emit(e)
	}
	if err := p.Finish(run.Result{Status: run.OK, Output: tool.Output{Text: "Done!"}}); err != nil {
		t.Fatal(err)
	}
	if out.String() != "Done!\n" {
		t.Errorf("answers: %q", out.String())
	}
	if strings.Contains(view.String(), "Done!") || !strings.Contains(view.String(), "Golem: I'll add it.") {
		t.Errorf("view:\n%s", view.String())
	}
}

// Scenario 49: images and resources in a result are shown in one line each.
func TestPartsAreTold(t *testing.T) {
	var view bytes.Buffer
	p := &UI{View: &view}
	p.Emit(ev("0.1", "0", "main", 0, trace.ToolStart{Tool: "draw", Kind: "wasm", Args: json.RawMessage(`{}`)}))
	p.Emit(ev("0.1", "0", "main", 0, trace.ToolEnd{Tool: "draw", Status: "ok", Result: json.RawMessage(`"drawn"`), Parts: []trace.Part{
		{Type: "image", MIME: "image/png", Bytes: 68, Data: "iVBO"}, {Type: "resource", MIME: "audio/ogg", Name: "so\nund\u202e.ogg", Bytes: 9},
	}}))
	if got, want := view.String(), "✓ draw()\n    [image: image/png, 68 bytes]\n    [resource so und\\u{202e}.ogg: audio/ogg, 9 bytes]\n"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestStructuredAnswerIsTheValueItself(t *testing.T) {
	var out bytes.Buffer
	p := &UI{View: io.Discard, Answers: &out}
	p.Emit(ev("0", "", "main", 0, trace.ModelEnd{Text: "```json\n{\"score\":3}\n```"}))
	if err := p.Finish(run.Result{Status: run.OK, Output: tool.Output{Kind: "json", Data: json.RawMessage(`{"score":3}`)}}); err != nil {
		t.Fatal(err)
	}
	if out.String() != "{\"score\":3}\n" {
		t.Errorf("answers: %q", out.String())
	}
}

// docs/cli.md: an answer has no escape sequence, on a terminal or in a pipe.
func TestAnswersEndTheirLineAndSpareATerminal(t *testing.T) {
	for _, c := range []struct {
		answer, want string
		shield       bool
	}{{"a\n", "a\n", false}, {"", "", false}, {"\x1b[2Jx", "\\u{1b}[2Jx\n", false}, {"\x1b[2Jx", "\\u{1b}[2Jx\n", true}} {
		var out bytes.Buffer
		p := &UI{View: io.Discard, Answers: &out, Shield: c.shield}
		p.Emit(ev("0", "", "main", 0, trace.ModelEnd{Text: c.answer}))
		if err := p.Finish(run.Result{Status: run.OK, Output: tool.Output{Text: c.answer}}); err != nil || out.String() != c.want {
			t.Errorf("%q: %q, %v; want %q", c.answer, out.String(), err, c.want)
		}
	}
}

func TestFailedRunHasNoAnswer(t *testing.T) {
	var view, out bytes.Buffer
	p := &UI{View: &view, Answers: &out}
	p.Emit(ev("0", "", "main", 0, trace.ModelEnd{Text: "not json"}))
	if err := p.Finish(run.Result{Status: run.Failed, Error: fault.New(fault.OutputSchema, "no fit")}); err != nil {
		t.Fatal(err)
	}
	if out.Len() != 0 || !strings.Contains(view.String(), "E_OUTPUT_SCHEMA: no fit") {
		t.Errorf("answers %q, view %q", out.String(), view.String())
	}
}
