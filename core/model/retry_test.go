package model

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golem/core/fault"
)

// steps is a model that makes one step for each request; the last step repeats.
type steps struct {
	taken int
	next  []func(ctx context.Context, show func(Delta)) (Turn, error)
}

func (s *steps) Name() string { return "test:steps" }

func (s *steps) Generate(ctx context.Context, _ Request, show func(Delta)) (Turn, error) {
	s.taken++
	return s.next[min(s.taken, len(s.next))-1](ctx, show)
}

func failing(status int, after time.Duration) func(context.Context, func(Delta)) (Turn, error) {
	return func(context.Context, func(Delta)) (Turn, error) {
		return Turn{}, (&failure{status: status, retry: status == 0 || retriable(status), retryAfter: after, message: "no"}).fault(fault.Model, remedy{hint: "hint"})
	}
}

func answering(s string) func(context.Context, func(Delta)) (Turn, error) {
	return func(_ context.Context, show func(Delta)) (Turn, error) {
		show(Delta{Text: s})
		return Turn{Text: s, Finish: "stop", Attempts: 1}, nil
	}
}

func cutting(s string) func(context.Context, func(Delta)) (Turn, error) {
	return func(_ context.Context, show func(Delta)) (Turn, error) {
		show(Delta{Text: s})
		return Turn{}, broken("cut", nil)
	}
}

// Scenario 36: 429 with Retry-After 1, 500, 200: three attempts, the first
// wait at least a second, both waits reported before they begin.
func TestRetriesThenSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &steps{next: []func(context.Context, func(Delta)) (Turn, error){failing(429, time.Second), failing(500, 0), answering("ok")}}
		start := time.Now()
		var heard []Retry
		var at []time.Duration
		turn, err := WithRetry(m, RetryPolicy{}, func(r Retry) {
			heard = append(heard, r)
			at = append(at, time.Since(start))
		}).Generate(context.Background(), Request{Worker: "main", ID: "0", Turn: 4}, nil)
		if err != nil || turn.Text != "ok" || turn.Attempts != 3 {
			t.Fatal(turn, err)
		}
		if len(heard) != 2 || heard[0] != (Retry{Worker: "main", ID: "0", Turn: 4, Attempt: 1, Code: fault.Model, Message: "no", Wait: time.Second}) {
			t.Fatalf("%+v", heard)
		}
		if w := heard[1].Wait; w < 250*time.Millisecond || w > 1500*time.Millisecond {
			t.Errorf("second wait %v", w)
		}
		if heard[1].Message != "the same again" {
			t.Errorf("the same text twice: %q", heard[1].Message)
		}
		if at[0] != 0 || at[1] != time.Second {
			t.Errorf("told at %v", at)
		}
		if took := time.Since(start); took != heard[0].Wait+heard[1].Wait {
			t.Errorf("took %v", took)
		}
	})
}

func TestStatusesThatAreRetried(t *testing.T) {
	for status, want := range map[int]int{0: 3, 400: 1, 401: 1, 402: 1, 403: 1, 404: 1, 408: 3, 409: 3, 413: 1, 422: 1, 429: 3, 500: 3, 502: 3, 503: 3, 529: 3} {
		synctest.Test(t, func(t *testing.T) {
			m := &steps{next: []func(context.Context, func(Delta)) (Turn, error){failing(status, 0)}}
			_, err := WithRetry(m, RetryPolicy{}, nil).Generate(context.Background(), Request{}, nil)
			var f *fault.Fault
			if !errors.As(err, &f) || f.Code != fault.Model || f.Hint != "hint" || failureOf(err) == nil {
				t.Errorf("%d: %v", status, err)
			}
			if m.taken != want || (want > 1) != strings.HasSuffix(f.Message, "after 3 attempts") {
				t.Errorf("%d: %d attempts, %v", status, m.taken, err)
			}
		})
	}
}

