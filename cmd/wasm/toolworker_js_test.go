package main

import (
	"context"
	"fmt"
	"syscall/js"
	"testing"
	"time"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/wasmtool"
	"golem/core/wasmtool/enginetest"
	"golem/core/wasmtool/guard"
)

// changed returns the browser's engine with a changed script in its workers.
func changed(t *testing.T, change func(script string) string) *browserEngine {
	t.Helper()
	load := js.Global().Get("golemText")
	then := js.FuncOf(func(_ js.Value, args []js.Value) any { return change(args[0].String()) })
	other := js.FuncOf(func(_ js.Value, args []js.Value) any { return load.Invoke(args[0]).Call("then", then) })
	defer then.Release()
	defer other.Release()
	js.Global().Set("golemText", other)
	defer js.Global().Set("golemText", load)
	e, err := newBrowserEngine()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e.(*browserEngine)
}

// only returns a function for changed that replaces the whole script.
func only(script string) func(string) string {
	return func(string) string { return "postMessage({ here: true }); " + script }
}

// compiled returns a case of enginetest and its module, guarded and compiled.
func compiled(t *testing.T, e wasmtool.Engine, name string) (enginetest.Case, wasmtool.Compiled) {
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
	code, err := e.Compile(t.Context(), module, name)
	if err != nil {
		t.Fatal(err)
	}
	return c, code
}

// called calls a case within a time limit and returns the code of its error, "" for none.
func called(t *testing.T, e wasmtool.Engine, name string, limit time.Duration, host wasmtool.Host) fault.Code {
	t.Helper()
	c, code := compiled(t, e, name)
	in := c.Invocation()
	in.Limits.Time = limit
	_, err := code.Call(t.Context(), in, host)
	if err == nil {
		return ""
	}
	t.Log(err)
	return fault.Of(err, "no fault").Code
}

// patience is the time limit of a call in tests that are not about time.
const patience = time.Hour

// says is the script with which a worker reports that a call has ended.
const says = `postMessage({ done: true, fault: undefined, missing: undefined, trap: '', exited: false, code: 0, flags: 0, left: '0', fuel: '1',
	output: new Uint8Array(), stderr: new Uint8Array(), message: new Uint8Array(), dirty: false })`

// TestWorkerStartsSlowly tests that the time until a worker is ready does not count as the
// module's time, and that the time after that does.
func TestWorkerStartsSlowly(t *testing.T) {
	slow := changed(t, only("onmessage = ({ data }) => setTimeout(() => { postMessage({ begins: true }); "+says+" }, 3000)"))
	if code := called(t, slow, "echo", 2*time.Second, wasmtool.Host{}); code != "" {
		t.Errorf("a worker that is ready after three seconds: %s", code)
	}
	silent := changed(t, only("onmessage = () => postMessage({ begins: true })"))
	if code := called(t, silent, "echo", 100*time.Millisecond, wasmtool.Host{}); code != fault.Timeout {
		t.Errorf("a module that says nothing: %q", code)
	}
}

// TestWorkerBreaksIdle tests that a worker that breaks while it is idle fails no call.
func TestWorkerBreaksIdle(t *testing.T) {
	e := changed(t, only("onmessage = ({ data }) => { if (data.call) "+says+"; if (data.drop) throw new Error('broken') }"))
	e.pool.silent = toolStart // no second worker, however slow the first one starts
	for range 3 {
		if code := called(t, e, "echo", patience, wasmtool.Host{}); code != "" {
			t.Fatalf("it fails with %s", code)
		}
		for len(e.pool.idle) > 0 && len(e.pool.idle[0].messages) == 0 { // until it has broken
			time.Sleep(time.Millisecond)
		}
	}
}

// TestWorkerBreaksInCall tests that a call fails with E_TOOL_TRAP if its worker breaks.
func TestWorkerBreaksInCall(t *testing.T) {
	e := changed(t, func(script string) string {
		return script + ";Output.prototype.bytes = () => { throw new RangeError('no memory') }"
	})
	if code := called(t, e, "echo", patience, wasmtool.Host{}); code != fault.ToolTrap {
		t.Errorf("code %q", code)
	}
}

