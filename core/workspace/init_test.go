package workspace_test

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/afero"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/workspace"
)

// tree lists all files and directories of a tree, directories with a slash.
func tree(t *testing.T, f afero.Fs) string {
	t.Helper()
	var names []string
	err := afero.Walk(f, ".", func(name string, info fs.FileInfo, err error) error {
		if err == nil && info.IsDir() && name != "." {
			name += "/"
		}
		if name != "." {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// trees are the trees of the templates as S1 §7.3 lists them (S1-68, S1-69), with tests (SPEC §17).
var trees = map[string]string{
	"minimal":        "input/ main.worker output/ tests/ tests/main.yaml",
	"pipeline":       "input/ main.worker output/ project.yaml tests/ tests/main.yaml workers/ workers/stage_1.worker workers/stage_2.worker workers/stage_3.worker",
	"research-agent": "input/ input/owls.md main.worker output/ project.yaml templates/ templates/outline.md tests/ tests/main.yaml workers/ workers/reader.worker",
}

// Scenario 37: Init creates exactly the tree of the template, and the tree is the same
// after packing and unpacking, with its empty directories.
func TestInit(t *testing.T) {
	if len(workspace.Templates()) != len(trees) {
		t.Fatalf("%d templates", len(workspace.Templates()))
	}
	for _, template := range workspace.Templates() {
		made := workspace.Over(sandbox.Memory())
		if err := workspace.Init(made, ".", template.Name); err != nil {
			t.Fatalf("%s: %v", template.Name, err)
		}
		if got := tree(t, made); got != trees[template.Name] || template.About == "" || template.Input == "" {
			t.Errorf("%s: %s", template.Name, got)
		}
		data, err := workspace.Zip(made, nil)
		if err != nil {
			t.Fatal(err)
		}
		back := workspace.Over(sandbox.Memory())
		if err := workspace.Unzip(back, data); err != nil || tree(t, back) != trees[template.Name] {
			t.Errorf("%s, back from a zip file: %s, %v", template.Name, tree(t, back), err)
		}
	}
	deep := workspace.Over(sandbox.Memory())
	if err := workspace.Init(deep, "a/b", ""); err != nil || tree(t, deep) != "a/ a/b/ a/b/input/ a/b/main.worker a/b/output/ a/b/tests/ a/b/tests/main.yaml" {
		t.Errorf("%s, %v", tree(t, deep), err)
	}
}

// Scenario 37: if the place is not empty or not valid, Init changes and writes nothing.
func TestInitRefuses(t *testing.T) {
	for _, c := range []struct {
		dir, template, want string
		code                fault.Code
	}{
		{"full", "", "the directory is not empty: it has a", fault.Conflict},
		{"full/a", "", "full/a is a file", fault.Conflict},
		{"full/a/b", "", "", fault.Path},
		{"new", "nope", `there is no template "nope"`, fault.Usage},
		{"new", "../pipeline", "there is no template", fault.Usage},
		{"con", "", "device on Windows", fault.Path},
		{"what?", "", "cannot contain ?", fault.Path},
		{"../new", "", "", fault.Path},
		{"a\nb", "", "", fault.Path},
	} {
		f := workspace.Over(sandbox.Memory())
		if err := errors.Join(f.MkdirAll("full", 0o755), afero.WriteFile(f, "full/a", []byte("mine"), 0o644)); err != nil {
			t.Fatal(err)
		}
		err := workspace.Init(f, c.dir, c.template)
		if err == nil || !strings.Contains(err.Error(), c.want) || fault.Of(err, fault.Path).Code != c.code {
			t.Errorf("%s: %v; want %s", c.dir, err, c.want)
		}
		if got := tree(t, f); got != "full/ full/a" {
			t.Errorf("%s: %s", c.dir, got)
		}
	}
}

// full is a tree on which only so many more files can be written.
type full struct {
	afero.Fs
	left int
}

func (f *full) OpenFile(name string, flag int, perm fs.FileMode) (afero.File, error) {
	if f.left--; f.left < 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("no space left")}
	}
	return f.Fs.OpenFile(name, flag, perm)
}

// If a write fails, Init leaves nothing behind.
func TestInitWritesAllOrNothing(t *testing.T) {
	for n := range 6 {
		f := workspace.Over(sandbox.Memory())
		err := workspace.Init(&full{f, n}, "p", "pipeline")
		if err == nil || !strings.Contains(err.Error(), "no space left") || tree(t, f) != "" {
			t.Errorf("after %d files: %q, %v", n, tree(t, f), err)
		}
	}
	f := workspace.Over(sandbox.Memory())
	if err := workspace.Init(&full{f, 6}, "p", "pipeline"); err != nil {
		t.Error(err)
	}
}

// Wherever an Init is killed, the next one of the same template finishes it, and one of
// another template writes nothing and says why.
func TestInitAfterAKill(t *testing.T) {
	for n := range 40 {
		f := workspace.Over(sandbox.Memory())
		err := workspace.Init(&dying{f, n}, "p", "pipeline")
		left := tree(t, f)
		if !strings.Contains(left, ".golem/init-pipeline/") {
			if other := workspace.Init(f, "p", "research-agent"); (other == nil) == strings.Contains(left, "main.worker") {
				t.Errorf("killed before change %d: %v; %s", n, other, left)
			}
			continue
		}
		if other := workspace.Init(f, "p", "research-agent"); !errors.Is(other, fault.Conflict) || !strings.Contains(other.Error(), "golem init --template pipeline is writing here, or was stopped") || tree(t, f) != left {
			t.Errorf("killed before change %d: another template: %v; %s", n, other, tree(t, f))
		}
		again := workspace.Init(f, "p", "pipeline")
		if got := strings.ReplaceAll(tree(t, f), "p/", ""); again != nil || strings.TrimSpace(got) != trees["pipeline"] {
			t.Errorf("killed before change %d (%v): then %v; %s", n, err, again, got)
		}
	}
}

// What a person has put into the directory after a kill is not overwritten.
func TestInitAfterAKillReplacesNothing(t *testing.T) {
	for _, mine := range []string{"p/main.worker", "p/notes.md", "p/workers/mine.worker"} {
		f := workspace.Over(sandbox.Memory())
		if err := workspace.Init(&dying{f, 12}, "p", "pipeline"); err == nil {
			t.Fatal("it was not killed")
		}
		if err := afero.WriteFile(f, mine, []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		before := tree(t, f)
		if err := workspace.Init(f, "p", "pipeline"); !errors.Is(err, fault.Conflict) || tree(t, f) != before {
			t.Errorf("%s: %v; %s, before %s", mine, err, tree(t, f), before)
		}
		if data, err := afero.ReadFile(f, mine); err != nil || string(data) != "mine" {
			t.Errorf("%s: %q, %v", mine, data, err)
		}
	}
}

// meddled is a tree in which another process does something before the n-th change.
type meddled struct {
	afero.Fs
	left int
	does func()
}

func (m *meddled) change() {
	if m.left--; m.left == 0 {
		m.does()
	}
}

func (m *meddled) OpenFile(name string, flag int, perm fs.FileMode) (afero.File, error) {
	m.change()
	return m.Fs.OpenFile(name, flag, perm)
}

func (m *meddled) Mkdir(name string, perm fs.FileMode) error {
	m.change()
	return m.Fs.Mkdir(name, perm)
}

// Two at once never mix two templates: whenever the second one begins, at most one of them
// makes a project, and it is whole.
func TestInitOfTwoTemplatesAtOnce(t *testing.T) {
	for n := range 25 {
		f := workspace.Over(sandbox.Memory())
		var second error
		m := &meddled{Fs: f, left: n, does: func() { second = workspace.Init(f, "p", "research-agent") }}
		first := workspace.Init(m, "p", "pipeline")
		got := strings.TrimSpace(strings.ReplaceAll(" "+tree(t, f), " p/", " "))
		want := "" // both saw the other
		switch began := n > 0 && m.left <= 0; {
		case first == nil && (!began || second != nil):
			want = trees["pipeline"]
		case first != nil && began && second == nil:
			want = trees["research-agent"]
		case first == nil:
			want = "one of the two"
		}
		if strings.TrimPrefix(got, "p/") != want {
			t.Errorf("the second before change %d: %v, %v; %s", n, first, second, got)
		}
	}
}

// Unzip creates the empty directories of an archive, by the same rules as its files.
func TestZipDirectories(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"p/ p/a p/input/ p/x/y/", "a input/ x/ x/y/"},
		{"p/a p/.git/objects/ p/.golem/", "a"},
		{"a input/", "a input/"},
		{"p/a q/", "p/ p/a q/"},
	} {
		var entries []entry
		for name := range strings.FieldsSeq(c.in) {
			entries = append(entries, entry{name: name})
		}
		f := workspace.Over(sandbox.Memory())
		if err := workspace.Unzip(f, pack(t, entries...)); err != nil || tree(t, f) != c.want {
			t.Errorf("%s: %s, %v", c.in, tree(t, f), err)
		}
	}
	for _, in := range []string{"input/", "a a/", "d/a D/", "../x/ a", "con/ a", "a/b a/b/c/"} {
		var entries []entry
		for name := range strings.FieldsSeq(in) {
			entries = append(entries, entry{name: name})
		}
		f := workspace.Over(sandbox.Memory())
		if err := workspace.Unzip(f, pack(t, entries...)); !errors.Is(err, fault.Path) || tree(t, f) != "" {
			t.Errorf("%s: %s, %v", in, tree(t, f), err)
		}
	}
}
