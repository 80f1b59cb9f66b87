//go:build unix

package osfs_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sandbox/sandboxtest"
	"golem/sandbox/osfs"
)

// promptly runs a step. It fails the test if the step does not end, as opening a pipe
// would not.
func promptly(t *testing.T, what string, step func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		step()
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Minute): // more than the slowest machine needs
		t.Fatalf("%s waits", what)
	}
}

// SPEC §8: a FIFO, device or socket is refused at once, never opened.
func TestSpecialFiles(t *testing.T) {
	dir, _ := host(t, "a")
	must(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	must(t, os.Symlink("fifo", filepath.Join(dir, "tofifo")))
	t.Chdir(dir) // a socket's path must be short, and the temporary directory's may be long
	l, err := net.Listen("unix", "sock")
	must(t, err)
	defer func() { _ = l.Close() }()
	type in struct {
		f    *osfs.FS
		name string
	}
	cases := []in{{open(t, dir), "fifo"}, {open(t, dir), "tofifo"}, {open(t, dir), "sock"}, {open(t, "/dev"), "null"}, {open(t, "/dev"), "tty"}}
	for _, c := range cases {
		promptly(t, c.name, func() {
			v := whole(t, c.f)
			for kind, f := range map[string]sandbox.FS{"osfs": c.f, "view": v, "overlay": sandbox.Overlay(c.f)} {
				for what, err := range map[string]error{
					"read": reads(f, c.name), "stat": stats(f, c.name), "list": lists(f, c.name),
				} {
					refused(t, dir, kind+": "+what+" "+c.name, err, fault.Path)
				}
			}
			for what, err := range map[string]error{
				"write": v.WriteFile(c.name, nil), "remove": v.Remove(c.name), "move": v.Rename(c.name, "x"), "below": v.WriteFile(c.name+"/x", nil),
			} {
				refused(t, dir, what+" "+c.name, err, nil)
			}
		})
	}
	promptly(t, "a handle on a pipe", func() {
		for _, name := range []string{"fifo", "tofifo", "sock"} {
			_, err := cases[0].f.SubFS(name)
			refused(t, dir, "sub "+name, err, fault.Path)
			_, err = osfs.Open(filepath.Join(dir, name))
			refused(t, dir, "open "+name, err, nil)
		}
	})
	entries, err := fs.ReadDir(cases[0].f, ".")
	must(t, err)
	for _, e := range entries {
		if n := e.Name(); n == "fifo" || n == "sock" {
			t.Errorf("%s is listed", n)
		}
	}
}

// Reading a sparse file needs no more memory than the limit allows.
func TestSparse(t *testing.T) {
	dir, _ := host(t)
	file, err := os.Create(filepath.Join(dir, "huge"))
	must(t, err)
	must(t, file.Truncate(8<<40))
	must(t, file.Close())
	f := open(t, dir)
	v := whole(t, f)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, at := range []sandbox.FS{f, v} {
		_, err := sandbox.ReadFile(at, "huge", 1<<20)
		refused(t, dir, "read", err, fault.Limit)
	}
	refused(t, dir, "read whole", reads(v, "huge"), fault.Limit)
	two, err := sandbox.View(sandbox.ViewSpec{Mounts: []sandbox.Mount{
		{Name: "a", At: "a", FS: f, Source: f.Source(), Mode: sandbox.ReadWrite},
		{Name: "b", At: "b", FS: sandbox.Memory(), Source: "b", Mode: sandbox.ReadWrite},
	}})
	must(t, err)
	refused(t, dir, "move to another mount", two.Rename("a/huge", "b/huge"), fault.Limit)
	refused(t, dir, "read whole, without a view", reads(f, "huge"), fault.Limit)
	refused(t, dir, "move into memory", whole(t, sandbox.Overlay(f)).Rename("huge", "moved"), fault.Limit)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
		t.Errorf("%d bytes were allocated", used)
	}
}

