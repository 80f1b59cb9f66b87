package run

import "context"

// hold is one call's place in the schedule. While a tool waits for a callback, it gives
// its place up, because otherwise two tools could wait for each other. Its timeout
// stands still then, because what it calls has a timeout of its own.
type hold struct {
	sched     *schedule
	exclusive bool
	deadline  *deadline // of the call; nil: none

	// The schedule's mu guards these.
	ctx   context.Context // in which the call runs
	away  int             // callbacks under way
	leave func()
	over  bool // the place was given up for good
}

// enter waits for the place and takes it. Calls of workers never call it: they have no
// place.
func (h *hold) enter(ctx context.Context) error {
	h.sched.mu.Lock()
	defer h.sched.mu.Unlock()
	leave, err := h.sched.place(ctx, h.exclusive, h.needless)
	if leave == nil {
		return err
	}
	if h.ctx == nil {
		h.ctx = ctx
	}
	if h.leave = leave; h.exclusive {
		h.sched.alone = h
	}
	return nil
}

// lives sets the context in which the call runs from now on.
func (h *hold) lives(ctx context.Context) {
	h.sched.mu.Lock()
	defer h.sched.mu.Unlock()
	h.ctx = ctx
}

// needless reports whether the call has its place, or must not have one now: while a
// callback is under way, the callback's tool may need the place.
func (h *hold) needless() bool { return h.away > 0 || h.leave != nil || h.over }

// release gives the place up for good. It may be called without a place.
func (h *hold) release() {
	h.give(func() { h.over = true })
}

// give gives the place up, after why has changed the hold's state under the schedule's mu.
func (h *hold) give(why func()) {
	h.sched.mu.Lock()
	why()
	leave := h.leave
	h.leave = nil
	h.sched.wake()
	h.sched.mu.Unlock()
	if leave != nil {
		leave()
	}
}

// yield gives the place up for one callback. The caller calls back after it; the last
// of several callbacks takes the place again.
func (h *hold) yield() (back func(ctx context.Context) error) {
	h.deadline.leave()
	h.give(func() { h.away++ })
	return func(ctx context.Context) error {
		defer h.deadline.come()
		h.sched.mu.Lock()
		h.away--
		h.sched.mu.Unlock()
		return h.enter(ctx)
	}
}
