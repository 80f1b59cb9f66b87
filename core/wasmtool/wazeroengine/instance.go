package wazeroengine

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/experimental/sysfs"
	"github.com/tetratelabs/wazero/sys"

	"golem/core/fault"
	"golem/core/wasmtool"
	"golem/core/wasmtool/guard"
)

var errUnwound = errors.New("the call was ended")

// instance is one instance of a module, with the state of its current call.
type instance struct {
	module  *module
	mod     api.Module // nil: none yet, or discarded
	kernel  wasmtool.Kernel
	meter   wasmtool.Meter
	session *wasmtool.Session
	fault   error // the error with which a host function ended the call
	exited  bool  // proc_exit was called, with code
	code    int
	stdout  *capped
	stderr  *ending
	files   *wasiFS
}

// Call runs one export. If it succeeds, changes of files that are still open are written.
// A call that fails or exits discards the instance.
func (i *instance) Call(ctx context.Context, in wasmtool.Invocation, host wasmtool.Host) (wasmtool.Result, error) {
	ctx, leave, err := i.module.engine.enter(ctx)
	if err != nil {
		return wasmtool.Result{}, err
	}
	defer leave()
	i.meter.Yield = i.module.engine.options.Yield
	i.fault, i.exited = nil, false
	s, err := wasmtool.NewSession(ctx, &i.kernel, &i.meter, in, host)
	i.session = s
	if err != nil {
		return wasmtool.Result{}, fault.Of(errors.Join(err, i.Close()), fault.Tool)
	}
	i.stdout = &capped{limit: s.In.Limits.Output}
	i.stderr = &ending{}
	e := i.run(ctx)
	e.Output, e.Stderr = i.stdout.data, i.stderr.bytes()
	res, err := s.Result(e)
	if err == nil {
		if lost := i.files.finish(); lost != nil {
			res.Output, err = nil, fault.Of(lost, fault.Tool)
		}
	}
	if err == nil && !e.Exited {
		return res, nil
	}
	if bad := i.Close(); err == nil {
		err = bad
	}
	return res, err
}

// Close frees the instance. Changes that are not written to files yet are lost: a call
// that ended well has written all, and after a failure half a file is worse than none.
func (i *instance) Close() error {
	i.kernel = wasmtool.Kernel{}
	if i.mod == nil {
		return nil
	}
	i.files.abandon()
	err := i.mod.Close(context.Background())
	i.module.engine.running.Delete(i.mod)
	i.mod = nil
	if err != nil {
		return fault.New(fault.Tool, "the module could not be closed: %s", firstLine(err))
	}
	return nil
}

// run calls the export, and first instantiates the module if there is no instance.
func (i *instance) run(ctx context.Context) (e wasmtool.Ending) {
	// Host functions use the session's context. wazero gets one that never ends, so
	// that only ticks and host functions end a call.
	ctx = context.WithoutCancel(ctx)
	fresh := i.mod == nil
	if fresh {
		if err := i.instantiate(ctx); err != nil {
			e.Trap = strings.TrimPrefix(firstLine(err), trapped)
			return e
		}
		if fill := i.session.In.Fill; len(fill.Data) > 0 && !i.mod.Memory().Write(fill.At, fill.Data) {
			e.Trap = "out of bounds memory access" // as that of a segment of data
			return e
		}
	}
	i.files.lend(i.session.Host.Files)
	i.clear()
	defer func() {
		e.Left = i.counter()
		e.Fault = i.fault
		if g := i.global(guard.FlagsExport); g != nil {
			e.Flags = int32(g.Get())
		}
	}()
	if fresh {
		if done := i.start(ctx, &e); done {
			return e
		}
	}
	name := i.session.In.Export
	if i.session.In.Form == wasmtool.Command {
		name = "_start"
	}
	i.export(ctx, name, &e)
	return e
}

// clear resets the fuel and the flags of a kept instance: fuel that is left from the
// last call does not belong to this one.
func (i *instance) clear() {
	for _, name := range []string{guard.FuelExport, guard.FlagsExport} {
		if g, ok := i.global(name).(api.MutableGlobal); ok {
			g.Set(0)
		}
	}
}

func (i *instance) counter() int64 {
	if g := i.global(guard.FuelExport); g != nil {
		return int64(g.Get())
	}
	return 0
}

func (i *instance) global(name string) api.Global {
	if i.mod == nil {
		return nil
	}
	return i.mod.ExportedGlobal(name)
}

// instantiate creates the instance without running any of the module's code.
func (i *instance) instantiate(ctx context.Context) error {
	m := i.module
	ctx = experimental.WithMemoryAllocator(ctx, memoryAllocator)
	ctx = experimental.WithImportResolver(ctx, func(name string) api.Module { return m.hosts[name] })
	mod, err := m.engine.runtime.InstantiateModule(ctx, m.code, i.config())
	if err != nil {
		return err
	}
	i.mod = mod
	m.engine.running.Store(mod, i)
	return nil
}

