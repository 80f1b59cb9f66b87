package sandbox_test

import (
	"errors"
	"io/fs"
	"testing"

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

// A lazy directory is made by the first write.
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

// --sandbox memory: the tree below is read and never changed.
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
