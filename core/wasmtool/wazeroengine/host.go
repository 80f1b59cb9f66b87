package wazeroengine

import (
	"context"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"golem/core/wasmtool"
	"golem/core/wasmtool/guard"
)

// A hostFunc is one host function, which works on a call's session. An error of do ends
// the call.
type hostFunc struct {
	params, results string // i = i32, l = i64
	do              func(i *instance, stack []uint64) error
}

// host instantiates a host module. For each of the missing functions the host module has
// a function that ends the call.
func (e *engine) host(ctx context.Context, name string, missing []api.FunctionDefinition) (api.Module, error) {
	b := e.runtime.NewHostModuleBuilder(name)
	if name == wasmtool.WASI {
		ctx = experimental.WithFunctionListenerFactory(ctx, punctual{e})
		wasi_snapshot_preview1.NewFunctionExporter().ExportFunctions(b)
	}
	for fn, h := range hostFuncs(name) {
		e.export(b, fn, h)
	}
	for _, d := range missing {
		_, fn, _ := d.Import()
		b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, m api.Module, _ []uint64) {
			unwind(e.instanceOf(m), wasmtool.NotOffered(name, fn))
		}), d.ParamTypes(), d.ResultTypes()).Export(fn)
	}
	code, err := b.Compile(ctx)
	if err != nil {
		return nil, err
	}
	return e.runtime.InstantiateModule(ctx, code, wazero.NewModuleConfig().WithName(""))
}

func (e *engine) export(b wazero.HostModuleBuilder, name string, h hostFunc) {
	b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, m api.Module, stack []uint64) {
		i := e.instanceOf(m)
		i.punctual()
		if err := h.do(i, stack); err != nil {
			unwind(i, err)
		}
	}), valueTypes(h.params), valueTypes(h.results)).Export(name)
}

// punctual ends a call whose time is over, at the start of every host function: fuel
// counts the calls of host functions, but not their work, and one can move 60 MiB. It is
// a listener, because this is the way to get in front of wazero's own WASI functions.
type punctual struct{ e *engine }

func (p punctual) NewFunctionListener(api.FunctionDefinition) experimental.FunctionListener { return p }

// Before also ends a call that moves a descriptor to a number that is too large: wazero would
// make its table as long as that.
func (p punctual) Before(_ context.Context, m api.Module, d api.FunctionDefinition, params []uint64, _ experimental.StackIterator) {
	i := p.e.instanceOf(m)
	i.punctual()
	if d.Name() == "fd_renumber" && int32(params[1]) >= wasmtool.MaxDescriptors {
		unwind(i, wasmtool.DescriptorTooLarge())
	}
}

func (punctual) After(context.Context, api.Module, api.FunctionDefinition, []uint64) {}

func (punctual) Abort(context.Context, api.Module, api.FunctionDefinition, error) {}

// instanceOf returns the instance that called a host function.
func (e *engine) instanceOf(m api.Module) *instance {
	if i, ok := e.running.Load(m); ok {
		return i.(*instance)
	}
	return &instance{} // unreachable: every instance is noted before it runs
}

func valueTypes(s string) []api.ValueType {
	out := make([]api.ValueType, len(s))
	for i, c := range s {
		out[i] = api.ValueTypeI32
		if c == 'l' {
			out[i] = api.ValueTypeI64
		}
	}
	return out
}

func hostFuncs(module string) map[string]hostFunc {
	switch module {
	case guard.TickModule:
		return map[string]hostFunc{guard.TickName: {"l", "l", func(i *instance, st []uint64) error {
			granted, err := i.session.Meter.Tick(i.session.Context(), int64(st[0]))
			st[0] = uint64(granted)
			return err
		}}}
	case wasmtool.ExtismUser:
		return userFuncs()
	case wasmtool.WASI:
		return wasiFuncs
	case wasmtool.ExtismEnv:
		return extismFuncs
	}
	return nil
}

// userFuncs returns golem_call and the functions of hyper-mcp's host that do nothing.
func userFuncs() map[string]hostFunc {
	out := map[string]hostFunc{"golem_call": {"ll", "l", func(i *instance, st []uint64) error {
		at, err := i.session.GolemCall(int64(st[0]), int64(st[1]))
		st[0] = uint64(at)
		return err
	}}}
	handles := map[bool]string{true: "l"}
	for _, f := range wasmtool.Idles() {
		out[f.Name] = hostFunc{handles[f.Takes], handles[f.Gives], func(i *instance, st []uint64) error {
			if !f.Gives {
				return nil
			}
			at, err := i.session.Kernel.Put([]byte(f.Answer))
			st[0] = uint64(at)
			return err
		}}
	}
	return out
}

// wasiFuncs replace functions of wazero's WASI.
var wasiFuncs = map[string]hostFunc{
	// wazero's own closes all files. That would write them whatever the exit code is,
	// and it hides errors of these writes.
	"proc_exit": {"i", "", func(i *instance, st []uint64) error {
		i.exited, i.code = true, int(int32(st[0]))
		return errUnwound
	}},
}

