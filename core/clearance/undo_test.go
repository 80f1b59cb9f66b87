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

	"pgregory.net/rapid"

	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/sandbox"
)

// After an undo, files and directories are as they were before the run, and after a redo
// as the run left them, for any changes of the run.
func TestUndo(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := newDisk(before)
		was := all(t, d.files)
		s := d.undo()
		r := d.run(t, s, "r")
		for range rapid.IntRange(1, 3).Draw(rt, "exchanges") {
			for n := range rapid.IntRange(0, 12).Draw(rt, "changes") {
				oneOf(rt, r, n)
			}
			if err := r.rec.Close(context.Background()); err != nil {
				rt.Fatal(err)
			}
		}
		now := all(t, d.files)
		if maps.Equal(was, now) {
			if err := undoes(s, clearance.Push{}); err != nil && !errors.Is(err, fault.NotFound) {
				rt.Fatal(err)
			}
			return
		}
		for range 2 {
			it, err := s.Of(context.Background(), "r", false)
			if err != nil {
				rt.Fatal(err)
			}
			if _, err := s.Diff(it, ""); err != nil {
				rt.Fatal(err)
			}
			if err := undoes(s, clearance.Push{Digest: it.Digest()}); err != nil {
				rt.Fatal(err)
			}
			same(t, "undone", all(t, d.files), was)
			if err := undoes(s, clearance.Push{}); !errors.Is(err, fault.NotFound) {
				rt.Fatalf("undone twice: %v", err)
			}
			if err := undoes(s, clearance.Push{Redo: true}); err != nil {
				rt.Fatal(err)
			}
			same(t, "redone", all(t, d.files), now)
		}
	})
}

// changing makes changes of each kind to the files of before: writes, a removal, a move
// of a directory, a new directory, a second write of the same file.
func changing(fsys sandbox.FS) error {
	return errors.Join(
		fsys.WriteFile("a", []byte("ONE\n")), fsys.WriteFile("n/e/w", []byte("new\n")), fsys.Remove("c"),
		fsys.Rename("d", "m"), fsys.Mkdir("empty", 0o755), fsys.WriteFile("a", []byte("1\n")),
	)
}

