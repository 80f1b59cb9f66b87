package wasmtool_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/wasmtool"
	"golem/core/wasmtool/guard"
)

// S0-25: nothing is opened, read or compiled before a tool is called. Then each module is
// compiled once for its digest, even if many calls need it at the same time.
func TestCompiledOnceAtTheFirstCall(t *testing.T) {
	e := says(`{"content":[{"type":"text","text":"ok"}]}`)
	opened := 0
	l := &wasmtool.Library{Open: func(context.Context) (wasmtool.Engine, error) { opened++; return e, nil }}
	src := source("tools/a.wasm", module(t, "servlet"), "")
	reads := 0
	file := src.File
	src.File = opening{file, func() (fs.File, error) { reads++; return file.Open() }}
	m := l.Module(src)
	tl := (&wasmtool.Bound{Module: m}).Tool(wasmtool.Description{Name: "echo"})
	if opened+reads != 0 {
		t.Fatalf("making a tool opened %d engines and read %d files", opened, reads)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if out, err := tl.Call(t.Context(), tool.Call{Name: "echo"}); err != nil || out.Text != "ok" {
				t.Errorf("%q, %v", out.Text, err)
			}
		})
	}
	wg.Wait()
	other := l.Module(source("elsewhere/b.wasm", module(t, "servlet"), ""))
	if _, err := (&wasmtool.Bound{Module: other}).Tool(wasmtool.Description{Name: "echo"}).Call(t.Context(), tool.Call{}); err != nil {
		t.Error(err)
	}
	compiled, calls := e.counts()
	if opened != 1 || reads != 1 || compiled != 1 || calls != 9 {
		t.Errorf("%d engines, %d reads, %d compilations, %d calls; want 1, 1, 1, 9", opened, reads, compiled, calls)
	}
	if err := l.Close(); err != nil || !e.closed {
		t.Errorf("closing: %v, engine closed %v", err, e.closed)
	}
	_, err := tl.Call(t.Context(), tool.Call{})
	wants(t, err, fault.Interrupted)
}

// Compiling may take long and need not stop at once: a call whose context ends does not
// wait for it, and the next call uses the compiled code.
func TestStoppedWhileCompiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := says(`{"content":[]}`)
		e.compile = func(context.Context) error { time.Sleep(20 * time.Second); return nil }
		l := &wasmtool.Library{Open: func(context.Context) (wasmtool.Engine, error) { return e, nil }}
		defer l.Close()
		tl := (&wasmtool.Bound{Module: l.Module(source("a.wasm", module(t, "servlet"), ""))}).Tool(wasmtool.Description{Name: "echo"})
		start := time.Now()
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		_, err := tl.Call(ctx, tool.Call{})
		wants(t, err, fault.Timeout)
		if took := time.Since(start); took != time.Second {
			t.Errorf("the call ended after %v, want 1s", took)
		}
		if _, err := tl.Call(t.Context(), tool.Call{}); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took != 20*time.Second {
			t.Errorf("the second call ended after %v, want 20s", took)
		}
		if n, _ := e.counts(); n != 1 {
			t.Errorf("compiled %d times", n)
		}
	})
}

// Compiling has a time limit of its own, which its error names, and does not count
// against a call: Prepare waits for it and reports when it is slow. After a timeout the
// next call compiles again.
func TestCompilingHasItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := says(`{"content":[]}`)
		var takes atomic.Int64 // ns; the compilation that was given up may still read it
		takes.Store(int64(10 * wasmtool.CompileTime))
		e.compile = func(ctx context.Context) error {
			select {
			case <-time.After(time.Duration(takes.Load())):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		l := library(t, e)
		told := &listener{}
		b := &wasmtool.Bound{Module: l.Module(source("tools/a.wasm", module(t, "servlet"), "")), Listener: told}
		ready := b.Tool(wasmtool.Description{Name: "echo"}).(tool.Preparer)
		start := time.Now()
		err := ready.Prepare(t.Context())
		wants(t, err, fault.Timeout)
		if took := time.Since(start); took != wasmtool.CompileTime || !strings.Contains(err.Error(), "tools/a.wasm") || !strings.Contains(err.Error(), "compiling the module took longer than 5m0s") || told.slow != 1 {
			t.Errorf("after %v, told to be slow %d times: %v", took, told.slow, err)
		}
		takes.Store(int64(wasmtool.CompileTime - time.Second))
		synctest.Wait() // until the compilation that was given up has ended
		if err := ready.Prepare(t.Context()); err != nil || told.slow != 2 {
			t.Errorf("once more, told to be slow %d times: %v", told.slow, err)
		}
		start = time.Now()
		if _, err := ready.Call(t.Context(), tool.Call{}); err != nil || told.slow != 2 || time.Since(start) != 0 {
			t.Errorf("the call took %v, told to be slow %d times: %v", time.Since(start), told.slow, err)
		}
	})
}

