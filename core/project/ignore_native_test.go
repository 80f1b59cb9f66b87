//go:build !js

package project

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"
)

// An ignore file leaves out the same files as git does with the same text.
func TestIgnoreFileAsGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("git is not installed (.ci/setup.sh names it)")
	}
	dir := t.TempDir()
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "XDG_CONFIG_HOME="+dir, "HOME="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git("init", "--quiet")
	files := fstest.MapFS{}
	for _, below := range []string{"", "a/", "b/", "a/b/", "b/a/", "a/b/c/", "c/a/b/", "ab/"} {
		for _, name := range []string{"a.worker", "ab.worker", "x", "#x", "-", "{a,b}"} {
			files[below+name] = &fstest.MapFile{Data: []byte("instructions: x")}
			if err := os.MkdirAll(filepath.Join(dir, below), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, below, name), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	names := slices.Sorted(maps.Keys(files))
	segment := rapid.SampledFrom([]string{"a", "b", "c", "ab", "x", "*", "**", "?", "a*", "*b", "[ab]", "[!a]", "[^a]", "[[:alpha:]]", "[^[:upper:]a]", "[]a]", "[a-b-]", "[!-a-c]", "{a,b}", "***", "**b", "*.worker", "a.worker", `\#x`, `\a`, "a**", "[[:]ab]", "[a", "a[/]b", "[.-0]a", `a\ `})
	line := rapid.Custom(func(t *rapid.T) string {
		text := strings.Join(rapid.SliceOfN(segment, 1, 3).Draw(t, "segments"), "/")
		return rapid.SampledFrom([]string{"", "", "!", "#"}).Draw(t, "sign") + rapid.SampledFrom([]string{"", "/"}).Draw(t, "anchor") + text +
			rapid.SampledFrom([]string{"", "/", " ", "\r"}).Draw(t, "end")
	})
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(line, 1, 4).Draw(rt, "lines"), "\n")
		if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(text), 0o644); err != nil {
			rt.Fatal(err)
		}
		files[".golemignore"] = &fstest.MapFile{Data: []byte(text)}
		p, err := Load(Setup{FS: files, Name: "demo"})
		if err != nil {
			rt.Fatal(err)
		}
		s := p.Names.Scan("")
		var kept []string
		for _, name := range names {
			if !s.Patterns.Ignored(name, false) {
				kept = append(kept, name)
			}
		}
		var want []string
		for name := range strings.SplitSeq(git("ls-files", "-z", "--others", "--exclude-from=.gitignore"), "\x00") {
			if name != "" && name != ".gitignore" {
				want = append(want, name)
			}
		}
		if got, want := fmt.Sprint(kept), fmt.Sprint(want); got != want {
			rt.Fatalf("%q leaves\n%s\ngit leaves\n%s", text, got, want)
		}
	})
}
