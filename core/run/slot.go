package run

import "context"

// slot is one call's place in the schedule. While a tool waits for a callback, it gives
// its place up, because otherwise two tools could wait for each other. Its timeout
// stands still then, because what it calls has a timeout of its own.
type slot struct {
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
func (s *slot) enter(ctx context.Context) error {
	s.sched.mu.Lock()
	defer s.sched.mu.Unlock()
	leave, err := s.sched.admit(ctx, s.exclusive, s.needless)
	if leave == nil {
		return err
	}
	if s.ctx == nil {
		s.ctx = ctx
	}
	if s.leave = leave; s.exclusive {
		s.sched.alone = s
	}
	return nil
}

// lives sets the context in which the call runs from now on.
func (s *slot) lives(ctx context.Context) {
	s.sched.mu.Lock()
	defer s.sched.mu.Unlock()
	s.ctx = ctx
}

// needless reports whether the call has its place, or must not have one now: while a
// callback is under way, the callback's tool may need the place.
func (s *slot) needless() bool { return s.away > 0 || s.leave != nil || s.over }

// release gives the place up for good. It may be called without a place.
func (s *slot) release() {
	s.give(func() { s.over = true })
}

// give gives the place up, after why has changed the slot's state under the schedule's mu.
func (s *slot) give(why func()) {
	s.sched.mu.Lock()
	why()
	leave := s.leave
	s.leave = nil
	s.sched.wake()
	s.sched.mu.Unlock()
	if leave != nil {
		leave()
	}
}

// yield gives the place up for one callback. The caller calls back after it; the last
// of several callbacks takes the place again.
func (s *slot) yield() (back func(ctx context.Context) error) {
	s.deadline.leave()
	s.give(func() { s.away++ })
	return func(ctx context.Context) error {
		defer s.deadline.come()
		s.sched.mu.Lock()
		s.away--
		s.sched.mu.Unlock()
		return s.enter(ctx)
	}
}
