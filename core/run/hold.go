package run

import (
	"context"
	"encoding/json"
	"sync"

	"golem/core/tool"
)

// hold is one call's place in the schedule. A tool that calls back gives its
// place up for as long as it waits, or two tools would wait for each other.
type hold struct {
	sched     *schedule
	exclusive bool

	mu    sync.Mutex
	away  int // callbacks under way
	leave func()
}

// enter takes the place for the first time. Workers never call it: they hold
// nothing.
func (h *hold) enter(ctx context.Context) error {
	leave, err := h.sched.enter(ctx, h.exclusive)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.leave = leave
	return nil
}

// release gives the place up for good; it is safe to call without one.
func (h *hold) release() {
	h.mu.Lock()
	leave := h.leave
	h.leave = nil
	h.mu.Unlock()
	if leave != nil {
		leave()
	}
}

// yield gives the place up for one callback; the last of several callbacks
// to come back takes it again.
func (h *hold) yield() (back func(ctx context.Context) error) {
	h.mu.Lock()
	h.away++
	h.mu.Unlock()
	h.release()
	return func(ctx context.Context) error {
		h.mu.Lock()
		h.away--
		last := h.away == 0
		h.mu.Unlock()
		if !last {
			return nil
		}
		return h.enter(ctx)
	}
}

// host is what a tool calls back through, as the running worker (S3-15).
// Calls it makes are numbered below the tool's own call.
type host struct {
	frame *frame
	id    string
	hold  *hold

	mu   sync.Mutex
	next int
}

var _ tool.Host = (*host)(nil)

// Call runs a callable of the running worker through the same gate.
func (h *host) Call(ctx context.Context, name string, args json.RawMessage) (tool.Output, error) {
	h.mu.Lock()
	h.next++
	id := childID(h.id, h.next)
	h.mu.Unlock()
	back := h.hold.yield()
	out, f := h.frame.call(ctx, callRequest{id: id, parent: h.id, name: name, args: string(args), model: true})
	if err := back(ctx); err != nil {
		return tool.Output{}, err
	}
	if f != nil {
		return out, f
	}
	return out, nil
}
