package clearance_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
)

// failing counts the changes of the trees that share it. Change number at and all later
// ones fail, as if golem was killed before it. With once only change number at fails, as
// on a disk that is full for a moment.
type failing struct {
	n, at int
	once  bool
}

var errStopped = fault.New(fault.Quota, "no space left")

func (f *failing) step() error {
	f.n++
	if f.at > 0 && (f.n == f.at || f.n > f.at && !f.once) {
		return errStopped
	}
	return nil
}

// faulty is a tree whose changes can fail, see failing.
type faulty struct {
	sandbox.FS
	f *failing
}

func (t faulty) WriteFile(name string, data []byte) error {
	if err := t.f.step(); err != nil {
		return err
	}
	return t.FS.WriteFile(name, data)
}

func (t faulty) Remove(name string) error {
	if err := t.f.step(); err != nil {
		return err
	}
	return t.FS.Remove(name)
}

func (t faulty) Rename(o, n string) error {
	if err := t.f.step(); err != nil {
		return err
	}
	return t.FS.Rename(o, n)
}

func (t faulty) Mkdir(name string, perm fs.FileMode) error {
	if err := t.f.step(); err != nil {
		return err
	}
	return t.FS.Mkdir(name, perm)
}

func (t faulty) SubFS(dir string) (sandbox.FS, error) {
	sub, err := t.FS.(sandbox.SubFS).SubFS(dir)
	return faulty{sub, t.f}, err
}

// disk is a project with its files and its state.
type disk struct {
	files, state sandbox.FS
	f            *failing
	hours        int // the hours by which the clock was set back
}

func newDisk(files map[string]string) *disk {
	d := &disk{files: sandbox.Memory(), state: sandbox.Memory(), f: &failing{}}
	for name, data := range files {
		if err := d.files.WriteFile(name, []byte(data)); err != nil {
			panic(err)
		}
	}
	return d
}

// store returns a new Store on the disk, as a golem that has just started.
func (d *disk) store() *clearance.Store {
	s := state.Memory(faulty{d.state, d.f})
	return &clearance.Store{
		State:   &s,
		Real:    realFiles{faulty{d.files, d.f}},
		Targets: map[string]clearance.Target{"main": {Dir: "pub"}},
	}
}

// realFiles has one tree for every source, and no repository. A worker defines the project.
type realFiles struct{ sandbox.FS }

func (r realFiles) Mount(string) (sandbox.FS, error) { return r.FS, nil }

func (realFiles) Branch(clearance.Target) (clearance.Branch, error) { return nil, clearance.ErrNoGit }

func (realFiles) Guard(place string) (bool, error) {
	if sandbox.Secret(place) {
		return false, fault.New(fault.Protected, "%s is never written", place)
	}
	return strings.HasSuffix(place, ".worker"), nil
}

func (d *disk) work() *clearance.Work {
	return d.workOf(d.store())
}

func (d *disk) workOf(s *clearance.Store) *clearance.Work {
	return &clearance.Work{Store: s, Run: "r", Worker: "main", Root: ".", Host: &host{files: d.files}}
}

