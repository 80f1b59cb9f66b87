package docs_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestFirstBlocksRun tests that the first commands of the pages about the command line, traces
// and schemas work when they are pasted, in the order of the pages.
func TestFirstBlocksRun(t *testing.T) {
	dir := checkout(t)
	first := func(name string) string {
		b := block.FindStringSubmatch(page(t, name))
		if b == nil || b[1] != "sh" {
			t.Fatalf("%s does not begin with commands", name)
		}
		return "export PATH=" + filepath.Join(dir, "bin") + ":$PATH\n" + b[2]
	}
	for _, c := range []struct{ page, dir, want string }{
		{"cli.md", dir, "0 errors, 0 warnings"},
		{"cli/looking.md", filepath.Join(dir, "notes"), "asks: write_file"},
		{"trace.md", filepath.Join(dir, "notes"), "What is in input?"},
	} {
		if out := shell(t, c.dir, first(c.page)); !strings.Contains(out, c.want) {
			t.Errorf("%s: there is no %q in\n%s", c.page, c.want, out)
		}
	}
}
