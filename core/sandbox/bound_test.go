package sandbox_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sandbox/sandboxtest"
)

// Scenario 42: no child has a right that its caller lacks.
func TestBounds(t *testing.T) {
	sandboxtest.Bounds(t, func() sandboxtest.Yard {
		m := sandbox.Memory()
		return sandboxtest.Yard{FS: m, Clear: m.Remove}
	})
}

// under returns a view within the bound of the view caller.
func under(t *testing.T, caller sandbox.FS, spec sandbox.ViewSpec) sandbox.FS {
	t.Helper()
	spec.Bound = sandbox.BoundOf(caller, "caller")
	return view(t, spec)
}

func own(name, at string, f sandbox.FS, source string, mode sandbox.Mode) sandbox.Mount {
	return sandbox.Mount{Name: name, At: at, FS: f, Source: source, Mode: mode, Own: true}
}

// Files that a mount of the caller covers stay hidden: a child cannot see or change
// them by any name under which it mounts their directory.
func TestBoundKeepsWhatIsHidden(t *testing.T) {
	m := tree(t, "notes/private.md", "pub/open.md", "top.md", "notesx/y.md")
	pub, _, err := sandbox.Nest(m, "pub")
	if err != nil {
		t.Fatal(err)
	}
	caller := view(t, sandbox.ViewSpec{Mounts: []sandbox.Mount{root(m), own("pub", "notes", pub, "pub", sandbox.ReadOnly)}})
	child := under(t, caller, sandbox.ViewSpec{Mounts: []sandbox.Mount{own("all", "all", m, ".", sandbox.ReadWrite)}})
	same(t, "/all", list(t, child, "all"), "notesx", "pub", "top.md")
	for _, name := range []string{"all/notes/private.md", "all/NOTES/private.md", "all/notes"} {
		refused(t, "read "+name, reads(child, name), fs.ErrNotExist)
		refused(t, "write "+name, child.WriteFile(name+"/x", nil), fs.ErrNotExist)
	}
	refused(t, "move the hidden place", child.Rename("all/top.md", "all/notes/x"), fs.ErrNotExist)
	refused(t, "write what the caller has read-only", child.WriteFile("all/pub/x.md", nil), fault.ReadOnly)
	sandboxtest.Put(t, child, "all/top.md", "new")
	notes, _, err := sandbox.Nest(m, "notes")
	if err != nil {
		t.Fatal(err)
	}
	spec := sandbox.ViewSpec{Bound: sandbox.BoundOf(caller, "main"), Mounts: []sandbox.Mount{own("notes", "n", notes, "notes", sandbox.ReadOnly)}}
	_, err = sandbox.View(spec)
	refused(t, "mount the hidden place", err, fault.Escalation)
	if err == nil || !strings.Contains(err.Error(), "the mount /n is ./notes, outside what the caller main sees: ./pub at /notes, the project at /") {
		t.Errorf("the fault does not name both places: %v", err)
	}
	spec.Mounts[0].Own = false
	v := view(t, spec)
	same(t, "a mount of the manifest's is cut silently: /", list(t, v, "."))
}

// The limits of the caller's mount also apply to a child's mount of the same files.
func TestBoundKeepsLimits(t *testing.T) {
	m := tree(t, "docs/a.md", "docs/b.exe", "docs/sub/long.md")
	caller := view(t, sandbox.ViewSpec{Mounts: []sandbox.Mount{
		{Name: "docs", At: "docs", FS: sub(t, m, "docs"), Source: "docs", Mode: sandbox.ReadWrite, Suffixes: []string{".md"}, MaxFileBytes: 12},
	}})
	child := under(t, caller, sandbox.ViewSpec{Mounts: []sandbox.Mount{own("s", "s", sub(t, m, "docs"), "docs", sandbox.ReadWrite)}})
	refused(t, "suffix", reads(child, "s/b.exe"), fault.Limit)
	refused(t, "size", reads(child, "s/sub/long.md"), fault.Limit)
	refused(t, "write", child.WriteFile("s/new.exe", nil), fault.Limit)
	if err := child.WriteFile("s/new.exe", nil); !strings.Contains(err.Error(), "mount docs") {
		t.Errorf("the error does not name the mount whose limit it is: %v", err)
	}
	sandboxtest.Put(t, child, "s/new.md", "fine")
}

