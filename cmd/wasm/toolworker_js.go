package main

import (
	"errors"
	"sync"
	"syscall/js"

	"golem/core/fault"
	"golem/core/wasmtool"
)

// toolPool starts workers for tools and keeps a few that have nothing to do.
// How many work at once is bounded by the runs that call them.
type toolPool struct {
	address js.Value // of the script

	mu     sync.Mutex
	idle   []*toolWorker
	closed bool
}

const idleWorkers = 3

// newToolPool loads the script, whose address the page told golem-worker.js,
// and starts the first worker. It starts from a blob: such a worker has the
// page's content security policy.
func newToolPool() (*toolPool, error) {
	at := js.Global().Get("golemTools")
	if at.Type() != js.TypeString || js.Global().Get("Worker").IsUndefined() {
		return nil, fault.New(fault.Platform, "this browser lends golem no workers for tools")
	}
	source, err := text(at)
	if err != nil {
		return nil, fault.New(fault.Platform, "golem-tool.js cannot be loaded: %s", wasmtool.Escape([]byte(err.Error()), 200)).
			Hinting("it belongs beside golem-worker.js")
	}
	blob := js.Global().Get("Blob").New([]any{source}, map[string]any{"type": "text/javascript"})
	p := &toolPool{address: js.Global().Get("URL").Call("createObjectURL", blob)}
	p.idle = append(p.idle, p.start())
	return p, nil
}

// text is what lies at an address.
func text(at js.Value) (js.Value, error) {
	res, err := await(js.Global().Call("fetch", at))
	if err != nil {
		return js.Undefined(), err
	}
	if !res.Get("ok").Bool() {
		return js.Undefined(), errors.New("HTTP status " + res.Get("status").String())
	}
	return await(res.Call("text"))
}

func (p *toolPool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, w := range p.idle {
		w.kill()
	}
	p.idle = nil
	js.Global().Get("URL").Call("revokeObjectURL", p.address)
}

// take lends a worker that has no instance. It must be given back or killed.
func (p *toolPool) take() (*toolWorker, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, fault.New(fault.Interrupted, "the tool engine is closed")
	}
	if n := len(p.idle); n > 0 {
		w := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return w, nil
	}
	return p.start(), nil
}

// give takes a worker back; its instance goes.
func (p *toolPool) give(w *toolWorker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.idle) >= idleWorkers {
		w.kill()
		return
	}
	w.post(map[string]any{"drop": true})
	p.idle = append(p.idle, w)
}

// toolWorker is one nested worker.
type toolWorker struct {
	worker   js.Value
	messages chan js.Value
	hear     js.Func
	broke    js.Func
	dead     bool
}

func (p *toolPool) start() *toolWorker {
	w := &toolWorker{
		worker: js.Global().Get("Worker").New(p.address, map[string]any{"name": "golem tool"}),
		// More than a call says without being answered: a few lines of its log,
		// a question, its end.
		messages: make(chan js.Value, 512),
	}
	w.hear = js.FuncOf(func(_ js.Value, args []js.Value) any {
		offer(w.messages, args[0].Get("data"))
		return nil
	})
	w.broke = js.FuncOf(func(_ js.Value, args []js.Value) any {
		args[0].Call("preventDefault")
		offer(w.messages, js.ValueOf(map[string]any{"broke": true}))
		return nil
	})
	w.worker.Set("onmessage", w.hear)
	w.worker.Set("onerror", w.broke)
	return w
}

func (w *toolWorker) post(m map[string]any) { w.worker.Call("postMessage", m) }

// kill ends the worker with whatever runs in it.
func (w *toolWorker) kill() {
	if w.dead {
		return
	}
	w.dead = true
	w.worker.Set("onmessage", js.Null())
	w.worker.Set("onerror", js.Null())
	w.worker.Call("terminate")
	w.hear.Release()
	w.broke.Release()
}

// arrayOf copies data into a Uint8Array.
func arrayOf(data []byte) js.Value {
	v := js.Global().Get("Uint8Array").New(len(data))
	js.CopyBytesToJS(v, data)
	return v
}

// bytesOf copies a Uint8Array; nil for anything else.
func bytesOf(v js.Value) []byte {
	if !v.InstanceOf(js.Global().Get("Uint8Array")) {
		return nil
	}
	data := make([]byte, v.Length())
	js.CopyBytesToGo(data, v)
	return data
}
