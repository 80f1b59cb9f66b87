package sandbox_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sandbox/sandboxtest"
)

func TestMemory(t *testing.T) {
	sandboxtest.Test(t, func(*testing.T) sandbox.FS { return sandbox.Memory() })
}

func TestViewOverMemory(t *testing.T) {
	sandboxtest.Test(t, func(t *testing.T) sandbox.FS {
		return view(t, sandbox.ViewSpec{Mounts: []sandbox.Mount{{Name: "root", At: ".", FS: sandbox.Memory(), Source: ".", Mode: sandbox.ReadWrite}}})
	})
}

func view(t *testing.T, spec sandbox.ViewSpec) sandbox.FS {
	t.Helper()
	v, err := sandbox.View(spec)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestLazy(t *testing.T) {
	sandboxtest.Test(t, func(t *testing.T) sandbox.FS { return sandbox.Lazy(sandbox.Memory().(sandbox.SubFS), "a/b") })
}

// wide returns a memory tree of many directories with one file in each, an overlay of
// the tree and a view of it.
func wide(t testing.TB, dirs int) map[string]sandbox.FS {
	t.Helper()
	tree := sandbox.Memory()
	for i := range dirs {
		if err := tree.WriteFile(fmt.Sprintf("d%d/e%d/f", i%100, i), nil); err != nil {
			t.Fatal(err)
		}
	}
	v, err := sandbox.View(sandbox.ViewSpec{Mounts: []sandbox.Mount{{Name: "root", At: ".", FS: tree, Source: ".", Mode: sandbox.ReadWrite}}})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]sandbox.FS{"memory": tree, "overlay": sandbox.Overlay(tree), "view": v}
}

func count(t testing.TB, f sandbox.FS) (n int) {
	t.Helper()
	err := fs.WalkDir(f, ".", func(_ string, _ fs.DirEntry, err error) error { n++; return err })
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The time to list a directory depends on its own entries, not on the size of the
// tree. Otherwise this walk over 40,000 directories would take longer than a test
// may run.
func TestMemoryIsIndexedByDirectory(t *testing.T) {
	for name, f := range wide(t, 40_000) {
		if n := count(t, f); n != 1+100+2*40_000 {
			t.Errorf("%s: %d entries", name, n)
		}
		if err := f.Rename("d7", "moved"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if entries, err := fs.ReadDir(f, "moved"); err != nil || len(entries) != 400 {
			t.Errorf("%s: %d entries were moved, %v", name, len(entries), err)
		}
		if err := f.Rename("moved", "d7"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// BenchmarkWalk measures the time for each directory of a walk, in µs.
func BenchmarkWalk(b *testing.B) {
	for _, dirs := range []int{1000, 8000, 64_000} {
		for name, f := range wide(b, dirs) {
			b.Run(fmt.Sprintf("%s/%d", name, dirs), func(b *testing.B) {
				for b.Loop() {
					count(b, f)
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*dirs), "µs/dir")
			})
		}
	}
}

// The first write creates a lazy directory.
func TestLazyIsMadeByTheFirstWrite(t *testing.T) {
	tree := sandbox.Memory()
	f := sandbox.Lazy(tree.(sandbox.SubFS), "out")
	if list, err := fs.ReadDir(f, "."); err != nil || len(list) != 0 {
		t.Errorf("it lists %v, %v", list, err)
	}
	if _, err := fs.Stat(tree, "out"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it was made by reading: %v", err)
	}
	sandboxtest.Put(t, f, "x", "1")
	if got, err := fs.ReadFile(sandbox.Lazy(tree.(sandbox.SubFS), "out"), "x"); err != nil || string(got) != "1" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestOverlay(t *testing.T) {
	sandboxtest.Test(t, func(t *testing.T) sandbox.FS { return sandbox.Overlay(sandbox.Memory()) })
}

// --sandbox memory: the overlay reads the tree below and never changes it.
func TestOverlayLeavesBaseAlone(t *testing.T) {
	base := sandbox.Memory()
	for _, n := range []string{"a", "d/b", "d/c"} {
		sandboxtest.Put(t, base, n, n)
	}
	o := sandbox.Overlay(base)
	sandboxtest.Put(t, o, "a", "changed")
	for _, step := range []error{o.Remove("d/b"), o.Rename("d", "e"), o.Mkdir("d", 0o755), o.WriteFile("d/new", nil)} {
		if step != nil {
			t.Fatal(step)
		}
	}
	for name, want := range map[string]string{"a": "changed", "e/c": "d/c", "d/new": ""} {
		if got, err := fs.ReadFile(o, name); err != nil || string(got) != want {
			t.Errorf("overlay %s = %q, %v; want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"d/b", "d/c", "e/b"} {
		if _, err := fs.Stat(o, name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("overlay still has %s: %v", name, err)
		}
	}
	for _, n := range []string{"a", "d/b", "d/c"} {
		if got, err := fs.ReadFile(base, n); err != nil || string(got) != n {
			t.Errorf("base %s = %q, %v: it was changed", n, got, err)
		}
	}
}

func TestHackpadMemory(t *testing.T) {
	sandboxtest.Hackpad(t, func(*testing.T) sandbox.FS { return sandbox.Memory() })
}

func TestHackpadOverlay(t *testing.T) {
	sandboxtest.Hackpad(t, func(*testing.T) sandbox.FS { return sandbox.Overlay(sandbox.Memory()) })
}

func TestHackpadView(t *testing.T) {
	sandboxtest.Hackpad(t, func(t *testing.T) sandbox.FS {
		return view(t, sandbox.ViewSpec{Mounts: []sandbox.Mount{{Name: "root", At: ".", FS: sandbox.Memory(), Source: ".", Mode: sandbox.ReadWrite}}})
	})
}

// refusing is a Keeper that stores nothing and refuses the change number at.
type refusing struct{ n, at int }

func (r *refusing) Keep(string, func() (fs.File, error), []byte, fs.FileMode, bool) (func() (fs.File, error), error) {
	if r.n++; r.n == r.at {
		return nil, fault.New(fault.Quota, "no space left")
	}
	return nil, nil
}

// A directory whose files cannot all be moved stays under its old name.
func TestStagedMoveIsWhole(t *testing.T) {
	for at := 1; at <= 3; at++ {
		base := sandbox.Memory()
		for _, n := range []string{"old/a", "old/b", "old/d/c"} {
			sandboxtest.Put(t, base, n, n)
		}
		tree := sandbox.Staging(base, &refusing{at: at})
		if err := tree.Rename("old", "new"); !errors.Is(err, fault.Quota) {
			t.Fatalf("%d: %v", at, err)
		}
		for _, n := range []string{"old/a", "old/b", "old/d/c"} {
			if got, err := fs.ReadFile(tree, n); err != nil || string(got) != n {
				t.Errorf("%d: %s = %q, %v", at, n, got, err)
			}
		}
		if _, err := fs.Stat(tree, "new"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%d: there is a part of it under the new name: %v", at, err)
		}
	}
}
