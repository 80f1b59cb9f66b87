package project

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A pattern that cannot be read is a fault with its line, and the other patterns count.
func TestIgnoreFilePatternsThatCannotBeRead(t *testing.T) {
	p := open(t, demo("\n-- main.worker --\ninstructions: hi\n-- workers/a.worker --\ninstructions: hi\n-- workers/b.worker --\ninstructions: hi\n-- .golemignore --\n[[:letter:]]\n[a\n"+strings.Repeat("x", 5000)+"\nb.worker\n"))
	rows, faults := p.Workers.List()
	var got []string
	for _, r := range rows {
		got = append(got, r.ID)
	}
	for _, f := range faults {
		got = append(got, f.Error())
	}
	want := []string{
		"a", "main",
		".golemignore:1:1: E_CONFIG: the pattern cannot be read: git has no character class of this name",
		".golemignore:2:1: E_CONFIG: the pattern cannot be read: the bracket [ is not closed",
		".golemignore:3:1: E_CONFIG: the pattern cannot be read: it is longer than 4096 bytes",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// If an ignore file names a directory of workers, everything in the directory is left
// out.
func TestIgnoreFileLeavesOutARoot(t *testing.T) {
	for _, pattern := range []string{"workers/", "workers", "/workers/", "w*", "/*\n!/main.worker"} {
		p := open(t, demo("\n-- main.worker --\ninstructions: hi\n-- workers/a/b.worker --\ninstructions: hi\n-- .golemignore --\n"+pattern+"\n"))
		if rows, faults := p.Workers.List(); len(rows) != 1 || len(faults) != 0 {
			t.Errorf("%q leaves %v, %v", pattern, rows, faults)
		}
	}
}
