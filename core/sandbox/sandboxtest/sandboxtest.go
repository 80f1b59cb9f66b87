// Package sandboxtest is the conformance suite for implementations of
// sandbox.FS: memory, the disk, views and OPFS.
package sandboxtest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"golem/core/fault"
	"golem/core/sandbox"
)

// Test runs the suite. open returns a new, empty, writable tree each time.
func Test(t *testing.T, open func(t *testing.T) sandbox.FS) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, sandbox.FS)
	}{
		{"operations", operations}, {"names", names}, {"listing", listing}, {"rename", rename},
		{"remove", remove}, {"mkdir", mkdir}, {"sub", sub}, {"iofs", iofs}, {"atomic", atomic}, {"concurrent", concurrent},
		{"directories as files", directories}, {"below a file", belowFile}, {"bad paths", badPaths}, {"closed", closed}, {"deep", deep},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

// Put writes a file. If that fails, it ends the test.
func Put(t *testing.T, f sandbox.FS, name, data string) {
	t.Helper()
	if err := f.WriteFile(name, []byte(data)); err != nil {
		t.Fatalf("write %s: %v", name, err)
	}
}

func want(t *testing.T, f sandbox.FS, name, data string) {
	t.Helper()
	got, err := fs.ReadFile(f, name)
	if err != nil || string(got) != data {
		t.Fatalf("read %s = %q, %v; want %q", name, got, err, data)
	}
}

func missing(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%s: %v, want not found", what, err)
	}
}

// operations tests writing, reading and describing files (scenario 22); bytes are
// read back unchanged.
func operations(t *testing.T, f sandbox.FS) {
	binary := make([]byte, 256)
	for i := range binary {
		binary[i] = byte(i)
	}
	for name, data := range map[string]string{"a": "text", "deep/er/b.bin": string(binary), "empty": "", "big": strings.Repeat("x", 1<<20)} {
		Put(t, f, name, data)
		want(t, f, name, data)
		info, err := fs.Stat(f, name)
		if err != nil || info.Size() != int64(len(data)) || info.IsDir() || !info.Mode().IsRegular() || info.ModTime().IsZero() {
			t.Fatalf("stat %s = %v, %v", name, info, err)
		}
	}
	Put(t, f, "a", "shorter")
	Put(t, f, "a", "s")
	want(t, f, "a", "s")
	_, err := fs.Stat(f, "nope")
	missing(t, "stat", err)
	_, err = fs.ReadFile(f, "nope/nope")
	missing(t, "read", err)
	if f.WriteFile("deep", nil) == nil {
		t.Error("a directory was replaced by a file")
	}
	if f.WriteFile("a/b", nil) == nil {
		t.Error("a file became a directory")
	}
	want(t, f, "a", "s")
}

// names tests which names are errors and which are allowed (scenario 22).
func names(t *testing.T, f sandbox.FS) {
	Put(t, f, "a/b", "x")
	for _, name := range []string{"/a", "a/", "a//b", "./a", "a/../a/b", "..", "../x", "a/./b", "a\\b", "a\x00b", "a\nb", "a\u202eb", "a\u200bb", "\xff", strings.Repeat("n", 256)} {
		if _, err := f.Open(name); err == nil {
			t.Errorf("open %q was allowed", name)
		}
		if f.WriteFile(name, nil) == nil {
			t.Errorf("write %q was allowed", name)
		}
		if f.Rename("a/b", name) == nil {
			t.Errorf("rename to %q was allowed", name)
		}
		if f.Mkdir(name, 0o755) == nil {
			t.Errorf("mkdir %q was allowed", name)
		}
		if f.Remove(name) == nil {
			t.Errorf("remove %q was allowed", name)
		}
	}
	for _, name := range []string{"con", "NUL.txt", "a.", "b ", "x:y", "q?", "say \"hi\"", "<a>", "a|b", "a*", "com1.log", "d/aux/e"} {
		Put(t, f, "plain", "x")
		for op, err := range map[string]error{"write": f.WriteFile(name, nil), "mkdir": f.Mkdir(name, 0o755), "rename to": f.Rename("plain", name)} {
			if !errors.Is(err, fault.Path) {
				t.Errorf("%s %q: %v, want E_PATH: Windows cannot hold it", op, name, err)
			}
		}
		// Another program may have created such a file, so looking for one that
		// does not exist is "not found", as for any other name.
		_, statErr := fs.Stat(f, name)
		_, openErr := f.Open(name)
		_, readErr := fs.ReadFile(f, name)
		_, listErr := fs.ReadDir(f, name)
		for op, err := range map[string]error{"stat": statErr, "open": openErr, "read": readErr, "list": listErr, "remove": f.Remove(name), "rename": f.Rename(name, "other")} {
			missing(t, op+" "+name, err)
		}
	}
	for _, name := range []string{"ünï/日本.txt", "with space.md", "-dash", "console", "a..b"} {
		Put(t, f, name, name)
		want(t, f, name, name)
	}
}