// SPEC §8: ro < staged < rw, and applying a restriction twice changes nothing.
func TestStricter(t *testing.T) {
	modes := []sandbox.Mode{sandbox.ReadOnly, sandbox.Staged, sandbox.ReadWrite}
	for i, a := range modes {
		for j, b := range modes {
			if got, want := sandbox.Stricter(a, b), modes[min(i, j)]; got != want {
				t.Errorf("Stricter(%s, %s) = %s, want %s", a, b, got, want)
			}
		}
	}
}

// A restriction inside a mount that does not exist yet is an error. A child can
// mount a directory inside such a mount and write to it.
func TestMountsThatAreNotThereYet(t *testing.T) {
	m := tree(t, "a")
	later, err := sandbox.Later(m, "out")
	if err != nil {
		t.Fatal(err)
	}
	mount := own("out", "out", later, "out", sandbox.ReadWrite)
	_, err = sandbox.View(sandbox.ViewSpec{Mounts: []sandbox.Mount{mount}, Restricts: []string{"out/x/y"}})
	refused(t, "restrict", err, fault.NotFound)
	caller := view(t, sandbox.ViewSpec{Mounts: []sandbox.Mount{mount}})
	deeper, err := sandbox.Later(m, "out/deep/er")
	if err != nil {
		t.Fatal(err)
	}
	child := under(t, caller, sandbox.ViewSpec{Mounts: []sandbox.Mount{own("d", "d", deeper, "out/deep/er", sandbox.ReadWrite)}})
	same(t, "/d", list(t, child, "d"))
	sandboxtest.Put(t, child, "d/new.txt", "x")
	if err := reads(caller, "out/deep/er/new.txt"); err != nil {
		t.Error(err)
	}
}

// A mount may be one file; the other files of its directory are not visible.
func TestFileMount(t *testing.T) {
	m := tree(t, "d/one.txt", "d/two.txt")
	dir, file, err := sandbox.Nest(m, "d/one.txt")
	if err != nil || file != "one.txt" {
		t.Fatal(file, err)
	}
	mount := sandbox.Mount{Name: "one", At: "x/one", FS: dir, File: file, Source: "d/one.txt", Mode: sandbox.ReadWrite, MaxFileBytes: 20}
	v := view(t, sandbox.ViewSpec{Mounts: []sandbox.Mount{mount}})
	same(t, "/x", list(t, v, "x"), "one")
	for _, name := range []string{"x/two.txt", "x/one/two.txt", "x/one.txt"} {
		if reads(v, name) == nil || v.WriteFile(name, nil) == nil || v.Rename("x/one", name) == nil {
			t.Errorf("%s is reached", name)
		}
	}
	refused(t, "remove", v.Remove("x/one"), fault.ReadOnly)
	refused(t, "too big", v.WriteFile("x/one", make([]byte, 21)), fault.Limit)
	sandboxtest.Put(t, v, "x/one", "changed")
	if data, err := fs.ReadFile(m, "d/one.txt"); err != nil || string(data) != "changed" {
		t.Errorf("the file holds %q, %v", data, err)
	}
	if err := fstest.TestFS(v, "x/one"); err != nil {
		t.Error(err)
	}
	mount.At = "."
	_, err = sandbox.View(sandbox.ViewSpec{Mounts: []sandbox.Mount{mount}})
	refused(t, "a file as the root", err, fault.Config)
	mount.At = "x/one"
	_, err = sandbox.View(sandbox.ViewSpec{Mounts: []sandbox.Mount{mount}, Restricts: []string{"x/one/y"}})
	refused(t, "restrict below a file", err, fault.NotFound)
}

// SPEC §3: no worker can read or write $GOLEM_HOME, by any mount. Files in another
// directory with definitions (Protection.Also) cannot be written.
func TestClosed(t *testing.T) {
	m := tree(t, "home/golem/hosts.json", "home/other", "defs/a.worker", "defs/notes.txt", "defs/.env", "x")
	p := sandbox.Controls{Root: "."}.Protect()
	p.Closed = []string{"home/golem"}
	p.Also = []sandbox.Protection{sandbox.Controls{Root: "defs", Whole: true}.Protect()}
	v := view(t, sandbox.ViewSpec{Protection: p, Mounts: []sandbox.Mount{root(m), own("h", "h", sub(t, m, "home"), "home", sandbox.ReadWrite)}})
	for _, name := range []string{"home/golem/hosts.json", "home/GOLEM/hosts.json", "h/golem/hosts.json", "home/golem", "h/golem/new"} {
		refused(t, "read "+name, reads(v, name), fault.Protected)
		refused(t, "write "+name, v.WriteFile(name, nil), fault.Protected)
		refused(t, "remove "+name, v.Remove(name), fault.Protected)
	}
	same(t, "/home", list(t, v, "home"), "other")
	refused(t, "move what holds it", v.Rename("home", "gone"), fault.Protected)
	refused(t, "write a definition", v.WriteFile("defs/notes.txt", nil), fault.Protected)
	refused(t, "read its secrets", reads(v, "defs/.env"), fault.Protected)
	if err := reads(v, "defs/notes.txt"); err != nil {
		t.Error(err)
	}
	for _, source := range []string{"home/golem", "home/golem/inner"} {
		_, err := sandbox.View(sandbox.ViewSpec{Protection: p, Mounts: []sandbox.Mount{own("g", "g", tree(t), source, sandbox.ReadOnly)}})
		refused(t, "mount "+source, err, fault.Protected)
	}
	if why := sandbox.Partial(v); !strings.Contains(why, "GOLEM_HOME") {
		t.Errorf("a shell would reach it: %q", why)
	}
}

