//go:build !js

package gitrepo

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// golem finds the filter of a file as git does, for random patterns, macros and
// directories.
func TestGitAttributesAsGit(t *testing.T) {
	patterns := []string{"*.bin", "a.bin", "/a.bin", "d/*.bin", "d/**", "**/e/*", "**/a.bin", "d/**/f.bin", "[ab].bin", "[!a].bin", "[a-c]*", "?.bin", "*", "\"a b.bin\"", "d", "d/", "!a.bin", "\\a.bin", "[[:alpha:]].bin", "[", "*.[", "a**n", "**", "[]a].bin", "x[-]y", "[a\\]b].bin", "ü*", "A.BIN", "*/f.bin", "/**/f.bin", "***/a.bin"}
	values := []string{"filter=lfs", "-filter", "!filter", "filter", "text", "m", "-m", "!m", "m=x", "n", "-text", "working-tree-encoding=UTF-16"}
	names := []string{"a.bin", "b.bin", "a b.bin", "x", "d/a.bin", "d/f.bin", "d/e/f.bin", "d/e/a.bin", "e/x", "x-y", "].bin", "ü.bin", "d/e/g/a.bin", "c", "an"}
	git := func(dir string, args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "HOME="+dir)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 7))
		dir := t.TempDir()
		git(dir, "init", "-q")
		git(dir, "config", "core.ignorecase", fmt.Sprint(seed%5 == 0))
		texts := map[string]string{}
		for _, file := range []string{".gitattributes", "d/.gitattributes", "d/e/.gitattributes", ".git/info/attributes"} {
			var b strings.Builder
			if !strings.HasPrefix(file, "d") {
				fmt.Fprintf(&b, "[attr]m %s %s\n", values[random.IntN(4)], values[random.IntN(len(values))])
				fmt.Fprintf(&b, "[attr]n m %s\n", values[random.IntN(4)])
			}
			for range random.IntN(6) {
				fmt.Fprintf(&b, "%s %s %s\n", patterns[random.IntN(len(patterns))], values[random.IntN(len(values))], values[random.IntN(len(values))])
			}
			texts[file] = b.String()
			full := filepath.Join(dir, filepath.FromSlash(file))
			if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(full, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		a := &gitAttributes{dirs: map[string][]*attributeLine{}, macros: map[string][]string{}, fold: seed%5 == 0}
		a.file = func(name string) ([]byte, error) {
			if text, has := texts[name]; has {
				return []byte(text), nil
			}
			return nil, fs.ErrNotExist
		}
		if _, err := a.load("."); err != nil {
			t.Fatal(err)
		}
		var err error
		if a.info, err = a.parse([]byte(texts[".git/info/attributes"]), true); err != nil {
			t.Fatal(err)
		}
		said := strings.Split(git(dir, append([]string{"check-attr", "-z", "filter", "working-tree-encoding", "--"}, names...)...), "\x00")
		for n, name := range names {
			got, err := a.attributeOf(name)
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			for k, key := range converting {
				value := said[(2*n+k)*3+2]
				if want == "" && value != "unspecified" && value != "set" && value != "unset" {
					want = key + "=" + value
				}
			}
			if got != want {
				t.Errorf("seed %d, %s: %q, git says %q\n%v", seed, name, got, want, texts)
			}
		}
	}
}
