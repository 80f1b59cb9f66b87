package opfs_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"
	"syscall/js"
	"testing"
	"time"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/sandbox/opfs"
)

// broken returns a directory handle whose methods all reject with an error of this name.
func broken(t *testing.T, name string) js.Value {
	t.Helper()
	reject := js.FuncOf(func(js.Value, []js.Value) any {
		err := js.Global().Get("Error").New("the engine's own words at /home/person")
		err.Set("name", name)
		return js.Global().Get("Promise").Call("reject", err)
	})
	t.Cleanup(reject.Release)
	handle := js.Global().Get("Object").New()
	for _, m := range []string{"getFileHandle", "getDirectoryHandle", "removeEntry"} {
		handle.Set(m, reject)
	}
	handle.Set("kind", "directory")
	return handle
}

// Errors of the browser become golem's errors, without the text of the browser's error.
func TestFailuresHaveCodes(t *testing.T) {
	for name, want := range map[string]error{
		"NotFoundError": fs.ErrNotExist, "QuotaExceededError": fault.Quota, "SecurityError": fault.Platform, "NotAllowedError": fault.Platform,
		"InvalidStateError": fault.Platform, "NotReadableError": fault.Conflict, "AbortError": fault.Conflict, "NoModificationAllowedError": fault.Busy, "Surprise": fault.Platform,
	} {
		f, err := opfs.Open(broken(t, name), "/broken")
		if err != nil {
			t.Fatal(err)
		}
		errs := []error{f.WriteFile("a", nil), f.Remove("a"), f.Rename("a", "b"), f.Mkdir("a", 0)}
		_, err = f.ReadFile("a")
		errs = append(errs, err)
		_, err = f.Open("a/b")
		errs = append(errs, err)
		for i, err := range errs {
			if !errors.Is(err, want) || strings.Contains(err.Error(), "/home") {
				t.Errorf("%s, operation %d: %v, want %v", name, i, err, want)
			}
		}
	}
}

// A file that is open for appending grows with each Write, and a second Append is E_BUSY.
func TestAppend(t *testing.T) {
	f := open(t).(*opfs.FS)
	put := func(gathers bool, lines ...string) {
		log, err := f.Append("runs/a.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		log.Gathers = gathers
		for _, l := range lines {
			if _, err := log.Write([]byte(l + "\n")); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := f.ReadFile("runs/a.jsonl"); err != nil || !strings.HasSuffix(string(got), lines[len(lines)-1]+"\n") {
			t.Errorf("while it is open it holds %q, %v", got, err)
		}
		if _, err := f.Append("runs/a.jsonl"); !errors.Is(err, fault.Busy) {
			t.Errorf("a second writer: %v, want E_BUSY", err)
		}
		if err := errors.Join(log.Close(), log.Close()); err != nil {
			t.Fatal(err)
		}
		if _, err := log.Write([]byte("x")); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("after closing: %v", err)
		}
	}
	long := strings.Repeat("more than all that waits at once ", 4000)
	put(false, "one", "two")
	put(true, "three", long, "four")
	if got, err := f.ReadFile("runs/a.jsonl"); err != nil || string(got) != "one\ntwo\nthree\n"+long+"\nfour\n" {
		t.Errorf("%.100q, %v", got, err)
	}
}

// Big files are read and written completely, in pieces and directly from Go's memory.
func TestBigFiles(t *testing.T) {
	f := open(t).(*opfs.FS)
	data := make([]byte, 9<<20+123)
	for i := range data {
		data[i] = byte(i * 7 >> 3)
	}
	if err := f.WriteFile("big", data); err != nil {
		t.Fatal(err)
	}
	if got, err := f.ReadFile("big"); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	file, err := f.Open("big")
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(file)
	if err != nil || !bytes.Equal(got, data) {
		t.Errorf("by reading on: %d bytes, %v", len(got), err)
	}
	part := make([]byte, 300)
	if n, err := file.(io.ReaderAt).ReadAt(part, 5<<20-7); n != 300 || err != nil || !bytes.Equal(part, data[5<<20-7:][:300]) {
		t.Errorf("in the middle: %d, %v", n, err)
	}
	if err := f.WriteFile("big", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := file.(io.ReaderAt).ReadAt(part, 0); !errors.Is(err, fault.Conflict) {
		t.Errorf("after it was replaced: %v, want E_CONFLICT", err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
}

// Unfinished writes are not listed, and their names cannot be opened or written.
func TestUnfinishedWritesAreHidden(t *testing.T) {
	dir := directory(t)
	f, err := opfs.Open(dir, "/hidden")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.WriteFile("a", []byte("x")); err != nil {
		t.Fatal(err)
	}
	entries, err := f.ReadDir(".")
	if err != nil || len(entries) != 1 {
		t.Errorf("listed %v, %v", entries, err)
	}
	if _, err := f.Open(".golem-tmp-opfs"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open: %v", err)
	}
	if err := f.WriteFile(".golem-tmp-x/a", nil); !errors.Is(err, fault.Path) {
		t.Errorf("write: %v", err)
	}
	// Open removes the unfinished writes of dead workers. TestDeathWhileWriting tests
	// that it removes no others.
	room := await(t, dir.Call("getDirectoryHandle", ".golem-tmp-opfs"))
	await(t, room.Call("getFileHandle", "dead-0", map[string]any{"create": true}))
	if _, err := opfs.Open(dir, "/hidden"); err != nil {
		t.Fatal(err)
	}
	rest, err := opfs.Open(room, "/room")
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := rest.ReadDir("."); err != nil || len(entries) != 0 {
		t.Errorf("after sweeping: %v, %v", entries, err)
	}
}

// A lock is valid for every FS of the same source, until it is freed.
func TestLock(t *testing.T) {
	dir := directory(t)
	a, err := opfs.Open(dir, "/locked")
	if err != nil {
		t.Fatal(err)
	}
	b, err := opfs.Open(dir, "/locked")
	if err != nil {
		t.Fatal(err)
	}
	free, err := a.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Lock(); !errors.Is(err, fault.Busy) || !strings.Contains(err.Error(), "another tab") {
		t.Errorf("a second lock: %v", err)
	}
	free()
	for range 10_000 { // the browser frees it after an unknown time
		if free, err = b.Lock(); err == nil {
			free()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("after it was freed: %v", err)
}

// A directory that was removed and created again is found, although its old handle is
// cached.
func TestDirectoryMadeAgain(t *testing.T) {
	f := open(t)
	for range 3 {
		if err := f.WriteFile("d/e/a", []byte("x")); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"d/e/a", "d/e", "d"} {
			if err := f.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.WriteFile("d/e/a", []byte("x")); err != nil {
		t.Fatal(err)
	}
	sub, err := f.(sandbox.SubFS).SubFS("d")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Rename("d", "moved"); err != nil {
		t.Fatal(err)
	}
	if _, err := fs.ReadFile(sub, "e/a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("through the old handle: %v", err)
	}
	if got, err := fs.ReadFile(f, "moved/e/a"); err != nil || string(got) != "x" {
		t.Errorf("%q, %v", got, err)
	}
}
