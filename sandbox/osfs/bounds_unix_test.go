//go:build unix

package osfs_test

import (
	"os"
	"path/filepath"
	"testing"

	"golem/core/sandbox/sandboxtest"
)

// Scenario 42 on a real disk: no symbolic link, by which a mount is named or
// that lies in one, gives a child more than its caller has.
func TestBounds(t *testing.T) {
	sandboxtest.Bounds(t, func() sandboxtest.Yard {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		link := func(target, name string) error {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
				return err
			}
			return os.Symlink(target, filepath.Join(dir, name))
		}
		return sandboxtest.Yard{FS: open(t, dir), Link: link, Clear: func(name string) error { return os.RemoveAll(filepath.Join(dir, name)) }}
	})
}
