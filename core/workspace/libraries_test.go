package workspace_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/workspace"
)

// library returns the files of a small library, with more files.
func library(more map[string]string) map[string][]byte {
	files := map[string][]byte{
		"lib.yaml":         []byte("name: utils\nversion: 1.0.0\n"),
		"workers/a.worker": []byte("a"), "workers/deep/b.worker": []byte("b"),
	}
	for name, data := range more {
		files[name] = []byte(data)
	}
	return files
}

func content(t testing.TB, files map[string][]byte) workspace.Content {
	t.Helper()
	c, err := workspace.FilesContent(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// state returns all files of a root, by name.
func state(t testing.TB, root sandbox.FS) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, name)
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// listing returns the files of a root and their content as text, without names that
// begin with a dot.
func listing(t testing.TB, root sandbox.FS) string {
	var out []string
	files := state(t, root)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasPrefix(name, ".") {
			out = append(out, name+"="+files[name])
		}
	}
	return strings.Join(out, "\n")
}

// SECURITY 14: if the process is killed after any call, a library is complete (the old
// or the new one) or does not exist, and the next change finishes or undoes what was
// begun. An update that is killed between its two renames leaves neither; the next
// change restores the old one.
func TestInstallIsAtomic(t *testing.T) {
	old, next := content(t, library(nil)), content(t, library(map[string]string{"workers/a.worker": "A", "new": "x"}))
	run := func(prepared bool, change func(workspace.Libraries) error) {
		for n := 0; ; n++ {
			root := sandbox.Memory()
			whole := workspace.Libraries{Root: workspace.Over(root)}
			if prepared {
				if _, _, err := whole.Install(old, workspace.Origin{}); err != nil {
					t.Fatal(err)
				}
			}
			before := listing(t, root)
			err := change(workspace.Libraries{Root: &dying{workspace.Over(root), n}})
			after := listing(t, root)
			if rerr := (workspace.Libraries{Root: workspace.Over(root)}).Recover(); rerr != nil {
				t.Fatal(rerr)
			}
			recovered := listing(t, root)
			for name := range state(t, root) {
				if strings.HasPrefix(name, ".") {
					t.Errorf("step %d: %s is left", n, name)
				}
			}
			if err == nil {
				if after == before || recovered != after {
					t.Errorf("step %d: done, and %q became %q", n, before, recovered)
				}
				if n < 3 {
					t.Errorf("only %d steps", n)
				}
				return
			}
			if !errors.Is(err, errKilled) && !strings.Contains(err.Error(), errKilled.Error()) {
				t.Fatalf("step %d: %v", n, err)
			}
			if recovered != before {
				t.Errorf("step %d: after the recovery there is %q, before there was %q", n, recovered, before)
			}
			if after != before && after != "" {
				t.Errorf("step %d: killed, and there is %q", n, after)
			}
		}
	}
	run(false, func(l workspace.Libraries) error { _, _, err := l.Install(old, workspace.Origin{}); return err })
	run(true, func(l workspace.Libraries) error {
		_, _, _, err := l.Update("utils@1.0.0", next, workspace.Origin{})
		return err
	})
}

