package run

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/trace"
)

// toolHost lets a tool call other tools and workers as the running worker (S3-15). The
// ids of these calls lie below that of the tool's own call.
type toolHost struct {
	run    *workerRun
	id     string
	at     trace.Event // the place of the tool's call in the trace
	slot   *slot
	spec   tool.Spec       // of the tool
	caller *toolHost       // of the tool that called this one; nil: a model or a person did
	life   context.Context // of the call: no callback outlives it, whatever context the tool passes

	hardened bool        // the tool is a hardened module, which may call only what hardened.calls names
	warned   atomic.Bool // it was told that the module calls something else

	mu   sync.Mutex
	next int
	made int            // callbacks of this call and of all below it; the outermost host counts
	over bool           // the call has ended: no callback begins
	open sync.WaitGroup // callbacks under way
}

var _ tool.Host = (*toolHost)(nil)

// Call calls a tool or worker of the running worker, through the same gate.
func (h *toolHost) Call(ctx context.Context, name string, args json.RawMessage) (tool.Output, error) {
	if err := h.mayCallBack(name); err != nil {
		return tool.Output{}, err
	}
	id, err := h.begin()
	if err != nil {
		return tool.Output{}, err
	}
	defer h.open.Done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(h.life, func() { cancel(context.Cause(h.life)) })()
	back := h.slot.yield()
	out, f := h.run.call(ctx, callRequest{id: id, parent: h.id, name: name, args: tool.ReadArguments(args), model: true, caller: h})
	if err := back(ctx); err != nil {
		return tool.Output{}, err
	}
	if f != nil {
		return out, f
	}
	return out, nil
}

// Taint marks the run as having read untrusted content.
func (h *toolHost) Taint() { h.run.tree.taint.mark(h.at, h.spec.Name) }

// begin counts a callback and returns its id. It fails after the tool's own call has
// ended: the tool may have left a goroutine running.
func (h *toolHost) begin() (id string, err error) {
	if err := h.outermost().count(); err != nil {
		return "", err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return "", fault.New(fault.Interrupted, "the call of %s has ended", h.spec.Name)
	}
	h.next++
	h.open.Add(1)
	return childID(h.id, h.next), nil
}

// end lets no callback begin any more, and waits for those under way.
func (h *toolHost) end() {
	h.mu.Lock()
	h.over = true
	h.mu.Unlock()
	h.open.Wait()
}

// maxCallbacks is how many calls one call of a tool may cause through tools. The time
// limit does not bound them, because the tool's clock stands still during a callback.
const maxCallbacks = 10_000

// outermost returns the host of the call that a model or a person made.
func (h *toolHost) outermost() *toolHost {
	for h.caller != nil {
		h = h.caller
	}
	return h
}

// count counts one callback. Beyond the limit no callback starts or is traced.
func (h *toolHost) count() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.made >= maxCallbacks {
		return fault.New(fault.Budget, "%s has called tools and workers %d times", h.spec.Name, maxCallbacks).
			Hinting("do less in one call")
	}
	h.made++
	return nil
}

// maxNested is how many tools of one worker run may call each other in a row.
// Workers have delegation.max_depth.
const maxNested = 16

// nests returns an error if a tool may not be called inside the calls under way:
// E_DEPTH if they are too many, E_CYCLE for a tool of a stateful module that is
// running.
func (h *toolHost) nests(spec tool.Spec) error {
	depth := 0
	for n := h; n != nil; n = n.caller {
		if depth++; depth >= maxNested {
			return fault.New(fault.Depth, "%s is the %dth call of a tool inside another tool", spec.Name, maxNested+1).
				Hinting("use fewer levels of tools that call tools")
		}
		if spec.Stateful && n.spec.Module == spec.Module {
			return fault.New(fault.Cycle, "%s belongs to the stateful module %s, which is still running", spec.Name, spec.Module).
				Hinting("call it after the first call has ended")
		}
	}
	return nil
}