func listing(t *testing.T, f sandbox.FS) {
	for _, n := range []string{"c", "a", "b/z", "b/y", "B"} {
		Put(t, f, n, n)
	}
	entries, err := fs.ReadDir(f, ".")
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprint(e.Name(), e.IsDir()))
	}
	if wanted := []string{"Bfalse", "afalse", "btrue", "cfalse"}; err != nil || !slices.Equal(got, wanted) {
		t.Fatalf("list = %v, %v; want %v", got, err, wanted)
	}
	_, err = fs.ReadDir(f, "nope")
	missing(t, "list", err)
	if _, err := fs.ReadDir(f, "a"); err == nil {
		t.Error("a file was listed")
	}
}

func rename(t *testing.T, f sandbox.FS) {
	Put(t, f, "a", "1")
	Put(t, f, "d/x", "2")
	for _, step := range [][2]string{{"a", "new/parents/a"}, {"d", "e"}, {"new/parents/a", "e/x"}} {
		if err := f.Rename(step[0], step[1]); err != nil {
			t.Fatalf("rename %v: %v", step, err)
		}
	}
	want(t, f, "e/x", "1")
	missing(t, "rename", f.Rename("gone", "b"))
	if f.Rename("e", "e/below") == nil {
		t.Error("a directory went into itself")
	}
	Put(t, f, "file", "3")
	if f.Rename("file", "e") == nil {
		t.Error("a file replaced a directory")
	}
	want(t, f, "file", "3")
}

func remove(t *testing.T, f sandbox.FS) {
	Put(t, f, "d/a", "1")
	missing(t, "remove", f.Remove("gone"))
	if f.Remove("d") == nil {
		t.Error("a full directory was removed")
	}
	for _, n := range []string{"d/a", "d"} {
		if err := f.Remove(n); err != nil {
			t.Fatalf("remove %s: %v", n, err)
		}
	}
	if f.Remove(".") == nil {
		t.Error("the root was removed")
	}
}

func mkdir(t *testing.T, f sandbox.FS) {
	if err := f.Mkdir("d", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := f.Mkdir("d", 0o755); !errors.Is(err, fs.ErrExist) {
		t.Errorf("second mkdir: %v, want exists", err)
	}
	missing(t, "mkdir without parent", f.Mkdir("no/parent", 0o755))
	info, err := fs.Stat(f, "d")
	if err != nil || !info.IsDir() {
		t.Fatalf("stat = %v, %v", info, err)
	}
}

// sub tests that a nested handle shows its directory and nothing else.
func sub(t *testing.T, f sandbox.FS) {
	s, ok := f.(sandbox.SubFS)
	if !ok {
		return // a view is no SubFS: it opens nested handles of its mounts itself
	}
	Put(t, f, "in/a", "1")
	Put(t, f, "out", "2")
	n, err := s.SubFS("in")
	if err != nil {
		t.Fatal(err)
	}
	want(t, n, "a", "1")
	Put(t, n, "b/c", "3")
	want(t, f, "in/b/c", "3")
	for _, name := range []string{"out", "../out", "in/a"} {
		if _, err := n.Open(name); err == nil {
			t.Errorf("%q was reached from the nested handle", name)
		}
	}
	if _, err := s.SubFS("gone"); err == nil {
		t.Error("a handle on a missing directory")
	}
	if _, err := s.SubFS("out"); err == nil {
		t.Error("a handle on a file")
	}
}

func iofs(t *testing.T, f sandbox.FS) {
	for _, n := range []string{"a", "d/b", "d/e/c"} {
		Put(t, f, n, n)
	}
	if err := fstest.TestFS(f, "a", "d/b", "d/e/c"); err != nil {
		t.Fatal(err)
	}
}

// atomic tests that a reader sees the whole old or the whole new content.
func atomic(t *testing.T, f sandbox.FS) {
	contents := [][]byte{bytes.Repeat([]byte("a"), 40_000), bytes.Repeat([]byte("b"), 70_000)}
	Put(t, f, "x", string(contents[0]))
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() {
		defer close(stop)
		for i := range 60 {
			if err := f.WriteFile("x", contents[i%2]); err != nil {
				t.Error(err)
				return
			}
		}
	})
	wg.Go(func() {
		for {
			got, err := fs.ReadFile(f, "x")
			if err != nil || !bytes.Equal(got, contents[0]) && !bytes.Equal(got, contents[1]) {
				t.Errorf("read a mix of %d bytes, %v", len(got), err)
				return
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	wg.Wait()
	entries, err := fs.ReadDir(f, ".")
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func concurrent(t *testing.T, f sandbox.FS) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 10 {
				name := fmt.Sprintf("d%d/f%d", i%3, i*10+j)
				if err := f.WriteFile(name, []byte(name)); err != nil {
					t.Error(err)
				}
				if _, err := fs.ReadDir(f, "."); err != nil {
					t.Error(err)
				}
				if err := f.Rename(name, name+"r"); err != nil {
					t.Error(err)
				}
				if err := f.Remove(name + "r"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
