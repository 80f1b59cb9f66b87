package wazeroengine

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"golem/core/fault"
	"golem/core/wasmtool"
	"golem/core/wasmtool/guard"
)

// manyFunctions returns a module that takes an engine some time to compile: n functions
// that add up numbers. Modules with different values of last differ.
func manyFunctions(n int, last byte) []byte {
	number := func(n int) []byte { return []byte{byte(n&127 | 128), byte(n>>7&127 | 128), byte(n >> 14)} }
	section := func(id byte, content ...byte) []byte {
		return append(append([]byte{id}, number(len(content))...), content...)
	}
	body := append([]byte{0, 0x41, 0}, bytes.Repeat([]byte{0x41, 1, 0x6a}, 100)...)
	body = append(body, 0x41, last&63, 0x6a, 0x0b)
	body = append(number(len(body)), body...)
	out := []byte{0, 'a', 's', 'm', 1, 0, 0, 0}
	out = append(out, section(1, 1, 0x60, 0, 1, 0x7f)...)
	out = append(out, section(3, append(number(n), make([]byte, n)...)...)...)
	out = append(out, section(7, 1, 3, 'r', 'u', 'n', 0, 0)...)
	return append(out, section(10, append(number(n), bytes.Repeat(body, n)...)...)...)
}

// An engine that is closed while it compiles ends the compilation and does not break.
// wazero's own runtime would write to a map that no longer exists.
func TestCloseWhileCompiling(t *testing.T) {
	for _, o := range []Options{{}, {Interpreter: true}, {Cache: &memoryCode{}}} {
		for i := range 6 {
			e, err := New(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			var all sync.WaitGroup
			for n := range 3 {
				woven, err := guard.Weave(manyFunctions(50, byte(8*n+i)))
				if err != nil {
					t.Fatal(err)
				}
				all.Go(func() {
					code, err := e.Compile(context.Background(), woven, "m")
					switch {
					case err == nil:
						if err := code.Close(); err != nil {
							t.Error(err)
						}
					case !errors.Is(err, fault.Interrupted):
						t.Errorf("closed while it compiled: %v", err)
					}
				})
			}
			for range i * i {
				runtime.Gosched()
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
			all.Wait()
			if _, err := e.Compile(context.Background(), nil, "m"); !errors.Is(err, fault.Interrupted) {
				t.Errorf("compiled after it was closed: %v", err)
			}
		}
	}
}

// When the engine is closed, a running call ends before its code is freed: one that
// computes without end, and one that waits for its host.
func TestCloseWhileCalling(t *testing.T) {
	for _, name := range []string{"initialize_loop", "http"} {
		begun := make(chan struct{})
		tell := sync.OnceFunc(func() { close(begun) })
		// With one thread only (js/wasm), a module that never ends must yield, so that the test can close the engine.
		e, err := New(context.Background(), Options{Yield: func() { tell(); runtime.Gosched() }})
		if err != nil {
			t.Fatal(err)
		}
		code, in := compiledBy(t, e, name)
		in.Limits.Time, in.Limits.Fuel = time.Hour, 0
		ended := make(chan error, 1)
		go func() {
			_, err := code.Call(context.Background(), in, wasmtool.Host{HTTP: func(ctx context.Context, _ wasmtool.HTTPRequest) (wasmtool.HTTPResponse, error) {
				tell()
				<-ctx.Done()
				return wasmtool.HTTPResponse{}, ctx.Err()
			}})
			ended <- err
		}()
		<-begun
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, fault.Interrupted) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
