package sandboxtest

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
	"testing"

	"golem/core/fault"
	"golem/core/sandbox"
)

// directories tests that a directory cannot be read, written or removed like a
// file, by any method.
func directories(t *testing.T, f sandbox.FS) {
	Put(t, f, "d/a", "1")
	if err := f.Mkdir("empty", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".", "d", "empty"} {
		d, err := f.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, d); err == nil || n != 0 {
			t.Errorf("copying the directory %s: %d bytes, %v", name, n, err)
		}
		if n, err := d.Read(make([]byte, 1)); n != 0 || !errors.Is(err, sandbox.ErrIsDir) {
			t.Errorf("reading the directory %s: %d bytes, %v, want ErrIsDir", name, n, err)
		}
		if r, ok := d.(io.ReaderAt); ok {
			if n, err := r.ReadAt(make([]byte, 1), 0); n != 0 || err == nil {
				t.Errorf("reading the directory %s at an offset: %d bytes, %v", name, n, err)
			}
		}
		if s, ok := d.(io.Seeker); ok {
			_, _ = s.Seek(0, io.SeekStart) // it must not panic; some systems return no error
		}
		if err := d.Close(); err != nil {
			t.Errorf("closing the directory %s: %v", name, err)
		}
		if _, err := fs.ReadFile(f, name); !errors.Is(err, sandbox.ErrIsDir) {
			t.Errorf("the directory %s as a whole file: %v, want ErrIsDir", name, err)
		}
	}
	if err := f.WriteFile("d", nil); !errors.Is(err, sandbox.ErrIsDir) {
		t.Errorf("a file in a directory's place: %v, want ErrIsDir", err)
	}
	if err := f.Remove("d"); !errors.Is(err, sandbox.ErrNotEmpty) {
		t.Errorf("removing a full directory: %v, want ErrNotEmpty", err)
	}
}

// belowFile tests that a name below a file is ErrNotDir and not a missing file, so that
// golem asks no person to approve a write that cannot succeed.
func belowFile(t *testing.T, f sandbox.FS) {
	Put(t, f, "d/file", "1")
	for _, name := range []string{"d/file/x", "d/file/x/y"} {
		_, statErr := fs.Stat(f, name)
		_, openErr := f.Open(name)
		_, readErr := fs.ReadFile(f, name)
		_, listErr := fs.ReadDir(f, name)
		for op, err := range map[string]error{
			"stat": statErr, "open": openErr, "read": readErr, "list": listErr, "write": f.WriteFile(name, nil), "mkdir": f.Mkdir(name, 0o755),
			"remove": f.Remove(name), "rename from": f.Rename(name, "other"), "rename to": f.Rename("d/file", "d/file/x"),
		} {
			if op == "rename to" {
				if err == nil {
					t.Error("a file was moved below itself")
				}
				continue
			}
			if !errors.Is(err, sandbox.ErrNotDir) || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s %s: %v, want ErrNotDir", op, name, err)
			}
		}
	}
	if _, err := fs.ReadDir(f, "d/file"); !errors.Is(err, sandbox.ErrNotDir) {
		t.Errorf("listing a file: %v, want ErrNotDir", err)
	}
	want(t, f, "d/file", "1")
}

// closed tests that operations on a closed file return fs.ErrClosed.
func closed(t *testing.T, f sandbox.FS) {
	Put(t, f, "d/a", "1")
	for _, name := range []string{"d", "d/a"} {
		file, err := f.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		_, readErr := file.Read(make([]byte, 1))
		_, statErr := file.Stat()
		errs := map[string]error{"read": readErr, "stat": statErr, "close": file.Close()}
		if d, ok := file.(fs.ReadDirFile); ok {
			_, errs["readdir"] = d.ReadDir(-1)
		}
		for op, err := range errs {
			if !errors.Is(err, fs.ErrClosed) {
				t.Errorf("%s of the closed %s: %v, want closed", op, name, err)
			}
		}
	}
}

// deep tests names with many elements, also from many goroutines at once: the
// depth of a name must not multiply the open handles (B12).
func deep(t *testing.T, f sandbox.FS) {
	dir := strings.TrimSuffix(strings.Repeat("d/", 150), "/")
	name := dir + "/f"
	Put(t, f, name, "1")
	want(t, f, name, "1")
	if sub, ok := f.(sandbox.SubFS); ok {
		nested, err := sub.SubFS(dir)
		if err != nil {
			t.Fatal(err)
		}
		want(t, nested, "f", "1")
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 3 {
				if data, err := fs.ReadFile(f, name); err != nil || string(data) != "1" {
					t.Errorf("%q, %v", data, err)
				}
			}
		})
	}
	wg.Wait()
	if err := f.Rename(name, dir+"/g"); err != nil {
		t.Fatal(err)
	}
	for at := dir + "/g"; at != "."; at = path.Dir(at) {
		if err := f.Remove(at); err != nil {
			t.Fatalf("remove %d bytes of name: %v", len(at), err)
		}
	}
}

// Foreign are names that golem never creates, because Windows cannot store them.
// On other systems, another program may have created such files.
var Foreign = []string{"what?.md", `say "hi".md`, "a:b.md", "star*.md", "dot.", "con"}

// TestForeign tests that files with Foreign names can be listed, read, renamed
// to other names and removed, but not written. The caller must have created, by
// other means, one file of each name in the directory d, with its name as content.
func TestForeign(t *testing.T, f sandbox.FS) {
	entries, err := fs.ReadDir(f, "d")
	if err != nil || len(entries) != len(Foreign) {
		t.Errorf("list = %v, %v", entries, err)
	}
	for i, name := range Foreign {
		want(t, f, "d/"+name, name)
		if info, err := fs.Stat(f, "d/"+name); err != nil || info.Name() != name {
			t.Errorf("stat %s = %v, %v", name, info, err)
		}
		if err := f.WriteFile("d/"+name, nil); !errors.Is(err, fault.Path) {
			t.Errorf("write %s: %v, want E_PATH", name, err)
		}
		if i%2 == 0 {
			if err := f.Rename("d/"+name, "plain"); err != nil {
				t.Errorf("rename %s: %v", name, err)
			}
			want(t, f, "plain", name)
		} else if err := f.Remove("d/" + name); err != nil {
			t.Errorf("remove %s: %v", name, err)
		}
	}
}
