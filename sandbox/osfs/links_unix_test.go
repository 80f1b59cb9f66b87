//go:build unix

package osfs_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sandbox/sandboxtest"
	"golem/sandbox/osfs"
)

// host creates a directory with the given files, and beside it a directory
// "outside" with a file "secret".
func host(t *testing.T, files ...string) (dir, outside string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, outside = filepath.Join(top, "in"), filepath.Join(top, "outside")
	put(t, filepath.Join(outside, "secret"), "secret")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		put(t, filepath.Join(dir, f), f)
	}
	return dir, outside
}

func put(t *testing.T, file, data string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	must(t, os.WriteFile(file, []byte(data), 0o644))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// whole returns a view of one tree, protected as a project.
func whole(t *testing.T, f sandbox.FS, restricts ...string) sandbox.FS {
	t.Helper()
	source := sandbox.SourceOf(f, ".")
	c := sandbox.Controls{Root: source}
	if info, err := fs.Stat(f, ".env"); err == nil {
		c.Files = append(c.Files, info)
	}
	v, err := sandbox.View(sandbox.ViewSpec{
		Mounts:     []sandbox.Mount{{Name: "root", At: ".", FS: f, Source: source, Mode: sandbox.ReadWrite}},
		Protection: c.Protect(), Restricts: restricts,
	})
	must(t, err)
	return v
}

// refused fails the test unless err matches want (nil: any error) and contains no path
// of the host.
func refused(t *testing.T, dir, what string, err, want error) {
	t.Helper()
	if err == nil || want != nil && !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
		return
	}
	if strings.Contains(err.Error(), filepath.Dir(dir)) {
		t.Errorf("%s: the error shows a host path: %v", what, err)
	}
}

func reads(f fs.FS, name string) error { _, err := fs.ReadFile(f, name); return err }

func stats(f fs.FS, name string) error { _, err := fs.Stat(f, name); return err }

func lists(f fs.FS, name string) error { _, err := fs.ReadDir(f, name); return err }