// A run that is killed at any change, or in which any single change fails, can be undone
// completely.
func TestRecordIsWhole(t *testing.T) {
	for _, once := range []bool{false, true} {
		for n := 1; ; n++ {
			d := newDisk(before)
			was := all(t, d.files)
			d.f.at, d.f.once = n, once
			r := d.run(t, d.undo(), "r")
			_ = changing(r)
			if once {
				_ = r.rec.Close(context.Background())
			}
			if d.f.n < n {
				break
			}
			d.f.at = 0
			s := d.undo()
			what := fmt.Sprintf("once=%v/%d", once, n)
			if maps.Equal(all(t, d.files), was) {
				continue
			}
			it, err := s.Of(context.Background(), "r", false)
			if once && len(r.told) > 0 { // it said that it cannot be undone, or that not all can
				if err == nil && len(it.Lost) == 0 {
					t.Errorf("%s: %q, and there is %+v", what, r.told, it)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if _, err := s.Push(context.Background(), it.ID, clearance.Push{}); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			same(t, what, all(t, d.files), was)
		}
	}
}

// After an undo or redo that is stopped or fails at any change, and after Settle, all
// files are as before or all are changed, and the run can be undone and redone.
func TestUndoIsWhole(t *testing.T) {
	for _, redo := range []bool{false, true} {
		for _, once := range []bool{false, true} {
			for n := 1; ; n++ {
				d := newDisk(before)
				old := all(t, d.files)
				d.wrote(t, "r", changing)
				if redo {
					if err := undoes(d.undo(), clearance.Push{}); err != nil {
						t.Fatal(err)
					}
				}
				was := all(t, d.files)
				d.f.n, d.f.at, d.f.once = 0, n, once
				failed := undoes(d.undo(), clearance.Push{Redo: redo})
				if d.f.n < n {
					break
				}
				d.f.at = 0
				s := d.undo()
				if err := s.Settle(context.Background()); err != nil {
					t.Fatalf("settle: %v", err)
				}
				files, items := all(t, d.files), get(t, s)
				done := !maps.Equal(files, was)
				if len(items) != 1 || (items[0].State == clearance.Undone) == (done == redo) {
					t.Fatalf("redo=%v once=%v/%d (%v): %q, %+v", redo, once, n, failed, files, items)
				}
				if items[0].State != clearance.Undone {
					if err := undoes(s, clearance.Push{}); err != nil {
						t.Fatal(err)
					}
				}
				same(t, "undone at last", all(t, d.files), old)
			}
		}
	}
}

// A file that was changed after the run prevents the whole undo. A file that already is as
// before the run does not. A directory that has other files stays.
func TestUndoRefusesWhatChanged(t *testing.T) {
	d := newDisk(before)
	d.wrote(t, "r", changing)
	if err := d.files.WriteFile("n/e/w", []byte("mine\n")); err != nil {
		t.Fatal(err)
	}
	was := all(t, d.files)
	wants(t, undoes(d.undo(), clearance.Push{}), fault.Conflict, "nothing was written", "n/e/w", "run r")
	same(t, "refused", all(t, d.files), was)
	if err := errors.Join(d.files.Remove("n/e/w"), d.files.WriteFile("n/mine", nil), d.files.WriteFile("c", []byte("three\n"))); err != nil {
		t.Fatal(err)
	}
	if err := undoes(d.undo(), clearance.Push{}); err != nil {
		t.Fatal(err)
	}
	want := withDirs(before)
	want["n/"], want["n/mine"] = "", ""
	delete(want, "empty/")
	got := all(t, d.files)
	delete(got, "n/e/")
	same(t, "undone", got, want)
}

// Runs are undone from the newest to the oldest, also if the clock is wrong. A file that
// a later run changed too prevents the undo of an older run.
func TestUndoOfRuns(t *testing.T) {
	d := newDisk(before)
	for n := range 3 {
		d.wrote(t, fmt.Sprint("run", n), func(fsys sandbox.FS) error { return fsys.WriteFile("a", fmt.Append(nil, n)) })
	}
	s := d.undo()
	first, err := s.Of(context.Background(), "run0", false)
	if err != nil {
		t.Fatal(err)
	}
	wants(t, push(s, first.ID, clearance.Push{}), fault.Conflict, "a", "later runs")
	for _, want := range []string{"1", "0", "one\n"} {
		if err := undoes(s, clearance.Push{}); err != nil {
			t.Fatal(err)
		}
		if got := all(t, d.files)["a"]; got != want {
			t.Errorf("%q instead of %q", got, want)
		}
	}
	wants(t, undoes(s, clearance.Push{}), fault.NotFound)
	wants(t, push(s, first.ID, clearance.Push{}), fault.Conflict, "undone already", "--redo")
	_, err = s.Of(context.Background(), "run7", false)
	wants(t, err, fault.NotFound, "run7")
}

// A run cannot be undone during an exchange, but can between two exchanges. If it writes
// again afterwards, its new changes can be undone.
func TestUndoOfARunThatGoesOn(t *testing.T) {
	d := newDisk(before)
	s := d.undo()
	r := d.run(t, s, "r")
	write := func(text string) {
		t.Helper()
		if err := r.WriteFile("a", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	closes := func() {
		t.Helper()
		if err := r.rec.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	write("1")
	wants(t, undoes(s, clearance.Push{}), fault.Busy, "the run r still goes on")
	closes()
	write("2")
	wants(t, undoes(s, clearance.Push{}), fault.Busy)
	closes()
	if err := undoes(s, clearance.Push{}); err != nil {
		t.Fatal(err)
	}
	same(t, "undone", all(t, d.files), withDirs(before))
	write("3")
	closes()
	if items := get(t, s); len(items) != 1 || items[0].State != clearance.Pending {
		t.Fatalf("%+v", items)
	}
	if err := undoes(s, clearance.Push{}); err != nil {
		t.Fatal(err)
	}
	same(t, "undone again", all(t, d.files), withDirs(before))
}

// A file that is too large to keep is reported during the run and named by the undo, which
// leaves it out only with Partial. A file is also left out if the undo would remove its
// only copy.
func TestUndoIsBounded(t *testing.T) {
	large := strings.Repeat("x", 64<<20)
	d := newDisk(map[string]string{"large": large, "also": large[1:], "small": "s", "moved": large})
	r := d.run(t, d.undo(), "r")
	err := errors.Join(r.WriteFile("small", []byte("S")), r.WriteFile("large", []byte("L")), r.Remove("also"), r.Rename("moved", "there"), r.rec.Close(context.Background()))
	if err != nil || len(r.told) != 1 || !strings.Contains(r.told[0], "large") {
		t.Fatalf("%v, told %q", err, r.told)
	}
	s := d.undo()
	it := get(t, s)[0]
	if lost := []string{"large", "moved", "there"}; !slices.Equal(it.Lost, lost) {
		t.Fatalf("lost %q", it.Lost)
	}
	wants(t, undoes(s, clearance.Push{}), fault.Limit, "large, moved, there", "--partial")
	if got := all(t, d.files); got["small"] != "S" {
		t.Fatal("something was written")
	}
	if err := undoes(s, clearance.Push{Partial: true}); err != nil {
		t.Fatal(err)
	}
	same(t, "undone", all(t, d.files), map[string]string{"large": "L", "also": large[1:], "small": "s", "there": large})
}

// The items of the oldest runs are removed, but not that of a run that continues.
func TestUndoKeepsTheNewestRuns(t *testing.T) {
	d := newDisk(before)
	s := d.undo()
	open := d.run(t, s, "open")
	if err := open.WriteFile("c", nil); err != nil {
		t.Fatal(err)
	}
	for n := range 30 {
		r := d.run(t, s, fmt.Sprint("run", n))
		if err := errors.Join(r.WriteFile("a", fmt.Append(nil, n)), r.rec.Close(context.Background())); err != nil {
			t.Fatal(err)
		}
	}
	items := get(t, s)
	if len(items) > 26 || items[0].Run != "open" || items[1].Run == "run0" || items[len(items)-1].Run != "run29" {
		t.Errorf("%d items, from %s and %s", len(items), items[0].Run, items[1].Run)
	}
	dirs, err := fs.ReadDir(d.state, "undo")
	if err != nil || len(dirs) > 27 {
		t.Errorf("%d directories, %v", len(dirs), err)
	}
}

// An undo item from a clone can only be shown, whether its run had ended, was killed or
// was being undone (SPEC §3).
func TestForeignUndo(t *testing.T) {
	for name, how := range map[string]func(d *disk){
		"ended":  func(d *disk) { d.wrote(t, "r", changing) },
		"killed": func(d *disk) { _ = changing(d.run(t, d.undo(), "r")) },
		"undone half": func(d *disk) {
			d.wrote(t, "r", changing)
			for d.f.n, d.f.at = 0, 6; undoes(d.undo(), clearance.Push{}) == nil; {
			}
			d.f.at = 0
		},
	} {
		d := newDisk(before)
		how(d)
		was, kept := all(t, d.files), all(t, d.state)
		s := d.undo()
		s.State.Host = otherMachine{s.State.Host}
		items := get(t, s)
		if len(items) != 1 || items[0].Err == nil {
			t.Fatalf("%s: %+v", name, items)
		}
		if diffs, err := s.Diff(items[0], ""); err != nil || len(diffs) == 0 {
			t.Errorf("%s: %v", name, err)
		}
		wants(t, push(s, items[0].ID, clearance.Push{}), fault.Trust)
		if err := s.Settle(context.Background()); err != nil {
			t.Error(err)
		}
		same(t, name, all(t, d.files), was)
		delete(kept, "undo/now")
		same(t, name, all(t, d.state), kept)
	}
}

// Undoing a change of a file that now defines the project needs a second yes that names
// it. Files for secrets are never written.
func TestUndoOfADefinition(t *testing.T) {
	d := newDisk(map[string]string{"x.worker": "old"})
	d.wrote(t, "r", func(fsys sandbox.FS) error { return fsys.WriteFile("x.worker", []byte("new")) })
	wants(t, undoes(d.undo(), clearance.Push{}), fault.Protected, "x.worker")
	if err := undoes(d.undo(), clearance.Push{Definitions: []string{"x.worker"}}); err != nil {
		t.Error(err)
	}
}

// If nothing can be kept, the run continues and reports this once.
func TestNothingToUndo(t *testing.T) {
	d := newDisk(before)
	s := d.undo()
	r := d.run(t, s, "r")
	s.State.Files = faulty{d.state, &failing{at: 1}}
	if err := changing(r); err != nil || len(r.told) != 1 || !strings.Contains(r.told[0], "cannot be undone") {
		t.Errorf("%v, told %q", err, r.told)
	}
	if err := r.rec.Close(context.Background()); err != nil || len(get(t, d.undo())) != 0 {
		t.Error(err)
	}
}

// An undo names the tools that can have changed files unseen, also one that ran in an
// exchange that wrote nothing else, and in a golem that was killed.
func TestUndoNamesToolsOfLaterExchanges(t *testing.T) {
	for _, killed := range []bool{false, true} {
		d := newDisk(before)
		r := d.run(t, d.undo(), "r")
		if err := errors.Join(r.WriteFile("a", []byte("ONE\n")), r.rec.Close(context.Background())); err != nil {
			t.Fatal(err)
		}
		r.rec.Blind("run_command")
		if !killed {
			if err := r.rec.Close(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		it, err := d.undo().Of(context.Background(), "r", false)
		if err != nil || len(it.Changes) != 1 || !slices.Equal(it.Blind, []string{"run_command"}) {
			t.Errorf("killed %v: %+v, %v", killed, it, err)
		}
	}
}
