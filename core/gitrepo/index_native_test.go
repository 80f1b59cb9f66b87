//go:build !js

package gitrepo

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// golem reads an index of each version that git wrote, and git reads the same entries and
// flags from the index that golem writes. A damaged index does not make golem panic.
func TestGitIndexAsGit(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "HOME="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git("init", "--quiet")
	for _, name := range []string{"a", "b", "d/" + strings.Repeat("long", 40), "d/e/f", "new", "ü"} {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	git("add", "a", "b", "d", "ü")
	git("update-index", "--assume-unchanged", "a")
	file := filepath.Join(dir, ".git", "index")
	for _, step := range [][]string{{"update-index", "--index-version", "2"}, {"write-tree"}, {"add", "-N", "new"}, {"update-index", "--skip-worktree", "b"}, {"update-index", "--index-version", "4"}} {
		git(step...)
		want := git("ls-files", "--stage", "-v", "--debug")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list, ok := parseIndex(data)
		if !ok {
			t.Fatalf("after %v golem cannot read the index", step)
		}
		if err := os.WriteFile(file, list.encode(), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := git("ls-files", "--stage", "-v", "--debug"); got != want {
			t.Errorf("after %v:\n%s\ninstead of\n%s", step, got, want)
		}
		for n := range data { // the checksum is left out as git may do, so that the damage is reached
			bad := append(bytes.Clone(data[:len(data)-20]), make([]byte, 20)...)
			bad[n%(len(data)-20)] ^= 0xff
			if list, ok := parseIndex(bad); ok {
				_ = list.encode()
			}
			parseIndex(append(bytes.Clone(data[:n]), make([]byte, 20)...))
		}
	}
}
