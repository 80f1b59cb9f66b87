//go:build !js

package gitglob_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golem/core/gitglob"
)

// golem ignores the same paths as git, for random patterns: brackets with slashes, classes,
// ranges and escapes, stars in each place, bytes that are no characters.
func TestAsGit(t *testing.T) {
	dir := t.TempDir()
	git := func(in string, args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(in)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "HOME="+dir)
		out, err := cmd.Output()
		if failed, ok := err.(*exec.ExitError); ok && failed.ExitCode() > 1 || err != nil && !ok {
			t.Fatalf("git %v: %v\n%s", args, err, failed.Stderr)
		}
		return string(out)
	}
	git("", "init", "-q")
	pieces := []string{"a", "b", "ab", "foo", "A", "é", "-", "]", "[", "[a", "[]", "[/]", "[!/]", "[a/b]", "[+-9]", "[[:]ab]", "[[:alpha:]]", "[[:alpha:]-z]", "[^[:upper:]a]", "[[:x:]]", "[]a]", "[!]a]", "[a-]", "[-a]", "[b-a]",
		`[\]]`, `[a\-z]`, `[\a-b]`, "[A-Z]", "[a[:digit:]", "[é]", "?", "??", "*", "**", "***", "/", "/", "/", "/**", "**/", `\a`, `\*`, `\/`, `\\`, `\`, " ", `\ `, "{a,b}", "!", "#", ".", "keep.txt"}
	atoms := []string{"a", "b", "ab", "foo", "A", "é", "-", "]", "[", "/", "/", "/", ":", ".", "z", "5", "*", " ", "{a,b}", "keep.txt"}
	random := rand.New(rand.NewPCG(1, 2))
	joined := func(list []string, most int) (out string) {
		for range 1 + random.IntN(most) {
			out += list[random.IntN(len(list))]
		}
		return out
	}
	ignoredNames := 0
	for round := range 40 {
		fold := round%4 == 0
		git("", "config", "core.ignorecase", fmt.Sprint(fold))
		names := []string{"a/b/foo", "foo/keep.txt", "foo/a/keep.txt", "ab", "A"}
		for len(names) < 60 {
			if name := joined(atoms, 6); filepath.Clean("/"+name) == "/"+name && name != "." && name[0] != ':' {
				names = append(names, name)
			}
		}
		for range 20 {
			line := joined(pieces, 5)
			if err := os.WriteFile(filepath.Join(dir, ".git", "info", "exclude"), []byte(line+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			said := map[string]bool{}
			for name := range strings.SplitSeq(git(strings.Join(names, "\x00")+"\x00", "check-ignore", "--no-index", "-z", "--stdin"), "\x00") {
				said[name] = true
			}
			p, ok, err := gitglob.ParseIgnore(line, fold)
			for _, name := range names {
				ignored := false
				if ok && err == nil && !p.Included {
					ignored = p.Match(name, false)
					for i := range len(name) {
						ignored = ignored || name[i] == '/' && p.Match(name[:i], true)
					}
				}
				if ignored {
					ignoredNames++
				}
				if ignored != said[name] {
					t.Errorf("%q, %q, fold %v: %v, git says %v (%v)", line, name, fold, ignored, said[name], err)
				}
			}
		}
	}
	if ignoredNames < 1000 {
		t.Errorf("only %d names are ignored", ignoredNames)
	}
}
