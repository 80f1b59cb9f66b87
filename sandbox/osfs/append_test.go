//go:build !js

package osfs_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"golem/core/fault"
	"golem/sandbox/osfs"
)

// Appended data stays after the file is closed and opened again, and only the owner can
// read the file.
func TestAppend(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	for range 2 {
		a, err := f.Append("deep/er/log")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Write([]byte("line\n")); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(a.(interface{ Sync() error }).Sync(), a.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := os.ReadFile(filepath.Join(dir, "deep/er/log")); err != nil || string(data) != "line\nline\n" {
		t.Errorf("there is %q, %v", data, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "deep/er/log")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if _, err := f.Append("deep"); err == nil {
		t.Error("a directory was opened for appending")
	}
}

// Append and TryLock do not follow links.
func TestAppendRefusesLinks(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	f := open(t, dir)
	if err := os.Symlink(outside, filepath.Join(dir, "away")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(dir, "near")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"away/x", "near"} {
		if _, err := f.Append(name); !errors.Is(err, fault.Path) {
			t.Errorf("append %s: %v, want E_PATH", name, err)
		}
		if _, taken, err := f.TryLock(name); taken || !errors.Is(err, fault.Path) {
			t.Errorf("lock %s: %v, want E_PATH", name, err)
		}
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("outside there is %v, %v", left, err)
	}
}

// A lock has at most one owner at a time and leaves no file behind.
func TestTryLock(t *testing.T) {
	dir := t.TempDir()
	trees := []*osfs.FS{open(t, dir), open(t, dir)}
	var inside, owners atomic.Int32
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 200 {
				release, taken, err := trees[i%2].TryLock("locks/one")
				if err != nil {
					t.Error(err)
					return
				}
				if !taken {
					runtime.Gosched()
					continue
				}
				if inside.Add(1) != 1 {
					t.Error("two owners at once")
				}
				owners.Add(1)
				inside.Add(-1)
				release()
			}
		})
	}
	all.Wait()
	if owners.Load() == 0 {
		t.Error("nobody got the lock")
	}
	if _, err := os.Stat(filepath.Join(dir, "locks/one")); !errors.Is(err, fs.ErrNotExist) && runtime.GOOS != "windows" {
		t.Errorf("the lock's file is still there: %v", err)
	}
}
