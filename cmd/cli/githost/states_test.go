package githost

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golem/core/clearance"
	"golem/core/gitrepo"
	"golem/core/tool"
	"golem/sandbox/osfs"
)

// newStateYard is a project with a repository that git made, with a first commit of
// these files.
func newStateYard(t *testing.T, files map[string]string) *randomYard {
	y := &randomYard{gitYard: newGitYard(t), t: t}
	if err := os.RemoveAll(filepath.Join(y.dir, ".git")); err != nil {
		t.Fatal(err)
	}
	y.git("", "init", "-q", "-b", "main")
	for key, value := range map[string]string{"user.name": "a", "user.email": "a@example.com"} {
		y.git("", "config", key, value)
	}
	for name, text := range files {
		y.write(name, text)
	}
	y.git("", "add", ".")
	y.git("", "commit", "-q", "-m", "first")
	return y
}

func (y *randomYard) write(name, text string) {
	y.t.Helper()
	full := filepath.Join(y.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		y.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		y.t.Fatal(err)
	}
}

// states compares git_status, without its first line.
func (y *randomYard) states(what, want string) {
	y.t.Helper()
	_, said, _ := strings.Cut(y.says("git_status", map[string]any{}), "\n")
	y.same(what, said, want)
}

// Files that a sparse checkout leaves out are not removed, in an index of files and in a
// sparse one.
func TestGitStatusOfASparseCheckout(t *testing.T) {
	t.Parallel()
	y := newStateYard(t, map[string]string{"a": "1\n", "d/b": "2\n", "e/c": "3\n", "e/f/g": "4\n"})
	y.git("", "sparse-checkout", "set", "d")
	y.states("sparse", "nothing differs from the last commit\nsparse checkout: 2 files are not in the working tree\n")
	y.same("diff", y.says("git_diff", map[string]any{}), "nothing differs")
	y.write("a", "changed\n")
	y.write("e/c", "mine\n")
	y.states("changed", "changed: /a\nskip-worktree, changed: /e/c\nsparse checkout: 1 files are not in the working tree\n")
	y.git("", "checkout", "-q", "a")
	if err := os.RemoveAll(filepath.Join(y.dir, "e")); err != nil {
		t.Fatal(err)
	}
	y.git("", "sparse-checkout", "reapply", "--sparse-index")
	if list := y.git("", "ls-files", "--sparse"); !strings.Contains(list, "e/\n") {
		t.Fatalf("the index is not sparse:\n%s", list)
	}
	y.states("sparse index", "nothing differs from the last commit\nsparse checkout: 2 files are not in the working tree\n")
	y.git("", "sparse-checkout", "disable")
	y.git("", "update-index", "--skip-worktree", "d/b")
	if err := os.Remove(filepath.Join(y.dir, "d/b")); err != nil {
		t.Fatal(err)
	}
	y.states("skip-worktree", "nothing differs from the last commit\nsparse checkout: 1 files are not in the working tree\n")
}

