package acpcmd

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// others are the tools that editors are shown as other, because the protocol has no kind for
// what they do.
var others = strings.Fields("git_status git_diff git_log git_show git_blame git_branches git_commit git_clone run_skill_script stop_command stage push discard defer")

// TestEveryToolHasAKind tests that each tool of golem that docs/reference/tools.md lists, which a
// program writes, has a kind of the protocol or is one of the others.
func TestEveryToolHasAKind(t *testing.T) {
	page, err := os.ReadFile("../../../docs/reference/tools.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for section := range strings.SplitSeq(string(page), "\n## ") {
		if strings.HasPrefix(section, "workers\n") { // their names are those of workers
			continue
		}
		for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(section, -1) {
			names = append(names, m[1])
		}
	}
	if len(names) < 20 {
		t.Fatalf("only %d tools were found", len(names))
	}
	for _, name := range names {
		if _, ok := kinds[name]; ok == slices.Contains(others, name) {
			t.Errorf("%s: name its kind in kinds in cmd/cli/acpcmd/calls.go, or add it to others in calls_test.go", name)
		}
	}
	for name := range kinds {
		if !slices.Contains(names, name) {
			t.Errorf("kinds has %s, which golem does not have", name)
		}
	}
}
