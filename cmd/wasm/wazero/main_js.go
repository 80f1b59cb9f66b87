// Command wazero runs custom tools on wazero's interpreter, in a nested worker
// of the page: for browsers that cannot suspend a module (JavaScript Promise
// Integration), and for projects that want this engine. It speaks as web/tool
// does, but that it gets a module's bytes, judges a call itself, and asks for
// files one operation of the sandbox at a time (cmd/wasm/toolview_js.go).
package main

import (
	"context"
	"syscall/js"

	"golem/cmd/wasm/jsbytes"
	"golem/core/fault"
	"golem/core/wasmtool"
	"golem/core/wasmtool/wazeroengine"
)

func main() {
	engine, err := wazeroengine.New(context.Background(), wazeroengine.Options{Interpreter: true, Workers: 1})
	if err != nil {
		js.Global().Call("postMessage", map[string]any{"broke": true})
		return
	}
	w := &worker{engine: engine, link: link{waiting: map[int]chan js.Value{}}}
	js.Global().Call("golemListens", js.FuncOf(func(_ js.Value, args []js.Value) any {
		w.receive(args[0])
		return nil
	}))
	select {}
}

// worker has one instance at a time, of the module it compiled last.
type worker struct {
	link     link
	engine   wasmtool.Engine
	digest   string
	code     wasmtool.Compiled
	instance wasmtool.Instance
}

// receive takes a message. Calls never overlap: who posts them sees to it.
func (w *worker) receive(m js.Value) {
	switch {
	case m.Get("answer").Truthy():
		w.link.answered(m)
	case m.Get("prepare").Truthy():
		go w.prepare(m)
	case m.Get("call").Truthy():
		go w.call(m)
	case m.Get("drop").Truthy():
		w.drop()
	}
}

// drop frees the instance; the compiled module stays for the next call.
func (w *worker) drop() {
	if w.instance != nil {
		w.instance.Close() // what it left unwritten is lost on purpose
		w.instance = nil
	}
}

// module compiles what a call came with, unless it is there.
func (w *worker) module(m js.Value) error {
	digest := m.Get("digest").String()
	if w.code != nil && w.digest == digest {
		return nil
	}
	if w.code != nil {
		if err := w.code.Close(); err != nil {
			return err
		}
		w.code = nil
	}
	code, err := w.engine.Compile(context.Background(), jsbytes.Bytes(m.Get("module")), digest)
	if err != nil {
		return err
	}
	w.code, w.digest = code, digest
	return nil
}

// prepare compiles a module before its first call: that is not the call's time.
func (w *worker) prepare(m js.Value) {
	w.drop()
	ready := map[string]any{"ready": true}
	if err := w.module(m); err != nil {
		ready["fault"] = told(err)
	}
	js.Global().Call("postMessage", ready)
}

func told(err error) map[string]any {
	f := fault.Of(err, fault.ToolTrap)
	return map[string]any{"code": string(f.Code), "message": f.Message, "hint": f.Hint}
}

// large is a memory that is not kept for the next module: it never shrinks.
const large = 256 << 20

// call runs one export and posts what came of it.
func (w *worker) call(m js.Value) {
	res, err := w.run(m)
	done := map[string]any{
		"done": true, "judged": true, "output": jsbytes.Array(res.Output), "stderr": jsbytes.Array(res.Stderr), "code": res.Exit, "fuel": number(res.Fuel),
		"large": js.Global().Call("golemMemory").Int() > large,
	}
	if err != nil {
		done["fault"] = told(err)
	}
	js.Global().Call("postMessage", done)
}

func (w *worker) run(m js.Value) (wasmtool.Result, error) {
	if m.Get("fresh").Bool() {
		w.drop()
		if err := w.module(m); err != nil {
			return wasmtool.Result{}, err
		}
		w.instance = w.code.Keep()
	}
	js.Global().Call("postMessage", map[string]any{"begins": true})
	return w.instance.Call(context.Background(), invocation(m), w.link.host(m))
}
