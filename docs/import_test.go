package docs_test

import (
	"strings"
	"testing"
)

// TestImportPageRuns tests that the first block of import.md works when it is pasted.
func TestImportPageRuns(t *testing.T) {
	commands := block.FindStringSubmatch(page(t, "import.md"))
	if commands == nil || commands[1] != "sh" {
		t.Fatal("the page does not begin with commands")
	}
	out := shell(t, checkout(t), commands[2])
	for _, want := range []string{"app-workers: a project with 1 worker: reviewer", "permissionMode: imported agents approve nothing", "golem check: 0 errors", "read_file"} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %q in\n%s", want, out)
		}
	}
}
