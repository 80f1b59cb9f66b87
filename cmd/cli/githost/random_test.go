package githost

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golem/bench/suites"
	"golem/core/tool"
)

// history builds a random git history in the format of git fast-import.
type history struct {
	*rand.Rand
	out     bytes.Buffer
	commits []map[string]string // content by path, of each commit
	lines   int
}

// randomNames are files that are added and removed at random. renamed are only moved,
// because git blame follows a renamed file and golem does not.
var (
	randomNames = []string{"a.txt", "b c.txt", "ü.txt", "d/e.txt", "d/f/g.txt", "d/f.txt", "x"}
	renamed     = []string{"old/r.txt", "new/r.txt"}
)

func (h *history) line() string {
	h.lines++
	return fmt.Sprintf("line %d%s\n", h.lines, []string{"", "\r", " é"}[h.IntN(3)])
}

// edited returns a text with some lines changed; it may lose its last line break.
func (h *history) edited(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for range 1 + h.IntN(4) {
		at := h.IntN(len(lines))
		switch h.IntN(3) {
		case 0:
			lines = slices.Insert(lines, at, h.line())
		case 1:
			lines[at] = h.line()
		case 2:
			lines = slices.Delete(lines, at, at+1)
		}
		if len(lines) == 0 {
			lines = []string{h.line()}
		}
	}
	if text = strings.Join(lines, ""); h.IntN(4) == 0 {
		text = strings.TrimSuffix(text, "\n")
	}
	return text
}

// commit adds a commit with these parents, and sets a branch to it.
func (h *history) commit(branch string, parents ...int) {
	n := len(h.commits)
	files := map[string]string{}
	if n > 0 {
		maps.Copy(files, h.commits[parents[0]])
	}
	changed := map[string]bool{}
	if len(parents) > 1 { // some files of the other side
		other := h.commits[parents[1]]
		for _, name := range slices.Sorted(maps.Keys(other)) {
			if h.IntN(2) == 0 {
				files[name], changed[name] = other[name], true
			}
		}
	}
	for range 1 + h.IntN(4) {
		name := randomNames[h.IntN(len(randomNames))]
		switch text, there := files[name]; {
		case there && h.IntN(6) == 0:
			delete(files, name)
		case there:
			files[name] = h.edited(text)
		default:
			files[name] = h.edited(h.line())
		}
		changed[name] = true
	}
	from, to := renamed[n%2], renamed[1-n%2]
	if text, there := files[from]; there {
		delete(files, from)
		files[to] = text
	} else {
		files[to] = h.line()
	}
	changed[from], changed[to] = true, true
	fmt.Fprintf(&h.out, "commit refs/heads/%s\nmark :%d\ncommitter A <a@example.com> %d +0000\ndata <<E\ncommit %d\nE\n", branch, n+1, 1_700_000_000+100*n, n)
	for i, p := range parents {
		fmt.Fprintf(&h.out, "%s :%d\n", []string{"from", "merge"}[i], p+1)
	}
	if n == 0 {
		h.out.WriteString("M 120000 inline link\ndata 5\na.txt\nM 100644 inline .gitignore\ndata 6\n*.log\n\nM 100644 inline bin\ndata 3\na\x00b\n")
	}
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		if text, there := files[name]; there {
			fmt.Fprintf(&h.out, "M %s inline %s\ndata %d\n%s\n", []string{"100644", "100755"}[h.IntN(2)], name, len(text), text)
		} else if n > 0 {
			fmt.Fprintf(&h.out, "D %s\n", name)
		}
	}
	h.out.WriteString("\n")
	h.commits = append(h.commits, files)
}

// newHistory returns a history of n commits with merges and tags.
func newHistory(seed uint64, n int) *history {
	h := &history{Rand: rand.New(rand.NewPCG(seed, 0))}
	h.commit("main")
	main, side := 0, 0
	for i := 1; i < n; i++ {
		switch h.IntN(4) {
		case 0:
			h.commit("side", side)
			side = i
		case 1:
			if side != main {
				h.commit("main", main, side)
				main = i
				break
			}
			fallthrough
		default:
			h.commit("main", main)
			if main = i; h.IntN(5) == 0 {
				side = i
			}
		}
	}
	fmt.Fprintf(&h.out, "reset refs/heads/side\nfrom :%d\n\nreset refs/tags/light\nfrom :%d\n\ntag heavy\nfrom :%d\ntagger A <a@example.com> 1700000000 +0000\ndata 1\nx\n", side+1, n/2, n/3+1)
	return h
}

// randomYard is a project whose repository git made from a random history.
type randomYard struct {
	*gitYard
	t *testing.T
	h *history
}

