package clearance_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"testing"

	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/sandbox"
)

// seen returns the files that a run sees, without directories.
func seen(t *testing.T, fsys fs.FS) map[string]string {
	t.Helper()
	files := all(t, fsys)
	maps.DeleteFunc(files, func(name, _ string) bool { return name[len(name)-1] == '/' })
	return files
}

// A resumed run sees the staged changes of its earlier part, also removals, and continues
// its item. An item of the tool stage stays separate. Changes on which a person has
// decided meanwhile are no longer shown; the run sees the real files (scenario 57).
func TestResumedOverlay(t *testing.T) {
	d := newDisk(before)
	first := d.work()
	fsys := stage(t, first)
	read := func(name string) func() ([]byte, error) {
		return func() ([]byte, error) { return fs.ReadFile(fsys, name) }
	}
	if err := errors.Join(fsys.WriteFile("own", []byte("own\n")), fsys.WriteFile("a", []byte("ONE\n")), fsys.Remove("d/b")); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Commit(context.Background(), []clearance.File{{Source: ".", Path: "own", Staged: true, Read: read("own")}, {Source: ".", Path: "c", Read: read("c")}}, "x", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Close(context.Background()); err != nil {
		t.Fatal(err)
	}

	resumed := func() (*clearance.Work, sandbox.FS) {
		t.Helper()
		w := d.work()
		if err := w.Resume(); err != nil {
			t.Fatal(err)
		}
		return w, stage(t, w)
	}
	_, fsys = resumed()
	if got := seen(t, fsys); !maps.Equal(got, map[string]string{"a": "ONE\n", "own": "own\n", "c": "three\n"}) {
		t.Fatalf("%q", got)
	}
	if len(get(t, d.store())) != 2 {
		t.Fatal("reading changed the items")
	}
	w, fsys := resumed()
	if err := fsys.WriteFile("e", []byte("more\n")); err != nil {
		t.Fatal(err)
	}
	it, err := w.Close(context.Background())
	if err != nil || it == nil || len(it.Changes) != 3 {
		t.Fatalf("%+v, %v", it, err)
	}
	items := get(t, d.store())
	if len(items) != 2 || items[0].Type != clearance.StagedCommit || items[1].ID != it.ID {
		t.Fatalf("%+v", items)
	}

	// Another conversation does not see these changes.
	other := d.work()
	other.Run = "other"
	if err := other.Resume(); err != nil || !maps.Equal(seen(t, stage(t, other)), before) {
		t.Error("another run sees it", err)
	}

	// After decisions: pushed changes are in the files, discarded ones are gone, and a file
	// in the place of a change stays.
	if err := errors.Join(push(d.store(), it.ID, clearance.Push{})); err != nil {
		t.Fatal(err)
	}
	if err := d.files.WriteFile("own/inside", []byte("mine\n")); err != nil {
		t.Fatal(err)
	}
	_, fsys = resumed()
	want := map[string]string{"a": "ONE\n", "e": "more\n", "c": "three\n", "own/inside": "mine\n"}
	if got := seen(t, fsys); !maps.Equal(got, want) {
		t.Errorf("%q", got)
	}
	w, fsys = resumed()
	if _, err := d.store().Discard(context.Background(), items[0].ID); err != nil {
		t.Fatal(err)
	}
	w.Refresh()
	if got := seen(t, fsys); !maps.Equal(got, want) {
		t.Errorf("after the discard: %q", got)
	}
}

// A run that was killed continues with the changes that it had staged before.
func TestResumedAfterAKill(t *testing.T) {
	d := newDisk(before)
	killed := d.work()
	if err := stage(t, killed).WriteFile("a", []byte("ONE\n")); err != nil {
		t.Fatal(err)
	}
	d.state = copied(t, d.state) // a dead golem has no locks
	if err := d.store().Settle(context.Background()); err != nil {
		t.Fatal(err)
	}
	w := d.work()
	fsys := stage(t, w)
	if err := w.Resume(); err != nil {
		t.Fatal(err)
	}
	if err := fsys.WriteFile("c", []byte("THREE\n")); err != nil || seen(t, fsys)["a"] != "ONE\n" {
		t.Fatal(err)
	}
	if it, err := w.Close(context.Background()); err != nil || len(it.Changes) != 2 || len(get(t, d.store())) != 1 {
		t.Errorf("%+v, %v", it, err)
	}
}

func copied(t *testing.T, from fs.FS) sandbox.FS {
	t.Helper()
	to := sandbox.Memory()
	for name, data := range all(t, from) {
		if name[len(name)-1] != '/' {
			if err := to.WriteFile(name, []byte(data)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return to
}

// Two paths to one staged place show the same files, in the project and outside it. A
// mount around a place that is staged already is an error.
func TestTwoPathsToOnePlace(t *testing.T) {
	d := newDisk(before)
	out := sandbox.Memory()
	if err := out.WriteFile("sub/old", []byte("old\n")); err != nil {
		t.Fatal(err)
	}
	for outer, inner := range map[string]string{"d": "d/e", "/o": "/o/sub"} {
		w := d.work()
		one, err := w.Stage(out, outer)
		if err != nil {
			t.Fatal(err)
		}
		two, err := w.Stage(out, inner)
		if err != nil {
			t.Fatal(err)
		}
		last := inner[len(outer)+1:]
		if err := errors.Join(one.WriteFile(last+"/x", []byte("one\n")), two.WriteFile("y", []byte("two\n"))); err != nil {
			t.Fatal(err)
		}
		x, err := fs.ReadFile(two, "x")
		y, err2 := fs.ReadFile(one, last+"/y")
		if string(x) != "one\n" || string(y) != "two\n" {
			t.Errorf("%s: %q, %v, %q, %v", outer, x, err, y, err2)
		}
		it, err := w.Close(context.Background())
		if err != nil || len(it.Changes) != 2 || it.Changes[0].Source != inner || it.Changes[1].Source != inner {
			t.Errorf("%s: %+v, %v", outer, it, err)
		}
		again := d.work()
		if err := again.Resume(); err != nil {
			t.Fatal(err)
		}
		if one, err = again.Stage(out, outer); err != nil {
			t.Fatal(err)
		}
		if y, err := fs.ReadFile(one, last+"/y"); string(y) != "two\n" {
			t.Errorf("resumed, %s: %q, %v", outer, y, err)
		}
	}
	w := d.work()
	if _, err := w.Stage(out, "/o/sub"); err != nil {
		t.Fatal(err)
	}
	_, err := w.Stage(out, "/o")
	wants(t, err, fault.Path, "contains the one of")
}

// A conversation that goes back to a message goes on as a branch, which takes what is
// staged with it; the other conversation does not see it any more.
func TestBranchTakesWhatIsStaged(t *testing.T) {
	d := newDisk(before)
	w := d.work()
	fsys := stage(t, w)
	if err := fsys.WriteFile("a", []byte("ONE\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if it, err := w.Branch(context.Background(), "branch"); err != nil || it == nil || it.Run != "branch" || len(it.Changes) != 1 {
		t.Fatalf("%+v, %v", it, err)
	}
	if err := fsys.WriteFile("e", []byte("more\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	items := get(t, d.store())
	if len(items) != 1 || items[0].Run != "branch" || len(items[0].Changes) != 2 {
		t.Fatalf("%+v", items)
	}
	for run, want := range map[string]string{"r": "one\n", "branch": "ONE\n"} {
		w := d.work()
		w.Run = run
		if err := w.Resume(); err != nil {
			t.Fatal(err)
		}
		if got := seen(t, stage(t, w))["a"]; got != want {
			t.Errorf("%s reads %q, want %q", run, got, want)
		}
	}
}