// In a tree that renames directories file by file, a killed update leaves the complete
// old or new library after the next Recover.
func TestUpdateMarked(t *testing.T) {
	old, next := content(t, library(nil)), content(t, library(map[string]string{"workers/a.worker": "A", "new": "x"}))
	for n := 0; ; n++ {
		root := sandbox.Memory()
		whole := workspace.Libraries{Root: workspace.Over(root), Marks: true}
		if _, _, err := whole.Install(old, workspace.Origin{}); err != nil {
			t.Fatal(err)
		}
		_, _, _, err := (workspace.Libraries{Root: &dying{workspace.Over(root), n}, Marks: true}).Update("utils@1.0.0", next, workspace.Origin{})
		if libs, faults, lerr := whole.List(); lerr != nil || len(faults) > 0 || len(libs) == 1 && changed(t, whole, libs[0]) {
			t.Fatalf("step %d: %v, %v, %v", n, libs, faults, lerr)
		}
		if rerr := whole.Recover(); rerr != nil {
			t.Fatal(rerr)
		}
		libs, faults, lerr := whole.List()
		if lerr != nil || len(faults) > 0 || len(libs) != 1 || changed(t, whole, libs[0]) {
			t.Fatalf("step %d, after the recovery: %v, %v, %v", n, libs, faults, lerr)
		}
		for name := range state(t, root) {
			if strings.HasPrefix(name, ".") {
				t.Errorf("step %d: %s is left", n, name)
			}
		}
		_, there, changes, cerr := whole.Compare("utils@1.0.0", next, workspace.Origin{})
		if cerr != nil || !there || len(changes) != 0 && len(changes) != 2 {
			t.Errorf("step %d: %v, %q, %v", n, there, changes, cerr)
		}
		if err == nil {
			if len(changes) != 0 || n < 5 {
				t.Errorf("step %d: done, and %q is to be done", n, changes)
			}
			return
		}
	}
}

// changed reports whether files of a library differ from those that were installed.
func changed(t *testing.T, l workspace.Libraries, lib workspace.Library) bool {
	t.Helper()
	d, err := l.Details(lib)
	if err != nil {
		t.Fatal(err)
	}
	return d.Changed
}

// In a tree that renames directories file by file, a killed Install or Remove leaves a
// library that is not listed, and the next change removes it.
func TestInstallMarked(t *testing.T) {
	c := content(t, library(nil))
	install := func(l workspace.Libraries) error { _, _, err := l.Install(c, workspace.Origin{}); return err }
	remove := func(l workspace.Libraries) error { _, err := l.Remove("utils"); return err }
	for _, prepared := range []bool{false, true} {
		for n := 0; ; n++ {
			root := sandbox.Memory()
			whole := workspace.Libraries{Root: workspace.Over(root), Marks: true}
			change := install
			if prepared {
				if err := install(whole); err != nil {
					t.Fatal(err)
				}
				change = remove
			}
			err := change(workspace.Libraries{Root: &dying{workspace.Over(root), n}, Marks: true})
			libs, faults, lerr := whole.List()
			if lerr != nil || len(faults) > 0 {
				t.Fatalf("step %d: %v, %v", n, faults, lerr)
			}
			if len(libs) == 1 {
				if d, derr := whole.Details(libs[0]); derr != nil || d.Changed {
					t.Errorf("step %d: the library is not whole: %v", n, derr)
				}
			}
			if rerr := whole.Recover(); rerr != nil {
				t.Fatal(rerr)
			}
			left := state(t, root)
			if len(libs) == 0 && len(left) > 0 {
				t.Errorf("step %d: %v is left", n, slices.Sorted(maps.Keys(left)))
			}
			if err == nil {
				if len(libs) == 1 == prepared || n < 3 {
					t.Errorf("step %d: done, and there are %d libraries", n, len(libs))
				}
				break
			}
		}
	}
}

// A library that was installed without a version has a directory without one, and is
// found and removed by that name also beside a version.
func TestLibraryWithoutVersionBesideOneWithIt(t *testing.T) {
	root := sandbox.Memory()
	l := workspace.Libraries{Root: workspace.Over(root)}
	bare := content(t, library(map[string]string{"lib.yaml": "name: utils\n"}))
	for _, c := range []workspace.Content{bare, content(t, library(nil))} {
		if _, _, err := l.Install(c, workspace.Origin{From: "/there"}); err != nil {
			t.Fatal(err)
		}
	}
	if found, err := l.Find("utils"); err != nil || found.Dir != "utils" {
		t.Errorf("%+v, %v", found, err)
	}
	if dir, err := l.Remove("utils"); err != nil || dir != "utils" {
		t.Errorf("removed %q, %v", dir, err)
	}
	if found, err := l.Find("utils"); err != nil || found.Dir != "utils@1.0.0" {
		t.Errorf("after that: %+v, %v", found, err)
	}
}

