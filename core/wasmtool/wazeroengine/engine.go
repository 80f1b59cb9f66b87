// Package wazeroengine is the reference engine: it implements wasmtool.Engine
// with wazero, Extism memory, and WASI whose files are the worker's sandbox
// view. It is a separate package so that a page, which has the browser's
// engine, need not include it.
package wazeroengine

import (
	"context"
	"runtime"
	"strings"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"golem/core/fault"
	"golem/core/wasmtool"
	"golem/core/wasmtool/guard"
)

// Options configure the engine. With the zero value it compiles on platforms
// where wazero can, interprets on others, and has no cache on disk.
type Options struct {
	Interpreter bool
	// Cache keeps compiled code; nil means that nothing is kept. Its Get must return
	// only what its Put was given under that name, because the code is executed.
	Cache wasmtool.Cache
	// Workers is how many functions are compiled in parallel. 0 means the
	// number of processors, but at least 2, because only then wazero checks its
	// context between functions, and at most 4.
	Workers int
	// Yield lets other goroutines run while a module runs; nil leaves this to
	// Go's scheduler.
	Yield func()
}

// engine is one wazero runtime with golem's host modules. A host function finds its call
// in running, by wazero's module instance.
type engine struct {
	options Options
	runtime wazero.Runtime
	cache   wazero.CompilationCache
	linking sync.Mutex
	hosts   map[string]api.Module // by name, once a module imports from them
	running sync.Map              // api.Module → *instance

	life   context.Context // ends when the engine is closed; compilations and calls then end
	finish context.CancelCauseFunc
	gate   sync.Mutex // makes enter and the beginning of Close exclude each other
	work   sync.WaitGroup
}

var _ wasmtool.Engine = (*engine)(nil)

// New returns the reference engine (S0-25, SPEC §6). The caller must Close it.
func New(ctx context.Context, o Options) (wasmtool.Engine, error) {
	config := wazero.NewRuntimeConfig()
	if o.Interpreter {
		config = wazero.NewRuntimeConfigInterpreter()
	}
	if o.Workers == 0 {
		o.Workers = min(4, max(2, runtime.GOMAXPROCS(0)))
	}
	if o.Yield == nil {
		o.Yield = runtime.Gosched
	}
	e := &engine{options: o, hosts: map[string]api.Module{}}
	e.life, e.finish = context.WithCancelCause(context.Background())
	// No WithCloseOnContextDone: the guard's ticks end a call (SECURITY 7).
	config = config.WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesTailCall).
		WithMemoryLimitPages(guard.MostMemoryPages).WithDebugInfoEnabled(false)
	if o.Cache != nil {
		if cache, ok := cacheOver(o.Cache); ok {
			e.cache = cache
			config = config.WithCompilationCache(cache)
		}
	}
	e.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	return e, nil
}

// Name returns "wazero".
func (e *engine) Name() string { return "wazero" }

var errClosed = fault.New(fault.Interrupted, "the tool engine is closed")

// enter begins a compilation or a call, which ends with leave. The context inside also
// ends when the engine is closed. The engine's runtime stays open until leave, because
// wazero breaks if the runtime is closed during a compilation or a call.
func (e *engine) enter(ctx context.Context) (inside context.Context, leave func(), err error) {
	e.gate.Lock()
	defer e.gate.Unlock()
	if e.life.Err() != nil {
		return nil, nil, errClosed
	}
	e.work.Add(1)
	inside, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(e.life, func() { cancel(errClosed) })
	return inside, func() {
		stop()
		cancel(nil)
		e.work.Done()
	}, nil
}

// Close ends running compilations and calls, and releases the runtime and every
// module.
func (e *engine) Close() error {
	e.gate.Lock()
	e.finish(errClosed)
	e.gate.Unlock()
	e.work.Wait()
	ctx := context.Background()
	err := e.runtime.Close(ctx)
	if e.cache != nil {
		if cerr := e.cache.Close(ctx); err == nil {
			err = cerr
		}
	}
	return err
}

// module is a compiled module and the host modules it imports from.
type module struct {
	engine *engine
	code   wazero.CompiledModule
	hosts  map[string]api.Module
	own    []api.Module // made for this module alone
}

