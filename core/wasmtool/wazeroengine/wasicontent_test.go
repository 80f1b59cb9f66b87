package wazeroengine

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/tetratelabs/wazero/experimental/sys"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/wasmtool"
)

const create = sys.O_RDWR | sys.O_CREAT

func opened(t *testing.T, f *wasiFS, name string, flag sys.Oflag, text string) sys.File {
	t.Helper()
	h, errno := f.OpenFile(name, flag, 0)
	if errno != 0 {
		t.Fatalf("%s: %v", name, errno)
	}
	if text != "" {
		if n, errno := h.Write([]byte(text)); errno != 0 || n != len(text) {
			t.Fatalf("%s: wrote %d, %v", name, n, errno)
		}
	}
	return h
}

func holds(t *testing.T, files sandbox.FS, want map[string]string) {
	t.Helper()
	for name, text := range want {
		got, err := fs.ReadFile(files, name)
		if text == "" && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || string(got) != text {
			t.Errorf("%s: %q, %v; want %q", name, got, err, text)
		}
	}
}

// A file that is written, moved or removed while it is open behaves as on other
// systems: defer f.Close() after os.Rename(temporary, final) is common.
func TestOpenFileFollowsItsName(t *testing.T) {
	files := sandbox.Memory()
	f := newWasiFS(files, func(*fault.Fault) {})
	moved := opened(t, f, "tmp", create, "new")
	if errno := f.Rename("tmp", "final"); errno != 0 {
		t.Fatal(errno)
	}
	holds(t, files, map[string]string{"tmp": "", "final": "new"})
	removed := opened(t, f, "gone", create, "x")
	if errno := f.Unlink("gone"); errno != 0 {
		t.Fatal(errno)
	}
	replaced := opened(t, f, "old", create, "old")
	opened(t, f, "next", create, "next").Close()
	if errno := f.Rename("next", "old"); errno != 0 {
		t.Fatal(errno)
	}
	for _, h := range []sys.File{moved, removed, replaced} {
		if _, errno := h.Write([]byte("er")); errno != 0 {
			t.Error(errno)
		}
		if st, errno := h.Stat(); errno != 0 || st.Size < 3 {
			t.Errorf("%+v, %v", st, errno)
		}
		if errno := h.Close(); errno != 0 {
			t.Error(errno)
		}
	}
	holds(t, files, map[string]string{"tmp": "", "final": "newer", "gone": "", "old": "next"})
}

// What was written through one handle can be read through another, and counts for the
// file's size.
func TestOpenedTwice(t *testing.T) {
	files := sandbox.Memory()
	f := newWasiFS(files, func(*fault.Fault) {})
	opened(t, f, "a", create, "one")
	if st, errno := f.Stat("a"); errno != 0 || st.Size != 3 {
		t.Errorf("%+v, %v", st, errno)
	}
	b := make([]byte, 8)
	if n, errno := opened(t, f, "a", sys.O_RDONLY, "").Read(b); errno != 0 || string(b[:n]) != "one" {
		t.Errorf("%q, %v", b[:n], errno)
	}
}

// SECURITY 7: directories count as handles like files: a module cannot open more than
// the limit, and closing one twice does not make room for two.
func TestHandlesAreBounded(t *testing.T) {
	f := newWasiFS(sandbox.Memory(), func(*fault.Fault) {})
	var last sys.File
	for range wasmtool.MaxHandles {
		last = opened(t, f, ".", sys.O_RDONLY, "")
	}
	if _, errno := f.OpenFile(".", sys.O_RDONLY, 0); errno != sys.EAGAIN {
		t.Errorf("one more: %v", errno)
	}
	last.Close()
	last.Close()
	opened(t, f, "a", create, "")
	if _, errno := f.OpenFile("a", sys.O_RDONLY, 0); errno != sys.EAGAIN {
		t.Errorf("one more: %v", errno)
	}
}

// full is a tree in which only empty files can be written.
type full struct{ sandbox.FS }

func (f full) WriteFile(name string, data []byte) error {
	if len(data) > 0 {
		return fault.New(fault.Quota, "the run has written all it may")
	}
	return f.FS.WriteFile(name, data)
}

// If golem cannot write a file that a module left open, finish fails.
func TestUnwrittenAtTheEnd(t *testing.T) {
	f := newWasiFS(full{sandbox.Memory()}, func(*fault.Fault) {})
	opened(t, f, "a", create, "text")
	if err := f.finish(); !errors.Is(err, fault.Quota) {
		t.Errorf("%v", err)
	}
	f.abandon()
	if err := f.finish(); err != nil {
		t.Errorf("given up: %v", err)
	}
}