func newRandomYard(t *testing.T, seed uint64) *randomYard {
	y := &randomYard{gitYard: newGitYard(t), t: t, h: newHistory(seed, 40)}
	if err := os.RemoveAll(filepath.Join(y.dir, ".git")); err != nil {
		t.Fatal(err)
	}
	y.git("", "init", "-q", "-b", "main")
	y.git(y.h.out.String(), "fast-import", "--quiet")
	y.git("", "reset", "-q", "--hard", "main")
	if seed%2 == 0 {
		y.git("", "gc", "-q", "--aggressive")
	}
	return y
}

// git runs git with in as its standard input, and returns its output.
func (y *randomYard) git(in string, args ...string) string {
	y.t.Helper()
	out, err := y.command(in, args...).CombinedOutput()
	if err != nil {
		y.t.Fatalf("git %v: %v\n%s\n%s", args, err, out, in)
	}
	return string(out)
}

// fails runs a command of git that ends with an error.
func (y *randomYard) fails(in string, args ...string) {
	y.t.Helper()
	if out, err := y.command(in, args...).CombinedOutput(); err == nil {
		y.t.Fatalf("git %v does not fail:\n%s", args, out)
	}
}

// command returns a command of git in the project, with in as its standard input.
func (y *randomYard) command(in string, args ...string) *exec.Cmd {
	cmd := exec.Command("git", append([]string{"-c", "core.quotePath=false"}, args...)...)
	cmd.Dir, cmd.Stdin = y.dir, strings.NewReader(in)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "HOME="+y.dir)
	if args[0] == "apply" || args[0] == "read-tree" || args[0] == "write-tree" {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+filepath.Join(y.dir, ".git", "other-index"))
	}
	return cmd
}

// says calls a tool of the toolset and returns its text.
func (y *randomYard) says(name string, args map[string]any) string {
	y.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		y.t.Fatal(err)
	}
	out, err := y.tools[name].Call(y.t.Context(), tool.Call{Name: name, Args: tool.ReadArguments(raw)})
	if err != nil {
		y.t.Fatalf("%s %s: %v", name, raw, err)
	}
	return out.Text
}

func (y *randomYard) same(what, got, want string) {
	y.t.Helper()
	if got != want {
		y.t.Errorf("%s:\n%s\ngit says:\n%s", what, got, want)
	}
}

// golem reads random histories as git does: the order of commits, the commits that
// touched a file, branches and tags, changes between commits, the commit of each line,
// and the current differences.
func TestGitToolsAsGit(t *testing.T) {
	t.Parallel()
	c := &suites.Tally{Suite: "git, random repositories"}
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			y := newRandomYard(t, seed)
			commits := strings.Fields(y.git("", "log", "--format=%H"))
			looks := []func(){func() { y.logs(commits) }, y.branches, func() { y.blames(commits[0]) }, func() { y.blames(commits[len(commits)/2]) }, y.now}
			for range 6 {
				looks = append([]func(){func() { y.between(commits[y.h.IntN(len(commits))], commits[y.h.IntN(len(commits))]) }}, looks...)
			}
			for _, look := range looks {
				if look(); !t.Failed() {
					c.Agree()
				}
			}
		})
	}
	c.Compare(t)
}

var logged = regexp.MustCompile(`(?m)^([0-9a-f]{10}) `)

func shorts(text string) string {
	var out strings.Builder
	for _, m := range logged.FindAllStringSubmatch(text, -1) {
		out.WriteString(m[1] + "\n")
	}
	return out.String()
}

func (y *randomYard) logs(commits []string) {
	y.t.Helper()
	var all, some strings.Builder
	for _, c := range commits {
		all.WriteString(c[:10] + "\n")
	}
	y.same("log", shorts(y.says("git_log", map[string]any{"limit": 200})), all.String())
	touched := y.git("", "log", "--format=commit %H", "--diff-merges=first-parent", "--name-only", "--no-renames")
	for part := range strings.SplitSeq(touched, "commit ") {
		if lines := strings.Split(part, "\n"); slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "d/") }) {
			some.WriteString(lines[0][:10] + "\n")
		}
	}
	y.same("log of d", shorts(y.says("git_log", map[string]any{"limit": 200, "path": "/d"})), some.String())
}

func (y *randomYard) branches() {
	y.t.Helper()
	var want strings.Builder
	for l := range strings.Lines(y.git("", "for-each-ref", "--sort=refname", "--format=%(HEAD) %(refname) %(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)")) {
		l = strings.NewReplacer("refs/heads/", "branch ", "refs/tags/", "tag ").Replace(strings.TrimSuffix(l, "\n"))
		want.WriteString(l[:len(l)-30] + "\n")
	}
	y.same("branches", y.says("git_branches", map[string]any{}), want.String())
}

// files returns the hashes of a tree's files, without modes and without empty files:
// golem's diff only names empty files, so git apply does not make them.
func (y *randomYard) files(tree string) string {
	y.t.Helper()
	return regexp.MustCompile(`(?m)^.* e69de29.*\n|^\d+ `).ReplaceAllString(y.git("", "ls-tree", "-r", tree), "")
}

