package wazeroengine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/wasmtool"
	"golem/core/wasmtool/enginetest"
	"golem/core/wasmtool/guard"
)

// compiled returns the compiled module of a conformance case, and its call.
func compiled(t *testing.T, name string) (wasmtool.Compiled, wasmtool.Invocation) {
	t.Helper()
	e, err := New(context.Background(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return compiledBy(t, e, name)
}

func compiledBy(t *testing.T, e wasmtool.Engine, name string) (wasmtool.Compiled, wasmtool.Invocation) {
	t.Helper()
	c, err := enginetest.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	module, err := c.Source()
	if err != nil {
		t.Fatal(err)
	}
	if module, err = guard.Weave(module); err != nil {
		t.Fatal(err)
	}
	code, err := e.Compile(context.Background(), module, name)
	if err != nil {
		t.Fatal(err)
	}
	return code, c.Invocation()
}

func memory(t *testing.T, name, text string) sandbox.FS {
	t.Helper()
	m := sandbox.Memory()
	if err := m.WriteFile(name, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return m
}

// SECURITY 2: a file that a kept instance opened in one call gives a later call no access
// beyond its own view.
func TestKeptInstanceHasTheViewOfItsCall(t *testing.T) {
	code, in := compiled(t, "keep_write")
	kept := code.Keep()
	defer kept.Close()
	first := memory(t, "in.txt", "old")
	call := func(files sandbox.FS, want error) {
		t.Helper()
		if _, err := kept.Call(t.Context(), in, wasmtool.Host{Files: files}); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	call(first, nil)
	holds(t, first, map[string]string{"in.txt": "new"})
	call(nil, nil) // the module sees no error of its write
	holds(t, first, map[string]string{"in.txt": "new"})
	kept.Close()
	call(first, nil)
	call(full{memory(t, "in.txt", "other")}, fault.Quota)
	holds(t, first, map[string]string{"in.txt": "new"})
}

// If a file cannot be written at proc_exit(0), the call fails.
func TestUnwrittenAtExit(t *testing.T) {
	code, in := compiled(t, "create")
	if _, err := code.Call(t.Context(), in, wasmtool.Host{Files: full{sandbox.Memory()}}); !errors.Is(err, fault.Quota) {
		t.Errorf("%v, want E_QUOTA", err)
	}
}

// SECURITY 16: a panic in a host function ends the call, and its message is not shown.
func TestHostFunctionBreaks(t *testing.T) {
	code, in := compiled(t, "log_bytes")
	_, err := code.Call(t.Context(), in, wasmtool.Host{Log: func(string, string) { panic("/home/somebody") }})
	if !errors.Is(err, fault.ToolTrap) || strings.Contains(err.Error(), "somebody") || strings.Contains(err.Error(), "wazero") {
		t.Errorf("%v", err)
	}
}

// A call that fails discards a kept instance, also if the module's code never ran.
func TestInputTooLarge(t *testing.T) {
	code, in := compiled(t, "counter kept")
	kept := code.Keep()
	defer kept.Close()
	call := func(input []byte) (string, error) {
		in.Input = input
		res, err := kept.Call(t.Context(), in, wasmtool.Host{})
		return string(res.Output), err
	}
	for _, want := range []string{"1", "2"} {
		if got, err := call(nil); err != nil || got != want {
			t.Errorf("%q, %v, want %s", got, err, want)
		}
	}
	if _, err := call(make([]byte, 64<<20)); !errors.Is(err, fault.ToolMemory) {
		t.Errorf("%v, want E_TOOL_MEMORY", err)
	}
	if got, err := call(nil); err != nil || got != "1" {
		t.Errorf("%q, %v, want 1", got, err)
	}
}
