package main

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"encoding/json"
	"fmt"
	"io"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// bare is wazero alone, with the minimal host that the modules need, as in a program that trusts
// its modules.
type bare struct {
	runtime wazero.Runtime
	cache   wazero.CompilationCache
	memory  extismMemory
}

func newBare(ctx context.Context, cache string) (*bare, error) {
	b := &bare{}
	config := wazero.NewRuntimeConfig().WithDebugInfoEnabled(false)
	if cache != "" {
		var err error
		if b.cache, err = wazero.NewCompilationCacheWithDir(cache); err != nil {
			return nil, err
		}
		config = config.WithCompilationCache(b.cache)
	}
	b.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, b.runtime); err != nil {
		return nil, err
	}
	return b, b.memory.export(ctx, b.runtime)
}

func (b *bare) close(ctx context.Context) error {
	err := b.runtime.Close(ctx)
	if b.cache != nil {
		if cerr := b.cache.Close(ctx); err == nil {
			err = cerr
		}
	}
	return err
}

func (b *bare) compile(ctx context.Context, module []byte) (wazero.CompiledModule, error) {
	return b.runtime.CompileModule(experimental.WithCompilationWorkers(ctx, 4), module)
}

// export compiles a module and returns a function that calls one export, without arguments, in a
// new instance.
func (b *bare) export(ctx context.Context, module []byte, name string) (func(context.Context) error, error) {
	code, err := b.compile(ctx, module)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		mod, err := b.runtime.InstantiateModule(ctx, code, wazero.NewModuleConfig().WithName(""))
		if err != nil {
			return err
		}
		defer mod.Close(ctx)
		return call(ctx, mod, name)
	}, nil
}

func call(ctx context.Context, mod api.Module, name string) error {
	res, err := mod.ExportedFunction(name).Call(ctx)
	if err == nil && len(res) > 0 && res[0] != 0 {
		err = fmt.Errorf("%s returns %d", name, res[0])
	}
	return err
}

// command compiles a WASI command and returns a function that runs it in a new instance and
// returns its output.
func (b *bare) command(ctx context.Context, module []byte, tool, stdin string) (func(context.Context) (string, error), error) {
	code, err := b.compile(ctx, module)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (string, error) {
		var out bytes.Buffer
		mod, err := b.runtime.InstantiateModule(ctx, code, wazero.NewModuleConfig().WithName("").
			WithArgs("guest", "call", tool).WithStdin(bytes.NewReader([]byte(stdin))).WithStdout(&out).WithStderr(io.Discard).
			WithSysWalltime().WithSysNanotime().WithRandSource(crand.Reader))
		if err != nil {
			return "", err
		}
		return out.String(), mod.Close(ctx)
	}, nil
}

// plugin compiles the Extism plug-in of the small tool and returns a function that calls it,
// with the JSON around its arguments and its answer. With kept all calls use one instance.
func (b *bare) plugin(ctx context.Context, module []byte, kept bool) (func(context.Context) error, error) {
	code, err := b.compile(ctx, module)
	if err != nil {
		return nil, err
	}
	var mod api.Module
	return func(ctx context.Context) error {
		if mod == nil || !kept {
			if mod, err = b.runtime.InstantiateModule(ctx, code, wazero.NewModuleConfig().WithName("")); err != nil {
				return err
			}
			if !kept {
				defer mod.Close(ctx)
			}
		}
		in, err := request()
		if err != nil {
			return err
		}
		b.memory.begin(in)
		if err := call(ctx, mod, "call"); err != nil {
			return err
		}
		return reply(b.memory.out)
	}, nil
}

// request returns the input of the small tool, in the form of its plug-in.
func request() ([]byte, error) {
	return json.Marshal(map[string]any{"params": map[string]any{"name": "count", "arguments": json.RawMessage(words)}})
}

// reply checks the answer of the plug-in.
func reply(out []byte) error {
	var r struct {
		Content []struct{ Text string }
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return err
	}
	if len(r.Content) != 1 {
		return fmt.Errorf("the plug-in answers %q", out)
	}
	return check(r.Content[0].Text, nil)
}
