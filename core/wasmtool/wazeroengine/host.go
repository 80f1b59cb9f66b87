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

// A hostFunc is one host function over a call's session. Its error ends the call.
type hostFunc struct {
	params, results string // i = i32, l = i64
	do              func(i *instance, stack []uint64) error
}

// host instantiates a host module, with a function that ends the call for each
// of the missing ones.
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
			unwind(e.of(m), wasmtool.NotOffered(name, fn))
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
		i := e.of(m)
		i.punctual()
		if err := h.do(i, stack); err != nil {
			unwind(i, err)
		}
	}), valueTypes(h.params), valueTypes(h.results)).Export(name)
}

// punctual ends a call whose time is over at every host function, before it
// does anything: fuel counts calls, and one can move 60 MiB. wazero's own WASI
// functions are reached as what it calls a listener.
type punctual struct{ e *engine }

func (p punctual) NewFunctionListener(api.FunctionDefinition) experimental.FunctionListener { return p }

func (p punctual) Before(_ context.Context, m api.Module, _ api.FunctionDefinition, _ []uint64, _ experimental.StackIterator) {
	p.e.of(m).punctual()
}

func (punctual) After(context.Context, api.Module, api.FunctionDefinition, []uint64) {}

func (punctual) Abort(context.Context, api.Module, api.FunctionDefinition, error) {}

// of is the instance that a host function was called by.
func (e *engine) of(m api.Module) *instance {
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

// userFuncs are golem_call and what hyper-mcp's host has.
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
	// Moving a descriptor to any number makes wazero's table as long.
	"fd_renumber": {"ii", "i", func(_ *instance, st []uint64) error {
		st[0] = wasiNotSupported
		return nil
	}},
	// wazero's closes all files, which would write them whatever the code is, and
	// hides what went wrong with it.
	"proc_exit": {"i", "", func(i *instance, st []uint64) error {
		i.exited, i.code = true, int(int32(st[0]))
		return errUnwound
	}},
}

// wasiNotSupported is ENOTSUP in WASI preview 1.
const wasiNotSupported = 58

// handle is a host function from one handle to another.
func handle(f func(s *wasmtool.Session, at int64) (int64, error)) hostFunc {
	return hostFunc{"l", "l", func(i *instance, st []uint64) error {
		v, err := f(i.session, int64(st[0]))
		st[0] = uint64(v)
		return err
	}}
}

// load is a host function that reads a number of size bytes.
func load(results string, size int64, f func(s *wasmtool.Session, at, size int64) (uint64, error)) hostFunc {
	return hostFunc{"l", results, func(i *instance, st []uint64) (err error) {
		st[0], err = f(i.session, int64(st[0]), size)
		return err
	}}
}

// value is a host function that returns a number.
func value(results string, f func(s *wasmtool.Session) uint64) hostFunc {
	return hostFunc{"", results, func(i *instance, st []uint64) error {
		st[0] = f(i.session)
		return nil
	}}
}

// take is a host function of one or two numbers that returns nothing.
func take(params string, f func(s *wasmtool.Session, a, b int64) error) hostFunc {
	return hostFunc{params, "", func(i *instance, st []uint64) error {
		var b int64
		if len(params) > 1 {
			b = int64(st[1])
		}
		return f(i.session, int64(st[0]), b)
	}}
}

func logAt(level string) hostFunc {
	return take("l", func(s *wasmtool.Session, at, _ int64) error { s.Log(level, at); return nil })
}

// extismFuncs is the whole of extism:host/env.
var extismFuncs = map[string]hostFunc{
	"alloc":         handle(func(s *wasmtool.Session, n int64) (int64, error) { return s.Kernel.Alloc(n) }),
	"free":          take("l", func(s *wasmtool.Session, at, _ int64) error { s.Free(at); return nil }),
	"length":        handle(func(s *wasmtool.Session, at int64) (int64, error) { return s.Kernel.Length(at), nil }),
	"length_unsafe": handle(func(s *wasmtool.Session, at int64) (int64, error) { return s.Kernel.Length(at), nil }),
	"load_u8":       load("i", 1, func(s *wasmtool.Session, at, n int64) (uint64, error) { return s.Kernel.Load(at, n) }),
	"load_u64":      load("l", 8, func(s *wasmtool.Session, at, n int64) (uint64, error) { return s.Kernel.Load(at, n) }),
	"store_u8":      take("li", func(s *wasmtool.Session, at, v int64) error { return s.Kernel.Store(at, 1, uint64(v)) }),
	"store_u64":     take("ll", func(s *wasmtool.Session, at, v int64) error { return s.Kernel.Store(at, 8, uint64(v)) }),
	"memory_bytes":  value("l", func(s *wasmtool.Session) uint64 { return uint64(len(s.Kernel.All())) }),
	"reset":         {"", "", func(i *instance, _ []uint64) error { i.session.Reset(); return nil }},

	"input_length":   value("l", func(s *wasmtool.Session) uint64 { return uint64(s.InputLength()) }),
	"input_offset":   value("l", func(s *wasmtool.Session) uint64 { return uint64(s.InputOffset()) }),
	"input_load_u8":  load("i", 1, (*wasmtool.Session).InputLoad),
	"input_load_u64": load("l", 8, (*wasmtool.Session).InputLoad),
	"input_set":      take("ll", (*wasmtool.Session).InputSet),
	"output_set":     take("ll", (*wasmtool.Session).OutputSet),
	"output_length":  value("l", func(s *wasmtool.Session) uint64 { return uint64(s.OutputLength()) }),
	"output_offset":  value("l", func(s *wasmtool.Session) uint64 { return uint64(s.OutputOffset()) }),

	"error_set":  take("l", func(s *wasmtool.Session, at, _ int64) error { s.ErrorSet(at); return nil }),
	"error_get":  value("l", func(s *wasmtool.Session) uint64 { return uint64(s.ErrorHandle()) }),
	"config_get": handle((*wasmtool.Session).ConfigGet),
	"var_get":    handle((*wasmtool.Session).VarGet),
	"var_set":    take("ll", (*wasmtool.Session).VarSet),

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
