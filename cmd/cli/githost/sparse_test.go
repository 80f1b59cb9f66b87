package githost

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A push to a sparse checkout keeps the entries of the index that git skips, and writes no
// file that the checkout leaves out. A directory that a sparse index has as one entry is
// refused.
func TestGitPushToASparseCheckout(t *testing.T) {
	t.Parallel()
	y := newStateYard(t, map[string]string{"a": "1\n", "d/b": "2\n", "e/c": "3\n", "e/f/g": "4\n"})
	y.git("", "sparse-checkout", "set", "d")
	if err := y.push(map[string]string{"a": "new\n", "e/c": "left out\n"}); err != nil {
		t.Fatal(err)
	}
	y.same("files", y.git("", "ls-files", "-t"), "H a\nH d/b\nS e/c\nS e/f/g\n")
	y.same("git status", y.git("", "status", "--porcelain"), "")
	y.same("content", y.git("", "show", "HEAD:e/c"), "left out\n")
	if _, err := os.Stat(filepath.Join(y.dir, "e/c")); !os.IsNotExist(err) {
		t.Errorf("the file was written: %v", err)
	}
	y.git("", "sparse-checkout", "reapply", "--sparse-index")
	if err := y.push(map[string]string{"a": "newer\n"}); err != nil {
		t.Fatal(err)
	}
	y.same("files", y.git("", "ls-files", "-t", "--sparse"), "H a\nH d/b\nS e/\n")
	y.same("git status", y.git("", "status", "--porcelain"), "")
	tip := y.git("", "rev-parse", "HEAD")
	if err := y.push(map[string]string{"e/c": "x\n"}); err == nil || !strings.Contains(err.Error(), "sparse index") {
		t.Errorf("a file in a directory of a sparse index: %v", err)
	}
	y.same("tip", y.git("", "rev-parse", "HEAD"), tip)
}
