package ui

import (
	"errors"
	"strings"
	"testing"

	"golem/core/approval"
	"golem/core/fault"
)

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
	for _, line := range []string{"/nonsense", "/compact but shorter", "/quit now"} {
		if _, err := ParseCommand(line); !errors.Is(err, fault.Usage) {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// An unknown command is answered with a command that is nearly the same, but where there is no
// command line, not with one that needs it.
func TestUnknownCommand(t *testing.T) {
	for line, hints := range map[string][2]string{
		"/resum": {"did you mean /resume", "/help lists"}, "/expor": {"did you mean /export", "/help lists"},
		"/hlep": {"did you mean /help", "did you mean /help"}, "/nonsense": {"/help lists", "/help lists"},
	} {
		for i, host := range []bool{true, false} {
			_, err := ParseCommandFor(line, host)
			if !strings.Contains(err.Error(), hints[i]) || !strings.Contains(err.Error(), "begin with //") {
				t.Errorf("%s, host %v: %v", line, host, err)
			}
		}
	}
}
