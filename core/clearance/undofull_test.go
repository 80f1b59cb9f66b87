package clearance_test

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"

	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/sandbox"
)

// crowded is a tree on a disk that is full: no file can be written, but some lines still fit
// into the last block of a journal.
type crowded struct {
	sandbox.FS
	full  *bool
	lines *int // how many lines still fit
}

func (c crowded) WriteFile(name string, data []byte) error {
	if *c.full {
		if *c.lines--; *c.lines < 0 || path.Base(name) != "journal" {
			return errStopped
		}
	}
	return c.FS.WriteFile(name, data)
}

func (c crowded) SubFS(dir string) (sandbox.FS, error) {
	sub, err := c.FS.(sandbox.SubFS).SubFS(dir)
	return crowded{sub, c.full, c.lines}, err
}

// Wherever the disk gets full in a run, an undo afterwards puts everything back, or there is
// nothing to undo. It never refuses because of a file that the run could not change.
func TestUndoAfterAFullDisk(t *testing.T) {
	for n := range 5 * 10 * 2 {
		at, lines, room := n/20, n/2%10, n%2 == 1
		d := newDisk(before)
		full := false
		s := d.undo()
		s.State.Files = crowded{s.State.Files, &full, &lines}
		r := &recording{rec: &clearance.Record{Store: s, Run: "r", Worker: "main", Root: "."}}
		view, err := sandbox.View(sandbox.ViewSpec{
			Mounts:  []sandbox.Mount{{Name: "root", At: ".", FS: crowded{d.files, &full, &lines}, Source: ".", Mode: sandbox.ReadWrite}},
			Changes: recorded{r.rec},
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, write := range []string{"a", "c", "c", "d/new", "d/b"} {
			full = full || i == at
			_ = view.WriteFile(write, fmt.Append(nil, i)) // it fails when the disk is full
		}
		full = full && !room
		_ = r.rec.Close(t.Context()) // this too
		full = false
		items, err := d.undo().Runs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range items {
			if it.Err != nil || len(it.Lost) > 0 {
				t.Errorf("full at write %d, %d lines, room %v: %v, not kept: %s", at, n/2%10, room, it.Err, strings.Join(it.Lost, " "))
			}
		}
		if err := undoes(d.undo(), clearance.Push{}); err != nil && !errors.Is(err, fault.NotFound) {
			t.Errorf("full at write %d, %d lines, room %v: %v", at, n/2%10, room, err)
		}
		same(t, fmt.Sprintf("full at write %d, %d lines, room %v", at, n/2%10, room), all(t, d.files), withDirs(before))
	}
}

// An item whose journal has no line is no run: it is not listed, keeps no other run from
// being undone, and the next run removes it.
func TestAnItemThatWasNotBegun(t *testing.T) {
	d := newDisk(before)
	d.wrote(t, "older", func(fsys sandbox.FS) error { return fsys.WriteFile("c", nil) })
	if err := errors.Join(d.state.Mkdir("undo/7", 0o700), d.state.WriteFile("undo/7/journal", nil)); err != nil {
		t.Fatal(err)
	}
	if items := get(t, d.undo()); len(items) != 1 || items[0].Run != "older" {
		t.Errorf("%+v", items)
	}
	if err := undoes(d.undo(), clearance.Push{}); err != nil {
		t.Fatal(err)
	}
	same(t, "undone", all(t, d.files), withDirs(before))
}
