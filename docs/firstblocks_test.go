package docs_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestFirstBlocksRun tests that the first commands of the pages about the command line and traces
// work when they are pasted, in the order of the pages.
func TestFirstBlocksRun(t *testing.T) {
	dir := checkout(t)
	commands := func(name string, n int) string {
		b := block.FindAllStringSubmatch(page(t, name), -1)
		if len(b) <= n || b[n][1] != "sh" {
			t.Fatalf("block %d of %s does not have commands", n, name)
		}
		return "export PATH=" + filepath.Join(dir, "bin") + ":$PATH\n" + b[n][2]
	}
	for _, c := range []struct {
		page      string
		n         int // of the block
		dir, want string
	}{
		{"cli.md", 0, dir, "0 errors, 0 warnings"},
		{"cli.md", 1, dir, "asks: write_file"},
		{"trace.md", 0, filepath.Join(dir, "notes"), "What is in input?"},
	} {
		if out := shell(t, c.dir, commands(c.page, c.n)); !strings.Contains(out, c.want) {
			t.Errorf("%s: there is no %q in\n%s", c.page, c.want, out)
		}
	}
}
