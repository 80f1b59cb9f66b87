package core_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"golem/core"
	"golem/core/approval"
	"golem/core/run"
	"golem/core/trace"
	"golem/core/ui"
)

// A person's call in a chat goes through the session's gate: an answer for it also holds for the
// model's call, and the other way round. Manual tools run, ids continue, and the call is not
// part of the conversation.
func TestCallsInAChat(t *testing.T) {
	var ran atomic.Int32
	files := project("calls: [{tool: inner, args: {}}]", "say: done", "calls: [{tool: inner, args: {}}]", "say: again")
	u := &ui.Script{
		Answers: []approval.Decision{{Answer: approval.Session}},
		Inputs:  []run.Input{{Text: "/call inner"}, {Text: "go"}, {Text: "/call man {}"}, {Text: "/call nobody"}, {Text: "/call inner {\"x\": 1}"}, {Text: "go on"}},
	}
	res, events := play(t, t.Context(), files, core.Options{}, u, &ran, func(i *core.Instance, ro core.RunOptions) run.Result {
		return i.Chat(t.Context(), nil, u, ro)
	})
	want := "0.1 inner ok\n0.2 inner ok\n0.3 man ok\n0.4 nobody error E_UNKNOWN_TOOL\n0.5 inner error E_TOOL_INPUT\n0.6 inner ok"
	if res.Status != run.OK || res.Output.Text != "again" || ran.Load() != 4 || ends(events) != want || len(u.Asked()) != 1 {
		t.Errorf("%v %q, ran %d, asked %d\n%s", res.Error, res.Output.Text, ran.Load(), len(u.Asked()), ends(events))
	}
	var sources, said []string
	for _, e := range u.Events() {
		switch b := e.Body.(type) {
		case trace.Approval:
			sources = append(sources, b.Source)
		case trace.Status:
			said = append(said, b.Text)
		case trace.ModelStart:
			if b.Messages > 8 { // two exchanges with one call each
				t.Errorf("the model was sent %d messages", b.Messages)
			}
		}
	}
	if got := strings.Join(sources, " "); got != "user cache setting cache" {
		t.Errorf("approvals: %s", got)
	}
	if got := strings.Join(said, "|"); !strings.Contains(got, "inner ran|") || !strings.Contains(got, "by hand") {
		t.Errorf("said %q", got)
	}
}
