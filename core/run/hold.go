package run

import "context"

// hold is one call's place in the schedule. While a tool waits for a callback, it
// gives its place up, else two tools could wait for each other; and its timeout does
// not run, since what it calls has its own.
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

// enter takes the place for the first time. Workers never call it: they hold
// nothing.
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

// lives says in which context the call runs from now on.
func (h *hold) lives(ctx context.Context) {
	h.sched.mu.Lock()
	defer h.sched.mu.Unlock()
	h.ctx = ctx
}

// needless tells that the call has its place, or is to have none: while a callback is
// under way its tool may need the place that this one would have.
func (h *hold) needless() bool { return h.away > 0 || h.leave != nil || h.over }

// release gives the place up for good; it is safe to call without one.
func (h *hold) release() {
	h.give(func() { h.over = true })
}

// give gives the place up.
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

// yield gives the place up for one callback; the last of several callbacks
// to come back takes it again.
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
