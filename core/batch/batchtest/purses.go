package batchtest

import (
	"errors"
	"sync"
	"testing"

	"golem/core/batch"
	"golem/core/fault"
	"golem/core/money"
	"golem/core/trace"
)

// Spending makes the purses of processes that spend from one budget.
type Spending interface {
	// Limit says how much they may spend together. It is called first, and again for another
	// limit.
	Limit(t *testing.T, limit batch.Amount)
	// Process returns the purse of one more process. kill ends the process as kill -9 does: some
	// time later what it has reserved counts as used.
	Process(t *testing.T) (p batch.Purse, kill func())
}

// Purses runs the suite that every batch.Purse passes. Each case gets a budget of its own.
func Purses(t *testing.T, spending func(t *testing.T) Spending) {
	t.Run("what is settled is given back", func(t *testing.T) { givenBack(t, spending(t)) })
	t.Run("a request waits for those of others", func(t *testing.T) { waits(t, spending(t)) })
	t.Run("many processes never use more", func(t *testing.T) { many(t, spending(t)) })
	t.Run("what a killed process reserved is used", func(t *testing.T) { killedPurse(t, spending(t)) })
	t.Run("a higher limit goes on", func(t *testing.T) { higher(t, spending(t)) })
}

// tokens is a usage of tokens that cost a dollar each.
func tokens(n int) trace.Usage {
	return trace.Usage{In: n - n/2, Out: n / 2, Cost: money.Dollar * money.USD(n)}
}

func limitOf(n int) batch.Amount { return batch.Amount{Cost: money.Dollar * money.USD(n)} }

// reserve reserves, which must be possible.
func reserve(t *testing.T, p batch.Purse, n int) func(trace.Usage) {
	t.Helper()
	settle, err := p.Reserve(t.Context(), tokens(n))
	if err != nil {
		t.Fatal(err)
	}
	return settle
}

// refused fails unless there is too little for a request.
func refused(t *testing.T, p batch.Purse, n int) {
	t.Helper()
	if _, err := p.Reserve(t.Context(), tokens(n)); !errors.Is(err, fault.Budget) {
		t.Errorf("%d more: %v", n, err)
	}
	if err := p.Check(tokens(n)); !errors.Is(err, fault.Budget) {
		t.Errorf("%d more are checked: %v", n, err)
	}
}

func givenBack(t *testing.T, s Spending) {
	s.Limit(t, batch.Amount{Tokens: 10})
	a, _ := s.Process(t)
	b, _ := s.Process(t)
	reserve(t, a, 6)(tokens(2))
	settle := reserve(t, b, 8)
	settle(tokens(8))
	refused(t, a, 1)
	refused(t, b, 1)
	if n, cost := a.Limit(); n != 10 || cost != 0 {
		t.Errorf("the limit is %d, %d", n, cost)
	}
}

func waits(t *testing.T, s Spending) {
	s.Limit(t, limitOf(10))
	a, _ := s.Process(t)
	b, _ := s.Process(t)
	for _, c := range []struct {
		used int
		want error
	}{{1, nil}, {6, fault.Budget}} {
		settle := reserve(t, a, 6)
		done := make(chan error)
		go func() {
			pay, err := b.Reserve(t.Context(), tokens(5))
			if err == nil {
				pay(tokens(0))
			}
			done <- err
		}()
		settle(tokens(c.used))
		if err := <-done; !errors.Is(err, c.want) {
			t.Errorf("after %d: %v", c.used, err)
		}
	}
}

func many(t *testing.T, s Spending) {
	const limit, most = 60, 3
	s.Limit(t, limitOf(limit))
	var mu sync.Mutex
	var all sync.WaitGroup
	used, ended := 0, 0
	for range 3 {
		p, _ := s.Process(t)
		for job := range 4 {
			all.Go(func() {
				for n := job; ; n++ {
					settle, err := p.Reserve(t.Context(), tokens(most))
					mu.Lock()
					if err != nil {
						if !errors.Is(err, fault.Budget) {
							t.Error(err)
						}
						ended++
						mu.Unlock()
						return
					}
					used += n % (most + 1)
					if used > limit {
						t.Errorf("%d are used of %d", used, limit)
					}
					mu.Unlock()
					settle(tokens(n % (most + 1)))
				}
			})
		}
	}
	all.Wait()
	if used <= limit-most || ended != 12 {
		t.Errorf("%d are used of %d; %d jobs ended", used, limit, ended)
	}
}

func killedPurse(t *testing.T, s Spending) {
	s.Limit(t, limitOf(10))
	a, kill := s.Process(t)
	b, _ := s.Process(t)
	settle := reserve(t, a, 6)
	kill()
	refused(t, b, 5) // it waits until a counts as dead
	reserve(t, b, 4)(tokens(1))
	settle(tokens(1)) // a comes back: it counts already
	refused(t, b, 4)
	reserve(t, b, 3)(tokens(3))
}

func higher(t *testing.T, s Spending) {
	s.Limit(t, limitOf(5))
	a, _ := s.Process(t)
	reserve(t, a, 4)(tokens(4))
	refused(t, a, 2)
	s.Limit(t, limitOf(10))
	b, _ := s.Process(t)
	reserve(t, b, 6)(tokens(5))
	refused(t, b, 2)
	s.Limit(t, batch.Amount{})
	c, _ := s.Process(t)
	reserve(t, c, 1000)(tokens(1000))
}
