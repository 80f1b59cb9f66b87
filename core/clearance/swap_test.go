package clearance_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"

	"golem/core/clearance"
)

// A push that puts a directory in the place of a file, or a file in the place of a
// directory, is whole: killed at any change, or stopped by an error, golem finishes it or
// takes it back.
func TestPushThatSwapsIsWhole(t *testing.T) {
	files := map[string]string{"f": "four\n", "g/h": "five\n", "z": "six\n"}
	want := map[string]string{"f/": "", "f/x": "X\n", "f/y/": "", "f/y/z": "Z\n", "g": "G\n", "z": "SIX\n"}
	for _, once := range []bool{false, true} {
		for n := 1; ; n++ {
			d := newDisk(files)
			w := d.work()
			fsys := stage(t, w)
			if err := errors.Join(fsys.Remove("f"), fsys.WriteFile("f/x", []byte("X\n")), fsys.WriteFile("f/y/z", []byte("Z\n")),
				fsys.Remove("g/h"), fsys.Remove("g"), fsys.WriteFile("g", []byte("G\n")), fsys.WriteFile("z", []byte("SIX\n"))); err != nil {
				t.Fatal(err)
			}
			it, err := w.Close(context.Background())
			if err != nil || it == nil {
				t.Fatal(it, err)
			}
			d.f.n, d.f.at, d.f.once = 0, n, once
			_, failed := d.store().Push(context.Background(), it.ID, clearance.Push{})
			if d.f.n < n {
				if failed != nil || !maps.Equal(all(t, d.files), want) {
					t.Errorf("the whole push: %v, %q", failed, all(t, d.files))
				}
				break
			}
			d.f.at = 0
			t.Run(fmt.Sprintf("once=%v/%d", once, n), func(t *testing.T) {
				s := d.store()
				if err := s.Settle(context.Background()); err != nil {
					t.Fatalf("settle: %v", err)
				}
				got := all(t, d.files)
				if !maps.Equal(got, want) && !maps.Equal(got, withDirs(files)) {
					t.Fatalf("neither before nor after: %q (%v)", got, failed)
				}
				if maps.Equal(got, want) {
					return
				}
				if _, err := s.Push(context.Background(), it.ID, clearance.Push{}); err != nil || !maps.Equal(all(t, d.files), want) {
					t.Errorf("pushed again: %v, %q", err, all(t, d.files))
				}
			})
		}
	}
}
