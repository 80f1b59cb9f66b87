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

// browserEngine runs guarded modules on the browser's own WebAssembly engine, each call in
// its own nested worker (web/tool), so that a module cannot block this program. If a call
// takes too long, its worker is terminated.
//
// If the browser cannot suspend a module while it waits for its host, or if a project asks
// for it, the engine in the worker is wazero's interpreter (cmd/wasm/wazero).
type browserEngine struct {
	pool   *toolPool
	wazero bool
}

var _ wasmtool.Engine = (*browserEngine)(nil)

// newBrowserEngine returns an engine over the browser's own. It starts a first worker, so
// that the worker is ready when a module is compiled.
func newBrowserEngine() (wasmtool.Engine, error) {
	pool, err := newToolPool("golem-tool.js", "")
	if err != nil {
		return nil, err
	}
	return &browserEngine{pool: pool}, nil
}

// newWazeroEngine does the same, with wazero in the workers.
func newWazeroEngine() (wasmtool.Engine, error) {
	pool, err := newToolPool("golem-wazero.js", "golem-wazero.wasm")
	if err != nil {
		return nil, err
	}
	return &browserEngine{pool: pool, wazero: true}, nil
}

// suspends reports whether the browser can suspend a module (JavaScript Promise
// Integration).
func suspends() bool {
	w := js.Global().Get("WebAssembly")
	return w.Get("Suspending").Type() == js.TypeFunction && w.Get("promising").Type() == js.TypeFunction
}

// Name returns "browser" or "wazero", as tools.engine names them.
func (e *browserEngine) Name() string {
	if e.wazero {
		return "wazero"
	}
	return "browser"
}

// Close ends all idle workers. A worker in a call ends with its call.
func (e *browserEngine) Close() error {
	e.pool.close()
	return nil
}

// browserModule is a compiled module, which is sent to workers in messages.
type browserModule struct {
	pool    *toolPool
	digest  string
	code    js.Value // WebAssembly.Module; for wazero the bytes
	imports js.Value
	exports map[string]guard.Export // the exported functions, by name
}

// Compile compiles a guarded module, outside this thread. The browser's engine compiles it
// once for all workers. wazero compiles it in one worker, which later calls of the module
// prefer.
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
	if e.wazero { // the browser only checked that the module is valid
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

// prepare makes a worker compile the module, before the time of the first call begins.
func (m *browserModule) prepare(ctx context.Context) error {
	w, err := m.pool.acquire(ctx, m.digest)
	if err != nil {
		return err
	}
	w.post(map[string]any{"prepare": true, "digest": m.digest, "module": m.code})
	c := &toolCall{worker: w, files: newToolFiles(nil)}
	ready, err := c.answerUntil(ctx, "ready")
	if err != nil {
		return err
	}
	if f := ready.Get("fault"); f.Truthy() {
		w.kill()
		return sentFault(f)
	}
	w.module = m.digest
	m.pool.give(w)
	return nil
}

// letters returns types in the notation of web/tool: i, l, f, d for i32, i64, f32, f64.
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

// Close does nothing: the garbage collector frees the code.
func (m *browserModule) Close() error { return nil }

// Call runs an export in a new instance, which is dropped afterwards.
func (m *browserModule) Call(ctx context.Context, in wasmtool.Invocation, host wasmtool.Host) (wasmtool.Result, error) {
	i := &browserInstance{module: m}
	return i.Call(ctx, in, host)
}

// Keep returns an instance that keeps its state from call to call. It has its own worker
// from its first call until Close, which the caller must call.
func (m *browserModule) Keep() wasmtool.Instance { return &browserInstance{module: m, kept: true} }

// browserInstance is an instance of a module. The worker makes it at the first call.
type browserInstance struct {
	module *browserModule
	kept   bool
	worker *toolWorker // nil: no instance yet, or discarded
}

// Call runs one export. If it fails, the instance is discarded, and the next call makes a
// new one.
func (i *browserInstance) Call(ctx context.Context, in wasmtool.Invocation, host wasmtool.Host) (res wasmtool.Result, err error) {
	defer func() {
		// An exception of JavaScript is a panic here. Usually the tab has no memory left
		// to copy a message. This must not end golem.
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
			w, err := i.module.pool.acquire(ctx, i.module.digest)
			if err != nil {
				return wasmtool.Result{}, err
			}
			i.worker = w
		}
		c := &toolCall{worker: i.worker, host: host, files: newToolFiles(host.Files), limit: in.Limits.Time}
		i.worker.post(i.message(in, host, fresh))
		i.worker.module = i.module.digest
		done, err := c.answerUntil(ctx, "done")
		if err != nil {
			i.worker = nil
			return wasmtool.Result{}, err
		}
		i.worker.large, i.worker.dropped = done.Get("large").Truthy(), done.Get("dropped").Truthy()
		if done.Get("retry").Truthy() && !again {
			// The worker's earlier instances may still use memory: try a new worker once.
			i.worker.kill()
			i.worker = nil
			continue
		}
		return i.finish(ctx, c, in, done)
	}
}

// finish decides how the call ended. If it ended well, finish makes the worker write the
// files that the module changed and did not close.
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
		m, ferr := c.answerUntil(ctx, "flushed")
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

// Close ends the instance. Changes of files that it has not written yet are lost.
func (i *browserInstance) Close() error {
	if i.worker != nil {
		i.module.pool.give(i.worker)
		i.worker = nil
	}
	return nil
}

// someChance is how many random bytes come with a call, so that most modules need not ask
// for any: usually only the module's start needs some, to seed its maps.
const someChance = 256

// message returns the message that starts a call in the worker.
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
	if host.Chance != nil {
		out["clock"] = strconv.FormatInt(host.Chance.Now().UnixNano(), 10)
		some := make([]byte, someChance)
		if err := host.Chance.Random(some); err != nil {
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
		out["fill"], out["fillAt"] = jsbytes.Array(in.Fill.Data), float64(in.Fill.At)
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

// starts returns the exports that the worker runs before the first call (wasmtool.Starts).
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
