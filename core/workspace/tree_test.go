package workspace_test

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/hack-pad/hackpadfs"
	"github.com/spf13/afero"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/workspace"
)

// afero's helpers work on golem's trees as on afero's own.
func TestOver(t *testing.T) {
	for name, f := range map[string]afero.Fs{"golem's": workspace.Over(sandbox.Memory()), "afero's": afero.NewMemMapFs()} {
		t.Run(name, func(t *testing.T) {
			check := func(what string, err error) {
				t.Helper()
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
			}
			check("make directories", f.MkdirAll("a/b/c", 0o755))
			check("make them again", f.MkdirAll("a/b/c", 0o755))
			check("write", afero.WriteFile(f, "a/b/x", []byte("one"), 0o644))
			check("write again", afero.WriteFile(f, "a/b/x", []byte("two"), 0o644))
			add, err := f.OpenFile("a/b/x", hackpadfs.FlagAppend|hackpadfs.FlagWriteOnly, 0)
			check("open for adding", err)
			_, err = add.WriteString("!")
			check("add", errors.Join(err, add.Close()))
			data, err := afero.ReadFile(f, "a/b/x")
			if err != nil || string(data) != "two!" {
				t.Errorf("read %q, %v", data, err)
			}
			infos, err := afero.ReadDir(f, "a/b")
			var names []string
			for _, i := range infos {
				names = append(names, i.Name())
			}
			if err != nil || !slices.Equal(names, []string{"c", "x"}) {
				t.Errorf("list %v, %v", names, err)
			}
			check("rename", f.Rename("a/b/x", "a/y"))
			if ok, err := afero.Exists(f, "a/b/x"); ok || err != nil {
				t.Errorf("the old name: %v, %v", ok, err)
			}
			if ok, err := afero.DirExists(f, "a/b/c"); !ok || err != nil {
				t.Errorf("the directory: %v, %v", ok, err)
			}
			if _, err := f.Open("none"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("what is not there: %v", err)
			}
			check("remove all", f.RemoveAll("a"))
			check("remove nothing", f.RemoveAll("a"))
			if ok, err := afero.Exists(f, "a"); ok || err != nil {
				t.Errorf("after removing: %v, %v", ok, err)
			}
		})
	}
}

// An open file can be read and written in pieces; others see the result when it is closed.
func TestOverFile(t *testing.T) {
	tree := sandbox.Memory()
	f := workspace.Over(tree)
	file, err := f.Create("x")
	if err != nil {
		t.Fatal(err)
	}
	step := func(what string, got any, err error, want any) {
		t.Helper()
		if err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", what, got, err, want)
		}
	}
	n, err := file.WriteString("hello world")
	step("write", n, err, 11)
	n, err = file.WriteAt([]byte("W"), 6)
	step("write at", n, err, 1)
	at, err := file.Seek(-5, io.SeekEnd)
	step("seek", at, err, int64(6))
	rest, err := io.ReadAll(file)
	step("read on", string(rest), err, "World")
	part := make([]byte, 5)
	n, err = file.ReadAt(part, 0)
	step("read at", string(part[:n]), err, "hello")
	step("truncate", nil, file.Truncate(5), nil)
	info, err := file.Stat()
	step("stat", info.Size(), err, int64(5))
	if _, err := fs.Stat(tree, "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is there before it is closed: %v", err)
	}
	step("close", nil, file.Close(), nil)
	data, err := fs.ReadFile(tree, "x")
	step("content", string(data), err, "hello")
	if _, err := file.Write([]byte("x")); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("write after closing: %v", err)
	}
	for _, name := range []string{"x", "."} { // neither can be written
		file, err := f.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Write([]byte("x")); err == nil {
			t.Errorf("%s, opened for reading, was written", name)
		}
		if err := errors.Join(file.Sync(), file.Close()); err != nil {
			t.Error(err)
		}
	}
}

// No name leads out of the tree, in any call.
func TestOverNames(t *testing.T) {
	f := workspace.Over(sandbox.Memory())
	for _, name := range []string{"..", "../x", "a/../../x", `a\b`, "a\x00b", strings.Repeat("n", 300)} {
		_, openErr := f.Open(name)
		_, createErr := f.Create(name)
		_, statErr := f.Stat(name)
		for what, err := range map[string]error{
			"open": openErr, "create": createErr, "stat": statErr, "mkdir": f.Mkdir(name, 0o755), "mkdirall": f.MkdirAll(name, 0o755), "remove": f.Remove(name),
			"removeall": f.RemoveAll(name), "rename from": f.Rename(name, "x"), "rename to": f.Rename("x", name),
		} {
			if !errors.Is(err, fault.Path) && (what != "rename to" || err == nil) {
				t.Errorf("%s %.20q: %v, want E_PATH", what, name, err)
			}
		}
	}
}

// Unzip replaces no existing file, and leaves nothing behind if a write fails.
func TestUnzipIsAllOrNothing(t *testing.T) {
	data := pack(t, entry{name: "p/a", data: "1"}, entry{name: "p/d/e/b", data: "2"}, entry{name: "p/c", data: "3"})
	for name, prepare := range map[string]func(sandbox.FS) error{
		"a file is there":       func(f sandbox.FS) error { return f.WriteFile("d/e/b", []byte("old")) },
		"a directory is there":  func(f sandbox.FS) error { return f.Mkdir("c", 0o755) },
		"a file is on the way":  func(f sandbox.FS) error { return f.WriteFile("d", []byte("old")) },
		"the last write breaks": func(sandbox.FS) error { return nil },
	} {
		tree := sandbox.Memory()
		if err := prepare(tree); err != nil {
			t.Fatal(err)
		}
		before := listed(t, tree)
		var dst sandbox.FS = tree
		if strings.Contains(name, "breaks") {
			dst = failing{tree}
		}
		if err := workspace.Unzip(workspace.Over(dst), data); err == nil {
			t.Errorf("%s: no error", name)
		}
		if after := listed(t, tree); !slices.Equal(before, after) {
			t.Errorf("%s: before %v, after %v", name, before, after)
		}
	}
}

// failing is a tree in which the file c cannot be written.
type failing struct{ sandbox.FS }

func (f failing) WriteFile(name string, data []byte) error {
	if name == "c" {
		return fault.New(fault.Quota, "the disk is full")
	}
	return f.FS.WriteFile(name, data)
}

func listed(t *testing.T, f fs.FS) (out []string) {
	t.Helper()
	err := fs.WalkDir(f, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var data []byte
			data, err = fs.ReadFile(f, name)
			name += "=" + string(data)
		}
		out = append(out, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
