//go:build unix

package osfs_test

import (
	"os"
	"path/filepath"
	"testing"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sandbox/sandboxtest"
)

// Scenario 42 on a real disk: no symbolic link, in the path or in the files of a
// mount, gives a child more than its caller has.
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

// If a mounted file, or a directory that the first write shall create, becomes a
// link during the run, nothing is read or written through it.
func TestMountsThatBecomeLinks(t *testing.T) {
	dir, _ := host(t, "private/secret", "shown.txt", "other.txt", "d/x")
	f := open(t, dir)
	at := func(n string) string { return filepath.Join(dir, n) }
	out, err := sandbox.Later(f, "out/deep")
	must(t, err)
	parent, file, err := sandbox.Nest(f, "shown.txt")
	must(t, err)
	v, err := sandbox.View(sandbox.ViewSpec{Mounts: []sandbox.Mount{
		{Name: "out", At: "out", FS: out, Source: sandbox.SourceOf(out, "out/deep"), Mode: sandbox.ReadWrite},
		{Name: "one", At: "one", FS: parent, File: file, Source: f.Source() + "/shown.txt", Mode: sandbox.ReadWrite},
	}})
	must(t, err)
	must(t, reads(v, "one"))
	must(t, os.Remove(at("shown.txt")))
	must(t, os.Symlink("other.txt", at("shown.txt")))
	must(t, os.Mkdir(at("out"), 0o755))
	must(t, os.Symlink("../private", at("out/deep")))
	for name, err := range map[string]error{
		"read a file": reads(v, "one"), "write a file": v.WriteFile("one", []byte("x")), "read": reads(v, "out/secret"), "write": v.WriteFile("out/secret", []byte("x")),
		"make": v.Mkdir("out/new", 0o755), "list": lists(v, "out"),
	} {
		refused(t, dir, name, err, fault.Path)
	}
	for _, n := range []string{"private/secret", "other.txt"} {
		if got, err := os.ReadFile(at(n)); err != nil || string(got) != n {
			t.Errorf("%s was changed: %q, %v", n, got, err)
		}
	}
}

// If the path of a source contains a link, the source is where the link leads.
// Files that are created there later are judged by that place.
func TestLaterBehindALink(t *testing.T) {
	dir, _ := host(t, "workers/w.worker", "ok/a")
	must(t, os.Symlink("workers", filepath.Join(dir, "harmless")))
	must(t, os.Symlink("../..", filepath.Join(dir, "ok/up")))
	f := open(t, dir)
	later, err := sandbox.Later(f, "harmless/new")
	must(t, err)
	if got, want := sandbox.SourceOf(later, ""), f.Source()+"/workers/new"; got != want {
		t.Errorf("it lies at %s, want %s", got, want)
	}
	v, err := sandbox.View(sandbox.ViewSpec{
		Mounts:     []sandbox.Mount{{Name: "n", At: "n", FS: later, Source: sandbox.SourceOf(later, ""), Mode: sandbox.ReadWrite}},
		Protection: sandbox.Controls{Root: f.Source()}.Protect(),
	})
	must(t, err)
	refused(t, dir, "write among the workers", v.WriteFile("n/evil.txt", nil), fault.Protected)
	_, err = sandbox.Later(f, "ok/up/x")
	refused(t, dir, "a link out", err, fault.Path)
	_, _, err = sandbox.Nest(f, "ok/up")
	refused(t, dir, "a link out", err, fault.Path)
}