// Installing the same files again changes nothing. Other files need an update, which
// returns the differences.
func TestInstallAgain(t *testing.T) {
	root := sandbox.Memory()
	l := workspace.Libraries{Root: workspace.Over(root)}
	from := workspace.Origin{From: "/there", Commit: "abc"}
	lib, fresh, err := l.Install(content(t, library(nil)), from)
	if err != nil || !fresh || lib.Dir != "utils@1.0.0" {
		t.Fatalf("%+v, %v, %v", lib, fresh, err)
	}
	if _, fresh, err := l.Install(content(t, library(nil)), workspace.Origin{From: "/elsewhere"}); err != nil || fresh {
		t.Errorf("the same again: %v, %v", fresh, err)
	}
	other := content(t, library(map[string]string{"workers/a.worker": "A", "new": "x"}))
	if _, _, err := l.Install(other, from); !errors.Is(err, fault.Conflict) {
		t.Errorf("other files: %v", err)
	}
	if found, err := l.Find("utils"); err != nil || found.Origin.From != "/there" || found.Origin.Commit != "abc" {
		t.Errorf("%+v, %v", found, err)
	}
	less := library(map[string]string{"workers/a.worker": "A", "new": "x"})
	delete(less, "workers/deep/b.worker")
	_, _, changes, err := l.Update("utils@1.0.0", content(t, less), from)
	if got := strings.Join(changes, ", "); err != nil || got != "added new, changed workers/a.worker, removed workers/deep/b.worker" {
		t.Errorf("%s, %v", got, err)
	}
	if strings.Contains(listing(t, root), "b.worker") {
		t.Error("a file that the new version does not have is still there")
	}
	if _, _, err := l.Install(content(t, library(map[string]string{"lib.yaml": "name: Utils\nversion: 1.0.0\n"})), from); !errors.Is(err, fault.Conflict) && !errors.Is(err, fault.Config) {
		t.Errorf("a name that differs in case only: %v", err)
	}
}

