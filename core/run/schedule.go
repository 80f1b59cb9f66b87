package run

import (
	"context"
	"sync"
)

// schedule decides which calls of a worker tree may run in parallel: a call that can
// change something runs alone, and while a person is asked nothing new starts (SPEC §5
// Parallel). The zero value is not ready; use newSchedule.
type schedule struct {
	mu      sync.Mutex
	changed chan struct{} // closed and replaced at every change
	readers int
	writer  bool
	alone   *slot // of the writer
	waiting int   // writers that wait: new readers wait for them
	asking  int
}

func newSchedule() *schedule { return &schedule{changed: make(chan struct{})} }

// wake makes every waiter check again. The caller holds mu.
func (s *schedule) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// await blocks until ready returns true or ctx ends. The caller holds mu, and holds it
// again on return.
func (s *schedule) await(ctx context.Context, ready func() bool) error {
	for !ready() {
		ch := s.changed
		s.mu.Unlock()
		select {
		case <-ch:
			s.mu.Lock()
		case <-ctx.Done():
			s.mu.Lock()
			return context.Cause(ctx)
		}
	}
	return context.Cause(ctx)
}

// open waits until no person is being asked.
func (s *schedule) open(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.await(ctx, func() bool { return s.asking == 0 })
}

// enter admits one execution, alone if exclusive. The caller must call leave.
func (s *schedule) enter(ctx context.Context, exclusive bool) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.admit(ctx, exclusive, func() bool { return false })
}

// admit is like enter, for a caller that holds mu. If needless returns true, it takes
// no admit, and leave is nil.
func (s *schedule) admit(ctx context.Context, exclusive bool, needless func() bool) (leave func(), err error) {
	if exclusive {
		s.waiting++
		err = s.await(ctx, func() bool { return needless() || s.asking == 0 && !s.writer && s.readers == 0 })
		s.waiting--
		if err != nil || needless() {
			s.wake() // readers may have been held back by this writer
			return nil, err
		}
		s.writer = true
		return sync.OnceFunc(func() { s.release(func() { s.writer = false }) }), nil
	}
	err = s.await(ctx, func() bool { return needless() || s.asking == 0 && !s.writer && s.waiting == 0 })
	if err != nil || needless() {
		return nil, err
	}
	s.readers++
	return sync.OnceFunc(func() { s.release(func() { s.readers-- }) }), nil
}

func (s *schedule) release(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	s.wake()
}

// life returns the context of the call that runs alone, so that its writes wait for
// another golem only until it ends; the background context if no call runs alone.
func (s *schedule) life() context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writer && s.alone != nil {
		return s.alone.ctx
	}
	return context.Background()
}

// ask lets nothing new start until done is called.
func (s *schedule) ask() (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking++
	return sync.OnceFunc(func() { s.release(func() { s.asking-- }) })
}