// all returns every file of a tree with its content, and every directory.
func all(t testing.TB, fsys fs.FS) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if e.IsDir() {
			out[name+"/"] = ""
			return nil
		}
		data, err := fs.ReadFile(fsys, name)
		out[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func get(t testing.TB, s *clearance.Store) []clearance.Item {
	t.Helper()
	items, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	return items
}

// stage returns a staged mount of the whole project.
func stage(t testing.TB, w *clearance.Work) sandbox.FS {
	t.Helper()
	fsys, err := w.Stage(nil, ".")
	if err != nil {
		t.Fatal(err)
	}
	return fsys
}

var before = map[string]string{"a": "one\n", "d/b": "two\n", "c": "three\n"}

// prepared returns a disk with an item that changes a, adds n/e/w and removes d/b.
func prepared(t testing.TB) (*disk, clearance.Item) {
	t.Helper()
	d := newDisk(before)
	w := d.work()
	fsys := stage(t, w)
	if err := errors.Join(fsys.WriteFile("a", []byte("ONE\n")), fsys.WriteFile("n/e/w", []byte("new\n")), fsys.Remove("d/b")); err != nil {
		t.Fatal(err)
	}
	it, err := w.Close(context.Background())
	if err != nil || it == nil {
		t.Fatal(it, err)
	}
	return d, *it
}

// after is the files after the item of prepared was pushed.
var after = map[string]string{"a": "ONE\n", "d/": "", "c": "three\n", "n/": "", "n/e/": "", "n/e/w": "new\n"}

// everywhere calls do on a new disk again and again. Each time golem is killed at another
// change, or another single change fails. After Settle, check judges the result.
func everywhere(t *testing.T, do func(d *disk, it clearance.Item) error, check func(t *testing.T, d *disk, s *clearance.Store, failed error)) {
	for _, once := range []bool{false, true} {
		steps := 0
		for n := 1; ; n++ {
			d, it := prepared(t)
			d.f.n, d.f.at, d.f.once = 0, n, once
			err := do(d, it)
			if d.f.n < n {
				break
			}
			steps++
			d.f.at = 0
			t.Run(fmt.Sprintf("once=%v/%d", once, n), func(t *testing.T) {
				s := d.store()
				if err := s.Settle(context.Background()); err != nil {
					t.Fatalf("settle: %v", err)
				}
				check(t, d, s, err)
			})
		}
		if steps < 3 {
			t.Errorf("only %d steps were tried", steps)
		}
	}
}

func withDirs(files map[string]string) map[string]string {
	out := maps.Clone(files)
	for name := range files {
		for i, r := range name {
			if r == '/' {
				out[name[:i+1]] = ""
			}
		}
	}
	return out
}

// After a push that is stopped or fails at any change, all files are old and the item
// still exists, or all files are new and the next root is told once (S4-51, SECURITY 14).
func TestPushIsWhole(t *testing.T) {
	everywhere(t, func(d *disk, it clearance.Item) error {
		_, err := d.store().Push(context.Background(), it.ID, clearance.Push{Digest: it.Digest()})
		return err
	}, func(t *testing.T, d *disk, s *clearance.Store, failed error) {
		files, items, notes := all(t, d.files), get(t, s), s.Notes(context.Background())
		switch {
		case maps.Equal(files, withDirs(before)):
			if len(items) != 1 || len(items[0].Changes) != 3 || items[0].State != clearance.Pending || len(notes) != 0 {
				t.Fatalf("old files, items %+v, notes %q", items, notes)
			}
			if _, err := s.Push(context.Background(), items[0].ID, clearance.Push{}); err != nil {
				t.Fatalf("the item cannot be pushed any more: %v", err)
			}
			if got := all(t, d.files); !maps.Equal(got, after) {
				t.Fatalf("pushed again: %q", got)
			}
		case maps.Equal(files, after):
			if len(items) != 0 || len(notes) != 1 || len(s.Notes(context.Background())) != 0 {
				t.Fatalf("new files, items %+v, notes %q", items, notes)
			}
		default:
			t.Fatalf("a mixture (%v): %q", failed, files)
		}
		if err := s.Settle(context.Background()); err != nil {
			t.Fatal(err)
		}
	})
}

// After a discard that is stopped or fails, the item still exists, or it is removed and
// the next root is told. The files never change.
func TestDiscardIsWhole(t *testing.T) {
	everywhere(t, func(d *disk, it clearance.Item) error {
		_, err := d.store().Discard(context.Background(), it.ID)
		return err
	}, func(t *testing.T, d *disk, s *clearance.Store, _ error) {
		if files := all(t, d.files); !maps.Equal(files, withDirs(before)) {
			t.Fatalf("%q", files)
		}
		items, notes := get(t, s), s.Notes(context.Background())
		if len(items)+len(notes) != 1 {
			t.Fatalf("items %+v, notes %q", items, notes)
		}
		if len(items) == 0 {
			if left := all(t, d.state); slices.ContainsFunc(slices.Collect(maps.Keys(left)), func(n string) bool { return strings.HasPrefix(n, "clearance/1/") }) {
				t.Fatalf("left behind: %q", left)
			}
		}
	})
}

// The tool stage makes a complete item or none. Changes in a staged mount are kept from
// the first write on, up to the point where the run was stopped.
func TestStagingIsWhole(t *testing.T) {
	everywhere(t, func(d *disk, _ clearance.Item) error {
		_, err := d.work().Commit(context.Background(), []clearance.File{
			{Source: ".", Path: "c", Read: func() ([]byte, error) { return []byte("staged\n"), nil }},
			{Source: ".", Path: "x", Read: func() ([]byte, error) { return []byte("more\n"), nil }},
		}, "two", "main")
		return err
	}, func(t *testing.T, d *disk, s *clearance.Store, _ error) {
		items := get(t, s)
		if len(items) == 2 && (len(items[1].Changes) != 2 || items[1].Message != "two" || items[1].Target != "main") || len(items) > 2 || items[0].ID != "1" {
			t.Fatalf("%+v", items)
		}
	})
	everywhere(t, func(d *disk, _ clearance.Item) error {
		w := d.work()
		fsys := stage(t, w)
		err := errors.Join(fsys.WriteFile("x", []byte("X")), fsys.WriteFile("y", []byte("Y")))
		if err != nil {
			return err // killed: Close is not reached
		}
		_, err = w.Close(context.Background())
		return err
	}, func(t *testing.T, d *disk, s *clearance.Store, failed error) {
		items := get(t, s)
		if len(items) > 2 || items[0].ID != "1" {
			t.Fatalf("%+v", items)
		}
		if !maps.Equal(all(t, d.files), withDirs(before)) {
			t.Fatal("a real file changed")
		}
		for _, it := range items[1:] {
			if it.State == clearance.Pending {
				for _, c := range it.Changes {
					if _, err := s.Diff(it, ""); err != nil || c.Digest == "" {
						t.Fatalf("%+v: %v", c, err)
					}
				}
			}
		}
	})
}
