package approval

import (
	"slices"
	"testing"

	"golem/core/tool"
)

// SPEC §8: where nothing confines a command, no setting of a file, kept rule or answer for the
// session skips the question; a person's --approve-all does.
func TestUnconfinedAsksEachTime(t *testing.T) {
	run := plainTool("run_command", tool.Command)
	run.spec.Unconfined = "this system has no walls"
	file := Policy{ProjectTools: map[string]Setting{"run_command": PreApproved}, Here: Personal{Rules: []Rule{{Tool: "run_command", Decide: PreApproved, Origin: Origin{By: Person}}}}}
	p := says(t, Session, Always, Keep, Never)
	g := NewGate(Interactive, p)
	g.Rules = said{true, true, true}
	for i := range 3 {
		if !do(t, g, run, file, `{"command":"ls"}`).ran() || p.questions() != i+1 {
			t.Errorf("call %d: %d questions", i, p.questions())
		}
		r := p.asked[i]
		if slices.Contains(r.Answers, Session) || slices.Contains(r.Answers, Always) || slices.Contains(r.Answers, Keep) || r.Lasting != nil {
			t.Errorf("an answer that lasts is offered: %v", r.Answers)
		}
	}
	for range 2 { // the second time without a question
		if do(t, g, run, file, `{"command":"ls"}`).ran() || p.questions() != 4 {
			t.Error("a no is not kept")
		}
	}
	if set, _ := g.Setting(run.spec, file); set != Ask {
		t.Errorf("forecast: %s", set)
	}
	if !do(t, NewGate(ApproveAll, nil), run, Policy{}, `{"command":"ls"}`).ran() || do(t, NewGate(AutoDeny, nil), run, file, `{"command":"ls"}`).ran() {
		t.Error("a person's mode does not answer")
	}
	run.spec.Unconfined = ""
	if !do(t, g, run, file, `{"command":"pwd"}`).ran() || p.questions() != 4 {
		t.Error("what is confined asks")
	}
}
