package clearance_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/sandbox"
)

// ofRun undoes or redoes the next item of a run.
func ofRun(s *clearance.Store, run string, redo bool) error {
	it, err := s.Of(context.Background(), run, redo)
	if err == nil {
		err = push(s, it.ID, clearance.Push{Redo: redo})
	}
	return err
}

// Content that somebody else writes between two writes of a run is kept. The first undo of
// the run restores it, and the next undo, of the older part of the run, is then a conflict.
// All changes can be redone.
func TestUndoKeepsWhatOthersWrote(t *testing.T) {
	person := func(t *testing.T, d *disk, text string) {
		if err := d.files.WriteFile("a", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	for name, others := range map[string]func(*testing.T, *disk, string){
		"a person": person,
		"a run": func(t *testing.T, d *disk, text string) {
			d.wrote(t, "other", func(fsys sandbox.FS) error { return fsys.WriteFile("a", []byte(text)) })
		},
	} {
		d := newDisk(before)
		s := d.undo()
		r := d.run(t, s, "r")
		if err := errors.Join(r.WriteFile("c", nil), r.WriteFile("a", []byte("1"))); err != nil {
			t.Fatal(err)
		}
		others(t, d, "mine")
		if err := errors.Join(r.Rename("a", "d/e"), r.WriteFile("a", []byte("2")), r.WriteFile("a", []byte("3"))); err != nil {
			t.Fatal(err)
		}
		wants(t, ofRun(s, "r", false), fault.Busy)
		if err := r.rec.Close(context.Background()); err != nil || len(r.told) > 0 {
			t.Fatal(err, r.told)
		}
		now := all(t, d.files)
		if err := ofRun(s, "r", false); err != nil {
			t.Fatal(err)
		}
		want := withDirs(before)
		want["a"], want["c"] = "mine", ""
		same(t, name, all(t, d.files), want)
		wants(t, ofRun(s, "r", false), fault.Conflict, "changed since the run r: a")
		same(t, "refused", all(t, d.files), want)
		person(t, d, "1")
		if err := ofRun(s, "r", false); err != nil {
			t.Fatal(err)
		}
		same(t, "all undone", all(t, d.files), withDirs(before))
		if err := ofRun(s, "r", true); err != nil || all(t, d.files)["a"] != "1" {
			t.Fatal(all(t, d.files), err)
		}
		person(t, d, "mine")
		if err := ofRun(s, "r", true); err != nil {
			t.Fatal(err)
		}
		same(t, "redone", all(t, d.files), now)
	}
}

// All items of a run count as one of the runs that are kept.
func TestUndoKeepsAllPartsOfARun(t *testing.T) {
	d := newDisk(before)
	d.wrote(t, "older", func(fsys sandbox.FS) error { return fsys.WriteFile("c", nil) })
	d.wrote(t, "r", func(fsys sandbox.FS) error {
		for n := range 30 {
			if err := errors.Join(fsys.WriteFile("a", fmt.Append(nil, "golem ", n)), d.files.WriteFile("a", fmt.Append(nil, "mine ", n))); err != nil {
				return err
			}
		}
		return nil
	})
	if items := get(t, d.undo()); len(items) != 31 || items[0].Run != "older" {
		t.Errorf("%d items", len(items))
	}
}

// An item whose journal cannot be read does not prevent the undo of other items.
func TestUndoBesideAnUnreadableItem(t *testing.T) {
	d := newDisk(before)
	d.wrote(t, "r", changing)
	if err := d.state.WriteFile("undo/7/journal", nil); err != nil {
		t.Fatal(err)
	}
	if err := undoes(d.undo(), clearance.Push{}); err != nil {
		t.Fatal(err)
	}
	same(t, "undone", all(t, d.files), withDirs(before))
}