// A file of Git LFS is clean if it is the one to which its pointer leads, also a large
// one, and otherwise compared by its pointer.
func TestGitStatusOfLFS(t *testing.T) {
	t.Parallel()
	pointer := func(text string) string {
		return fmt.Sprintf("version https://git-lfs.github.com/spec/v1\noid sha256:%x\nsize %d\n", sha256.Sum256([]byte(text)), len(text))
	}
	large := strings.Repeat("large\n", 1<<20)
	y := newStateYard(t, map[string]string{".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "a.bin": pointer("abc\n"), "l.bin": pointer(large), "p.bin": pointer("p")})
	y.write("a.bin", "abc\n")
	y.write("l.bin", large)
	y.states("clean", "nothing differs from the last commit\n")
	y.same("diff", y.says("git_diff", map[string]any{}), "nothing differs")
	y.write("a.bin", "abd\n")
	y.write("l.bin", "x"+large[1:])
	y.states("changed", "changed: /a.bin\nchanged: /l.bin\n")
	diff := y.says("git_diff", map[string]any{})
	for _, has := range []string{"Git LFS: /a.bin", fmt.Sprintf("+oid sha256:%x", sha256.Sum256([]byte("abd\n"))), fmt.Sprintf("+oid sha256:%x", sha256.Sum256([]byte("x"+large[1:])))} {
		if !strings.Contains(diff, has) {
			t.Errorf("no %q in the diff:\n%s", has, diff)
		}
	}
	if strings.Contains(diff, "abd") && strings.Contains(diff, "+abd") {
		t.Errorf("the diff has the content:\n%s", diff)
	}
}

// Submodules and nested repositories are named, and their files are not untracked.
func TestGitStatusOfSubmodules(t *testing.T) {
	t.Parallel()
	other := newStateYard(t, map[string]string{"s": "1\n"})
	y := newStateYard(t, map[string]string{"a": "1\n"})
	y.git("", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.dir, "sub")
	y.states("new", "new: /.gitmodules\nsubmodule: /sub, new\n")
	y.git("", "commit", "-q", "-m", "sub")
	y.write("sub/extra", "x\n")
	y.write("nest/x", "x\n")
	y.git("", "-C", "nest", "init", "-q")
	y.states("clean", "untracked, a repository of its own: /nest\nsubmodule: /sub\n")
	y.git("", "-C", "sub", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "more")
	y.git("", "add", "sub")
	y.states("another commit", "submodule: /sub, another commit\nuntracked, a repository of its own: /nest\n")
	y.git("", "rm", "-q", "-f", "--cached", "sub")
	y.states("removed", "submodule: /sub, removed\nuntracked, a repository of its own: /nest\n")
}

// A conflict of a merge is told as git tells it.
func TestGitStatusOfConflicts(t *testing.T) {
	t.Parallel()
	y := newStateYard(t, map[string]string{"both": "1\n", "ours": "1\n", "theirs": "1\n", "clean": "1\n"})
	y.git("", "checkout", "-q", "-b", "side")
	y.write("both", "side\n")
	y.write("theirs", "side\n")
	y.write("added", "side\n")
	y.git("", "rm", "-q", "ours")
	y.git("", "add", ".")
	y.git("", "commit", "-q", "-m", "side")
	y.git("", "checkout", "-q", "main")
	y.write("both", "main\n")
	y.write("ours", "main\n")
	y.write("added", "main\n")
	y.git("", "rm", "-q", "theirs")
	y.git("", "add", ".")
	y.git("", "commit", "-q", "-m", "main")
	y.fails("", "merge", "-q", "side")
	y.states("merge", "conflict: /added (both added)\nconflict: /both (both modified)\nconflict: /ours (deleted by them)\nconflict: /theirs (deleted by us)\n")
}

// Links and names that golem cannot show are counted and named, and modes are compared
// where core.filemode allows it.
func TestGitStatusOfLinksModesAndNames(t *testing.T) {
	t.Parallel()
	y := newStateYard(t, map[string]string{"a": "1\n", "prog": "1\n", "t\tab": "1\n", "back\\slash": "1\n", "d/new\nline": "1\n"})
	for name, to := range map[string]string{"link": "a", "d/out": "/etc/passwd"} {
		if err := os.Symlink(to, filepath.Join(y.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	y.write("d/un\tknown", "1\n")
	left := "not looked at, links (2): /d/out, /link\nnot looked at, names that golem cannot show (4): \"/back\\\\slash\", \"/d/new\\nline\", \"/d/un\\tknown\", \"/t\\tab\"\n"
	y.states("untracked", "untracked: /link\n"+strings.NewReplacer("(2)", "(1)", ", /link", "").Replace(left))
	y.git("", "add", ".")
	y.git("", "commit", "-q", "-m", "links")
	y.states("clean", "nothing differs from the last commit\n"+left)
	if err := os.Chmod(filepath.Join(y.dir, "prog"), 0o755); err != nil {
		t.Fatal(err)
	}
	y.states("mode", "mode changed: /prog (now executable)\n"+left)
	y.same("diff", y.says("git_diff", map[string]any{"path": "/prog"}), "mode changed: /prog (now executable)\n")
	y.git("", "commit", "-q", "-a", "-m", "mode")
	y.same("between", y.says("git_diff", map[string]any{"from": "HEAD~1", "to": "HEAD", "path": "/prog"}), "mode changed: /prog (now executable)\n")
	y.git("", "config", "core.filemode", "false")
	if err := os.Chmod(filepath.Join(y.dir, "prog"), 0o644); err != nil {
		t.Fatal(err)
	}
	y.states("no modes", "nothing differs from the last commit\n"+left)
}

// push commits these files to main and moves the branch, as a push does.
func (y *randomYard) push(files map[string]string) error {
	y.t.Helper()
	disk, err := osfs.Open(y.dir)
	if err != nil {
		y.t.Fatal(err)
	}
	defer disk.Close()
	b, err := gitrepo.OpenAs(nil, disk, ".", "main")
	if err != nil {
		return err
	}
	var all []clearance.Committed
	for name, text := range files {
		all = append(all, clearance.Committed{Name: name, Content: func() ([]byte, error) { return []byte(text), nil }})
	}
	tip := b.Tip()
	commit, err := b.Commit("golem", time.Unix(1_700_000_000, 0), all)
	if err == nil {
		_, err = b.Advance(tip, commit, slices.Collect(maps.Keys(files)))
	}
	return err
}

// A commit never has the content of a file in place of what a filter of git makes of it:
// by .gitattributes of the working tree, of a deeper directory, of the commit itself and
// by info/attributes, and where the last commit has a pointer of Git LFS.
func TestGitPushRefusesFilteredFiles(t *testing.T) {
	t.Parallel()
	pointer := fmt.Sprintf("version https://git-lfs.github.com/spec/v1\noid sha256:%064x\nsize 5\n", 1)
	y := newStateYard(t, map[string]string{".gitattributes": "*.bin filter=lfs\n*.txt text\n", "d/.gitattributes": "/k filter=git-crypt\n", "a": "1\n", "p": pointer, "d/k": "1\n"})
	y.write(".git/info/attributes", "*.key filter=x\n")
	tip := y.git("", "rev-parse", "HEAD")
	for name, files := range map[string]map[string]string{
		"root": {"new.bin": "x"}, "deeper": {"d/k": "x"}, "info": {"my.key": "x"}, "pointer": {"p": "content"}, "with others": {"a": "x", "e/f.bin": "x"},
		"the commit's own": {".gitattributes": "*.md filter=y\n", "a.md": "x"}, "encoding": {"u/.gitattributes": "t working-tree-encoding=UTF-16\n", "u/t": "x"},
	} {
		if err := y.push(files); err == nil || !strings.Contains(err.Error(), "E_PATH") || !strings.Contains(err.Error(), "git itself") {
			t.Errorf("%s: %v", name, err)
		}
	}
	y.write(".gitattributes", "")
	y.write("d/.gitattributes", "")
	for name, files := range map[string]map[string]string{"taken away": {"new.bin": "x"}, "taken away deeper": {"d/k": "x"}, "by the commit": {".gitattributes": "", "x.bin": "x"}} {
		if err := y.push(files); err == nil || !strings.Contains(err.Error(), "E_PATH") {
			t.Errorf("%s: %v", name, err)
		}
	}
	y.git("", "checkout", "-q", ".")
	y.same("tip", y.git("", "rev-parse", "HEAD"), tip)
	if err := y.push(map[string]string{"a.txt": "x\n", "k": "x"}); err != nil {
		t.Errorf("files without a filter: %v", err)
	}
}

// What the person ignores in all repositories is not untracked: by core.excludesFile of
// the person's configuration or git/ignore beside it, never by the repository's own.
func TestGitStatusOfWhatThePersonIgnores(t *testing.T) {
	t.Parallel()
	y := newStateYard(t, map[string]string{"a": "1\n", ".gitignore": "!kept.tmp\n"})
	home := t.TempDir()
	put := func(name, text string) {
		full := filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	y.env["HOME"] = home
	y.write("x.tmp", "1\n")
	y.write("kept.tmp", "1\n")
	y.write("y.mine", "1\n")
	put("evil", "*\n")
	y.git("", "config", "core.excludesFile", filepath.Join(home, "evil"))
	y.states("no file", "untracked: /kept.tmp\nuntracked: /x.tmp\nuntracked: /y.mine\n")
	put(".config/git/ignore", "*.tmp\n")
	y.states("git/ignore", "untracked: /kept.tmp\nuntracked: /y.mine\n")
	put(".gitconfig", "[core]\n\texcludesFile = ~/mine\n")
	put("mine", "*.mine\n")
	y.states("core.excludesFile", "untracked: /kept.tmp\nuntracked: /x.tmp\n")
	y.env["GIT_CONFIG_GLOBAL"] = os.DevNull
	y.states("no configuration", "untracked: /kept.tmp\nuntracked: /y.mine\n")
}

// A working tree that git worktree made is read, not written, and only if its repository
// knows it.
func TestGitStatusOfAWorktree(t *testing.T) {
	t.Parallel()
	main := newStateYard(t, map[string]string{"a": "1\n", "b": "1\n"})
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tree := filepath.Join(dir, "tree")
	main.git("", "worktree", "add", "-q", "-b", "side", tree)
	main.write("b", "of the other tree\n")
	y := &randomYard{gitYard: newGitYardIn(t, tree), t: t}
	y.write("a", "2\n")
	y.write("new", "2\n")
	y.git("", "add", "new")
	y.same("status", y.says("git_status", map[string]any{}), "on branch side\nchanged: /a\nnew: /new\n")
	y.git("", "commit", "-q", "-a", "-m", "on side")
	if log := y.says("git_log", map[string]any{}); !strings.Contains(log, "on side") || !strings.Contains(log, "first") {
		t.Errorf("the log:\n%s", log)
	}
	y.states("committed", "nothing differs from the last commit\n")
	main.states("main", "changed: /b\n")
	if err := y.push(map[string]string{"a": "3\n"}); err == nil || !strings.Contains(err.Error(), "git worktree") {
		t.Errorf("a push: %v", err)
	}
	// another directory names the same repository, and then one of its own
	other := filepath.Join(dir, "other")
	text, err := os.ReadFile(filepath.Join(tree, ".git"))
	if err := errors.Join(err, os.Mkdir(other, 0o755), os.WriteFile(filepath.Join(other, ".git"), text, 0o644)); err != nil {
		t.Fatal(err)
	}
	thief := &randomYard{gitYard: newGitYardIn(t, other), t: t}
	for _, gitdir := range []string{string(text), "gitdir: " + filepath.Join(main.dir, ".git") + "\n", "gitdir: /nowhere/worktrees/x\n", "x"} {
		if err := os.WriteFile(filepath.Join(other, ".git"), []byte(gitdir), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := thief.tools["git_log"].Call(t.Context(), tool.Call{Name: "git_log", Args: tool.ReadArguments([]byte("{}"))})
		if err == nil || !strings.Contains(err.Error(), "E_PATH") || out.Text != "" {
			t.Errorf("%q: %v\n%s", gitdir, err, out.Text)
		}
	}
}

// Random merges: golem tells the same conflicts as git.
func TestGitConflictsAsGit(t *testing.T) {
	t.Parallel()
	words := map[string]string{"DD": "both deleted", "AU": "added by us", "UD": "deleted by them", "UA": "added by them", "DU": "deleted by us", "AA": "both added", "UU": "both modified"}
	seen := map[string]bool{}
	for seed := range uint64(10) {
		y := newRandomYard(t, seed)
		_ = y.command("", "-c", "user.name=a", "-c", "user.email=a@b", "merge", "-q", "--no-commit", "side").Run() // conflicts are an error
		var want, said []string
		for l := range strings.SplitSeq(y.git("", "status", "--porcelain", "-z", "--no-renames"), "\x00") {
			if len(l) > 3 && words[l[:2]] != "" {
				want = append(want, "conflict: /"+l[3:]+" ("+words[l[:2]]+")")
				seen[l[:2]] = true
			}
		}
		for l := range strings.Lines(y.says("git_status", map[string]any{})) {
			if strings.HasPrefix(l, "conflict: ") {
				said = append(said, strings.TrimSuffix(l, "\n"))
			}
		}
		slices.Sort(want)
		slices.Sort(said)
		y.same(fmt.Sprintf("conflicts of seed %d", seed), strings.Join(said, "\n"), strings.Join(want, "\n"))
	}
	if len(seen) < 2 {
		t.Errorf("the histories have only these conflicts: %v", seen)
	}
}

// A directory takes the place of a file that was removed from the index: its files are
// untracked, as git says.
func TestGitStatusOfADirectoryInPlaceOfAFile(t *testing.T) {
	t.Parallel()
	y := newStateYard(t, map[string]string{"a": "1\n", "d": "1\n"})
	y.git("", "rm", "-q", "d")
	y.write("d/new", "1\n")
	y.states("a directory", "removed: /d\nuntracked: /d/new\n")
}

// A file that the index does not have any more is removed, as git says, also if it is still there:
// it is not compared with the last commit.
func TestGitStatusOfAFileOutsideTheIndex(t *testing.T) {
	t.Parallel()
	y := newStateYard(t, map[string]string{"a": "1\n", "b.log": "1\n", "c": "1\n"})
	y.git("", "rm", "-q", "--cached", "a", "b.log")
	y.write(".git/info/exclude", "*.log\n")
	y.write("a", "2\n")
	y.states("files outside the index", "removed: /a\nremoved: /b.log\nuntracked: /a\n")
	if said := y.says("git_diff", map[string]any{"path": "/a"}); !strings.Contains(said, "\n-1\n") || strings.Contains(said, "+2") {
		t.Errorf("git_diff says\n%s", said)
	}
}

// A repository with files of Git LFS: golem and git, which runs a filter with the same
// result as that of Git LFS, agree on what is changed.
func TestGitLFSAsGit(t *testing.T) {
	t.Parallel()
	y := newStateYard(t, map[string]string{".gitattributes": "*.bin filter=lfs -text\n"})
	y.git("", "config", "filter.lfs.clean", `f=$(mktemp); cat >"$f"; printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n' "$(sha256sum <"$f" | cut -d' ' -f1)" "$(wc -c <"$f")"; rm "$f"`)
	random := rand.New(rand.NewPCG(1, 1))
	text := func() string { return strings.Repeat("x", random.IntN(3)*700) + fmt.Sprint(random.IntN(3)) + "\r\n" }
	var names []string
	for n := range 12 {
		names = append(names, fmt.Sprintf("d%d/%d.%s", n%2, n, []string{"bin", "txt"}[n/2%2]))
		y.write(names[n], text())
	}
	y.git("", "add", ".")
	y.git("", "commit", "-q", "-m", "files")
	for round := range 4 {
		for _, name := range names {
			if random.IntN(2) == 0 {
				y.write(name, text())
			}
		}
		var want strings.Builder
		for l := range strings.Lines(y.git("", "diff", "HEAD", "--name-only")) {
			want.WriteString("changed: /" + l)
		}
		if want.Len() == 0 {
			want.WriteString("nothing differs from the last commit\n")
		}
		y.states(fmt.Sprintf("round %d", round), want.String())
	}
}