func TestWaitsGrowAndAreCapped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &steps{next: []func(context.Context, func(Delta)) (Turn, error){failing(503, 0)}}
		var waits []time.Duration
		_, err := WithRetry(m, RetryPolicy{Attempts: 12, First: time.Second, Longest: 20 * time.Second}, func(r Retry) { waits = append(waits, r.Wait) }).
			Generate(context.Background(), Request{}, nil)
		if err == nil || len(waits) != 11 {
			t.Fatal(err, waits)
		}
		middle := time.Second
		for i, w := range waits {
			if w < middle/2 || w > min(20*time.Second, middle*3/2) {
				t.Errorf("wait %d is %v", i, w)
			}
			middle = min(2*middle, 20*time.Second)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		m := &steps{next: []func(context.Context, func(Delta)) (Turn, error){failing(429, time.Minute), answering("ok")}}
		start := time.Now()
		if _, err := WithRetry(m, RetryPolicy{}, nil).Generate(context.Background(), Request{}, nil); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != time.Minute {
			t.Errorf("took %v", took)
		}
	})
}

// A request whose stream was cut is repeated, and a Delta with Reset makes the text
// that was shown void.
func TestCutStreamIsReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &steps{next: []func(context.Context, func(Delta)) (Turn, error){cutting("Hel"), failing(500, 0), answering("Hello")}}
		var shown []Delta
		turn, err := WithRetry(m, RetryPolicy{}, nil).Generate(context.Background(), Request{}, func(d Delta) { shown = append(shown, d) })
		if err != nil || turn.Attempts != 3 {
			t.Fatal(err)
		}
		if len(shown) != 3 || shown[0].Text != "Hel" || !shown[1].Reset || shown[2].Text != "Hello" {
			t.Fatalf("%+v", shown)
		}
	})
}

// Scenario 36: the end of the context ends a wait, and no attempt follows.
func TestContextEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &steps{next: []func(context.Context, func(Delta)) (Turn, error){failing(429, 50*time.Second), answering("ok")}}
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		start := time.Now()
		_, err := WithRetry(m, RetryPolicy{}, nil).Generate(ctx, Request{}, nil)
		if !errors.Is(err, fault.Timeout) || m.taken != 1 || time.Since(start) != 3*time.Second {
			t.Fatal(err, m.taken, time.Since(start))
		}
		if !strings.Contains(err.Error(), "waiting to be repeated: no (hint)") {
			t.Error("the reason of the wait is not told:", err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		m := &steps{next: []func(context.Context, func(Delta)) (Turn, error){failing(429, 50*time.Second)}}
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		_, err := WithRetry(m, RetryPolicy{}, nil).Generate(ctx, Request{}, nil)
		if !errors.Is(err, fault.Interrupted) || time.Since(start) != time.Second {
			t.Fatal(err, time.Since(start))
		}
		if _, err = WithRetry(m, RetryPolicy{}, nil).Generate(ctx, Request{}, nil); !errors.Is(err, fault.Interrupted) || m.taken != 1 {
			t.Fatal("asked after the end", err, m.taken)
		}
	})
}

// An error of another kind is never retried.
func TestOtherFaultsPass(t *testing.T) {
	want := fault.New(fault.Attachment, "no pictures")
	m := &steps{next: []func(context.Context, func(Delta)) (Turn, error){func(context.Context, func(Delta)) (Turn, error) { return Turn{}, want }}}
	if _, err := WithRetry(m, RetryPolicy{}, nil).Generate(context.Background(), Request{}, nil); err != error(want) || m.taken != 1 {
		t.Fatal(err)
	}
}

// A patient model waits as long as a provider says that there are too many requests; other
// failures count as ever.
func TestPatientRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var next []func(context.Context, func(Delta)) (Turn, error)
		for range 20 {
			next = append(next, failing(429, time.Second))
		}
		next = append(next, failing(429, time.Hour), failing(500, 0), answering("ok"))
		start := time.Now()
		turn, err := WithRetry(&steps{next: next}, RetryPolicy{Attempts: 2, Patient: true}, nil).Generate(context.Background(), Request{}, nil)
		if err != nil || turn.Attempts != 23 {
			t.Fatal(turn, err)
		}
		if took := time.Since(start); took < 80*time.Second || took > 82*time.Second {
			t.Errorf("took %v", took)
		}
		m := &steps{next: []func(context.Context, func(Delta)) (Turn, error){failing(500, 0)}}
		if _, err = WithRetry(m, RetryPolicy{Attempts: 2, Patient: true}, nil).Generate(context.Background(), Request{}, nil); err == nil || m.taken != 2 {
			t.Error(err, m.taken)
		}
	})
}
