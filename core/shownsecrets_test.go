package core_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"golem/core"
	"golem/core/approval"
	"golem/core/trace"
	"golem/core/ui"
)

// noting says yes, and notes what it was shown.
type noting struct {
	ui.Script
	asked []approval.Request
}

// Approve notes the request.
func (n *noting) Approve(_ context.Context, r approval.Request) (approval.Decision, error) {
	n.asked = append(n.asked, r)
	return approval.Decision{ID: r.ID, Answer: approval.Yes}, nil
}

// A question shows what will be written: no value in its arguments and its diff is
// replaced, while the trace has none of it (SECURITY 9, 16).
func TestQuestionsShowWhatIsWritten(t *testing.T) {
	const key = "sk-secret-0123456789"
	files := project(`calls: [{tool: write_file, args: {path: /a.txt, content: "Install `+key+` with care"}}]`, "say: done")
	files["main.worker"] = "---\ntoolsets: {filesystem: {approval: {default: ask}}}\n---\nM.\n"
	person := &noting{}
	var ran atomic.Int32
	_, events := play(t, t.Context(), files, core.Options{}, person, &ran, nil)
	if len(person.asked) != 1 || !strings.Contains(person.asked[0].Diff, key) || !strings.Contains(string(person.asked[0].Args), key) || strings.Contains(person.asked[0].Diff, trace.Redacted) {
		t.Errorf("%+v", person.asked)
	}
	all, err := json.Marshal(events)
	if err != nil || strings.Contains(string(all), key) || !strings.Contains(string(all), trace.Redacted) {
		t.Errorf("%v: the trace has the key: %s", err, all)
	}
}
