package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"golem/cmd/wasm/jsbytes"
	"golem/core/fault"
	"golem/core/wasmtool"
	"golem/core/wasmtool/guard"
)

// browserEngine runs guarded modules on the browser's own engine, each call in
// a nested worker of its own (web/tool). A call that goes on too long loses its
// worker; nothing here ever waits for a module.
//
// Where the browser cannot suspend a module while it waits for its host, or a
// project wants it, the worker's engine is wazero's interpreter (cmd/wasm/wazero).
type browserEngine struct {
	pool   *toolPool
	wazero bool
}

var _ wasmtool.Engine = (*browserEngine)(nil)

// newBrowserEngine starts a first worker, so that it is there once a module is compiled.
func newBrowserEngine() (wasmtool.Engine, error) {
	pool, err := newToolPool("golem-tool.js", "")
	if err != nil {
		return nil, err
	}
	return &browserEngine{pool: pool}, nil
}

// newWazeroEngine is the same with wazero in the workers.
func newWazeroEngine() (wasmtool.Engine, error) {
	pool, err := newToolPool("golem-wazero.js", "golem-wazero.wasm")
	if err != nil {
		return nil, err
	}
	return &browserEngine{pool: pool, wazero: true}, nil
}

// suspends tells whether the browser can suspend a module (JavaScript Promise
// Integration).
func suspends() bool {
	w := js.Global().Get("WebAssembly")
	return w.Get("Suspending").Type() == js.TypeFunction && w.Get("promising").Type() == js.TypeFunction
}

// Name is "browser" or "wazero".
func (e *browserEngine) Name() string {
	if e.wazero {
		return "wazero"
	}
	return "browser"
}

// Close ends all workers that are not in a call.
func (e *browserEngine) Close() error {
	e.pool.close()
	return nil
}

// browserModule is a compiled module; workers get it posted.
type browserModule struct {
	pool    *toolPool
	digest  string
	code    js.Value // WebAssembly.Module; for wazero the bytes
	imports js.Value
	exports map[string]guard.Export // functions
}

