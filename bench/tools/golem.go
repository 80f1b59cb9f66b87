package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"golem/core/approval"
	"golem/core/tool"
	"golem/core/wasmtool"
	"golem/core/wasmtool/guard"
	"golem/core/wasmtool/wazeroengine"
)

func packed(module []byte) ([]byte, error) {
	return wasmtool.Pack(module, []byte(descriptions), "tools.yaml")
}

// The input of the small tool, and a text that its answer must contain.
const (
	words    = `{"text":"to be or not to be, that is the question"}`
	answered = `"words":10`
)

// library returns golem's library of modules with a cache directory, "" for no cache.
func library(cache string) *wasmtool.Library {
	l := &wasmtool.Library{Name: "wazero", Open: func(ctx context.Context) (wasmtool.Engine, error) {
		return wazeroengine.New(ctx, wazeroengine.Options{Cache: dirCache(cache)})
	}}
	if cache != "" {
		l.Cache = dirCache(cache)
	}
	return l
}

// dirCache is a cache in a directory, with a file for each entry.
type dirCache string

func (d dirCache) Get(key string) ([]byte, bool) {
	data, err := os.ReadFile(filepath.Join(string(d), key))
	return data, err == nil
}

func (d dirCache) Put(key string, data []byte) error {
	return os.WriteFile(filepath.Join(string(d), key), data, 0o600)
}

// counter returns a function that calls the tool count of a module in a file as a worker does.
func counter(ctx context.Context, l *wasmtool.Library, file string, stateful bool) (func(context.Context) error, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	m := l.Module(wasmtool.Source{Path: "count.wasm", File: wasmtool.MemoryFile{Module: data}})
	ds, err := m.Describe(ctx, wasmtool.Describing{})
	if err != nil {
		return nil, err
	}
	b := &wasmtool.Bound{Module: m, Grants: wasmtool.Grants{Stateful: &stateful}}
	t := b.Tool(ds[0])
	gate := approval.NewGate(approval.ApproveAll, nil)
	return func(ctx context.Context) error {
		out, err := gate.Call(ctx, approval.Item{Tool: t, Call: tool.Call{ID: "0.1", Name: "count", Args: tool.ReadArguments([]byte(words))}})
		return check(out.String(), err)
	}, nil
}

// check returns an error if the answer is wrong, because the time of a wrong call means nothing.
func check(text string, err error) error {
	if err == nil && !bytes.Contains([]byte(text), []byte(answered)) {
		err = fmt.Errorf("the tool answers %q", text)
	}
	return err
}

// compiled adds the guard to a module and compiles it.
func compiled(ctx context.Context, e wasmtool.Engine, module []byte) (wasmtool.Compiled, error) {
	guarded, err := guard.Weave(module)
	if err != nil {
		return nil, err
	}
	return e.Compile(ctx, guarded, "")
}

// pluginCall returns a function that does on golem's engine, with guard and limits, what the
// function of bare.plugin does.
func pluginCall(ctx context.Context, e wasmtool.Engine, module []byte, kept bool) (func(context.Context) error, error) {
	code, err := compiled(ctx, e, module)
	if err != nil {
		return nil, err
	}
	do := code.Call
	if kept {
		do = code.Keep().Call
	}
	host := wasmtool.Host{Chance: wasmtool.Real{}}
	return func(ctx context.Context) error {
		in, err := request()
		if err != nil {
			return err
		}
		res, err := do(ctx, wasmtool.Invocation{Form: wasmtool.Extism, Export: "call", Input: in}, host)
		if err != nil {
			return err
		}
		return reply(res.Output)
	}, nil
}

// woven returns a function that calls a module with golem's guard and engine, and nothing else of
// golem.
func woven(ctx context.Context, e wasmtool.Engine, module []byte, in wasmtool.Invocation) (func(context.Context) error, error) {
	code, err := compiled(ctx, e, module)
	if err != nil {
		return nil, err
	}
	host := wasmtool.Host{Chance: wasmtool.Real{}}
	return func(ctx context.Context) error {
		_, err := code.Call(ctx, in, host)
		return err
	}, nil
}