// TestWorkerCannotSuspend tests that in a browser that cannot suspend a module, what the
// module asks of its host is not done, and the call fails with E_PLATFORM.
func TestWorkerCannotSuspend(t *testing.T) {
	e := changed(t, func(script string) string { return "delete WebAssembly.Suspending;" + script })
	files := sandbox.Memory()
	if err := files.Mkdir("sub", 0o755); err != nil {
		t.Fatal(err)
	}
	if code := called(t, e, "mkdir", patience, wasmtool.Host{Files: files}); code != fault.Platform {
		t.Errorf("code %q", code)
	}
	if code := called(t, e, "callback", patience, wasmtool.Host{Call: func(context.Context, string, []byte) []byte {
		t.Error("it is called")
		return nil
	}}); code != fault.Platform {
		t.Errorf("code %q", code)
	}
}

// TestWorkerBounds tests that a worker whose last call used much memory is not kept, and
// that there are at most mostWorkers workers, and idleWorkers idle ones.
func TestWorkerBounds(t *testing.T) {
	e := changed(t, func(script string) string { return script })
	e.pool.silent = toolStart // no second worker, however slow the first one starts
	if code := called(t, e, "echo", patience, wasmtool.Host{}); code != "" || len(e.pool.idle) != 1 {
		t.Fatalf("code %q, %d idle workers", code, len(e.pool.idle))
	}
	if code := called(t, e, "var_key", patience, wasmtool.Host{}); code != fault.ToolMemory || len(e.pool.idle) != 0 {
		t.Errorf("after much memory: code %q, %d idle workers", code, len(e.pool.idle))
	}
	_, code := compiled(t, e, "echo")
	var kept []wasmtool.Instance
	for range mostWorkers {
		i := code.Keep()
		if _, err := i.Call(t.Context(), wasmtool.Invocation{Form: wasmtool.Extism, Export: "run"}, wasmtool.Host{}); err != nil {
			t.Fatal(err)
		}
		kept = append(kept, i)
	}
	if code := called(t, e, "echo", patience, wasmtool.Host{}); code != fault.Platform {
		t.Errorf("one worker more: code %q", code)
	}
	for _, i := range kept {
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	}
	if code := called(t, e, "echo", patience, wasmtool.Host{}); code != "" {
		t.Errorf("afterwards: code %q", code)
	}
	e.pool.trim() // as a while after the last call
	if n := e.pool.alive.Load(); n != idleWorkers {
		t.Errorf("%d workers are left", n)
	}
}

// TestWarmWorkerRemembersNothing tests that a call sees nothing of the call before it in the
// same worker: no globals, variables, memory, stack, position in standard input, open files
// or failures. The same calls in one worker give the same results and the same fuel, in any
// order.
func TestWarmWorkerRemembersNothing(t *testing.T) {
	e := changed(t, func(script string) string { return script })
	e.pool.silent = toolStart
	names := []string{"counter", "vars_kept", "upper", "work", "stdin", "recursion", "start_trap", "stderr_flood", "unreachable", "random", "alloc_many", "reset_input", "create", "var_key"}
	first := map[string]string{}
	for round := range 4 {
		for i := range names {
			name := names[i]
			if round%2 == 1 {
				name = names[len(names)-1-i]
			}
			c, code := compiled(t, e, name)
			for range 2 {
				in := c.Invocation()
				in.Limits.Time = patience
				host := wasmtool.Host{Files: sandbox.Memory(), Chance: wasmtool.Fixed{}}
				res, err := code.Call(t.Context(), in, host)
				got := fmt.Sprintf("%q %q %d %v", res.Output, res.Stderr, res.Exit, err)
				if err == nil {
					got += fmt.Sprint(" ", res.Fuel)
				}
				if was, ok := first[name]; ok && was != got {
					t.Errorf("round %d: %s comes to %s, and came to %s first", round, name, got, was)
				}
				first[name] = got
			}
		}
	}
	if n := e.pool.alive.Load(); n > 1 {
		t.Errorf("%d workers for calls that come one after the other", n)
	}
}

