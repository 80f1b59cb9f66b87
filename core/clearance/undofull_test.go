package clearance_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/sandbox"
)

// Wherever the disk gets full in a run, an undo afterwards puts everything back, or there is
// nothing to undo. It never refuses because of a file that the run could not change.
func TestUndoAfterAFullDisk(t *testing.T) {
	for at := range 60 {
		d := newDisk(before)
		r := d.run(t, d.undo(), "r")
		d.f.n, d.f.at = 0, at+1
		_ = errors.Join(r.WriteFile("a", []byte("1")), r.WriteFile("b", []byte("2")), r.WriteFile("b", []byte("3")), r.Remove("a"), r.WriteFile("d/new", []byte("4")), r.WriteFile("b", []byte("5")))
		_ = r.rec.Close(context.Background())
		d.f.at = 0
		s := d.undo()
		items, err := s.Runs(t.Context())
		if err != nil {
			t.Fatal(at, err)
		}
		for _, it := range items {
			if it.Err != nil || len(it.Lost) > 0 {
				t.Errorf("full at change %d: %v, not kept: %s", at, it.Err, strings.Join(it.Lost, " "))
			}
		}
		if err := undoes(s, clearance.Push{}); err != nil && !errors.Is(err, fault.NotFound) {
			t.Errorf("full at change %d: %v", at, err)
		}
		same(t, "undone", all(t, d.files), withDirs(before))
	}
}

// A file that was not kept because the disk was full for a moment is named once.
func TestLostFilesAreNamedOnce(t *testing.T) {
	for at := range 30 {
		d := newDisk(before)
		r := d.run(t, d.undo(), "r")
		d.f.n, d.f.at, d.f.once = 0, at+1, true
		_ = errors.Join(r.WriteFile("a", []byte("1")), r.WriteFile("a", []byte("2")), r.WriteFile("b", []byte("3")))
		_ = r.rec.Close(context.Background())
		d.f.at = 0
		items, err := d.undo().Runs(t.Context())
		if err != nil {
			t.Fatal(at, err)
		}
		for _, it := range items {
			if lost := slices.Compact(slices.Sorted(slices.Values(it.Lost))); len(lost) != len(it.Lost) {
				t.Errorf("failed at change %d: %s", at, strings.Join(it.Lost, " "))
			}
		}
	}
}

// An item whose journal has no line is no run: it is not listed, keeps no other run from
// being undone, and the next run removes it.
func TestAnItemThatWasNotBegun(t *testing.T) {
	d := newDisk(before)
	d.wrote(t, "older", func(fsys sandbox.FS) error { return fsys.WriteFile("c", nil) })
	for _, dir := range []string{"undo/7"} {
		if err := errors.Join(d.state.Mkdir(dir, 0o700), d.state.WriteFile(dir+"/journal", nil)); err != nil {
			t.Fatal(err)
		}
	}
	if items := get(t, d.undo()); len(items) != 1 || items[0].Run != "older" {
		t.Errorf("%+v", items)
	}
	if err := undoes(d.undo(), clearance.Push{}); err != nil {
		t.Fatal(err)
	}
	same(t, "undone", all(t, d.files), withDirs(before))
}