// Scenario 22: links inside the tree are followed for reading but never written
// through; links that lead outside are errors.
func TestLinks(t *testing.T) {
	dir, outside := host(t, "d/a", "b")
	for name, to := range map[string]string{
		"abs": "/etc/passwd", "out": "../outside", "outfile": "../outside/secret", "d/up": "../../outside/secret", "absdir": outside,
		"self": filepath.Join(dir, "b"), "loop": "loop", "l1": "l2", "l2": "l1", "ind": "d", "inf": "d/a", "two": "ind/a", "dangling": "nowhere", "deep": "d/../d/./a",
	} {
		must(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	base := open(t, dir)
	for kind, f := range map[string]sandbox.FS{"osfs": base, "view": whole(t, base), "overlay": whole(t, sandbox.Overlay(base))} {
		for _, name := range []string{"inf", "ind/a", "two", "deep"} {
			if data, err := fs.ReadFile(f, name); err != nil || string(data) != "d/a" {
				t.Errorf("%s: read %s = %q, %v", kind, name, data, err)
			}
		}
		for _, name := range []string{"abs", "out", "out/secret", "outfile", "d/up", "absdir", "absdir/secret", "self"} {
			for what, err := range map[string]error{"read": reads(f, name), "stat": stats(f, name), "list": lists(f, name)} {
				refused(t, dir, kind+": "+what+" "+name, err, fault.Path)
			}
		}
		for _, name := range []string{"loop", "l1", "dangling"} {
			refused(t, dir, kind+": read "+name, reads(f, name), nil)
			refused(t, dir, kind+": stat "+name, stats(f, name), nil)
		}
		for _, name := range []string{"inf", "ind/a", "ind/new", "ind/new/er", "out/new", "outfile", "absdir/secret", "self", "two", "dangling"} {
			refused(t, dir, kind+": write "+name, f.WriteFile(name, []byte("evil")), fault.Path)
			refused(t, dir, kind+": mkdir "+name, f.Mkdir(name, 0o755), nil)
			refused(t, dir, kind+": rename to "+name, f.Rename("b", name), fault.Path)
			refused(t, dir, kind+": rename "+name, f.Rename(name, "free"), nil)
			refused(t, dir, kind+": remove "+name, f.Remove(name), nil)
		}
		refused(t, dir, kind+": write loop", f.WriteFile("loop", nil), nil)
	}
	entries, err := fs.ReadDir(whole(t, base), ".")
	must(t, err)
	var got []string
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() {
			name += "/"
		}
		got = append(got, name)
	}
	if want := []string{"b", "d/", "deep", "ind/", "inf", "two"}; !slices.Equal(got, want) {
		t.Errorf("list = %v, want %v: links as what they lead to", got, want)
	}
	if data, err := os.ReadFile(filepath.Join(outside, "secret")); err != nil || string(data) != "secret" {
		t.Errorf("the outside was changed: %q, %v", data, err)
	}
}

// SECURITY 2, 4: a symbolic or hard link to a protected file is protected like the
// file, under any name.
func TestLinksToProtected(t *testing.T) {
	dir, _ := host(t, ".env", ".git/config", "workers/w.md", "src/a", "sub/x", "src/deep/y")
	for name, to := range map[string]string{
		"s": ".env", "src/s": "../.env", "g": ".git", "w": "workers", "gone": "none/../.env", "sub/e": "../.env",
	} {
		must(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	must(t, os.Link(filepath.Join(dir, ".env"), filepath.Join(dir, "src/hard")))
	must(t, os.Link(filepath.Join(dir, ".env"), filepath.Join(dir, "sub/hard")))
	for kind, f := range map[string]sandbox.FS{"disk": open(t, dir), "overlay": sandbox.Overlay(open(t, dir))} {
		v := whole(t, f)
		for _, name := range []string{".env", "s", "src/s", "src/hard", "g/config", "g", "gone", "sub/hard"} {
			refused(t, dir, kind+": read "+name, reads(v, name), nil)
			refused(t, dir, kind+": stat "+name, stats(v, name), nil)
			refused(t, dir, kind+": move "+name, v.Rename(name, "mine"), nil)
		}
		refused(t, dir, kind+": move a directory with a hard link", v.Rename("sub", "mine"), fault.Protected)
		refused(t, dir, kind+": write through w", v.WriteFile("w/w.md", nil), fault.Path)
		r := whole(t, f, "src")
		for _, name := range []string{"src/s", "src/hard", ".env"} {
			refused(t, dir, kind+": restricted read "+name, reads(r, name), nil)
		}
		through, err := sandbox.View(sandbox.ViewSpec{ // the restriction itself is a link to protected files
			Mounts:     []sandbox.Mount{{Name: "root", At: ".", FS: f, Source: sandbox.SourceOf(f, "."), Mode: sandbox.ReadWrite}},
			Protection: sandbox.Controls{Root: sandbox.SourceOf(f, ".")}.Protect(), Restricts: []string{"w"},
		})
		must(t, err)
		refused(t, dir, kind+": write by a restriction that is a link", through.WriteFile("w/w.md", nil), fault.Protected)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "workers/w.md")); err != nil || string(data) != "workers/w.md" {
		t.Errorf("a worker was changed: %q, %v", data, err)
	}
}

// SPEC §8: protection compares identity. A file that workers cannot read is
// recognised under its other names, also in another mount. Writing to a second
// name of a definition file does not change the definition file.
func TestHardLinks(t *testing.T) {
	secrets := []string{".git/config", ".git/deep/er/x", ".golem/state", ".env.local", "sub/.env"}
	dir, _ := host(t, append(secrets, "main.worker", "a", "data/b")...)
	at := func(n string) string { return filepath.Join(dir, n) }
	for i, n := range secrets {
		must(t, os.Link(at(n), at("data/h"+string(rune('0'+i)))))
	}
	must(t, os.Link(at("a"), at("data/twin")))
	must(t, os.Link(at("main.worker"), at("data/w")))
	f := open(t, dir)
	data, err := f.SubFS("data")
	must(t, err)
	two, err := sandbox.View(sandbox.ViewSpec{
		Mounts: []sandbox.Mount{
			{Name: "root", At: ".", FS: f, Source: f.Source(), Mode: sandbox.ReadWrite},
			{Name: "d", At: "d", FS: data, Source: sandbox.SourceOf(data, "data"), Mode: sandbox.ReadWrite},
		},
		Protection: sandbox.Controls{Root: f.Source()}.Protect(),
	})
	must(t, err)
	for kind, v := range map[string]sandbox.FS{"whole": whole(t, f), "restricted": whole(t, f, "data"), "overlay": whole(t, sandbox.Overlay(f)), "two": two} {
		for i := range secrets {
			name := "data/h" + string(rune('0'+i))
			refused(t, dir, kind+": read "+name, reads(v, name), fault.Protected)
			refused(t, dir, kind+": stat "+name, stats(v, name), fault.Protected)
			refused(t, dir, kind+": move "+name, v.Rename(name, "data/mine"), fault.Protected)
		}
		refused(t, dir, kind+": move all", v.Rename("data", "moved"), nil)
		must(t, reads(v, "data/twin"))
		must(t, reads(v, "data/b"))
	}
	refused(t, dir, "read by the other mount", reads(two, "d/h0"), fault.Protected)
	must(t, whole(t, f).WriteFile("data/w", []byte("evil")))
	if got, err := os.ReadFile(at("main.worker")); err != nil || string(got) != "main.worker" {
		t.Errorf("the definition was changed: %q, %v", got, err)
	}
}

// A move to another hard link of the same file leaves one name, the new one.
func TestMoveOntoHardLink(t *testing.T) {
	dir, _ := host(t, "a", "d/keep")
	for _, to := range []string{"b", "d/b"} {
		must(t, os.Link(filepath.Join(dir, "a"), filepath.Join(dir, to)))
		f := open(t, dir)
		must(t, f.Rename("a", to))
		if stats(f, "a") == nil {
			t.Errorf("a is still there after the move to %s", to)
		}
		if data, err := os.ReadFile(filepath.Join(dir, to)); err != nil || string(data) != "a" {
			t.Errorf("%s: %q, %v", to, data, err)
		}
		must(t, f.Rename(to, "a"))
		must(t, f.Rename("a", "a"))
		must(t, reads(f, "a"))
	}
}

// A link reaches no files that a nested mount covers, and does not avoid its mode.
func TestLinksAndNestedMounts(t *testing.T) {
	dir, outside := host(t, "in/hidden", "b")
	must(t, os.Symlink("in", filepath.Join(dir, "l")))
	f, other := open(t, dir), open(t, outside)
	v, err := sandbox.View(sandbox.ViewSpec{Mounts: []sandbox.Mount{
		{Name: "root", At: ".", FS: f, Source: f.Source(), Mode: sandbox.ReadWrite},
		{Name: "in", At: "in", FS: other, Source: other.Source(), Mode: sandbox.ReadOnly},
	}})
	must(t, err)
	refused(t, dir, "read behind a mount", reads(v, "l/hidden"), fault.Path)
	refused(t, dir, "list behind a mount", lists(v, "l"), fault.Path)
	refused(t, dir, "write behind a mount", v.WriteFile("l/x", nil), fault.Path)
	refused(t, dir, "write", v.WriteFile("in/secret", nil), fault.ReadOnly)
	must(t, reads(v, "in/secret"))
}

// A nested overlay shares the changes of the whole one and reads nothing outside its
// directory.
func TestOverlayRestricted(t *testing.T) {
	dir, _ := host(t, "src/a", "src/b", "top")
	must(t, os.Symlink("../top", filepath.Join(dir, "src/l")))
	o := sandbox.Overlay(open(t, dir))
	v, r := whole(t, o), whole(t, o, "src")
	refused(t, dir, "link out of the restriction", reads(r, "src/l"), fault.Path)
	sandboxtest.Put(t, r, "src/new", "1")
	sandboxtest.Put(t, v, "src/a", "2")
	must(t, v.Remove("src/b"))
	for name, want := range map[string]string{"src/new": "1", "src/a": "2"} {
		for kind, f := range map[string]sandbox.FS{"whole": v, "restricted": r} {
			if data, err := fs.ReadFile(f, name); err != nil || string(data) != want {
				t.Errorf("%s: %s = %q, %v; want %q", kind, name, data, err, want)
			}
		}
	}
	refused(t, dir, "removed by the other", reads(r, "src/b"), fs.ErrNotExist)
	refused(t, dir, "move a directory with a link", v.Rename("src", "dst"), fault.Path)
	must(t, v.Mkdir("fresh", 0o755))
	sandboxtest.Put(t, whole(t, o, "fresh"), "fresh/x", "3")
	must(t, reads(v, "fresh/x"))
	if _, err := osfs.Open(filepath.Join(dir, "fresh")); err == nil {
		t.Error("the overlay wrote to the disk")
	}
}