// S1-55: files that cannot be a library, and names that lead elsewhere, are errors.
func TestContentRefuses(t *testing.T) {
	for name, want := range map[string]string{
		"../evil": "not a valid path", "/abs": "not a valid path", "a/../../b": "not a valid path", "CON": "device on Windows", "a\\b": "backslash",
		"WORKERS/a.worker": "ignore case", "workers/A.worker": "ignore case", "lib.yaml/x": "both a file and the directory",
		"a\x00b": "not allowed in names", "what?": "cannot contain ?",
	} {
		_, err := workspace.FilesContent(library(map[string]string{name: "x"}), nil)
		if !errors.Is(err, fault.Path) || !strings.Contains(err.Error(), "the library is not accepted: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := workspace.FilesContent(library(map[string]string{"e\u0301": "x", "\u00e9": "y"}), nil); err == nil || !strings.Contains(err.Error(), "same file") {
		t.Errorf("two forms of one letter: %v", err)
	}
	root := sandbox.Memory()
	l := workspace.Libraries{Root: workspace.Over(root)}
	for _, desc := range []string{"", "name: ../up\nversion: 1\n", "name: a/b\n", "name: .hidden\n", "version: 1\n", "name: aa\nversion: ../1\n", "name: aa\nnonsense: 1\n", "name: [a]\n"} {
		files := library(map[string]string{"lib.yaml": desc})
		if lib, _, err := l.Install(content(t, files), workspace.Origin{}); err == nil {
			t.Errorf("%q was installed as %s", desc, lib.Dir)
		}
	}
	if left := state(t, root); len(left) > 0 {
		t.Errorf("something was written: %v", slices.Sorted(maps.Keys(left)))
	}
}

// State, secrets and packages are left out of a library, in any spelling of their names.
func TestContentLeavesOut(t *testing.T) {
	tree := fstest.MapFS{}
	for _, name := range []string{"lib.yaml", "workers/a.worker", ".git/config", ".GIT/x", "workers/.env", ".env.local", "node_modules/a/b.js", ".golem/state", ".golem-origin.json"} {
		tree[name] = &fstest.MapFile{Data: []byte("name: aa\n")}
	}
	c, err := workspace.DirContent(tree)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(c.Left); got != "[.GIT .env.local .git .golem .golem-origin.json node_modules workers/.env]" {
		t.Error(got)
	}
	root := sandbox.Memory()
	if _, _, err := (workspace.Libraries{Root: workspace.Over(root)}).Install(c, workspace.Origin{}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(slices.Sorted(maps.Keys(state(t, root))), " "); got != "aa/.golem-origin.json aa/lib.yaml aa/workers/a.worker" {
		t.Error(got)
	}
	packed, err := workspace.ZipContent(pack(t, entry{name: "utils-1.0/lib.yaml", data: "name: aa\n"}, entry{name: "utils-1.0/.git/config"}, entry{name: "utils-1.0/x/node_modules/b"}))
	if err != nil || fmt.Sprint(packed.Left) != "[.git x/node_modules]" {
		t.Errorf("%v, %v", packed.Left, err)
	}
	tree["link"] = &fstest.MapFile{Mode: fs.ModeSymlink}
	if _, err := workspace.DirContent(tree); err == nil || !strings.Contains(err.Error(), "link is a link or a device") {
		t.Error(err)
	}
}

// A library that is too large is E_LIMIT, as a packed project is.
func TestContentLimits(t *testing.T) {
	tree, files := fstest.MapFS{}, map[string][]byte{}
	for i := range workspace.MaxFiles + 1 {
		name := fmt.Sprintf("f%d", i)
		tree[name], files[name] = &fstest.MapFile{}, nil
	}
	_, inDir := workspace.DirContent(tree)
	_, given := workspace.FilesContent(files, nil)
	large := make([]byte, workspace.MaxLibraryFile+1)
	_, largeInDir := workspace.DirContent(fstest.MapFS{"x": {Data: large}})
	_, largeGiven := workspace.FilesContent(map[string][]byte{"x": large}, nil)
	for i, err := range []error{inDir, given, largeInDir, largeGiven} {
		if !errors.Is(err, fault.Limit) || !strings.Contains(err.Error(), "the library is not accepted: ") {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// An origin file with any content does no harm.
func FuzzOrigin(f *testing.F) {
	f.Add([]byte(`{"golem":"library","v":1,"from":"/a","digest":"00"}`))
	f.Add([]byte(`{"golem":"library","v":2}`))
	f.Add([]byte("[[[["))
	f.Fuzz(func(t *testing.T, data []byte) {
		root := sandbox.Memory()
		l := workspace.Libraries{Root: workspace.Over(root)}
		for name, data := range map[string][]byte{"aa/lib.yaml": []byte("name: aa\n"), "aa/.golem-origin.json": data} {
			if err := root.WriteFile(name, data); err != nil {
				t.Fatal(err)
			}
		}
		libs, faults, err := l.List()
		if err != nil || len(faults) > 0 || len(libs) != 1 {
			t.Fatalf("%v, %v, %v", libs, faults, err)
		}
	})
}

// Installing any archive writes nothing outside the directory of the library, and
// nothing at all if it fails.
func FuzzInstallZip(f *testing.F) {
	f.Add(pack(f, entry{name: "lib.yaml", data: "name: aa\n"}, entry{name: "workers/a.worker", data: "x"}))
	f.Add(pack(f, entry{name: "lib.yaml", data: "name: ../a\n"}))
	f.Add(pack(f, entry{name: "../lib.yaml", data: "name: aa\n"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		root := sandbox.Memory()
		c, err := workspace.ZipContent(data)
		if err != nil {
			return
		}
		lib, _, err := (workspace.Libraries{Root: workspace.Over(root)}).Install(c, workspace.Origin{})
		for name := range state(t, root) {
			if err != nil || !strings.HasPrefix(name, lib.Dir+"/") {
				t.Fatalf("%q was written, %v", name, err)
			}
		}
	})
}
