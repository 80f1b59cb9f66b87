package wasmtool_test

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"maps"
	"strings"
	"sync"
	"testing"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/wasmtool"
)

//go:embed testdata/modules/*.wasm
var built embed.FS

// module returns one of the built modules of testdata.
func module(t testing.TB, name string) []byte {
	t.Helper()
	data, err := built.ReadFile("testdata/modules/" + name + ".wasm")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A fakeEngine runs no modules: it records what it is given and returns what the test
// says.
type fakeEngine struct {
	compile func(ctx context.Context) error
	call    func(ctx context.Context, in wasmtool.Invocation, h wasmtool.Host) (wasmtool.Result, error)

	mu       sync.Mutex
	compiled [][]byte
	calls    []wasmtool.Invocation
	kept     int
	freed    int
	closed   bool
}

var _ wasmtool.Engine = (*fakeEngine)(nil)

func (e *fakeEngine) Name() string { return "fake" }

func (e *fakeEngine) Compile(ctx context.Context, guarded []byte, _ string) (wasmtool.Compiled, error) {
	e.mu.Lock()
	e.compiled = append(e.compiled, bytes.Clone(guarded))
	e.mu.Unlock()
	if e.compile != nil {
		if err := e.compile(ctx); err != nil {
			return nil, err
		}
	}
	return fakeCode{e}, nil
}

func (e *fakeEngine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	return nil
}

func (e *fakeEngine) counts() (compiled, calls int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.compiled), len(e.calls)
}

type fakeCode struct{ *fakeEngine }

func (c fakeCode) Call(ctx context.Context, in wasmtool.Invocation, h wasmtool.Host) (wasmtool.Result, error) {
	c.mu.Lock()
	c.calls = append(c.calls, in)
	c.mu.Unlock()
	if c.call == nil {
		return wasmtool.Result{Output: []byte(`{"content":[]}`), Fuel: 7}, nil
	}
	return c.call(ctx, in, h)
}

func (c fakeCode) Keep() wasmtool.Instance {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept++
	return fakeInstance{c}
}

func (c fakeCode) Close() error { return nil }

type fakeInstance struct{ fakeCode }

func (i fakeInstance) Close() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.freed++
	return nil
}

// says returns an engine whose calls all return this output.
func says(output string) *fakeEngine {
	return &fakeEngine{call: func(context.Context, wasmtool.Invocation, wasmtool.Host) (wasmtool.Result, error) {
		return wasmtool.Result{Output: []byte(output), Fuel: 7}, nil
	}}
}

// library returns a Library with this engine, and closes it when the test ends.
func library(t testing.TB, e wasmtool.Engine) *wasmtool.Library {
	t.Helper()
	l := &wasmtool.Library{Open: func(context.Context) (wasmtool.Engine, error) { return e, nil }}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// source returns the source of a module in memory.
func source(path string, data []byte, sidecar string) wasmtool.Source {
	file := wasmtool.MemoryFile{Module: data}
	if sidecar != "" {
		file.Description = []byte(sidecar)
	}
	return wasmtool.Source{Path: path, File: file}
}

// memoryCache is a Cache whose entries a test can read and change.
type memoryCache struct {
	mu sync.Mutex
	m  map[string][]byte
}

func (c *memoryCache) Get(key string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.m[key]
	return v, ok
}

func (c *memoryCache) Put(key string, data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil {
		c.m = map[string][]byte{}
	}
	c.m[key] = bytes.Clone(data)
	return nil
}

func (c *memoryCache) all() map[string][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.m)
}

// wants fails the test unless err is a fault with that code whose text contains the
// words.
func wants(t testing.TB, err error, code fault.Code, words ...string) {
	t.Helper()
	var f *fault.Fault
	if !errors.As(err, &f) || f.Code != code {
		t.Fatalf("error %v, want %s", err, code)
	}
	for _, w := range words {
		if !strings.Contains(f.Error(), w) {
			t.Errorf("%q does not have %q", f.Error(), w)
		}
	}
	for _, r := range f.Error() {
		if r < ' ' && r != '\n' || r == 0x7f || r == '\u202e' {
			t.Errorf("%q has a control character", f.Error())
		}
	}
}

// callable returns a module of testdata with grants, and its tool with the description d,
// whose name is echo if it has none.
func callable(t testing.TB, e wasmtool.Engine, name string, d wasmtool.Description, g wasmtool.Grants) (*wasmtool.Bound, tool.Tool) {
	t.Helper()
	m := library(t, e).Module(source("tools/"+name+".wasm", module(t, name), ""))
	b := &wasmtool.Bound{Module: m, Grants: g}
	if d.Name == "" {
		d.Name = "echo"
	}
	return b, b.Tool(d)
}

func call(t testing.TB, tl tool.Tool, args string) (tool.Output, error) {
	t.Helper()
	return tl.Call(t.Context(), tool.Call{ID: "0.1", Name: tl.Spec().Name, Args: tool.ReadArguments([]byte(args))})
}

// fetchFunc is a Fetcher.
type fetchFunc func(ctx context.Context, r wasmtool.HTTPRequest, p wasmtool.Policy) (wasmtool.HTTPResponse, error)

func (f fetchFunc) Fetch(ctx context.Context, r wasmtool.HTTPRequest, p wasmtool.Policy) (wasmtool.HTTPResponse, error) {
	return f(ctx, r, p)
}

// listener is a Listener.
type listener struct {
	log  func(level, text string)
	slow int // how often it was told that compiling takes a while
}

func (l *listener) Log(level, text string) { l.log(level, text) }
func (l *listener) Compiling(string)       { l.slow++ }
