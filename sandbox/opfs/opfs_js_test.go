package opfs_test

import (
	"fmt"
	"syscall/js"
	"testing"

	"golem/core/sandbox"
	"golem/core/sandbox/sandboxtest"
	"golem/sandbox/opfs"
)

// await waits for a promise and returns its value. If the promise is rejected, it ends
// the test.
func await(t testing.TB, promise js.Value) js.Value {
	t.Helper()
	type settled struct {
		ok    bool
		value js.Value
	}
	ch := make(chan settled, 1)
	yes := js.FuncOf(func(_ js.Value, a []js.Value) any { ch <- settled{true, a[0]}; return nil })
	no := js.FuncOf(func(_ js.Value, a []js.Value) any { ch <- settled{false, a[0]}; return nil })
	defer yes.Release()
	defer no.Release()
	promise.Call("then", yes, no)
	s := <-ch
	if !s.ok {
		t.Fatalf("rejected: %s", s.value.Call("toString").String())
	}
	return s.value
}

// directory creates an empty directory, which is removed at the end of the test.
func directory(t testing.TB) js.Value {
	t.Helper()
	root := await(t, js.Global().Get("navigator").Get("storage").Call("getDirectory"))
	name := fmt.Sprintf("test-%.0f", js.Global().Get("Math").Call("random").Float()*1e15)
	dir := await(t, root.Call("getDirectoryHandle", name, map[string]any{"create": true}))
	t.Cleanup(func() { await(t, root.Call("removeEntry", name, map[string]any{"recursive": true})) })
	return dir
}

func open(t *testing.T) sandbox.FS {
	t.Helper()
	f, err := opfs.Open(directory(t), "/test")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The suite for every sandbox.FS, which includes testing/fstest.
func TestConformance(t *testing.T) { sandboxtest.Test(t, open) }

// If a browser provides no storage, a directory in memory replaces it and behaves in
// the same way.
func TestConformanceInMemory(t *testing.T) { sandboxtest.Test(t, openMemory) }

func TestHackpadInMemory(t *testing.T) { sandboxtest.Hackpad(t, openMemory) }

func openMemory(t *testing.T) sandbox.FS {
	t.Helper()
	f, err := opfs.Open(js.Global().Call("golemMemoryRoot"), "/memory")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// hackpadfs's suite, without the cases in sandboxtest.Differences.
func TestHackpad(t *testing.T) { sandboxtest.Hackpad(t, open) }

// SPEC §8: names that Windows cannot store are never created, but existing files with
// such names can be used.
func TestForeignNames(t *testing.T) {
	dir := directory(t)
	d := await(t, dir.Call("getDirectoryHandle", "d", map[string]any{"create": true}))
	for _, name := range sandboxtest.Foreign {
		file := await(t, d.Call("getFileHandle", name, map[string]any{"create": true}))
		out := await(t, file.Call("createWritable"))
		await(t, out.Call("write", name))
		await(t, out.Call("close"))
	}
	f, err := opfs.Open(dir, "/foreign")
	if err != nil {
		t.Fatal(err)
	}
	sandboxtest.TestForeign(t, f)
}

// A nested tree passes the suite.
func TestConformanceOfNested(t *testing.T) {
	sandboxtest.Test(t, func(t *testing.T) sandbox.FS {
		f := open(t)
		if err := f.Mkdir("inner", 0o755); err != nil {
			t.Fatal(err)
		}
		sub, err := f.(sandbox.SubFS).SubFS("inner")
		if err != nil {
			t.Fatal(err)
		}
		return sub
	})
}

// A view of a tree passes the suite.
func TestConformanceOfView(t *testing.T) {
	sandboxtest.Test(t, func(t *testing.T) sandbox.FS {
		v, err := sandbox.View(sandbox.ViewSpec{Mounts: []sandbox.Mount{{Name: "root", At: ".", FS: open(t), Mode: sandbox.ReadWrite}}})
		if err != nil {
			t.Fatal(err)
		}
		return v
	})
}