// Compile compiles off this thread: the browser's engine for all workers, wazero
// in one of them, which calls of the module take first.
func (e *browserEngine) Compile(ctx context.Context, guarded []byte, digest string) (wasmtool.Compiled, error) {
	info, err := guard.Woven(guarded)
	if err != nil {
		return nil, err
	}
	code, err := jsbytes.Await(js.Global().Get("WebAssembly").Call("compile", jsbytes.Array(guarded)))
	if err != nil {
		return nil, fault.New(fault.ToolModule, "the module is not valid WebAssembly: %s", wasmtool.Escape([]byte(err.Error()), 200)).
			Hinting("build the module again; the WebAssembly engine rejects it")
	}
	if e.wazero { // the browser has only looked whether it is valid
		code = jsbytes.Array(guarded)
	}
	m := &browserModule{pool: e.pool, digest: digest, code: code, exports: map[string]guard.Export{}}
	var imports []any
	for _, im := range info.Imports {
		imports = append(imports, map[string]any{"module": im.Module, "name": im.Name, "type": letters(im.Params) + ":" + letters(im.Results)})
	}
	m.imports = js.ValueOf(imports)
	for _, x := range info.Exports {
		if x.Kind == "func" {
			m.exports[x.Name] = x
		}
	}
	if e.wazero {
		if err := m.prepare(ctx); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// prepare has a worker compile the module.
func (m *browserModule) prepare(ctx context.Context) error {
	w, err := m.pool.take(ctx, m.digest)
	if err != nil {
		return err
	}
	w.post(map[string]any{"prepare": true, "digest": m.digest, "module": m.code})
	c := &toolCall{worker: w, files: newToolFiles(nil)}
	ready, err := c.until(ctx, "ready")
	if err != nil {
		return err
	}
	if f := ready.Get("fault"); f.Truthy() {
		w.kill()
		return told(f)
	}
	w.module = m.digest
	m.pool.give(w)
	return nil
}

// letters are types as web/tool writes them: i, l for i32, i64.
func letters(types string) string {
	var out strings.Builder
	for _, t := range strings.Fields(types) {
		letter := map[string]string{"i32": "i", "i64": "l", "f32": "f", "f64": "d"}[t]
		if letter == "" {
			letter = "?"
		}
		out.WriteString(letter)
	}
	return out.String()
}

// Close leaves the code to the collector.
func (m *browserModule) Close() error { return nil }

// Call runs an export in a fresh instance.
func (m *browserModule) Call(ctx context.Context, in wasmtool.Invocation, host wasmtool.Host) (wasmtool.Result, error) {
	i := &browserInstance{module: m}
	return i.Call(ctx, in, host)
}

// Keep makes an instance that lives on, in a worker of its own.
func (m *browserModule) Keep() wasmtool.Instance { return &browserInstance{module: m, kept: true} }

// browserInstance is one instance, or the place of one.
type browserInstance struct {
	module *browserModule
	kept   bool
	worker *toolWorker // nil: no instance yet, or discarded
}

// Call runs one export. A call that fails discards the instance.
func (i *browserInstance) Call(ctx context.Context, in wasmtool.Invocation, host wasmtool.Host) (res wasmtool.Result, err error) {
	defer func() {
		// What JavaScript throws is a panic here: as a rule the tab has no memory
		// left for a copy. It must not be the end of golem.
		if p := recover(); p != nil {
			if i.worker != nil {
				i.worker.kill()
				i.worker = nil
			}
			res, err = wasmtool.Result{}, fault.New(fault.ToolMemory, "the page could not pass a message between the module and golem: %s", wasmtool.Escape(fmt.Append(nil, p), 200)).
				Hinting("close other tabs, or give it less to do in one call")
		}
	}()
	return i.call(ctx, in, host)
}

func (i *browserInstance) call(ctx context.Context, in wasmtool.Invocation, host wasmtool.Host) (wasmtool.Result, error) {
	for again := false; ; again = true {
		fresh := i.worker == nil
		if fresh {
			w, err := i.module.pool.take(ctx, i.module.digest)
			if err != nil {
				return wasmtool.Result{}, err
			}
			i.worker = w
		}
		c := &toolCall{worker: i.worker, host: host, files: newToolFiles(host.Files), limit: in.Limits.Time}
		i.worker.post(i.message(in, host, fresh))
		i.worker.module = i.module.digest
		done, err := c.until(ctx, "done")
		if err != nil {
			i.worker = nil
			return wasmtool.Result{}, err
		}
		i.worker.large, i.worker.dropped = done.Get("large").Truthy(), done.Get("dropped").Truthy()
		if done.Get("retry").Truthy() && !again {
			// A worker's earlier instances may hold memory until they are collected.
			i.worker.kill()
			i.worker = nil
			continue
		}
		return i.finish(ctx, c, in, done)
	}
}

// finish judges the call, and has a good one write what it left unwritten.
func (i *browserInstance) finish(ctx context.Context, c *toolCall, in wasmtool.Invocation, done js.Value) (wasmtool.Result, error) {
	if done.Get("judged").Truthy() {
		res, err := judged(done)
		if err != nil || !i.kept {
			i.module.pool.give(i.worker)
			i.worker = nil
		}
		return res, err
	}
	e := c.ending(i.module, in, done)
	res, err := wasmtool.Judge(in.Form, e)
	if err == nil && done.Get("dirty").Truthy() {
		c.worker.post(map[string]any{"flush": true})
		m, ferr := c.until(ctx, "flushed")
		if ferr != nil {
			i.worker = nil
			return wasmtool.Result{}, ferr
		}
		if !m.Get("whole").Truthy() {
			res.Output, err = nil, fault.Of(c.files.lost, fault.Tool)
		}
	}
	if err == nil && !e.Exited && i.kept {
		return res, nil
	}
	i.module.pool.give(i.worker)
	i.worker = nil
	return res, err
}

// Close frees the instance. What it has not yet written to files is lost.
func (i *browserInstance) Close() error {
	if i.worker != nil {
		i.module.pool.give(i.worker)
		i.worker = nil
	}
	return nil
}

// someChance is how many bytes of chance come with a call: as a rule a
// module's start wants to seed its maps.
const someChance = 256

// message is one call as the worker takes it.
func (i *browserInstance) message(in wasmtool.Invocation, host wasmtool.Host, fresh bool) map[string]any {
	m := i.module
	if in.Limits.Fuel <= 0 {
		in.Limits.Fuel = wasmtool.DefaultFuel
	}
	if in.Limits.Output <= 0 {
		in.Limits.Output = wasmtool.DefaultOutput
	}
	args, config := []any{}, []any{}
	for _, a := range in.Args {
		args = append(args, a)
	}
	for k, v := range in.Config {
		config = append(config, []any{k, v})
	}
	out := map[string]any{
		"call": true, "fresh": fresh, "drops": !i.kept, "command": in.Form == wasmtool.Command, "input": jsbytes.Array(in.Input), "stdin": jsbytes.Array(in.Stdin), "args": args, "config": config,
		"fuel": strconv.FormatInt(in.Limits.Fuel, 10), "output": float64(in.Limits.Output), "memory": float64(in.Limits.Memory),
		"limit": float64(in.Limits.Time) / float64(time.Millisecond), "limitWords": in.Limits.Time.String(),
		"clock": nil, "chance": nil, "logs": host.Log != nil, "granted": host.Files != nil,
	}
	if host.Clock != nil {
		out["clock"] = strconv.FormatInt(host.Clock().UnixNano(), 10)
	}
	if host.Random != nil {
		some := make([]byte, someChance)
		if err := host.Random(some); err != nil {
			some = nil // it is asked for again, and then fails
		}
		out["chance"] = jsbytes.Array(some)
	}
	name := exportOf(in)
	x, ok := m.exports[name]
	out["export"] = name
	out["contract"] = !ok || x.Imported || x.Params != "" || x.Results != "" && x.Results != "i32"
	out["result"] = x.Results != ""
	if fresh {
		out["digest"], out["starts"] = m.digest, m.starts(in.Form)
		if i.worker.module != m.digest {
			out["module"], out["imports"] = m.code, m.imports
		}
	}
	return out
}

func exportOf(in wasmtool.Invocation) string {
	if in.Form == wasmtool.Command {
		return "_start"
	}
	return in.Export
}

// starts are what runs before the first call (wasmtool.Starts).
func (m *browserModule) starts(form wasmtool.Form) []any {
	names := wasmtool.Starts(form, func(name string) (wasmtool.Signature, bool) {
		x, ok := m.exports[name]
		return wasmtool.Signature{Params: x.Params, Results: x.Results}, ok
	})
	out := []any{}
	for _, n := range names {
		x := m.exports[n]
		params := letters(x.Params)
		out = append(out, map[string]any{"name": n, "params": params, "refused": !wasmtool.Starter(n, len(params)), "imported": x.Imported})
	}
	return out
}