// A call without grants, which has nobody to tell, waits for a slow compilation too.
func TestSlowCompilationWithoutGrants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := says(`{"content":[]}`)
		e.compile = func(context.Context) error { time.Sleep(wasmtool.CompileTime / 2); return nil }
		out, err := library(t, e).Ungranted(t.Context(), module(t, "servlet"), "call", nil, nil)
		if err != nil || string(out) != `{"content":[]}` {
			t.Errorf("got %q, %v", out, err)
		}
	})
}

// If an engine does not stop compiling at the time limit, nobody waits for it, and its
// result is used when it is there.
func TestCompilingGoesOnBeyondItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := says(`{"content":[]}`)
		e.compile = func(context.Context) error { time.Sleep(2 * wasmtool.CompileTime); return nil }
		tl := (&wasmtool.Bound{Module: library(t, e).Module(source("a.wasm", module(t, "servlet"), ""))}).Tool(wasmtool.Description{Name: "echo"})
		for range 2 {
			_, err := tl.Call(t.Context(), tool.Call{})
			wants(t, err, fault.Timeout)
		}
		time.Sleep(wasmtool.CompileTime)
		synctest.Wait()
		if _, err := tl.Call(t.Context(), tool.Call{}); err != nil {
			t.Error(err)
		}
		if n, _ := e.counts(); n != 1 {
			t.Errorf("compiled %d times", n)
		}
	})
}

// Closing tells the engine to stop compiling and waits for it.
func TestClosedWhileCompiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &fakeEngine{compile: func(ctx context.Context) error { <-ctx.Done(); time.Sleep(time.Second); return ctx.Err() }}
		l := &wasmtool.Library{Open: func(context.Context) (wasmtool.Engine, error) { return e, nil }}
		tl := (&wasmtool.Bound{Module: l.Module(source("a.wasm", module(t, "servlet"), ""))}).Tool(wasmtool.Description{Name: "echo"})
		done := make(chan error)
		go func() { _, err := tl.Call(t.Context(), tool.Call{}); done <- err }()
		synctest.Wait()
		var closing sync.WaitGroup
		closing.Go(func() {
			if err := l.Close(); err != nil || !e.closed {
				t.Errorf("closing: %v", err)
			}
		})
		wants(t, <-done, fault.Interrupted)
		closing.Wait()
	})
}

// Close waits for running calls before it frees the engine, because they need the compiled
// code.
func TestClosedWhileCalling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &fakeEngine{}
		e.call = func(context.Context, wasmtool.Invocation, wasmtool.Host) (wasmtool.Result, error) {
			time.Sleep(time.Minute)
			if e.closed {
				t.Error("the engine was closed during the call")
			}
			return wasmtool.Result{Output: []byte(whenRun)}, nil
		}
		l := &wasmtool.Library{Open: func(context.Context) (wasmtool.Engine, error) { return e, nil }}
		m := l.Module(source("a.wasm", module(t, "exports"), "tools: [{name: upper}]"))
		tl := (&wasmtool.Bound{Module: m}).Tool(wasmtool.Description{Name: "upper"})
		go func() {
			if _, err := tl.Call(t.Context(), tool.Call{}); err != nil {
				t.Error(err)
			}
		}()
		other := l.Module(source("b.wasm", module(t, "servlet"), ""))
		go func() {
			if _, err := other.Describe(t.Context(), wasmtool.Describing{Run: true}); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		if err := l.Close(); err != nil || !e.closed {
			t.Error(err)
		}
		_, err := l.Module(source("c.wasm", module(t, "hyper"), "")).Describe(t.Context(), wasmtool.Describing{Run: true})
		wants(t, err, fault.Interrupted)
	})
}

// refusedModule returns a module that Inspect accepts, but with an instruction in its code
// that the guard refuses.
func refusedModule(t *testing.T) []byte {
	t.Helper()
	bad := append([]byte("\x00asm\x01\x00\x00\x00"), 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 7, 10, 1, 6, '_', 's', 't', 'a', 'r', 't', 0, 0, 10, 6, 1, 4, 0, 0xfb, 0, 0x0b)
	if _, err := guard.Inspect(bad); err != nil {
		t.Fatal(err)
	}
	if _, err := guard.Weave(bad); err == nil {
		t.Fatal("the module is not refused: the test proves nothing")
	}
	return bad
}

// SECURITY 7: a module that the guard refuses never reaches an engine, and is not checked
// a second time.
func TestRefusedBeforeTheEngine(t *testing.T) {
	e := says("")
	l := library(t, e)
	bad := refusedModule(t)
	tl := (&wasmtool.Bound{Module: l.Module(source("tools/bad.wasm", bad, ""))}).Tool(wasmtool.Description{Name: "x"})
	for range 2 {
		_, err := tl.Call(t.Context(), tool.Call{})
		wants(t, err, fault.ToolModule, "tools/bad.wasm")
	}
	if n, _ := e.counts(); n != 0 {
		t.Errorf("the engine was given %d modules", n)
	}
}

