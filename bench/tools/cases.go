package main

import (
	"context"
	"os"
	"path/filepath"

	"golem/core/wasmtool"
	"golem/core/wasmtool/wazeroengine"
)

// saved writes a module to a file, from which both sides read it, and returns the path.
func saved(dir, name string, module []byte) (string, error) {
	file := filepath.Join(dir, name)
	return file, os.WriteFile(file, module, 0o600)
}

// warmCalls compares calls of a compiled module with wazero alone: first a call on golem's
// engine, with guard and limits, and the same JSON on both sides; then the whole call that a
// worker makes, through approval, with strict JSON, schemas and grants.
func warmCalls(m modules, dir string, rounds int) ([]pair, error) {
	ctx := context.Background()
	l := library("")
	defer l.Close()
	e, err := wazeroengine.New(ctx, wazeroengine.Options{})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	b, err := newBare(ctx, "")
	if err != nil {
		return nil, err
	}
	defer b.close(ctx)
	var out []pair
	for _, c := range []struct {
		name, limit string
		module      []byte
		kept, whole bool
		n           int
	}{
		{"C, 7 KB, a fresh instance a call", "≤ 1.5", m.cTool, false, false, 1000},
		{"the same, a worker's whole call", "", m.cTool, false, true, 1000},
		{"C, 7 KB, stateful", "", m.cTool, true, false, 2000},
		{"the same, a worker's whole call", "", m.cTool, true, true, 2000},
		{"Go, 3 MB, a worker's whole call", "", m.goTool, false, true, 10},
	} {
		golem, err := pluginCall(ctx, e, c.module, c.kept)
		if c.whole {
			file, serr := saved(dir, "warm.wasm", c.module)
			if serr != nil {
				return nil, serr
			}
			golem, err = counter(ctx, l, file, c.kept)
		}
		if err != nil {
			return nil, err
		}
		alone, err := bareCounter(ctx, b, c.module, c.kept)
		if err != nil {
			return nil, err
		}
		p, err := inTurns(ctx, c.name, c.limit, rounds, c.n, golem, alone)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// bareCounter returns a function that calls the small tool, or for a large module the command,
// on wazero alone.
func bareCounter(ctx context.Context, b *bare, module []byte, kept bool) (func(context.Context) error, error) {
	if len(module) < 1<<20 {
		return b.plugin(ctx, module, kept)
	}
	run, err := b.command(ctx, module, "count", words)
	return func(ctx context.Context) error { return check(run(ctx)) }, err
}

// guardCost compares guarded modules with the same modules unguarded.
func guardCost(m modules, _ string, rounds int) ([]pair, error) {
	ctx := context.Background()
	e, err := wazeroengine.New(ctx, wazeroengine.Options{})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	b, err := newBare(ctx, "")
	if err != nil {
		return nil, err
	}
	defer b.close(ctx)
	var out []pair
	for _, c := range []struct {
		name   string
		module []byte
		tool   string // the tool of the Go command; "": the export run
	}{
		{"hashing, C", m.hash, ""}, {"JSON, C", m.json, ""}, {"parsing, C", m.parse, ""},
		{"hashing, Go", m.goTool, "hash"}, {"JSON, Go", m.goTool, "json"}, {"parsing, Go", m.goTool, "parse"},
	} {
		in := wasmtool.Invocation{Form: wasmtool.Extism, Export: "run"}
		alone, err := b.export(ctx, c.module, "run")
		if c.tool != "" {
			in = wasmtool.Invocation{Form: wasmtool.Command, Args: []string{"guest", "call", c.tool}}
			var run func(context.Context) (string, error)
			run, err = b.command(ctx, c.module, c.tool, "")
			alone = func(ctx context.Context) error { _, err := run(ctx); return err }
		}
		if err != nil {
			return nil, err
		}
		golem, err := woven(ctx, e, c.module, in)
		if err != nil {
			return nil, err
		}
		p, err := inTurns(ctx, c.name, "≤ 1.25", rounds, 1, golem, alone)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// starts compares the time from a file to the first answer: it includes making an engine, reading
// the module, compiling it or finding it in the cache on disk, and the call.
func starts(m modules, dir string, rounds int) ([]pair, error) {
	ctx := context.Background()
	var out []pair
	for _, c := range []struct {
		name, limit string
		module      []byte
		cached      bool
		rounds      int
	}{
		{"C, 7 KB, first", "", m.cTool, false, rounds},
		{"C, 7 KB, cached", "", m.cTool, true, rounds},
		{"Go, 3 MB, first", "", m.goTool, false, min(rounds, 3)},
		{"Go, 3 MB, cached", "≤ 1.10", m.goTool, true, rounds},
	} {
		file, err := saved(dir, "start.wasm", c.module)
		if err != nil {
			return nil, err
		}
		p, err := inTurns(ctx, c.name, c.limit, c.rounds, 1,
			func(ctx context.Context) error {
				return withCache(dir, "golem", c.cached, func(cache string) error { return golemStart(ctx, file, cache) })
			},
			func(ctx context.Context) error {
				return withCache(dir, "bare", c.cached, func(cache string) error { return bareStart(ctx, file, cache) })
			})
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// withCache calls f with a cache directory, which it empties first unless cached is true.
func withCache(dir, name string, cached bool, f func(cache string) error) error {
	cache := filepath.Join(dir, "cache-"+name)
	if !cached {
		if err := os.RemoveAll(cache); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return err
	}
	return f(cache)
}

func golemStart(ctx context.Context, file, cache string) error {
	l := library(cache)
	defer l.Close()
	call, err := counter(ctx, l, file, false)
	if err != nil {
		return err
	}
	return call(ctx)
}

func bareStart(ctx context.Context, file, cache string) error {
	b, err := newBare(ctx, cache)
	if err != nil {
		return err
	}
	defer b.close(ctx)
	module, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	call, err := bareCounter(ctx, b, module, false)
	if err != nil {
		return err
	}
	return call(ctx)
}
