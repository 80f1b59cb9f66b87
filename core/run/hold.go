package run

import (
	"context"
	"sync"
)

// hold is one call's place in the schedule. While a tool waits for a callback, it
// gives its place up, else two tools could wait for each other; and its timeout does
// not run, since what it calls has its own.
type hold struct {
	sched     *schedule
	exclusive bool
	deadline  *deadline // of the call; nil: none

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
	h.deadline.leave()
	h.release()
	return func(ctx context.Context) error {
		defer h.deadline.come()
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