// Compile compiles the bytes with wazero, which checks ctx between two
// functions.
func (e *engine) Compile(ctx context.Context, guarded []byte, _ string) (wasmtool.Compiled, error) {
	ctx, leave, err := e.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	code, err := e.runtime.CompileModule(experimental.WithCompilationWorkers(ctx, e.options.Workers), guarded)
	if err != nil && ctx.Err() != nil {
		return nil, fault.Of(context.Cause(ctx), fault.Interrupted)
	}
	if err != nil {
		return nil, fault.New(fault.ToolModule, "the module is not valid WebAssembly: %s", firstLine(err)).
			Hinting("build the module again; the WebAssembly engine rejects it")
	}
	m := &module{engine: e, code: code, hosts: map[string]api.Module{}}
	if err := m.link(ctx); err != nil {
		return nil, fault.Of(err, fault.ToolImport)
	}
	return m, nil
}

// link finds a host module for everything that the module imports. If the module imports
// a function that golem does not provide, or with another type, it gets a host module of
// its own, in which this function ends the call.
func (m *module) link(ctx context.Context) error {
	wanted := map[string][]api.FunctionDefinition{}
	for _, d := range m.code.ImportedFunctions() {
		module, _, _ := d.Import()
		wanted[module] = append(wanted[module], d)
	}
	for module, defs := range wanted {
		shared, err := m.engine.shared(ctx, module)
		if err != nil {
			return err
		}
		if missing := missing(shared, defs); shared == nil || len(missing) > 0 {
			h, err := m.engine.host(ctx, module, missing)
			if err != nil {
				return err
			}
			m.own = append(m.own, h)
			shared = h
		}
		m.hosts[module] = shared
	}
	return nil
}

// shared returns the host module with that name, which all modules share, or nil if golem
// has none with that name. It creates the host module when it is first imported, because
// this takes as long as the start of a small module.
func (e *engine) shared(ctx context.Context, name string) (api.Module, error) {
	switch name {
	case guard.TickModule, wasmtool.ExtismEnv, wasmtool.ExtismUser, wasmtool.WASI:
	default:
		return nil, nil
	}
	e.linking.Lock()
	defer e.linking.Unlock()
	if h := e.hosts[name]; h != nil {
		return h, nil
	}
	h, err := e.host(context.WithoutCancel(ctx), name, nil)
	if err == nil {
		e.hosts[name] = h
	}
	return h, err
}

// missing returns the imports that host lacks or has with another type.
func missing(host api.Module, defs []api.FunctionDefinition) []api.FunctionDefinition {
	var out []api.FunctionDefinition
	for _, d := range defs {
		_, name, _ := d.Import()
		var have api.FunctionDefinition
		if host != nil {
			have = host.ExportedFunctionDefinitions()[name]
		}
		if have == nil || !sameTypes(have.ParamTypes(), d.ParamTypes()) || !sameTypes(have.ResultTypes(), d.ResultTypes()) {
			out = append(out, d)
		}
	}
	return out
}

func sameTypes(a, b []api.ValueType) bool { return string(a) == string(b) }

func (m *module) Close() error {
	ctx := context.Background()
	err := m.code.Close(ctx)
	for _, h := range m.own {
		if cerr := h.Close(ctx); err == nil {
			err = cerr
		}
	}
	return err
}

// Call runs an export in a new instance.
func (m *module) Call(ctx context.Context, in wasmtool.Invocation, host wasmtool.Host) (wasmtool.Result, error) {
	i := &instance{module: m}
	res, err := i.Call(ctx, in, host)
	if cerr := i.Close(); err == nil && cerr != nil {
		err = cerr
	}
	return res, err
}

// Keep returns an instance that keeps its memory between calls.
func (m *module) Keep() wasmtool.Instance { return &instance{module: m} }

// firstLine returns an engine's message without its stack trace, escaped and cut.
func firstLine(err error) string {
	s, _, _ := strings.Cut(err.Error(), "\n")
	return wasmtool.Escape([]byte(s), 200)
}
