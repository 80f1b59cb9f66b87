package sandbox_test

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sandbox/sandboxtest"
)

// tree returns a memory tree in which the content of each file is its name.
func tree(t *testing.T, names ...string) sandbox.FS {
	t.Helper()
	m := sandbox.Memory()
	for _, n := range names {
		sandboxtest.Put(t, m, n, n)
	}
	return m
}

func root(f sandbox.FS) sandbox.Mount {
	return sandbox.Mount{Name: "root", At: ".", FS: f, Source: ".", Mode: sandbox.ReadWrite}
}

func list(t *testing.T, f fs.FS, dir string) []string {
	t.Helper()
	entries, err := fs.ReadDir(f, dir)
	if err != nil {
		t.Fatalf("list %s: %v", dir, err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func refused(t *testing.T, what string, err error, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

func reads(f fs.FS, name string) error { _, err := fs.ReadFile(f, name); return err }

// Scenario 23: under a restriction names stay the same, "/" lists only the way to the
// restriction, and every other path is an error.
func TestRestrict(t *testing.T) {
	m := tree(t, "src/a.go", "src/sub/b.go", "secret", "srcx/c")
	spec := func(readonly bool, restricts ...string) sandbox.ViewSpec {
		return sandbox.ViewSpec{Mounts: []sandbox.Mount{root(m)}, Restricts: restricts, ReadOnly: readonly}
	}
	for name, v := range map[string]sandbox.FS{
		"once": view(t, spec(true, "src")), "twice": view(t, spec(true, "src", "src")), "to the root": view(t, spec(true, "src", ".")),
	} {
		same(t, name+" /", list(t, v, "."), "src")
		same(t, name+" /src", list(t, v, "src"), "a.go", "sub")
		if got, err := fs.ReadFile(v, "src/a.go"); err != nil || string(got) != "src/a.go" {
			t.Errorf("%s: read = %q, %v", name, got, err)
		}
		refused(t, name+" read", reads(v, "secret"), fs.ErrNotExist)
		refused(t, name+" read beside", reads(v, "srcx/c"), fs.ErrNotExist)
		if err := reads(v, "secret"); !strings.Contains(err.Error(), "sees only /src") {
			t.Errorf("the error says nothing of the restriction: %v", err)
		}
		refused(t, name+" write", v.WriteFile("src/a.go", nil), fault.ReadOnly)
		refused(t, name+" remove", v.Remove("src/a.go"), fault.ReadOnly)
		refused(t, name+" rename", v.Rename("src/a.go", "src/b.go"), fault.ReadOnly)
		refused(t, name+" mkdir", v.Mkdir("src/d", 0o755), fault.ReadOnly)
	}
	child := view(t, spec(true, "src", "src/sub"))
	same(t, "child /", list(t, child, "."), "src")
	same(t, "child /src", list(t, child, "src"), "sub")
	refused(t, "child read", reads(child, "src/a.go"), fs.ErrNotExist)
	for _, out := range []string{"secret", "srcx"} {
		_, err := sandbox.View(spec(false, "src", out))
		refused(t, "restrict "+out, err, fault.Escalation)
	}
	for _, bad := range []string{"gone", "secret/x", "../x", "/src", "src/"} {
		if _, err := sandbox.View(spec(false, bad)); err == nil {
			t.Errorf("a restriction to %q was accepted", bad)
		}
	}
	w := view(t, spec(false, "src/sub"))
	for _, name := range []string{"src", "src/new", "secret", "new"} {
		if err := w.WriteFile(name, nil); err == nil {
			t.Errorf("write %s was allowed from /src/sub", name)
		}
		if err := w.Rename("src/sub/b.go", name); err == nil {
			t.Errorf("b.go was moved to %s from /src/sub", name)
		}
	}
	refused(t, "remove the restriction", w.Remove("src/sub"), fault.ReadOnly)
}

// plainFS is a tree that cannot open nested handles. A restriction that cannot be
// applied to it must be an error (SECURITY 2).
type plainFS struct{ sandbox.FS }

func TestRestrictFailsClosed(t *testing.T) {
	_, err := sandbox.View(sandbox.ViewSpec{Mounts: []sandbox.Mount{root(plainFS{tree(t, "src/a")})}, Restricts: []string{"src"}})
	refused(t, "restrict without handles", err, fault.Escalation)
}

// Scenario 24: modes, limits and quota; the error names the mount.
func TestMounts(t *testing.T) {
	in := sandbox.Mount{Name: "input", At: "input", FS: tree(t, "a.txt"), Source: "in", Mode: sandbox.ReadOnly}
	out := sandbox.Mount{Name: "output", At: "deep/er/out", FS: tree(t), Source: "out", Mode: sandbox.ReadWrite, Suffixes: []string{".txt", ".tar.gz"}, MaxFileBytes: 10}
	v := view(t, sandbox.ViewSpec{Mounts: []sandbox.Mount{in, out}, Quota: sandbox.NewQuota(sandbox.Limits{Bytes: 25, Files: 5})})
	same(t, "/", list(t, v, "."), "deep", "input")
	same(t, "/deep", list(t, v, "deep"), "er")
	err := v.WriteFile("input/a.txt", nil)
	refused(t, "ro", err, fault.ReadOnly)
	if !strings.Contains(err.Error(), "mount input") {
		t.Errorf("the error does not name the mount: %v", err)
	}
	refused(t, "suffix", v.WriteFile("deep/er/out/a.md", nil), fault.Limit)
	refused(t, "no suffix", v.WriteFile("deep/er/out/a", nil), fault.Limit)
	refused(t, "size", v.WriteFile("deep/er/out/a.txt", make([]byte, 11)), fault.Limit)
	refused(t, "way", v.WriteFile("deep/x", nil), fs.ErrNotExist)
	refused(t, "way itself", v.Remove("deep"), fault.ReadOnly)
	refused(t, "mount point", v.Remove("input"), fault.ReadOnly)
	sandboxtest.Put(t, v, "deep/er/out/A.TXT", "0123456789")
	sandboxtest.Put(t, v, "deep/er/out/d/b.tar.gz", "0123456789")
	refused(t, "rename to another suffix", v.Rename("deep/er/out/A.TXT", "deep/er/out/a.md"), fault.Limit)
	refused(t, "bytes", v.WriteFile("deep/er/out/c.txt", make([]byte, 6)), fault.Quota)
	for _, d := range []string{"1", "2", "3"} {
		if err := v.Mkdir("deep/er/out/"+d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	refused(t, "files", v.Mkdir("deep/er/out/4", 0o755), fault.Quota)
	for name, want := range map[string]string{"input": "input", "input/x": "input", "deep/er/out/y": "output", "deep": "", ".": "", "else": "", "../x": ""} {
		if got := sandbox.MountOf(v, name); got != want {
			t.Errorf("MountOf(%s) = %q, want %q", name, got, want)
		}
	}
	if sandbox.MountOf(sandbox.Memory(), ".") != "" {
		t.Error("a tree that is no view has a mount")
	}
}

// Scenario 24: a child's own mount (scratch) is read-only if the view is read-only,
// otherwise writable, and the parent does not see it.
func TestChildMount(t *testing.T) {
	parent := []sandbox.Mount{{Name: "input", At: "input", FS: tree(t, "a"), Source: "in", Mode: sandbox.ReadWrite}}
	scratch := sandbox.Mount{Name: "scratch", At: "scratch", FS: tree(t), Source: "scratch", Mode: sandbox.ReadWrite}
	for _, readonly := range []bool{true, false} {
		v := view(t, sandbox.ViewSpec{Mounts: append(slices.Clone(parent), scratch), ReadOnly: readonly})
		if err := v.WriteFile("scratch/x", nil); errors.Is(err, fault.ReadOnly) != readonly {
			t.Errorf("readonly %v: write scratch: %v", readonly, err)
		}
	}
	same(t, "the parent's /", list(t, view(t, sandbox.ViewSpec{Mounts: parent}), "."), "input")
}

// SPEC §8: where sources overlap, the stricter mode applies, by every path.
func TestOverlap(t *testing.T) {
	m := tree(t, "in/a", "in/deep/b", "b", "other/c").(sandbox.SubFS)
	sub, err := m.SubFS("in")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ root, in, constraint string }{
		{".", "in", "in"}, {"/p", "/p/in", "/p/in"}, {".", "in", "IN"}, {"C:/p", "C:/p/in", "c:/P/in"}, {"../lib", "../lib/in", "../lib/in"},
	} {
		v := view(t, sandbox.ViewSpec{
			Mounts: []sandbox.Mount{
				{Name: "root", At: ".", FS: m, Source: c.root, Mode: sandbox.ReadWrite},
				{Name: "ro", At: "ro", FS: sub, Source: c.in, Mode: sandbox.ReadWrite},
			},
			Constraints: []sandbox.Constraint{{Source: c.root, Mode: sandbox.ReadWrite}, {Source: c.constraint, Mode: sandbox.ReadOnly}},
		})
		for _, name := range []string{"in/a", "ro/a", "in/new", "ro/deep/b"} {
			refused(t, c.root+": write "+name, v.WriteFile(name, nil), fault.ReadOnly)
		}
		refused(t, c.root+": rename", v.Rename("in", "elsewhere"), fault.ReadOnly)
		refused(t, c.root+": rename into", v.Rename("b", "in/b"), fault.ReadOnly)
		sandboxtest.Put(t, v, "b", "fine")
	}
	// a mount without a source (attachments) overlaps nothing
	v := view(t, sandbox.ViewSpec{
		Mounts:      []sandbox.Mount{{Name: "x", At: ".", FS: tree(t, ".env"), Mode: sandbox.ReadWrite}},
		Constraints: []sandbox.Constraint{{Source: ".", Mode: sandbox.ReadOnly}}, Protection: sandbox.Controls{Root: "."}.Protect(),
	})
	sandboxtest.Put(t, v, "in/a", "")
	if err := reads(v, ".env"); err != nil {
		t.Errorf("an attachment was taken for the project's: %v", err)
	}
}

// A tree that does not tell its real path (a directory that does not exist yet) is
// judged by the source in the manifest.
func TestSourceWithoutRealPath(t *testing.T) {
	p := sandbox.Controls{Root: "/host/proj"}.Protect()
	for _, source := range []string{"tools", "./tools", "/host/proj/tools"} {
		v := view(t, sandbox.ViewSpec{Protection: p, Mounts: []sandbox.Mount{
			{Name: "t", At: "t", FS: tree(t), Source: source, Mode: sandbox.ReadWrite},
			{Name: "s", At: "s", FS: sandbox.Overlay(tree(t)), Source: sandbox.SourceOf(sandbox.Overlay(tree(t)), source), Mode: sandbox.ReadWrite},
		}})
		for _, name := range []string{"t/x.wasm", "t/notes.md", "s/notes.md"} {
			refused(t, source+": write "+name, v.WriteFile(name, nil), fault.Protected)
		}
	}
	for _, c := range []struct{ mount, constraint string }{{"out/a", "/host/proj/out"}, {"/host/proj/out/a", "out"}, {"/host/proj", "out"}} {
		v := view(t, sandbox.ViewSpec{
			Protection:  p,
			Mounts:      []sandbox.Mount{{Name: "o", At: "o", FS: tree(t), Source: c.mount, Mode: sandbox.ReadWrite}},
			Constraints: []sandbox.Constraint{{Source: c.constraint, Mode: sandbox.ReadOnly}},
		})
		refused(t, c.mount, v.WriteFile("o/out/x", nil), fault.ReadOnly)
	}
}

// SPEC §8: a mount's suffixes and max_file_bytes also apply to reading. On a
// read-only mount they could have no other meaning.
func TestMountLimitsReading(t *testing.T) {
	in := sandbox.Mount{Name: "decks", At: "decks", FS: tree(t, "a.pdf", "A.PDF", "long-name.pdf", "b.exe", "none", "d/c.pdf"), Source: "decks",
		Mode: sandbox.ReadOnly, Suffixes: []string{".pdf"}, MaxFileBytes: 8}
	v := view(t, sandbox.ViewSpec{Mounts: []sandbox.Mount{in}})
	for _, name := range []string{"decks/a.pdf", "decks/A.PDF", "decks/d/c.pdf"} {
		if err := reads(v, name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"decks/b.exe", "decks/none", "decks/long-name.pdf"} {
		err := reads(v, name)
		refused(t, name, err, fault.Limit)
		if err == nil || !strings.Contains(err.Error(), "mount decks") {
			t.Errorf("the error does not name the mount: %v", err)
		}
	}
	same(t, "list", list(t, v, "decks"), "A.PDF", "a.pdf", "b.exe", "d", "long-name.pdf", "none")
}

// SECURITY 5: a run holds a bounded number of files open.
func TestOpenHandles(t *testing.T) {
	v := view(t, sandbox.ViewSpec{Mounts: []sandbox.Mount{root(tree(t, "a", "b"))}, Quota: sandbox.NewQuota(sandbox.Limits{Handles: 2})})
	a, err := v.Open("a")
	if err != nil {
		t.Fatal(err)
	}
	b, err := v.Open("b")
	if err != nil {
		t.Fatal(err)
	}
	refused(t, "a third", reads(v, "a"), fault.Quota)
	_ = list(t, v, ".") // a directory does not count: it is read completely when it is opened
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); !errors.Is(err, fs.ErrClosed) { // the second Close must not free another handle
		t.Errorf("closing twice: %v", err)
	}
	if err := fstest.TestFS(v, "a", "b"); err != nil {
		t.Error(err)
	}
	c, err := v.Open("b")
	if err != nil {
		t.Fatal(err)
	}
	refused(t, "a third again", reads(v, "a"), fault.Quota)
	for _, f := range []fs.File{a, c} {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A mount point need not exist in the mount around it.
func TestNestedWay(t *testing.T) {
	v := view(t, sandbox.ViewSpec{Mounts: []sandbox.Mount{
		root(tree(t, "a", "file")),
		{Name: "n", At: "no/such/n", FS: tree(t, "x"), Source: "n", Mode: sandbox.ReadWrite},
		{Name: "f", At: "file/f", FS: tree(t, "y"), Source: "f", Mode: sandbox.ReadWrite},
	}})
	same(t, "/", list(t, v, "."), "a", "file", "no")
	same(t, "/no/such", list(t, v, "no/such"), "n")
	same(t, "/file", list(t, v, "file"), "f")
	if info, err := fs.Stat(v, "no"); err != nil || !info.IsDir() {
		t.Errorf("stat /no = %v, %v", info, err)
	}
	if err := fstest.TestFS(v, "no/such/n/x", "file/f/y", "a"); err != nil {
		t.Error(err)
	}
}

// Attachments are visible under any restriction, once there are some.
func TestAttachments(t *testing.T) {
	att := tree(t)
	spec := sandbox.ViewSpec{Restricts: []string{"src"}, Mounts: []sandbox.Mount{
		root(tree(t, "src/a", "b")),
		{Name: "attachments", At: "attachments", FS: att, Mode: sandbox.ReadOnly, HideEmpty: true, Unrestricted: true},
	}}
	v := view(t, spec)
	same(t, "without", list(t, v, "."), "src")
	sandboxtest.Put(t, att, "f.txt", "x")
	same(t, "with", list(t, v, "."), "attachments", "src")
	if err := reads(v, "attachments/f.txt"); err != nil {
		t.Error(err)
	}
	refused(t, "write", v.WriteFile("attachments/f.txt", nil), fault.ReadOnly)
	same(t, "with narrower", list(t, view(t, sandbox.ViewSpec{Restricts: []string{"src", "src"}, Mounts: spec.Mounts}), "."), "attachments", "src")
}

// Between mounts a file is moved by copying and removing it; a directory is not moved.
func TestMoves(t *testing.T) {
	a, b := tree(t, "f", "d/g", "big.bin"), tree(t)
	nested, err := a.(sandbox.SubFS).SubFS("d")
	if err != nil {
		t.Fatal(err)
	}
	v := view(t, sandbox.ViewSpec{Mounts: []sandbox.Mount{
		{Name: "a", At: "a", FS: a, Source: "a", Mode: sandbox.ReadWrite},
		{Name: "b", At: "b", FS: b, Source: "b", Mode: sandbox.ReadWrite, Suffixes: []string{".txt"}},
		{Name: "c", At: "c", FS: a, Source: "a", Mode: sandbox.ReadWrite, MaxFileBytes: 2},
		{Name: "s", At: "s", FS: nested, Source: "a/d", Mode: sandbox.ReadWrite},
	}})
	refused(t, "the same file in another mount", v.Rename("a/d/g", "s/g"), fault.Conflict)
	if err := reads(v, "a/d/g"); err != nil {
		t.Error(err)
	}
	refused(t, "suffix", v.Rename("a/f", "b/f"), fault.Limit)
	if err := v.Rename("a/f", "b/f.txt"); err != nil {
		t.Fatal(err)
	}
	refused(t, "read the old", reads(v, "a/f"), fs.ErrNotExist)
	if err := reads(v, "b/f.txt"); err != nil {
		t.Error(err)
	}
	refused(t, "directory", v.Rename("a/d", "b/d"), fault.Path)
	refused(t, "limits of the other mount, file", v.Rename("a/big.bin", "c/small"), fault.Limit)
	refused(t, "limits of the other mount, directory", v.Rename("a/d", "c/e"), fault.Limit)
	refused(t, "missing", v.Rename("a/none", "b/x.txt"), fs.ErrNotExist)
	same(t, "a", list(t, v, "a"), "big.bin", "d")
}