func (y *randomYard) between(from, to string) {
	y.t.Helper()
	patch := y.says("git_diff", map[string]any{"from": from, "to": to})
	empty := len(regexp.MustCompile(`(?m) e69de29.* [AD]\t`).FindAllString(y.git("", "diff", "--no-renames", "--raw", from, to), -1))
	if said := strings.Count(patch, "not shown: an empty file"); said != empty {
		y.t.Errorf("%d files that are empty came or went, not %d:\n%s", empty, said, patch)
	}
	y.git("", "read-tree", from)
	if from != to {
		y.git(patch, "apply", "--cached", "--whitespace=nowarn", "-")
	}
	y.same("diff of "+from+" and "+to, y.files(strings.TrimSpace(y.git("", "write-tree"))), y.files(to))
}

func (y *randomYard) blames(commit string) {
	y.t.Helper()
	for _, name := range randomNames {
		if y.git("", "ls-tree", commit, name) == "" || y.git("", "cat-file", "-s", commit+":"+name) == "0\n" {
			continue
		}
		var want strings.Builder
		for l := range strings.Lines(y.git("", "blame", "--first-parent", "-s", "-l", "--root", commit, "--", name)) {
			want.WriteString(l[:10] + "\n")
		}
		y.same("blame of "+name+" in "+commit, shorts(y.says("git_blame", map[string]any{"path": "/" + name, "rev": commit})), want.String())
	}
}

// now changes the working tree, and compares what golem and git report about it.
func (y *randomYard) now() {
	y.t.Helper()
	write := func(name, text string) {
		full := filepath.Join(y.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			y.t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			y.t.Fatal(err)
		}
	}
	for _, name := range strings.Split(strings.TrimSuffix(y.git("", "ls-files"), "\n"), "\n") {
		switch change := y.h.IntN(6); {
		case name == "link" || name == ".gitignore":
		case change == 0:
			write(name, y.h.line())
		case change == 1:
			write(name, y.h.line())
			y.git("", "add", name)
		case change == 2:
			if err := os.Remove(filepath.Join(y.dir, name)); err != nil {
				y.t.Fatal(err)
			}
		case change == 3:
			y.git("", "rm", "-q", "--cached", name)
		}
	}
	y.unusual()
	for _, name := range []string{"made/one.txt", "made/two.txt", "made/no.log", "top.log", "staged.txt"} {
		write(name, y.h.line())
	}
	y.git("", "add", "staged.txt")
	var want []string
	for l := range strings.Lines(y.git("", "diff", "HEAD", "--raw", "--abbrev=40", "--no-renames")) {
		about, name, _ := strings.Cut(strings.TrimSuffix(l, "\n"), "\t")
		f := strings.Fields(strings.TrimPrefix(about, ":"))
		switch kind := f[4]; {
		case kind == "A" || kind == "D":
			want = append(want, map[string]string{"A": "new", "D": "removed"}[kind]+": /"+name)
		case f[3] == strings.Repeat("0", 40) && y.git("", "rev-parse", "HEAD:"+name) != y.git("", "hash-object", name) || f[3] != strings.Repeat("0", 40) && f[2] != f[3]:
			want = append(want, "changed: /"+name)
		}
		if f[4] == "M" && f[0] != f[1] {
			want = append(want, "mode changed: /"+name+map[string]string{"100755": " (now executable)", "100644": " (no longer executable)"}[f[1]])
		}
	}
	absent := 0
	for l := range strings.Lines(y.git("", "ls-files", "-t")) {
		if strings.HasPrefix(l, "S ") {
			absent++
		}
	}
	if absent > 0 {
		want = append(want, fmt.Sprintf("sparse checkout: %d files are not in the working tree", absent))
	}
	want = append(want, "not looked at, links (1): /link")
	if len(want) == 1 {
		want = append(want, "nothing differs from the last commit")
	}
	for l := range strings.Lines(y.git("", "ls-files", "--others", "--exclude-standard")) {
		want = append(want, "untracked: /"+strings.TrimSuffix(l, "\n"))
	}
	said := strings.Split(strings.TrimSuffix(y.says("git_status", map[string]any{}), "\n"), "\n")[1:]
	slices.Sort(said)
	slices.Sort(want)
	y.same("status", strings.Join(said, "\n"), strings.Join(want, "\n"))
}

// unusual changes modes, and marks some missing files as skip-worktree.
func (y *randomYard) unusual() {
	y.t.Helper()
	for _, name := range strings.Split(strings.TrimSuffix(y.git("", "ls-files"), "\n"), "\n") {
		full := filepath.Join(y.dir, filepath.FromSlash(name))
		info, err := os.Lstat(full)
		switch {
		case name == "link":
		case err == nil && y.h.IntN(4) == 0:
			if err := os.Chmod(full, info.Mode().Perm()^0o111); err != nil {
				y.t.Fatal(err)
			}
		case err != nil && y.h.IntN(2) == 0:
			y.git("", "update-index", "--skip-worktree", name)
		}
	}
}
