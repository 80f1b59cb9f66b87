package core_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"golem/core"
	"golem/core/approval"
	"golem/core/trace"
	"golem/core/ui"
)

// S4-33: progress events report each call of a worker, from pending to its end, with the
// child's own id and its task.
func TestProgress(t *testing.T) {
	files := project(
		`calls: [{tool: helper, args: {input: "one\ntwo"}}, {tool: helper, args: {input: fail}}, {tool: nope, args: {}}, {tool: helper, args: {}}]`,
		"say: done")
	files["main.worker"] = "---\nallow_workers: [helper]\ndelegation: {parallel: 1}\n---\nM.\n"
	files["s.yaml"] = strings.Replace(files["s.yaml"], "  helper:\n", "  helper:\n    - when: {text: fail}\n      fail: {status: 401}\n", 1)
	synctest.Test(t, func(t *testing.T) {
		u := &ui.Script{}
		play(t, t.Context(), files, core.Options{}, u, nil, nil)
		var got []string
		for _, e := range u.Events() {
			if p, ok := e.Body.(trace.Progress); ok {
				got = append(got, fmt.Sprintf("%s in %s, depth %d: %s %s %q", e.ID, e.Parent, e.Depth, p.Description, p.Status, p.Task))
			}
		}
		slices.SortStableFunc(got, func(a, b string) int { return strings.Compare(a[:3], b[:3]) })
		want := []string{
			`0.1 in 0, depth 1: helper running "one two"`,
			`0.1 in 0, depth 1: helper complete "one two"`,
			`0.2 in 0, depth 1: helper pending "fail"`,
			`0.2 in 0, depth 1: helper running "fail"`,
			`0.2 in 0, depth 1: helper failed "fail"`,
			`0.4 in 0, depth 1: helper pending ""`,
			`0.4 in 0, depth 1: helper failed ""`,
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// SPEC §5: children that run in parallel use the root's turns, and one question about more
// turns is enough for all of them.
func TestChildrenAskOnceForMoreTurns(t *testing.T) {
	calls := strings.Repeat("{tool: helper, args: {input: x}}, ", 8)
	files := project("calls: ["+calls+"]", "say: done")
	files["main.worker"] = "---\nallow_workers: [helper]\nlimits: {turns: 3}\n---\nM.\n"
	files["workers/helper.worker"] = "---\ntoolsets: {lab: {}}\n---\nH.\n"
	files["s.yaml"] = strings.Replace(files["s.yaml"], "  helper:\n", "  helper:\n    - calls: [{tool: nothing, args: {}}]\n", 1)
	yes := approval.Decision{Answer: approval.Yes}
	synctest.Test(t, func(t *testing.T) {
		u := &ui.Script{Answers: slices.Repeat([]approval.Decision{yes}, 20)}
		res, _ := play(t, t.Context(), files, core.Options{}, u, nil, nil)
		// 2 requests of the root and 16 of its children, 3 at a time.
		if res.Output.Text != "done" || len(res.Failed) > 0 || len(u.Asked()) != 5 {
			t.Errorf("%q, failed %v, asked %d times", res.Output.Text, res.Failed, len(u.Asked()))
		}
	})
}
