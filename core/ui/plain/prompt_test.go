package plain

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"golem/core/trace"
	"golem/core/ui"
)

type queue []string

func (q *queue) Line(context.Context) (string, error) {
	if len(*q) == 0 {
		return "", io.EOF
	}
	line := (*q)[0]
	*q = (*q)[1:]
	return line, nil
}

// Scenario 31, the front end's part: answers are printed one by one, empty lines are
// skipped, and the end of input ends the chat.
func TestPromptReadsMessagesAndDeliversAnswers(t *testing.T) {
	var view, out bytes.Buffer
	p := &UI{View: &view, Answers: &out, Input: &queue{"hello", "", "  ", "/new", "bad"}}
	next := func(want string) {
		t.Helper()
		in, err := p.Prompt(t.Context())
		if err != nil || in.Text != want {
			t.Fatalf("%q, %v; want %q", in.Text, err, want)
		}
	}
	next("hello")
	p.Emit(ev("0", "", "main", 0, trace.ModelEnd{Text: "hi"}))
	next("/new")
	if out.String() != "hi\n" {
		t.Errorf("answers: %q", out.String())
	}
	p.Emit(ev("0", "", "main", 0, trace.Status{Text: ui.CommandHelp(false), Level: "info"}))
	next("bad")
	p.Emit(ev("0", "", "main", 0, trace.ModelEnd{Text: "not to be told"}))
	p.Emit(ev("0", "", "main", 0, trace.Status{Text: "E_OUTPUT_SCHEMA: no fit", Level: "error"}))
	if _, err := p.Prompt(t.Context()); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if out.String() != "hi\n" || strings.Contains(view.String(), "> ") {
		t.Errorf("answers: %q, view: %q", out.String(), view.String())
	}
	if !strings.Contains(view.String(), "\n/tools ") || !strings.HasSuffix(view.String(), "error: E_OUTPUT_SCHEMA: no fit\n") {
		t.Errorf("view:\n%s", view.String())
	}
}