// If an engine cannot be opened, the next call opens it again. If an engine refuses a
// module, the next call does not compile it again.
func TestEngineFails(t *testing.T) {
	e := says(`{"content":[]}`)
	opened := 0
	l := &wasmtool.Library{Open: func(context.Context) (wasmtool.Engine, error) {
		if opened++; opened == 1 {
			return nil, errors.New("no memory")
		}
		return e, nil
	}}
	defer l.Close()
	tl := (&wasmtool.Bound{Module: l.Module(source("a.wasm", module(t, "servlet"), ""))}).Tool(wasmtool.Description{Name: "x"})
	_, err := tl.Call(t.Context(), tool.Call{})
	wants(t, err, fault.Platform, "no memory")
	if _, err := tl.Call(t.Context(), tool.Call{}); err != nil {
		t.Errorf("the second call: %v", err)
	}
	none := &wasmtool.Library{}
	_, err = (&wasmtool.Bound{Module: none.Module(source("a.wasm", module(t, "servlet"), ""))}).Tool(wasmtool.Description{Name: "x"}).Call(t.Context(), tool.Call{})
	wants(t, err, fault.Platform, "no engine")
	refuses := &fakeEngine{compile: func(context.Context) error { return fault.New(fault.ToolModule, "not valid") }}
	again := library(t, refuses)
	tl = (&wasmtool.Bound{Module: again.Module(source("a.wasm", module(t, "servlet"), ""))}).Tool(wasmtool.Description{Name: "x"})
	for range 2 {
		_, err := tl.Call(t.Context(), tool.Call{})
		wants(t, err, fault.ToolModule, "a.wasm", "not valid")
	}
	if n, _ := refuses.counts(); n != 1 {
		t.Errorf("compiled %d times", n)
	}
}

// callWith simulates a call in a new process: it calls a tool of the servlet with a new
// library and the cache c.
func callWith(t *testing.T, c wasmtool.Cache) *fakeEngine {
	t.Helper()
	e := says(`{"content":[]}`)
	l := library(t, e)
	l.Cache = c
	tl := (&wasmtool.Bound{Module: l.Module(source("a.wasm", module(t, "servlet"), ""))}).Tool(wasmtool.Description{Name: "echo"})
	if _, err := tl.Call(t.Context(), tool.Call{}); err != nil {
		t.Fatal(err)
	}
	return e
}

// Guarded modules are kept between processes, by digest and guard version. An entry that
// was cut, changed or moved is replaced and never run.
func TestCache(t *testing.T) {
	woven, err := guard.Weave(module(t, "servlet"))
	if err != nil {
		t.Fatal(err)
	}
	c := &memoryCache{}
	if e := callWith(t, c); !bytes.Equal(e.compiled[0], woven) {
		t.Error("the engine was not given what the guard returns")
	}
	entries := c.all()
	if len(entries) != 1 {
		t.Fatalf("%d entries, want 1", len(entries))
	}
	var key string
	var good []byte
	for key, good = range entries {
	}
	if !strings.HasPrefix(key, "guard") || !strings.ContainsRune(key, '-') {
		t.Errorf("key %q", key)
	}
	flipped := bytes.Clone(good)
	flipped[len(flipped)-3] ^= 1
	other := &memoryCache{}
	m := library(t, says("")).Module(source("x.wasm", module(t, "hyper"), ""))
	l := library(t, says(`{"content":[]}`))
	l.Cache = other
	if _, err := (&wasmtool.Bound{Module: l.Module(source("x.wasm", module(t, "hyper"), ""))}).Tool(wasmtool.Description{Name: "e"}).Call(t.Context(), tool.Call{}); err != nil {
		t.Fatal(err)
	}
	var moved []byte
	for _, moved = range other.all() {
	}
	for name, entry := range map[string][]byte{
		"empty": {}, "cut": good[:len(good)/2], "only a checksum": good[:32], "flipped": flipped, "of another module": moved,
		"a plain module": module(t, "servlet"),
	} {
		c.m[key] = slices.Clone(entry)
		if e := callWith(t, c); !bytes.Equal(e.compiled[0], woven) {
			t.Errorf("%s: the engine was given the entry", name)
		}
		if !bytes.Equal(c.all()[key], good) {
			t.Errorf("%s: the entry was not made anew", name)
		}
	}
	if d, err := m.Digest(t.Context()); err != nil || strings.Contains(key, d) {
		t.Errorf("another module has the same key: %v", err)
	}
}

// brokenCache has no entries and cannot be written.
type brokenCache struct{}

func (brokenCache) Get(string) ([]byte, bool) { return nil, false }
func (brokenCache) Put(string, []byte) error  { return errors.New("disk full") }

func TestCacheThatFails(t *testing.T) { callWith(t, brokenCache{}) }

// With an entry in the cache the guard does not run again.
func TestCacheIsUsed(t *testing.T) {
	c := &countingCache{}
	callWith(t, c)
	callWith(t, c)
	if c.puts != 1 {
		t.Errorf("%d entries written by two processes, want 1", c.puts)
	}
}

type countingCache struct {
	memoryCache
	puts int
}

func (c *countingCache) Put(key string, data []byte) error {
	c.puts++
	return c.memoryCache.Put(key, data)
}
