// Command wazero runs custom tools on wazero's interpreter, in a nested web worker. It is
// for browsers that cannot suspend a module (JavaScript Promise Integration), and for
// projects that ask for this engine. It uses the messages of web/tool, with three
// differences: it gets a module's bytes, it decides itself how a call ended, and it asks
// for each operation on files separately (cmd/wasm/toolview_js.go).
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

// worker is the state of this program. It has at most one instance, of the module that it
// compiled last.
type worker struct {
	link     link
	engine   wasmtool.Engine
	digest   string
	code     wasmtool.Compiled
	instance wasmtool.Instance
}

// receive takes a message. Calls never overlap: the sender waits for the end of each.
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
		w.instance.Close() // changes of files that it has not written are lost on purpose
		w.instance = nil
	}
}

// module compiles the module that came with a message, unless it is the current one.
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

// prepare compiles a module before its first call, so that the time is not counted as the
// call's.
func (w *worker) prepare(m js.Value) {
	w.drop()
	ready := map[string]any{"ready": true}
	if err := w.module(m); err != nil {
		ready["fault"] = errorFields(err)
	}
	js.Global().Call("postMessage", ready)
}

func errorFields(err error) map[string]any {
	f := fault.Of(err, fault.ToolTrap)
	return map[string]any{"code": string(f.Code), "message": f.Message, "hint": f.Hint}
}

// large is the size of this program's memory, in bytes, above which the worker is ended
// after the call: WebAssembly memory never shrinks.
const large = 256 << 20

// call runs one export and sends its result.
func (w *worker) call(m js.Value) {
	res, err := w.run(m)
	done := map[string]any{
		"done": true, "judged": true, "output": jsbytes.Array(res.Output), "stderr": jsbytes.Array(res.Stderr), "code": res.Exit, "fuel": number(res.Fuel),
		"large": js.Global().Call("golemMemory").Int() > large,
	}
	if err != nil {
		done["fault"] = errorFields(err)
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