// start runs the functions that must run before the first call (wasmtool.Starts). done
// means that the call has ended already.
func (i *instance) start(ctx context.Context, e *wasmtool.Ending) (done bool) {
	for _, n := range wasmtool.Starts(i.session.In.Form, i.signature) {
		fn := i.mod.ExportedFunction(n)
		if i.imported(n) {
			return true
		}
		params := len(fn.Definition().ParamTypes())
		if !wasmtool.Starter(n, params) {
			e.Trap = wasmtool.TakesParameters(n)
			return true
		}
		if i.invoke(ctx, fn, make([]uint64, max(params, len(fn.Definition().ResultTypes()))), e) != nil || e.Exited {
			return true
		}
	}
	return false
}

// signature returns the type of an exported function.
func (i *instance) signature(name string) (wasmtool.Signature, bool) {
	d := i.module.code.ExportedFunctions()[name]
	if d == nil {
		return wasmtool.Signature{}, false
	}
	return wasmtool.Signature{Params: typeNames(d.ParamTypes()), Results: typeNames(d.ResultTypes())}, true
}

func typeNames(types []api.ValueType) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = api.ValueTypeName(t)
	}
	return strings.Join(names, " ")
}

// imported reports whether an export is one of the module's own imports, and sets the
// fault for it. Called from outside, a host function could not tell which call it is in.
func (i *instance) imported(name string) bool {
	_, _, is := i.module.code.ExportedFunctions()[name].Import()
	if is {
		i.fault = wasmtool.HandedOn(name)
	}
	return is
}

// export calls the exported function and stores its result in e.
func (i *instance) export(ctx context.Context, name string, e *wasmtool.Ending) {
	fn := i.mod.ExportedFunction(name)
	if fn == nil {
		i.fault = wasmtool.NotCallable(name, false)
		return
	}
	d := fn.Definition()
	if i.imported(name) {
		return
	}
	results := d.ResultTypes()
	if len(d.ParamTypes()) > 0 || len(results) > 1 || len(results) == 1 && results[0] != api.ValueTypeI32 {
		i.fault = wasmtool.NotCallable(name, true)
		return
	}
	stack := make([]uint64, 1)
	if i.invoke(ctx, fn, stack, e) == nil && !e.Exited && len(results) == 1 {
		e.Code = int(int32(stack[0]))
	}
}

// invoke calls a function of the module and stores the reason why it ended in e or
// i.fault.
func (i *instance) invoke(ctx context.Context, fn api.Function, stack []uint64, e *wasmtool.Ending) error {
	err := fn.CallWithStack(ctx, stack)
	if err == nil || i.fault != nil {
		return err
	}
	word, trap := strings.CutPrefix(firstLine(err), trapped)
	switch {
	case i.exited:
		e.Exited, e.Code = true, i.code
		return nil
	case !trap: // a host function panicked: its message is about golem, not the module
		e.Trap = wasmtool.HostFailed
	case word == "stack overflow":
		i.fault = wasmtool.TooDeep()
	default:
		e.Trap = word
	}
	return err
}

// trapped is the prefix of wazero's messages about traps.
const trapped = "wasm error: "

// config returns what the module can reach through WASI: the call's buffers, the host's
// clock and random numbers, and files only through wasiFS over the sandbox view, never a
// directory mount (SECURITY 6).
func (i *instance) config() wazero.ModuleConfig {
	s := i.session
	i.files = newWasiFS(s.Host.Files, func(f *fault.Fault) { i.session.Refuse(f) })
	mount := wazero.NewFSConfig().(sysfs.FSConfig).WithSysFSMount(i.files, "/")
	return wazero.NewModuleConfig().WithName("").WithStartFunctions().
		WithArgs(s.In.Args...).WithStdin(strings.NewReader(string(s.In.Stdin))).
		WithStdout(writer(func(b []byte) (int, error) { return i.write(b) })).
		WithStderr(writer(func(b []byte) (int, error) {
			i.punctual() // one call may write millions of times
			return i.stderr.Write(b)
		})).
		WithFSConfig(mount).
		WithWalltime(func() (int64, int32) { t := i.chance().Now(); return t.Unix(), int32(t.Nanosecond()) }, sys.ClockResolution(time.Microsecond)).
		WithNanotime(func() int64 { return i.chance().Now().UnixNano() }, sys.ClockResolution(time.Microsecond)).
		WithNanosleep(func(ns int64) { i.sleep(time.Duration(ns)) }).
		WithOsyield(i.module.engine.options.Yield).
		WithRandSource(chance(func(b []byte) error { return i.chance().Random(b) }))
}

// chance returns the time and the random numbers of the current call.
func (i *instance) chance() wasmtool.Chance {
	if c := i.session.Host.Chance; c != nil {
		return c
	}
	return wasmtool.Fixed{}
}

// write appends to standard output, and ends the call if that becomes too large.
func (i *instance) write(b []byte) (int, error) {
	n, err := i.stdout.Write(b)
	if err != nil {
		unwind(i, err)
	}
	return n, err
}

// punctual ends the call if its time is over.
func (i *instance) punctual() {
	if err := i.session.Meter.Check(i.session.Context()); err != nil {
		unwind(i, err)
	}
}

func (i *instance) sleep(d time.Duration) {
	if err := i.session.Meter.Sleep(i.session.Context(), d); err != nil {
		unwind(i, err)
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }

type chance func([]byte) error

func (c chance) Read(b []byte) (int, error) {
	if err := c(b); err != nil {
		return 0, err
	}
	return len(b), nil
}

var _ io.Reader = chance(nil)
