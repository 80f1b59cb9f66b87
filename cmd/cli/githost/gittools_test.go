package githost

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golem/core/gitrepo"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/sandbox/osfs"

	"golem/cmd/cli/console"
)

// gitYard is a project with a repository whose objects a test writes itself.
type gitYard struct {
	*repo
	dir   string
	tools map[string]tool.Tool
	env   map[string]string // of the person
}

func newGitYard(t *testing.T) *gitYard {
	t.Helper()
	return newGitYardIn(t, t.TempDir())
}

// newGitYardIn is the same in a directory that may have a repository.
func newGitYardIn(t *testing.T, dir string) *gitYard {
	t.Helper()
	y := &gitYard{dir: dir, env: map[string]string{}}
	y.repo = &repo{T: t, Write: func(name string, data []byte) error {
		full := filepath.Join(y.dir, ".git", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		return os.WriteFile(full, data, 0o644)
	}}
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
		y.Put("HEAD", []byte("ref: refs/heads/main\n"))
	}
	files, err := osfs.Open(y.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { files.Close() })
	root := sandbox.SourceOf(files, "")
	view, err := sandbox.View(sandbox.ViewSpec{
		Mounts:     []sandbox.Mount{{Name: "root", At: ".", FS: files, Source: root, Mode: sandbox.ReadWrite}},
		Protection: sandbox.Controls{Root: root}.Protect(),
	})
	if err != nil {
		t.Fatal(err)
	}
	set, err := toolset.NewRegistry(Toolset(files, Person(console.New(y.env, "")))).Open(t.Context(), "git", nil, toolset.Env{Worker: "main", Files: view})
	if err != nil {
		t.Fatal(err)
	}
	y.tools = map[string]tool.Tool{}
	for _, tl := range set.Tools() {
		y.tools[tl.Spec().Name] = tl
	}
	return y
}

// reads calls all reading tools, and returns their results.
func (y *gitYard) reads(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	for _, c := range [][2]string{
		{"git_status", `{}`}, {"git_diff", `{}`}, {"git_diff", `{"from":"v1","to":"main"}`}, {"git_log", `{}`}, {"git_log", `{"path":"/d"}`},
		{"git_show", `{"rev":"main"}`}, {"git_show", `{"rev":"main~1"}`}, {"git_show", `{"rev":"main","path":"/d/b"}`}, {"git_blame", `{"path":"/d/b"}`}, {"git_branches", `{}`},
	} {
		o, err := y.tools[c[0]].Call(t.Context(), tool.Call{Name: c[0], Args: tool.ReadArguments([]byte(c[1]))})
		out.WriteString(o.Text)
		if err != nil {
			out.WriteString(err.Error() + "\n")
		}
	}
	return out.String()
}

// fill writes two commits. The tree of the second one has the given entries, too.
func (y *gitYard) fill(entries ...string) {
	first := y.Tree(Entry(gitrepo.Plain, "a", y.Object("blob", "one\n")), Entry(gitrepo.Dir, "d", y.Tree(Entry(gitrepo.Plain, "b", y.Object("blob", "x\ny\n")))))
	y.Tag("v1", first)
	v1 := y.Object("commit", "tree "+first+"\nauthor a <a@b> 0 +0000\ncommitter a <a@b> 0 +0000\n\nx\n")
	second := y.Tree(append([]string{Entry(gitrepo.Plain, "a", y.Object("blob", "two\n")), Entry(gitrepo.Dir, "d", y.Tree(Entry(gitrepo.Plain, "b", y.Object("blob", "x\nz\n"))))}, entries...)...)
	y.Put("refs/heads/main", []byte(y.Object("commit", "tree "+second+"\nparent "+v1+"\nauthor \x1b[31mEve <e@f> 99999999999999999999 +0000\ncommitter e <e@f> 0 +0000\n\nmore \x1b[2J\u202e\n")+"\n"))
}

// No result contains what a worker must not see of a repository: git's own files,
// secrets, paths that leave the project, submodules and links.
func TestGitToolsHideWhatIsHidden(t *testing.T) {
	t.Parallel()
	y := newGitYard(t)
	secret := y.Object("blob", "TOPSECRET\n")
	y.fill(Entry(gitrepo.Plain, ".env", secret), Entry(gitrepo.Plain, "../up", secret), Entry(gitrepo.Plain, "x\ny", secret), Entry(gitrepo.Dir, ".git", y.Tree(Entry(gitrepo.Plain, "config", secret))),
		Entry(gitrepo.Dir, "..", y.Tree(Entry(gitrepo.Plain, "p", secret))), Entry(gitrepo.Plain, "", secret), Entry(gitrepo.Link, "link", y.Object("blob", "/etc/passwd")), Entry(gitrepo.Submodule, "sub", secret))
	text := y.reads(t)
	for _, bad := range []string{"TOPSECRET", ".env", "/up", ".git/config"} {
		if strings.Contains(text, bad) {
			t.Errorf("a result has %q:\n%s", bad, text)
		}
	}
	for _, good := range []string{"-one\n+two\n", "2) z", "-y\n+z\n", "removed: /a"} {
		if !strings.Contains(text, good) {
			t.Errorf("no result has %q:\n%s", good, text)
		}
	}
}

// A repository whose objects are cut, changed or missing ends in faults, never in a
// crash, and nothing is written to it.
func TestGitToolsOfADamagedRepository(t *testing.T) {
	t.Parallel()
	y := newGitYard(t)
	y.fill()
	y.Put("index", []byte("DIRC\x00\x00\x00\x02\xff\xff\xff\xff"))
	objects := filepath.Join(y.dir, ".git", "objects")
	var names []string
	if err := filepath.WalkDir(objects, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, name)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, data := range [][]byte{{}, whole[:len(whole)/2], append([]byte("x"), whole...), []byte("\x78\x9c\x00")} {
			if err := os.WriteFile(name, data, 0o644); err != nil {
				t.Fatal(err)
			}
			if text := y.reads(t); !strings.Contains(text, "E_") {
				t.Errorf("%s as %d bytes: no tool fails:\n%s", filepath.Base(name), len(data), text)
			}
		}
		if err := os.WriteFile(name, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for ref, data := range map[string]string{"HEAD": "ref: ../../etc/passwd\n", "refs/heads/main": strings.Repeat("f", 40) + "\n", "packed-refs": strings.Repeat("^", 5000), "config": "[core]\n\tworktree = /\n"} {
		y.Put(ref, []byte(data))
		y.reads(t)
	}
}