// handle returns a host function that takes a handle or a number and returns one.
func handle(f func(s *wasmtool.Session, at int64) (int64, error)) hostFunc {
	return hostFunc{"l", "l", func(i *instance, st []uint64) error {
		v, err := f(i.session, int64(st[0]))
		st[0] = uint64(v)
		return err
	}}
}

// load returns a host function that reads a number of size bytes.
func load(results string, size int64, f func(s *wasmtool.Session, at, size int64) (uint64, error)) hostFunc {
	return hostFunc{"l", results, func(i *instance, st []uint64) (err error) {
		st[0], err = f(i.session, int64(st[0]), size)
		return err
	}}
}

// value returns a host function without parameters that returns a number.
func value(results string, f func(s *wasmtool.Session) uint64) hostFunc {
	return hostFunc{"", results, func(i *instance, st []uint64) error {
		st[0] = f(i.session)
		return nil
	}}
}

// consumer returns a host function that takes one or two numbers and returns nothing.
func consumer(params string, f func(s *wasmtool.Session, a, b int64) error) hostFunc {
	return hostFunc{params, "", func(i *instance, st []uint64) error {
		var b int64
		if len(params) > 1 {
			b = int64(st[1])
		}
		return f(i.session, int64(st[0]), b)
	}}
}

func logAt(level string) hostFunc {
	return consumer("l", func(s *wasmtool.Session, at, _ int64) error { s.Log(level, at); return nil })
}

// extismFuncs has all functions of extism:host/env.
var extismFuncs = map[string]hostFunc{
	"alloc":         handle(func(s *wasmtool.Session, n int64) (int64, error) { return s.Kernel.Alloc(n) }),
	"free":          consumer("l", func(s *wasmtool.Session, at, _ int64) error { s.Free(at); return nil }),
	"length":        handle(func(s *wasmtool.Session, at int64) (int64, error) { return s.Kernel.Length(at), nil }),
	"length_unsafe": handle(func(s *wasmtool.Session, at int64) (int64, error) { return s.Kernel.Length(at), nil }),
	"load_u8":       load("i", 1, func(s *wasmtool.Session, at, n int64) (uint64, error) { return s.Kernel.Load(at, n) }),
	"load_u64":      load("l", 8, func(s *wasmtool.Session, at, n int64) (uint64, error) { return s.Kernel.Load(at, n) }),
	"store_u8":      consumer("li", func(s *wasmtool.Session, at, v int64) error { return s.Kernel.Store(at, 1, uint64(v)) }),
	"store_u64":     consumer("ll", func(s *wasmtool.Session, at, v int64) error { return s.Kernel.Store(at, 8, uint64(v)) }),
	"memory_bytes":  value("l", func(s *wasmtool.Session) uint64 { return uint64(len(s.Kernel.All())) }),
	"reset":         {"", "", func(i *instance, _ []uint64) error { i.session.Reset(); return nil }},

	"input_length":   value("l", func(s *wasmtool.Session) uint64 { return uint64(s.InputLength()) }),
	"input_offset":   value("l", func(s *wasmtool.Session) uint64 { return uint64(s.InputOffset()) }),
	"input_load_u8":  load("i", 1, (*wasmtool.Session).InputLoad),
	"input_load_u64": load("l", 8, (*wasmtool.Session).InputLoad),
	"input_set":      consumer("ll", (*wasmtool.Session).InputSet),
	"output_set":     consumer("ll", (*wasmtool.Session).OutputSet),
	"output_length":  value("l", func(s *wasmtool.Session) uint64 { return uint64(s.OutputLength()) }),
	"output_offset":  value("l", func(s *wasmtool.Session) uint64 { return uint64(s.OutputOffset()) }),

	"error_set":  consumer("l", func(s *wasmtool.Session, at, _ int64) error { s.ErrorSet(at); return nil }),
	"error_get":  value("l", func(s *wasmtool.Session) uint64 { return uint64(s.ErrorHandle()) }),
	"config_get": handle((*wasmtool.Session).ConfigGet),
	"var_get":    handle((*wasmtool.Session).VarGet),
	"var_set":    consumer("ll", (*wasmtool.Session).VarSet),

	"http_request":     {"ll", "l", httpRequest},
	"http_status_code": value("i", func(s *wasmtool.Session) uint64 { return uint64(uint32(s.HTTPStatus())) }),
	"http_headers":     value("l", func(s *wasmtool.Session) uint64 { return uint64(s.HTTPHeaders()) }),

	"get_log_level": value("i", func(*wasmtool.Session) uint64 { return 2 }), // info
	"log_trace":     logAt("trace"),
	"log_debug":     logAt("debug"),
	"log_info":      logAt("info"),
	"log_warn":      logAt("warn"),
	"log_error":     logAt("error"),
}

func httpRequest(i *instance, st []uint64) error {
	at, err := i.session.HTTPRequest(int64(st[0]), int64(st[1]))
	st[0] = uint64(at)
	return err
}
