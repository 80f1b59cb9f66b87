package run

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A call that can change something runs alone in the whole tree.
func TestScheduleWriterRunsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSchedule()
		var readers, writers, most atomic.Int32
		var wg sync.WaitGroup
		for i := range 40 {
			exclusive := i%4 == 0
			wg.Go(func() {
				leave, err := s.enter(t.Context(), exclusive)
				if err != nil {
					t.Error(err)
					return
				}
				defer leave()
				if exclusive {
					if writers.Add(1) != 1 || readers.Load() != 0 {
						t.Error("a writer was not alone")
					}
					time.Sleep(time.Second)
					writers.Add(-1)
					return
				}
				n := readers.Add(1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				if writers.Load() != 0 {
					t.Error("a reader ran beside a writer")
				}
				time.Sleep(time.Second)
				readers.Add(-1)
			})
		}
		wg.Wait()
		if most.Load() < 2 {
			t.Error("readers never ran beside each other")
		}
	})
}

// While a person is asked nothing new starts, and a cancelled wait ends.
func TestScheduleDoor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSchedule()
		done := s.ask()
		ctx, cancel := context.WithCancel(t.Context())
		var started atomic.Bool
		var err error
		go func() {
			if s.open(t.Context()) == nil {
				started.Store(true)
			}
		}()
		go func() { _, err = s.enter(ctx, true) }()
		time.Sleep(time.Hour)
		synctest.Wait()
		if started.Load() {
			t.Fatal("a call started while a person was asked")
		}
		cancel()
		synctest.Wait()
		if err == nil {
			t.Fatal("a cancelled wait went on")
		}
		done()
		synctest.Wait()
		if !started.Load() {
			t.Fatal("the door stayed shut")
		}
		leave, err := s.enter(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		leave()
	})
}

// Two callbacks of one tool run at the same time. The one that waits for the tool's
// place does not take a place that the other, which began meanwhile, needs or takes
// itself. After the tool has ended, no place is taken.
func TestHoldYieldsTwice(t *testing.T) {
	for name, calls := range map[string]bool{"the second calls": true, "the second waits too": false} {
		synctest.Test(t, func(t *testing.T) {
			s := newSchedule()
			h := &slot{sched: s, exclusive: true}
			if err := h.enter(t.Context()); err != nil {
				t.Fatal(err)
			}
			back := h.yield()
			leave, err := s.enter(t.Context(), true)
			if err != nil {
				t.Fatal(err)
			}
			var both sync.WaitGroup
			comes := func(back func(context.Context) error) {
				if err := back(t.Context()); err != nil {
					t.Error(err)
				}
			}
			both.Go(func() { comes(back) })
			synctest.Wait()
			back2 := h.yield()
			if !calls {
				both.Go(func() { comes(back2) })
				synctest.Wait()
			}
			leave()
			if calls {
				synctest.Wait()
				if leave, err = s.enter(t.Context(), true); err != nil {
					t.Fatal(err)
				}
				leave()
				comes(back2)
			}
			both.Wait()
			if !s.writer || h.away != 0 {
				t.Errorf("%s: writer %v, %d away", name, s.writer, h.away)
			}
			back = h.yield()
			h.release()
			if comes(back); s.writer {
				t.Errorf("%s: a tool that has ended took its place", name)
			}
		})
	}
}

// A tool that makes a callback does not wait for itself.
func TestHoldYields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSchedule()
		h := &slot{sched: s, exclusive: true}
		if err := h.enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		back1, back2 := h.yield(), h.yield()
		leave, err := s.enter(t.Context(), true)
		if err != nil {
			t.Fatal(err)
		}
		leave()
		if err := back1(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := back2(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !s.writer {
			t.Fatal("the place was not taken again")
		}
		h.release()
		if s.writer {
			t.Fatal("the place was not given up")
		}
	})
}

// A tool's writes wait for other golems as long as the tool may run, also after a
// callback.
func TestLifeOfTheWriter(t *testing.T) {
	s := newSchedule()
	type key struct{}
	whose := func() any { return s.life().Value(key{}) }
	outer, inner := &slot{sched: s, exclusive: true}, &slot{sched: s, exclusive: true}
	enter := func(h *slot, name string) {
		if err := h.enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.lives(context.WithValue(t.Context(), key{}, name))
		if whose() != name {
			t.Errorf("%v instead of %s", whose(), name)
		}
	}
	enter(outer, "outer")
	back := outer.yield()
	enter(inner, "inner")
	inner.release()
	if err := back(t.Context()); err != nil || whose() != "outer" {
		t.Errorf("%v, %v", whose(), err)
	}
	outer.release()
	if whose() != nil {
		t.Error("the call has ended")
	}
}
