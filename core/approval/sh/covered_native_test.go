//go:build unix

package sh

import (
	"context"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golem/core/tool"
)

// covers reports whether a pattern with a wildcard can allow a command.
func covers(words []string) bool {
	c := make(tool.SimpleCommand, len(words))
	for i, w := range words {
		c[i].Text = w
	}
	return harmless(c, words)
}

// repository makes a directory with a repository, a Makefile and a program ./x. When ./x runs,
// it makes the file trap.
func repository(t *testing.T) (dir, trap string, env []string) {
	t.Helper()
	dir, trap = t.TempDir(), filepath.Join(t.TempDir(), "ran")
	env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TERM=dumb", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b", "GIT_EDITOR=false"}
	for name, text := range map[string]string{"x": "#!/bin/sh\n: > '" + trap + "'\n", "a": "foo\nbar\n", "Makefile": "all:\n\t@true\n", "go.mod": "module m\n", "m.go": "package m\n", "m_test.go": "package m\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{"git init -q", "git add .", "git commit -qm foo", "git tag v1"} {
		words := strings.Fields(line)
		cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
		cmd.Dir, cmd.Env = dir, env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v %s", line, err, out)
		}
	}
	signed(t, dir, env)
	return dir, trap, env
}

// signed makes a signed commit the newest one, and ./x the program that checks signatures.
func signed(t *testing.T, dir string, env []string) {
	t.Helper()
	git := func(input string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir, cmd.Env, cmd.Stdin = dir, env, strings.NewReader(input)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	text := git("", "cat-file", "commit", "HEAD")
	head, body, _ := strings.Cut(text, "\n\n")
	id := git(head+"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n"+body+"\n", "hash-object", "-t", "commit", "-w", "--stdin")
	git("", "reset", "-q", "--hard", id)
	git("", "config", "gpg.program", "./x")
	git("", "config", "pretty.mine", "%G?")
}

// inDirectory lists the files in a directory, without git's own.
func inDirectory(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		}
		out = append(out, p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// longOptions returns names of options, harmless and dangerous ones.
func longOptions() []string {
	out := strings.Fields("open-files-in-pager output ext-diff textconv no-index exec upload-pack contents edit-description delete move copy format file compress-program pre search-zip paginate compile eval directory patch exclude-from")
	for _, p := range programs {
		for _, w := range strings.Fields(p.words) {
			out = append(out, strings.Trim(w, "-="))
		}
	}
	return out
}

// anyWord returns a random word: an operand, a long option (complete or abbreviated), or
// option letters, with and without a value.
func anyWord(r *rand.Rand, long []string) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	switch r.IntN(8) {
	case 0:
		return one("foo", "a", "HEAD", "all", ".", "y", "--", "-", "-exec", "-o", "-O", "SHELL=./x", "-delete", "-name", "-fprint", "HEAD:a", "--format=%G?", "--format=%h% GS", "--pretty=%+GK", "--pretty=mine", "--format=mine", "--format=%(signature)", "%(signature:grade)", "--sort=signature", "--format=tformat:%GF", "--format", "--pretty", "--show-signature")
	case 1:
		return "./x"
	case 2, 3:
		o := one(long...)
		return "--" + o[:1+r.IntN(len(o))] + one("", "=./x", "=y", "=")
	}
	w := "-"
	for range 1 + r.IntN(3) {
		w += string(letters[r.IntN(len(letters))])
	}
	return w + one("", "", "./x", "y", "1")
}

// SECURITY 20, with the programs of this machine: with all options that a wildcard covers, in
// every spelling, they start no program of the project and leave no file.
func TestCoveredOptionsStartNothing(t *testing.T) {
	dir, trap, env := repository(t)
	was := inDirectory(t, dir)
	begins := []string{"git grep", "git log", "git show", "git diff", "git blame", "git branch", "git tag", "git ls-files", "git ls-tree", "git status", "git stash show", "git shortlog", "git rev-list", "git rev-parse", "git describe", "git for-each-ref", "git reflog", "git remote", "git cat-file", "git merge-base", "git worktree list", "find", "sort", "grep", "diff", "uniq", "file", "tree", "rg", "make", "gofmt"}
	begins = slices.DeleteFunc(begins, func(b string) bool {
		_, err := exec.LookPath(strings.Fields(b)[0])
		return err != nil
	})
	r := rand.New(rand.NewPCG(8, 20))
	long := longOptions()
	tries, runs := 40_000, 80
	if os.Getenv("GOLEM_RULE_RUNS") != "" {
		tries, runs = 40_000_000, 20_000
	}
	covered := 0
	for range tries {
		words := strings.Fields(begins[r.IntN(len(begins))])
		for range 1 + r.IntN(4) {
			words = append(words, anyWord(r, long))
		}
		if !covers(words) {
			continue
		}
		if covered++; covered > runs {
			break
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		cmd := exec.CommandContext(ctx, words[0], words[1:]...)
		cmd.Dir, cmd.Env = dir, env
		_ = cmd.Run() // a program that refuses its options has done nothing
		cancel()
		if _, err := os.Stat(trap); err == nil {
			t.Fatalf("%q started ./x", words)
		}
		if is := inDirectory(t, dir); !slices.Equal(is, was) {
			t.Fatalf("%q left %q", words, is)
		}
	}
	if covered < runs/2 {
		t.Errorf("only %d of the commands were covered: the test tries nothing", covered)
	}
}

// These spellings start ./x on this machine: the test shows that they are really dangerous.
func TestSpellingsThatStartPrograms(t *testing.T) {
	dir, trap, env := repository(t)
	started := 0
	for _, line := range []string{
		"git grep --open-files-in-pager=./x foo", "git grep --open=./x foo", "git grep --op=./x foo", "git grep -O./x foo", "git grep -nO./x foo", "git grep -e foo -O./x",
		"git fetch --upload-pack=./x .", "git fetch --upload-p=./x .", "git fetch --upl ./x .", "git pull --upload-p=./x . HEAD", "git clone -u ./x . y", "git clone -u./x . y", "git clone --upl=./x . y", "git ls-remote --upload-pack=./x .", "git ls-remote --exec=./x .", "git push --receive-p=./x . HEAD:y", "git push --exe=./x . HEAD:y",
		"git log --format=%G?", "git log --pretty=%GK", "git log -1 --pretty=%+GS", "git show --format=%GS", "git reflog show --format=%G?", "git reflog --format=%G?", "git log --format=mine", "git log --pretty=mine", "git show -s --pretty=mine", "git rev-list --format=%G? HEAD", "git log --show-signature", "git stash list --format=%G?", "git shortlog --format=%G? HEAD", "git rev-list --pretty=mine HEAD", "git log --format=tformat:%x20%GP",
		"git rebase -x ./x --root", "git rebase --exe ./x --root", "git -c core.fsmonitor=./x status", "git -c alias.y=!./x y",
		"find . -exec ./x ;", "find . -name x -execdir ./x ;", "make SHELL=./x", "make all SHELL=./x", "go vet -vettool=./x .",
	} {
		words := strings.Fields(line)
		if _, err := exec.LookPath(words[0]); err != nil {
			continue
		}
		if covers(words) {
			t.Errorf("%q is covered", line)
		}
		_ = os.Remove(trap)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		cmd := exec.CommandContext(ctx, words[0], words[1:]...)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		cancel()
		if _, ran := os.Stat(trap); ran == nil {
			started++
			continue
		}
		t.Logf("%s does not start ./x here: %v %.60q", line, err, out)
	}
	if started < 10 {
		t.Errorf("only %d started ./x: the test tries nothing", started)
	}
}