// If the disk refuses an operation, the error contains no host path.
func TestRefusingDisk(t *testing.T) {
	proc := open(t, "/proc/self")
	for what, err := range map[string]error{
		"write": proc.WriteFile("x", nil), "mkdir": proc.Mkdir("d", 0o755), "write below": proc.WriteFile("task/x/y", nil),
	} {
		if err == nil || strings.Contains(err.Error(), "/proc") {
			t.Errorf("%s: %v", what, err)
		}
		var pe *fs.PathError
		if !errors.As(err, &pe) {
			t.Errorf("%s: %T", what, err)
		}
	}
	dir, _ := host(t, "d/a")
	for _, bad := range []string{filepath.Join(dir, "none"), filepath.Join(dir, "d/a"), filepath.Join(dir, "d/a/b")} {
		_, err := osfs.Open(bad)
		refused(t, dir, "open", err, fault.NotFound)
	}
	must(t, os.Chmod(filepath.Join(dir, "d"), 0o500))
	t.Cleanup(func() { must(t, os.Chmod(filepath.Join(dir, "d"), 0o700)) })
	if err := open(t, dir).WriteFile("d/a", []byte("new")); os.Geteuid() != 0 {
		refused(t, dir, "write in a read-only directory", err, fs.ErrPermission)
	} else if err != nil { // root may
		t.Error(err)
	}
}

// A rewritten file keeps its permissions, or gets those given to WritePerm, with any
// umask.
func TestPermissions(t *testing.T) {
	dir, _ := host(t, "f")
	f := open(t, dir)
	for _, perm := range []fs.FileMode{0o600, 0o666, 0o775, 0o444, 0o640} {
		must(t, os.Chmod(filepath.Join(dir, "f"), perm))
		must(t, f.WriteFile("f", []byte("x")))
		if info, err := os.Stat(filepath.Join(dir, "f")); err != nil || info.Mode().Perm() != perm {
			t.Errorf("permissions = %v, %v; want %v", info.Mode(), err, perm)
		}
		must(t, f.WritePerm("f", nil, 0o700))
		must(t, f.WritePerm("new", nil, perm))
		if f.PermOf("f") != 0o700 || f.PermOf("new") != perm || f.PermOf("none") != 0 {
			t.Errorf("set: %v, %v, %v; want %v", f.PermOf("f"), f.PermOf("new"), f.PermOf("none"), perm)
		}
	}
}

// SPEC §8: names that Windows cannot store are never created, but existing files with
// such names can be used.
func TestForeignNames(t *testing.T) {
	for _, wrap := range []func(sandbox.FS) sandbox.FS{
		func(f sandbox.FS) sandbox.FS { return f }, sandbox.Overlay, func(f sandbox.FS) sandbox.FS { return whole(t, f) },
	} {
		dir, _ := host(t)
		for _, name := range sandboxtest.Foreign {
			put(t, filepath.Join(dir, "d", name), name)
		}
		sandboxtest.TestForeign(t, wrap(open(t, dir)))
	}
}

// Errors of an open file contain no host path either.
func TestHandlesShowNoHostPath(t *testing.T) {
	dir, _ := host(t, "a", "d/b")
	f := open(t, dir)
	for _, name := range []string{"a", "d", "."} {
		file, err := f.Open(name)
		must(t, err)
		if n, ok := file.(interface{ Name() string }); ok {
			t.Errorf("the handle of %s tells its name: %s", name, n.Name())
		}
		must(t, file.Close())
		_, err = file.Read(make([]byte, 1))
		refused(t, dir, "read closed "+name, err, fs.ErrClosed)
		_, err = file.Stat()
		refused(t, dir, "stat closed "+name, err, nil)
		refused(t, dir, "close twice "+name, file.Close(), fs.ErrClosed)
	}
	entries, err := fs.ReadDir(f, "d")
	must(t, err)
	must(t, os.Remove(filepath.Join(dir, "d/b")))
	if _, err = entries[0].Info(); err != nil { // some systems read the info with the listing
		refused(t, dir, "info of what is gone", err, fs.ErrNotExist)
	}
}
