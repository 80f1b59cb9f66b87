package clearance_test

import (
	"errors"
	"fmt"
	"testing"

	"golem/core/clearance"
	"golem/core/sandbox"
)

// If a clone contains items with any numbers, changes that are made here can be listed,
// pushed and undone under new numbers, and do not remove those of an earlier run.
func TestNumbersOfAClone(t *testing.T) {
	for _, next := range []string{"", "999999998", "999999999", "1000000000", "-1", "x"} {
		d := newDisk(before)
		d.wrote(t, "older", func(fsys sandbox.FS) error { return fsys.WriteFile("c", nil) })
		log, err := sandbox.ReadFile(d.state, "undo/1/journal", 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{"undo", "clearance"} {
			for _, n := range []int{1, 2, 3, 999_999_998, 999_999_999, 1_000_000_000} {
				if err := d.state.WriteFile(fmt.Sprintf("%s/%d/x", dir, n), nil); err != nil {
					t.Fatal(err)
				}
			}
			if next != "" {
				if err := d.state.WriteFile(dir+"/next", []byte(next)); err != nil {
					t.Fatal(err)
				}
			}
			for n := range 30 { // journals that were not written as these items
				if err := d.state.WriteFile(fmt.Sprintf("%s/%d/journal", dir, 999_999_900+n), log); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, text := range []string{"1", "2"} {
			w := d.work()
			if err := stage(t, w).WriteFile("a", []byte(text)); err != nil {
				t.Fatal(next, err)
			}
			it, err := w.Close(t.Context())
			if err != nil || len(it.ID) > 2 {
				t.Fatalf("%q: %+v, %v", next, it, err)
			}
			if err := push(d.store(), it.ID, clearance.Push{}); err != nil {
				t.Fatal(next, err)
			}
			d.wrote(t, "r"+text, func(fsys sandbox.FS) error { return fsys.WriteFile("a", []byte("r"+text)) })
		}
		s := d.undo()
		if err := ofRun(s, "r2", false); err != nil {
			t.Error(next, err)
		}
		if err := d.files.WriteFile("a", []byte("r1")); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(ofRun(s, "r1", false), ofRun(s, "older", false)); err != nil {
			t.Error(next, err)
		}
		if got := all(t, d.files); got["a"] != "1" || got["c"] != "three\n" {
			t.Errorf("%q: %v", next, got)
		}
	}
}