func sub(t *testing.T, f sandbox.FS, dir string) sandbox.FS {
	t.Helper()
	nested, _, err := sandbox.Nest(f, dir)
	if err != nil {
		t.Fatal(err)
	}
	return nested
}

// If a place below a directory is hidden from a child, the child cannot move the
// directory, and the place stays hidden when the child is restricted to it.
func TestBoundKeepsWhatIsHiddenBelow(t *testing.T) {
	m := tree(t, "d/h/private.md", "d/open.md", "pub/p.md")
	caller := view(t, sandbox.ViewSpec{Mounts: []sandbox.Mount{root(m), own("pub", "d/h", sub(t, m, "pub"), "pub", sandbox.ReadWrite)}})
	spec := sandbox.ViewSpec{Mounts: []sandbox.Mount{own("all", "all", m, ".", sandbox.ReadWrite)}}
	child := under(t, caller, spec)
	refused(t, "move what holds it", child.Rename("all/d", "all/e"), fault.ReadOnly)
	refused(t, "move onto what holds it", child.Rename("all/pub", "all/d"), fault.ReadOnly)
	spec.Restricts = []string{"all/d"}
	narrow := under(t, caller, spec)
	same(t, "/all/d", list(t, narrow, "all/d"), "open.md")
	refused(t, "read below the restriction", reads(narrow, "all/d/h/private.md"), fs.ErrNotExist)
	spec.Restricts = []string{"all/d/h"}
	spec.Bound = sandbox.BoundOf(caller, "caller")
	_, err := sandbox.View(spec)
	refused(t, "restrict to the hidden place", err, fault.NotFound)
	if _, err := fs.ReadFile(m, "d/h/private.md"); err != nil {
		t.Error(err)
	}
}

// If the caller sees a directory in the place of a file, on the path to another mount, a
// child can see the file neither by a mount nor by a restriction to it.
func TestBoundKeepsFilesUnderMountPoints(t *testing.T) {
	m := tree(t, "d/way", "d/sub/way", "other/f")
	caller := view(t, sandbox.ViewSpec{Mounts: []sandbox.Mount{root(sub(t, m, "d")), own("o", "way/o", sub(t, m, "other"), "other", sandbox.ReadOnly), own("s", "sub/way/o", sub(t, m, "other"), "other", sandbox.ReadOnly)}})
	if reads(caller, "way") == nil || reads(caller, "way/o/f") != nil {
		t.Fatal("the caller sees a directory at /way")
	}
	for _, name := range []string{"way", "sub/way"} {
		dir, file, err := sandbox.Nest(sub(t, m, "d"), name)
		if err != nil || file != "way" {
			t.Fatal(file, err)
		}
		mount := sandbox.Mount{Name: "w", At: "w", FS: dir, File: file, Source: name, Mode: sandbox.ReadOnly}
		child := under(t, caller, sandbox.ViewSpec{Mounts: []sandbox.Mount{mount}})
		refused(t, "read "+name, reads(child, "w"), fs.ErrNotExist)
		mount.Own = true
		_, err = sandbox.View(sandbox.ViewSpec{Mounts: []sandbox.Mount{mount}, Bound: sandbox.BoundOf(caller, "caller")})
		refused(t, "mount "+name, err, fault.Escalation)
		again := own("d", "again", sub(t, m, "d"), ".", sandbox.ReadOnly)
		_, err = sandbox.View(sandbox.ViewSpec{Mounts: []sandbox.Mount{again}, Restricts: []string{"again/" + name}, Bound: sandbox.BoundOf(caller, "caller")})
		refused(t, "restrict to "+name, err, fault.NotFound)
	}
}
