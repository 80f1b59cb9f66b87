//go:build unix

package disk

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A lock file that somebody else put into a directory is opened only if it is a regular one:
// no FIFO makes golem wait, and no link makes a file elsewhere.
func TestLockOpensOnlyFiles(t *testing.T) {
	at, outside := t.TempDir(), t.TempDir()
	dir, err := OpenRoot(at)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	link := func(to string) func(string) error {
		return func(name string) error { return os.Symlink(to, name) }
	}
	for name, put := range map[string]func(string) error{
		"fifo":      func(name string) error { return unix.Mkfifo(name, 0o600) },
		"directory": func(name string) error { return os.Mkdir(name, 0o700) },
		"out":       link(filepath.Join(outside, "made")),
		"device":    link("/dev/zero"),
		"inside":    link("made"),
	} {
		if err := put(filepath.Join(at, name)); err != nil {
			t.Fatal(err)
		}
		for _, wait := range []bool{true, false} {
			if release, err := Lock(dir, name, wait); !errors.Is(err, ErrNotRegular) || release != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for _, name := range []string{filepath.Join(outside, "made"), filepath.Join(at, "made")} {
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("%s was made", name)
		}
	}
}

// A lock is held by one at a time, until it is released, and its file may exist already.
func TestLock(t *testing.T) {
	dir, err := OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	for range 2 {
		release, err := Lock(dir, ".lock", true)
		if err != nil {
			t.Fatal(err)
		}
		if other, err := Lock(dir, ".lock", false); other != nil || err != nil {
			t.Errorf("locked twice: %v", err)
		}
		release()
	}
	if info, err := dir.Stat(".lock"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// A FIFO in the place of a directory is an error at once.
func TestOpenDir(t *testing.T) {
	name := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenDir(name); err == nil {
		t.Error("a FIFO was opened")
	}
	if _, err := OpenRoot(name); err == nil {
		t.Error("a FIFO was opened as a root")
	}
	dir, err := OpenDir(filepath.Dir(name))
	if err != nil {
		t.Fatal(err)
	}
	if names, err := dir.Readdirnames(-1); err != nil || len(names) != 1 {
		t.Errorf("%q, %v", names, err)
	}
	dir.Close()
}