// TestWorkerCannotBeTold tests that an exception of JavaScript in the middle of a call ends
// that call, and that the engine still works afterwards.
func TestWorkerCannotBeTold(t *testing.T) {
	e := changed(t, func(script string) string { return script })
	e.pool.silent = toolStart
	proto := js.Global().Get("Worker").Get("prototype")
	post := proto.Get("postMessage")
	defer proto.Set("postMessage", post)
	code := called(t, e, "callback", patience, wasmtool.Host{Call: func(context.Context, string, []byte) []byte {
		proto.Set("postMessage", js.Null()) // it throws, as where there is no memory for a copy
		return []byte("x")
	}})
	proto.Set("postMessage", post)
	if code != fault.ToolMemory || e.pool.alive.Load() != 0 {
		t.Errorf("code %q, %d workers", code, e.pool.alive.Load())
	}
	if code := called(t, e, "echo", patience, wasmtool.Host{}); code != "" {
		t.Errorf("afterwards: code %q", code)
	}
}

// TestModuleHeaders tests that a header is sent under the name that the module gave it, also
// if that name means something in JavaScript, as __proto__ does.
func TestModuleHeaders(t *testing.T) {
	fetch := js.Global().Get("fetch")
	defer js.Global().Set("fetch", fetch)
	var sent string
	refusing := js.FuncOf(func(_ js.Value, args []js.Value) any {
		sent = js.Global().Get("Object").Call("keys", args[1].Get("headers")).Call("join").String()
		return js.Global().Get("Promise").Call("reject", "enough")
	})
	defer refusing.Release()
	js.Global().Set("fetch", refusing)
	_, err := moduleFetcher{}.Fetch(t.Context(), wasmtool.HTTPRequest{URL: "https://example.com/", Method: "GET", Header: map[string]string{"__proto__": "x"}}, wasmtool.Policy{Hosts: []string{"example.com"}})
	if err == nil || sent != "__proto__" {
		t.Errorf("sent %q (%v)", sent, err)
	}
}

// TestWorkerNeverStarts tests that a call succeeds although the script of the first workers
// never runs: another worker is started.
func TestWorkerNeverStarts(t *testing.T) {
	e := changed(t, only("onmessage = ({ data }) => { if (data.call) "+says+" }"))
	real := js.Global().Get("Worker")
	left := 2
	nothing := js.FuncOf(func(js.Value, []js.Value) any { return nil })
	deaf := js.FuncOf(func(_ js.Value, args []js.Value) any {
		if left--; left < 0 {
			return real.New(args[0], args[1])
		}
		return map[string]any{"postMessage": nothing, "terminate": nothing}
	})
	t.Cleanup(func() { js.Global().Set("Worker", real); deaf.Release(); nothing.Release() })
	for _, w := range e.pool.idle { // else the first call would take the one that was made before
		w.kill()
	}
	e.pool.idle, e.pool.silent = nil, time.Millisecond
	js.Global().Set("Worker", deaf)
	if code := called(t, e, "echo", patience, wasmtool.Host{}); code != "" || left >= 0 {
		t.Errorf("a worker after two that never started: %q, %d left", code, left)
	}
}

// TestWorkerStartsLate tests that a worker whose script runs late serves a later call.
func TestWorkerStartsLate(t *testing.T) {
	e := changed(t, func(script string) string { return script })
	w := e.pool.idle[0]
	<-w.here
	e.pool.idle, w.here = nil, make(chan struct{})
	e.pool.adoptLate(w)
	close(w.here)
	for { // the worker is given back by another goroutine
		e.pool.mu.Lock()
		n := len(e.pool.idle)
		e.pool.mu.Unlock()
		if n == 1 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if code := called(t, e, "echo", patience, wasmtool.Host{}); code != "" || e.pool.alive.Load() != 1 {
		t.Errorf("code %q, %d workers", code, e.pool.alive.Load())
	}
}
