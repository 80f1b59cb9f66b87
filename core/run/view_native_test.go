//go:build unix

package run

import (
	"os"
	"path/filepath"
	"testing"

	"golem/core/sandbox/sandboxtest"
	"golem/sandbox/osfs"
)

// Scenario 42 holds on a disk with symbolic links in the mounts and between them.
func TestNoChildSeesMoreThanItsCallerOnDisk(t *testing.T) {
	sandboxtest.Bounds(t, func() sandboxtest.Yard {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		files, err := osfs.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = files.Close() })
		link := func(target, name string) error {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
				return err
			}
			return os.Symlink(target, filepath.Join(dir, name))
		}
		clear := func(name string) error { return os.RemoveAll(filepath.Join(dir, name)) }
		return sandboxtest.Yard{FS: files, Link: link, Clear: clear, Views: viewsOn(files)}
	})
}
