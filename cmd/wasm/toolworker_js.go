package main

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"syscall/js"
	"time"

	"golem/cmd/wasm/jsbytes"
	"golem/core/fault"
	"golem/core/wasmtool"
	"golem/sandbox/opfs"
)

// toolPool starts workers for tools and keeps a few that have nothing to do.
type toolPool struct {
	address js.Value // of the script
	program js.Value // WebAssembly.Module that the script starts, or undefined
	silent  time.Duration

	mu     sync.Mutex
	idle   []*toolWorker
	rest   *time.Timer // ends those that are idle beyond idleWorkers
	closed bool

	alive atomic.Int32 // workers
}

const idleWorkers = 3

// toolRest is how long nobody must have given back a worker until those beyond
// idleWorkers are ended: to end workers and to start others at the same moment is dear.
const toolRest = 10 * time.Second

// mostWorkers is how many there are in the tab at most. How much memory each may have is
// the limit of its tool: tool.UsualMemory, up to
// tool.MostMemory.
// What needs more fails: one that waited could wait for the one that called it.
const mostWorkers = 64

// newToolPool loads the script, and the program if there is one, and starts the
// first worker. It starts from a blob: such a worker has the page's content
// security policy.
func newToolPool(script, program string) (*toolPool, error) {
	if js.Global().Get("Worker").IsUndefined() {
		return nil, fault.New(fault.Platform, "this browser cannot start web workers for tools")
	}
	source, err := beside("golemText", script)
	if err != nil {
		return nil, err
	}
	p := &toolPool{silent: toolSilent}
	p.rest = time.AfterFunc(toolRest, p.trim)
	if program != "" {
		if p.program, err = beside("golemProgram", program); err != nil {
			return nil, err
		}
	}
	blob := js.Global().Get("Blob").New([]any{source}, map[string]any{"type": "text/javascript"})
	p.address = js.Global().Get("URL").Call("createObjectURL", blob)
	p.idle = append(p.idle, p.start())
	return p, nil
}

// beside loads a file of golem's own: how names a function of web/worker.js.
func beside(how, name string) (js.Value, error) {
	v, err := jsbytes.Await(js.Global().Call(how, name))
	if err != nil {
		return v, fault.New(fault.Platform, "%s cannot be loaded: %s", name, wasmtool.Escape([]byte(err.Error()), 200)).
			Hinting("the file must be beside golem-worker.js; without a network it is available only if it was loaded before")
	}
	return v, nil
}

func (p *toolPool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.rest.Stop()
	p.end(0)
	js.Global().Get("URL").Call("revokeObjectURL", p.address)
}

// toolSilent is how long a new worker may say nothing before another one is
// started for the call: first this, then twice as long each time.
const toolSilent = 4 * time.Second

// take lends a worker that has no instance and whose script runs, if possible
// one that had the module before. It must be given back or killed. A busy browser may run
// the script of a new worker very late or never.
func (p *toolPool) take(ctx context.Context, digest string) (*toolWorker, error) {
	for wait := p.silent; wait <= toolStart; wait *= 2 {
		w, err := p.pick(digest)
		if err != nil {
			return nil, err
		}
		watch := time.NewTimer(wait)
		select {
		case <-w.here:
			watch.Stop()
			return w, nil
		case <-ctx.Done():
			watch.Stop()
			w.kill()
			return nil, endedBy(ctx)
		case <-watch.C:
			p.late(w)
		}
	}
	return nil, fault.New(fault.Platform, "this browser did not start a web worker for the tool").Hinting("reload the page")
}

// late keeps a worker that says nothing yet for a later call, if its script runs by
// then. It is not ended: another one is started at this moment (toolRest).
func (p *toolPool) late(w *toolWorker) {
	go func() {
		<-w.here
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.closed {
			w.kill()
			return
		}
		p.idle = append(p.idle, w)
		p.rest.Reset(toolRest)
	}()
}

func (p *toolPool) pick(digest string) (*toolWorker, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, fault.New(fault.Interrupted, "the tool engine is closed")
	}
	for len(p.idle) > 0 {
		n := len(p.idle)
		i := slices.IndexFunc(p.idle, func(w *toolWorker) bool { return w.module == digest })
		if i < 0 {
			i = n - 1
		}
		w := p.idle[i]
		p.idle = slices.Delete(p.idle, i, i+1)
		if len(w.messages) == 0 {
			return w, nil
		}
		w.kill() // nothing was asked of it: it broke
	}
	if p.alive.Load() >= mostWorkers {
		return nil, fault.New(fault.Platform, "%d tools are running in this tab, and no more can run at once", mostWorkers).
			Hinting("call it again when other calls have ended, or lower delegation.parallel")
	}
	return p.start(), nil
}

// give takes a worker back; its instance goes. One whose memory has grown large
// goes with it: it would be free only when somebody else uses the worker. A worker that
// runs modules on the browser's engine makes its next instance once the page has been told
// the result (golemRests in web/worker.js).
func (p *toolPool) give(w *toolWorker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || w.large {
		w.kill()
		return
	}
	if !w.dropped {
		w.post(map[string]any{"drop": true})
	}
	if p.program.IsUndefined() {
		js.Global().Call("golemRests", w.worker)
	}
	p.idle = append(p.idle, w)
	p.rest.Reset(toolRest)
}

func (p *toolPool) trim() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end(idleWorkers)
}

// end ends idle workers until n are left. The caller holds mu.
func (p *toolPool) end(n int) {
	for len(p.idle) > n {
		p.idle[0].kill()
		p.idle = p.idle[1:]
	}
}

// toolWorker is one nested worker.
type toolWorker struct {
	pool     *toolPool
	worker   js.Value
	module   string // digest of the one it was given last
	messages chan js.Value
	hear     js.Func
	broke    js.Func
	here     chan struct{} // closed once its script runs, or broke
	large    bool          // its last call held much memory
	dropped  bool          // it has left its last call's instance to the collector
	dead     bool
}

func (p *toolPool) start() *toolWorker {
	p.alive.Add(1)
	w := &toolWorker{
		pool:   p,
		worker: js.Global().Get("Worker").New(p.address, map[string]any{"name": "golem tool"}),
		// More than a call says without being answered: a few lines of its log,
		// a question, its end.
		messages: make(chan js.Value, 512),
		here:     make(chan struct{}),
	}
	here := sync.OnceFunc(func() { close(w.here) })
	w.hear = js.FuncOf(func(_ js.Value, args []js.Value) any {
		here()
		if m := args[0].Get("data"); m.Get("here").IsUndefined() {
			offer(w.messages, m)
		}
		return nil
	})
	w.broke = js.FuncOf(func(_ js.Value, args []js.Value) any {
		here()
		args[0].Call("preventDefault")
		offer(w.messages, js.ValueOf(map[string]any{"broke": true}))
		return nil
	})
	w.worker.Set("onmessage", w.hear)
	w.worker.Set("onerror", w.broke)
	if !p.program.IsUndefined() {
		w.post(map[string]any{"program": p.program})
	}
	return w
}

// post sends a message, which may have effects: what was logged before is written.
func (w *toolWorker) post(m map[string]any) {
	opfs.Flush()
	w.worker.Call("postMessage", m)
}

// kill ends the worker with whatever runs in it.
func (w *toolWorker) kill() {
	if w.dead {
		return
	}
	w.dead = true
	w.pool.alive.Add(-1)
	w.worker.Set("onmessage", js.Null())
	w.worker.Set("onerror", js.Null())
	w.worker.Call("terminate")
	w.hear.Release()
	w.broke.Release()
}
