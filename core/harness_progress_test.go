package core_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"golem/core"
	"golem/core/trace"
	"golem/core/ui"
)

// Borders, S4-33: progress tells of each worker's call under the child's own
// id, with its task, from waiting to its end.
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
