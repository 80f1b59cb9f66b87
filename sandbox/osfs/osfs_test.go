//go:build !js

package osfs_test

import (
	"testing"

	"golem/core/sandbox"
	"golem/core/sandbox/sandboxtest"
	"golem/sandbox/osfs"
)

func open(t testing.TB, dir string) *osfs.FS {
	t.Helper()
	f, err := osfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func TestConformance(t *testing.T) {
	sandboxtest.Test(t, func(t *testing.T) sandbox.FS { return open(t, t.TempDir()) })
}

func TestHackpad(t *testing.T) {
	sandboxtest.Hackpad(t, func(t *testing.T) sandbox.FS { return open(t, t.TempDir()) })
}

func TestViewConformance(t *testing.T) {
	sandboxtest.Test(t, func(t *testing.T) sandbox.FS {
		v, err := sandbox.View(sandbox.ViewSpec{Mounts: []sandbox.Mount{{Name: "root", At: ".", FS: open(t, t.TempDir()), Source: ".", Mode: sandbox.ReadWrite}}})
		if err != nil {
			t.Fatal(err)
		}
		return v
	})
}
