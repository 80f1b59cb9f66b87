package ui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/trace"
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
	p := &Plain{View: &view, Answers: &out, Input: &queue{"hello", "", "  ", "/new", "bad"}}
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
	p.Emit(ev("0", "", "main", 0, trace.Status{Text: CommandHelp(false), Level: "info"}))
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

func TestScriptAnswersByCall(t *testing.T) {
	s := &Script{
		ByCall:  map[string][]approval.Decision{"0.2": {{Answer: approval.No, Reason: "because"}}},
		Answers: []approval.Decision{{Answer: approval.Yes}},
	}
	ask := func(call string) (approval.Decision, error) {
		return s.Approve(t.Context(), approval.Request{ID: "r" + call, Call: call})
	}
	if d, err := ask("0.2"); err != nil || d != (approval.Decision{ID: "r0.2", Answer: approval.No, Reason: "because"}) {
		t.Error(d, err)
	}
	if d, err := ask("0.9"); err != nil || d.Answer != approval.Yes {
		t.Error(d, err)
	}
	if _, err := ask("0.9"); !errors.Is(err, approval.ErrNobody) {
		t.Error(err)
	}
	if len(s.Asked()) != 3 {
		t.Error(s.Asked())
	}
}

func TestParseCommand(t *testing.T) {
	for line, want := range map[string]Command{
		"hello": {Arg: "hello"}, "/new": {Name: New}, " /NEW ": {Name: New}, "/SET  a b ": {Name: Set, Arg: "a b"}, "/quit": {Name: Exit},
		"/": {Arg: "/"}, "/etc/passwd": {Arg: "/etc/passwd"}, "//new": {Arg: "/new"}, "/a.go": {Arg: "/a.go"},
		"/help": {Name: Help}, "/tools": {Name: Tools}, "": {},
	} {
		got, err := ParseCommand(line)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", line, got, err, want)
		}
	}
	for _, line := range []string{"/nonsense", "/again but shorter", "/quit now"} {
		if _, err := ParseCommand(line); !errors.Is(err, fault.Usage) {
			t.Errorf("%q: %v", line, err)
		}
	}
}
