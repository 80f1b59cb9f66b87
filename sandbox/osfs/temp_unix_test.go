//go:build unix

package osfs_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golem/core/fault"
	"golem/sandbox/osfs"
)

// unfinished returns the temporary files below dir, read from the disk without osfs.
func unfinished(t *testing.T, dir string) (out []string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		if strings.HasPrefix(filepath.Base(name), ".golem-tmp-") {
			out = append(out, strings.TrimPrefix(name, dir+"/"))
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a writer has renamed it meanwhile
		}
		return err
	}))
	return out
}

// living locks a file, as a living writer does, until release is called.
func living(t *testing.T, name string) (release func()) {
	t.Helper()
	file, err := os.Open(name)
	must(t, err)
	must(t, syscall.Flock(int(file.Fd()), syscall.LOCK_EX))
	return func() { must(t, file.Close()) }
}

// Temporary files of unfinished writes are never listed and cannot be read or written.
func TestTemporaryFilesAreHidden(t *testing.T) {
	dir, _ := host(t, ".golem-tmp-a", "d/.golem-tmp-b", "keep")
	for _, n := range []string{".golem-tmp-a", "d/.golem-tmp-b"} {
		defer living(t, filepath.Join(dir, n))()
	}
	f := open(t, dir)
	for at, want := range map[string]int{".": 2, "d": 0} {
		if entries, err := fs.ReadDir(f, at); err != nil || len(entries) != want {
			t.Errorf("list %s = %v, %v", at, entries, err)
		}
	}
	for _, n := range []string{".golem-tmp-a", "d/.golem-tmp-b"} {
		refused(t, dir, "read "+n, reads(f, n), fs.ErrNotExist)
		refused(t, dir, "stat "+n, stats(f, n), fs.ErrNotExist)
	}
	for _, n := range []string{".golem-tmp-x", ".golem-tmp-x/y", "d/.golem-tmp-b"} {
		refused(t, dir, "write "+n, f.WriteFile(n, nil), fault.Path)
	}
}

// The temporary file of a dead writer is removed, at any age, when its directory is
// opened, listed, written or removed. That of a living writer stays.
func TestDeadWritersAreSwept(t *testing.T) {
	places := map[string]func(f *osfs.FS) error{
		"opened":  func(*osfs.FS) error { return nil },
		"listed":  func(f *osfs.FS) error { _, err := fs.ReadDir(f, "listed"); return err },
		"written": func(f *osfs.FS) error { return f.WriteFile("written/x", nil) },
		"removed": func(f *osfs.FS) error { return f.Remove("removed") }, // it has only a hidden temporary file
	}
	dir, _ := host(t)
	for place := range places {
		put(t, filepath.Join(dir, place, ".golem-tmp-dead"), "half")
		put(t, filepath.Join(dir, place, ".golem-tmp-alive"), "half")
		put(t, filepath.Join(dir, place, ".golem-tmp-dir", "x"), "not golem's")
	}
	put(t, filepath.Join(dir, ".golem-tmp-dead"), "half")
	must(t, os.RemoveAll(filepath.Join(dir, "removed", ".golem-tmp-dir")))
	must(t, os.Remove(filepath.Join(dir, "removed", ".golem-tmp-alive")))
	var release []func()
	for _, place := range []string{"listed", "written"} {
		release = append(release, living(t, filepath.Join(dir, place, ".golem-tmp-alive")))
	}
	f := open(t, dir)
	for place, work := range places {
		must(t, work(f))
		_, err := os.Lstat(filepath.Join(dir, place, ".golem-tmp-dead"))
		if place == "opened" != (err == nil) { // this directory was not used
			t.Errorf("%s: %v", place, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, ".golem-tmp-dead")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory that was opened: %v", err)
	}
	for _, n := range []string{"listed/.golem-tmp-alive", "written/.golem-tmp-alive", "listed/.golem-tmp-dir/x"} {
		if _, err := os.Lstat(filepath.Join(dir, n)); err != nil {
			t.Errorf("%s: %v", n, err)
		}
	}
	for _, r := range release {
		r()
	}
	_, err := fs.ReadDir(f, "listed")
	must(t, err)
	if _, err := os.Lstat(filepath.Join(dir, "listed/.golem-tmp-alive")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after its writer died: %v", err)
	}
}

// Processes that write and processes that sweep do not disturb each other. After
// all have ended, no temporary file is left.
func TestWritersAndSweepersAtOnce(t *testing.T) {
	dir, _ := host(t)
	f := open(t, dir)
	must(t, f.Mkdir("d", 0o755))
	var writers []*exec.Cmd
	for range 3 {
		cmd := exec.Command(os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), rewriting+"="+dir)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		if n, err := out.Read(make([]byte, 1)); n != 1 {
			t.Fatalf("the writer did not start: %v", err)
		}
		writers = append(writers, cmd)
	}
	for range 100 {
		again, err := osfs.Open(dir) // a new FS, which has not swept yet
		must(t, err)
		_, err = fs.ReadDir(again, "d")
		must(t, err)
		must(t, again.WriteFile("d/other", versions[0]))
		must(t, again.Close())
	}
	for _, cmd := range writers {
		must(t, cmd.Process.Kill())
		if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != -1 {
			t.Errorf("a writer failed: %v", err)
		}
	}
	if entries, err := fs.ReadDir(f, "d"); err != nil || len(entries) != 2 {
		t.Errorf("list = %v, %v", entries, err)
	}
	if left := unfinished(t, dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
