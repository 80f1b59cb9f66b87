//go:build unix

package osfs_test

import (
	"os"
	"path/filepath"
	"testing"

	"golem/core/fault"
	"golem/core/sandbox"
)

// Attacks on the directories that a module is granted: links, names that lead out,
// definition files and hard links reach no other files, and no mode becomes wider
// (SECURITY 2, 18; SPEC §6, Grants).
func TestParts(t *testing.T) {
	dir, _ := host(t, "data/a", "other/b", "out/c", "in/d", ".env", "data/deep/e")
	link := func(to, name string) { must(t, os.Symlink(to, filepath.Join(dir, name))) }
	link("../other", "data/beside")
	link("../other/b", "data/file")
	link("../../outside", "data/outside")
	link("a", "data/inside")
	link("../outside", "away")
	link("in", "same")
	link("..", "data/up")
	link("../other", "data/loop")
	must(t, os.Link(filepath.Join(dir, ".env"), filepath.Join(dir, "data/env")))
	f := open(t, dir)
	covering, _, err := sandbox.Nest(f, "other")
	must(t, err)
	mounts := []sandbox.Mount{
		{Name: "root", At: ".", FS: f, Source: f.Source(), Mode: sandbox.ReadWrite},
		{Name: "in", At: "in", FS: covering, Source: sandbox.SourceOf(covering, "other"), Mode: sandbox.ReadOnly},
	}
	v, err := sandbox.View(sandbox.ViewSpec{
		Mounts:     mounts,
		Protection: sandbox.Controls{Root: f.Source()}.Protect(),
	})
	must(t, err)
	for name, want := range map[string]error{
		"same": fault.NotFound, "in": fault.Escalation, "gone/../..": fault.Path, "away": fault.NotFound, ".env": fault.Protected, "a\\b": fault.Path,
	} {
		_, err := sandbox.Parts(v, map[string]sandbox.Mode{name: sandbox.ReadWrite})
		refused(t, dir, "grant "+name, err, want)
	}
	part, err := sandbox.Parts(v, map[string]sandbox.Mode{"data": sandbox.ReadOnly, "data/deep": sandbox.ReadWrite, "/out/": sandbox.ReadWrite, "new": sandbox.ReadWrite})
	must(t, err)
	for _, name := range []string{"data/a", "data/inside", "data/deep/e", "out/c"} {
		must(t, reads(part, name))
	}
	for _, name := range []string{"other/b", "in/d", "data/beside/b", "data/file", "data/outside/secret", "data/env", ".env", "away/secret", "same/d"} {
		refused(t, dir, "read "+name, reads(part, name), nil)
	}
	for _, name := range []string{"data/a", "data/new", "other/b", "top", "data/beside/x", "in/d", "data", "out"} {
		refused(t, dir, "write "+name, part.WriteFile(name, []byte("x")), nil)
		refused(t, dir, "move to "+name, part.Rename("out/c", name), nil)
	}
	refused(t, dir, "definition", part.WriteFile("out/x.worker", nil), fault.Protected)
	for _, name := range []string{"out/c", "data/deep/e", "new/first"} {
		must(t, part.WriteFile(name, []byte("x")))
	}
	if short, _ := sandbox.Shown(part); short != "/data (ro), /data/deep (rw), /new (rw), /out (rw)" {
		t.Errorf("it shows %s", short)
	}
	// Files that another mount covers are not shown by a link to their directory, to one of
	// them, or to a directory above.
	for _, name := range []string{"same", "same/d", "data/up", "data/up/in"} {
		_, err := sandbox.Parts(v, map[string]sandbox.Mode{name: sandbox.ReadOnly})
		refused(t, dir, "grant "+name+" to read", err, nil)
		_, err = sandbox.View(sandbox.ViewSpec{Mounts: mounts, Restricts: []string{name}})
		refused(t, dir, "restrict to "+name, err, nil)
	}
	_, err = sandbox.Parts(v, map[string]sandbox.Mode{"data/loop/later/more": sandbox.ReadWrite})
	refused(t, dir, "grant what is not there, behind a link", err, nil)
	open, err := sandbox.Parts(v, map[string]sandbox.Mode{"data/loop": sandbox.ReadOnly})
	must(t, err)
	must(t, reads(open, "data/loop/b"))
	// A part that becomes a link after it was granted is still the old directory.
	must(t, os.Rename(filepath.Join(dir, "out"), filepath.Join(dir, "moved")))
	link("other", "out")
	refused(t, dir, "read through the new link", reads(part, "out/b"), nil)
}
