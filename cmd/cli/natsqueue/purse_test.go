package natsqueue_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"golem/core/batch"
	"golem/core/batch/batchtest"
	"golem/core/fault"
	"golem/core/trace"
)

// spending has one batch whose processes spend.
type spending struct {
	r         *remote
	processes int
}

// Limit implements batchtest.Spending.
func (s *spending) Limit(t *testing.T, limit batch.Amount) {
	if s.r.producer == nil {
		s.r.begin(t)
	}
	err := s.r.producer.Limit(t.Context(), limit, batch.Amount{}, func([]batch.Line) batch.Amount { return batch.Amount{} })
	if err != nil {
		t.Fatal(err)
	}
}

// Process implements batchtest.Spending. A killed process has no connection.
func (s *spending) Process(t *testing.T) (batch.Purse, func()) {
	s.processes++
	if err := s.r.producer.Add(t.Context(), item(s.processes, fmt.Sprint("item", s.processes))); err != nil {
		t.Fatal(err)
	}
	q := s.r.another(t)
	conn := s.r.conn
	return leased(t, q).Purse, conn.Close
}

func newSpending(t *testing.T) batchtest.Spending {
	r := newRemote(t)
	r.options.Lease = 500 * time.Millisecond
	return &spending{r: r}
}

func TestPurses(t *testing.T) { batchtest.Purses(t, newSpending) }

// The producer learns that there is too little, and nothing of it once it gave a higher limit.
func TestProducerLearnsOfTheLimit(t *testing.T) {
	r := newRemote(t)
	s := &spending{r: r}
	s.Limit(t, batch.Amount{Tokens: 10})
	p, _ := s.Process(t)
	settle, err := p.Reserve(t.Context(), trace.Usage{In: 8})
	if err != nil {
		t.Fatal(err)
	}
	settle(trace.Usage{In: 8})
	if err := r.producer.Spent(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := p.Reserve(t.Context(), trace.Usage{In: 3}); !errors.Is(err, fault.Budget) {
		t.Error(err)
	}
	if err := r.producer.Spent(t.Context()); !errors.Is(err, fault.Budget) {
		t.Error(err)
	}
	s.Limit(t, batch.Amount{Tokens: 20})
	if err := r.producer.Spent(t.Context()); err != nil {
		t.Error(err)
	}
}

// pacing has one batch whose processes share a pace.
type pacing struct{ r *remote }

// Process implements batchtest.Pacing.
func (p pacing) Process(t *testing.T) batchtest.Pace {
	pace, err := p.r.another(t).Pace(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return pace
}

func TestPaces(t *testing.T) {
	batchtest.Paces(t, func(t *testing.T) batchtest.Pacing {
		r := newRemote(t)
		r.begin(t)
		return pacing{r}
	})
}
