package gitrepo

import (
	"context"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	gitconfig "github.com/go-git/go-git/v5/plumbing/format/config"

	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/gitrepo/gittest"
	"golem/core/sandbox"
	"golem/core/state"
)

// stops counts the changes of the trees that share it. Change number at and all later
// ones fail, as if golem was killed before it. With once only change number at fails, as
// on a disk that is full for a moment.
type stops struct {
	n, at int
	once  bool
}

func (f *stops) step() error {
	f.n++
	if f.at > 0 && (f.n == f.at || f.n > f.at && !f.once) {
		return fault.New(fault.Quota, "no space left")
	}
	return nil
}

// stoppable is a tree in memory whose changes can fail, with a method Create like that of
// osfs.
type stoppable struct {
	sandbox.FS
	f *stops
}

func (t stoppable) WriteFile(name string, data []byte) error {
	if err := t.f.step(); err != nil {
		return err
	}
	return t.FS.WriteFile(name, data)
}

func (t stoppable) Create(name string, data []byte) error {
	if err := t.f.step(); err != nil {
		return err
	}
	if _, err := fs.Stat(t.FS, name); err == nil {
		return fs.ErrExist
	}
	return t.FS.WriteFile(name, data)
}

func (t stoppable) Remove(name string) error {
	if err := t.f.step(); err != nil {
		return err
	}
	return t.FS.Remove(name)
}

func (t stoppable) Rename(o, n string) error {
	if err := t.f.step(); err != nil {
		return err
	}
	return t.FS.Rename(o, n)
}

func (t stoppable) SubFS(dir string) (sandbox.FS, error) {
	sub, err := t.FS.(sandbox.SubFS).SubFS(dir)
	return stoppable{sub, t.f}, err
}

type repo = gittest.Repo

var entry = gittest.Entry

// gitDesk is a project in memory with a repository, whose working tree shows the branch
// main.
type gitDesk struct {
	files, state sandbox.FS
	f            *stops
	repo         *repo
	first        string // commit
}

var gitFirst = map[string]string{"a": "one\n", "d/b": "two\n", "c": "three\n"}

func newGitDesk(t testing.TB) *gitDesk {
	d := &gitDesk{files: sandbox.Memory(), state: sandbox.Memory(), f: &stops{}}
	d.repo = &repo{T: t, Write: func(name string, data []byte) error { return d.files.WriteFile("repo/.git/"+name, data) }}
	for name, data := range gitFirst {
		if err := d.files.WriteFile("repo/"+name, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	r := d.repo
	a, b, c := r.Object("blob", "one\n"), r.Object("blob", "two\n"), r.Object("blob", "three\n")
	d.first = r.Tag("v1", r.Tree(entry(Plain, "a", a), entry(Program, "c", c), entry(Dir, "d", r.Tree(entry(Plain, "b", b)))))
	list := &gitIndex{}
	for n, e := range []gitEntry{{Plain, "a", plumbing.NewHash(a)}, {Program, "c", plumbing.NewHash(c)}, {Plain, "d/b", plumbing.NewHash(b)}} {
		list.set(e.name, n, false, &e)
	}
	r.Put("index", list.encode())
	return d
}

func (d *gitDesk) store() *clearance.Store {
	s := state.Memory(stoppable{d.state, d.f})
	files := stoppable{d.files, d.f}
	return &clearance.Store{
		State: &s, Real: realFiles{files},
		Now:     func() time.Time { return time.Unix(-5, 0) }, // a clock may be wrong
		Targets: map[string]clearance.Target{"main": {Git: "repo", Branch: "main"}},
	}
}

// realFiles is a tree with repositories. A worker defines the project.
type realFiles struct{ stoppable }

func (r realFiles) Mount(string) (sandbox.FS, error) { return r.stoppable, nil }

func (realFiles) Guard(place string) (bool, error) {
	if sandbox.Secret(place) {
		return false, fault.New(fault.Protected, "%s is never written", place)
	}
	return strings.HasSuffix(place, ".worker"), nil
}

func (r realFiles) Branch(to clearance.Target) (clearance.Branch, error) {
	sub, err := r.SubFS(to.Git)
	if err != nil {
		return nil, err
	}
	b, err := Open(sub, to.Git, to.Branch, func(*gitconfig.Config) string { return "a <a@b>" })
	if err != nil {
		return nil, err
	}
	return b, nil
}

// stage makes an item with changes of files of the repository; the content "" removes a
// file.
func (d *gitDesk) stage(t testing.TB, changes map[string]string) clearance.Item {
	t.Helper()
	w := &clearance.Work{Store: d.store(), Run: "r", Worker: "main", Root: ".", Host: onFiles{d.files}}
	fsys, err := w.Stage(nil, "repo")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range changes {
		if data == "" {
			err = fsys.Remove(name)
		} else {
			err = fsys.WriteFile(name, []byte(data))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	it, err := w.Close(context.Background())
	if err != nil || it == nil {
		t.Fatal(it, err)
	}
	return *it
}

var gitChange = map[string]string{"a": "ONE\n", "n/e/w": "new\n", "d/b": ""}

// gitAfter is the files of the branch after gitChange was pushed.
var gitAfter = map[string]string{"a": "ONE\n", "c": "three\n", "n/e/w": "new\n"}

// look returns the files of the branch, of the index and of the working tree.
func (d *gitDesk) look(t testing.TB) (branch, index, work map[string]string) {
	t.Helper()
	sub, err := d.files.(sandbox.SubFS).SubFS("repo")
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(sub, "repo", "main", func(*gitconfig.Config) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	root, err := b.root(b.tip)
	if err != nil {
		t.Fatal(err)
	}
	branch, index, work = map[string]string{}, map[string]string{}, map[string]string{}
	var walk func(tree, dir string)
	walk = func(tree, dir string) {
		entries, err := b.tree(tree)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.mode == Dir {
				walk(e.hash.String(), dir+e.name+"/")
				continue
			}
			data, err := b.object(plumbing.BlobObject, e.hash.String())
			if err != nil {
				t.Fatal(err)
			}
			branch[dir+e.name] = string(data)
		}
	}
	walk(root, "")
	list, err := b.readIndex()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range list.lines {
		e, _, merging := list.get(l.name)
		if merging {
			t.Fatal("the index has two entries of", l.name)
		}
		data, err := b.object(plumbing.BlobObject, e.hash.String())
		if err != nil {
			t.Fatal(err)
		}
		index[l.name] = string(data)
	}
	err = fs.WalkDir(sub, ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !strings.HasPrefix(name, ".git/") {
			var data []byte
			data, err = fs.ReadFile(sub, name)
			work[name] = string(data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return branch, index, work
}

func (d *gitDesk) locks() (out []string) {
	_ = fs.WalkDir(d.files, ".", func(name string, _ fs.DirEntry, _ error) error {
		if strings.HasSuffix(name, ".lock") {
			out = append(out, name)
		}
		return nil
	})
	return out
}

// onFiles is the host of work on files.
type onFiles struct{ sandbox.FS }

func (f onFiles) Base() (sandbox.FS, error) { return f.FS, nil }
func (onFiles) Life() context.Context       { return context.Background() }
func (onFiles) Trouble(*fault.Fault)        {}
