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

// toolPool starts web workers for tools, and keeps a few idle ones.
type toolPool struct {
	address js.Value      // the blob URL of the script
	program js.Value      // WebAssembly.Module that the script starts, or undefined
	silent  time.Duration // toolSilent, but in tests

	mu     sync.Mutex
	idle   []*toolWorker
	rest   *time.Timer // ends those that are idle beyond idleWorkers
	closed bool

	alive atomic.Int32 // how many workers exist
}

const idleWorkers = 3

// toolRest is how long after the last give the idle workers beyond idleWorkers are ended. It
// is not at once, because ending workers while others start is expensive.
const toolRest = 10 * time.Second

// mostWorkers is how many workers the pool has at most. The memory of each is limited by its
// tool: tool.UsualMemory, up to tool.MostMemory. A call that needs one more worker fails. It
// does not wait, because it could wait for the very tool that called it.
const mostWorkers = 64

// newToolPool loads the script, and the program if there is one, and starts the first
// worker. Workers start from a blob URL, so that they inherit the page's content security
// policy.
func newToolPool(script, program string) (*toolPool, error) {
	if js.Global().Get("Worker").IsUndefined() {
		return nil, fault.New(fault.Platform, "this browser cannot start web workers for tools")
	}
	source, err := loadOwnFile("golemText", script)
	if err != nil {
		return nil, err
	}
	p := &toolPool{silent: toolSilent}
	p.rest = time.AfterFunc(toolRest, p.trim)
	if program != "" {
		if p.program, err = loadOwnFile("golemProgram", program); err != nil {
			return nil, err
		}
	}
	blob := js.Global().Get("Blob").New([]any{source}, map[string]any{"type": "text/javascript"})
	p.address = js.Global().Get("URL").Call("createObjectURL", blob)
	p.idle = append(p.idle, p.start())
	return p, nil
}

// loadOwnFile loads one of golem's own files with the function of web/worker.js that how names.
func loadOwnFile(how, name string) (js.Value, error) {
	v, err := jsbytes.Await(js.Global().Call(how, name))
	if err != nil {
		return v, fault.New(fault.Platform, "%s cannot be loaded: %s", name, wasmtool.Escape([]byte(err.Error()), 200)).
			Hinting("reload the page: after an update it needs the files of the new version; all files of one version must be side by side; without a network it is available only if it was loaded before")
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

// toolSilent is how long take waits for the first message of a new worker before it starts
// another one. The wait doubles with each worker.
const toolSilent = 4 * time.Second

// acquire returns a worker that has no instance and whose script runs, if possible one that had
// the module before. The caller must give it back or kill it. acquire may try several workers,
// because a busy browser may run the script of a new worker very late or never.
func (p *toolPool) acquire(ctx context.Context, digest string) (*toolWorker, error) {
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
			p.adoptLate(w)
		}
	}
	return nil, fault.New(fault.Platform, "this browser did not start a web worker for the tool").Hinting("reload the page")
}

// adoptLate puts a worker that has not sent a message yet into the pool when it sends one, for a
// later call. It does not end the worker, because another one starts at this moment (see
// toolRest).
func (p *toolPool) adoptLate(w *toolWorker) {
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
		w.kill() // an idle worker sends messages only if it broke
	}
	if p.alive.Load() >= mostWorkers {
		return nil, fault.New(fault.Platform, "%d tools are running in this tab, and no more can run at once", mostWorkers).
			Hinting("call it again when other calls have ended, or lower delegation.parallel")
	}
	return p.start(), nil
}

// give takes a worker back and drops its instance. A worker whose memory has grown large is
// ended, because its memory would be free only when somebody uses the worker again. A worker
// that runs modules on the browser's engine makes its next instance after the page has got
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
	module   string // the digest of the module that it was given last
	messages chan js.Value
	hear     js.Func
	broke    js.Func
	here     chan struct{} // closed when its script runs, or broke
	large    bool          // its last call used much memory
	dropped  bool          // it has already dropped the instance of its last call
	dead     bool
}

func (p *toolPool) start() *toolWorker {
	p.alive.Add(1)
	w := &toolWorker{
		pool:   p,
		worker: js.Global().Get("Worker").New(p.address, map[string]any{"name": "golem tool"}),
		// More messages than a call sends before it is answered: some lines of its log,
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

// post sends the worker a message. It first writes what was logged, because the message may
// have effects.
func (w *toolWorker) post(m map[string]any) {
	opfs.Flush()
	w.worker.Call("postMessage", m)
}

// kill ends the worker at once, with what runs in it. A second call does nothing.
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
