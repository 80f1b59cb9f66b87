package model

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golem/core/fault"
)

// crowded is a provider that accepts a number of requests a minute and refuses the
// rest.
type crowded struct {
	mu       sync.Mutex
	most     int
	began    time.Time
	taken    int
	requests int
	refused  int
	header   http.Header // of accepted requests
}

func (c *crowded) Do(r *http.Request) (*http.Response, error) {
	time.Sleep(100 * time.Millisecond)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	if time.Since(c.began) >= 10*time.Second {
		c.began, c.taken = time.Now(), 0
	}
	if c.taken == c.most {
		c.refused++
		left := (10*time.Second - time.Since(c.began)).Seconds()
		return &http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {strconv.FormatFloat(left, 'f', 1, 64)}}, Body: io.NopCloser(strings.NewReader("{}")), Request: r}, nil
	}
	c.taken++
	return &http.Response{StatusCode: 200, Header: c.header.Clone(), Body: io.NopCloser(strings.NewReader(eventsOf(text("Hello")) + ok("stop"))), Request: r}, nil
}

// Parallel workers share what one of them learns: after the first refusal, one request
// at a time checks whether the provider accepts requests again, and no request is
// refused that could have waited.
func TestParallelRequestsShareTheirPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &crowded{most: 4, began: time.Now(), header: http.Header{"Content-Type": {"text/event-stream"}}}
		pace := &Pace{}
		var wg sync.WaitGroup
		ask := func() {
			m := open(t, "openai:m", Config{HTTP: c, Env: env(key), Pace: pace})
			if _, err := WithRetry(m, RetryPolicy{}, nil).Generate(context.Background(), request(), nil); err != nil {
				t.Error(err)
			}
		}
		for range 4 {
			wg.Go(ask)
		}
		wg.Wait()
		wg.Go(ask) // it is refused before the others begin
		time.Sleep(time.Second)
		for range 3 {
			wg.Go(ask)
		}
		wg.Wait()
		if c.refused != 1 || c.requests != 9 {
			t.Errorf("%d requests, %d refused", c.requests, c.refused)
		}
	})
}

// All requests also wait as long as only the body of a refusal says (Google's RetryInfo).
func TestWaitOfABodyIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pace := &Pace{}
		refusal := `[{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"20s"}]}}]`
		ask := func(b behaviour) error {
			m, err := Open("google:m", Config{HTTP: &player{behaviour: b}, Env: env(corpusEnv()), Pace: pace})
			if err == nil {
				_, err = m.Generate(context.Background(), request(), nil)
			}
			return err
		}
		begun := time.Now()
		if err := ask(behaviour{status: 429, body: []string{refusal}}); failureOf(err) == nil || failureOf(err).retryAfter != 20*time.Second {
			t.Fatal(err)
		}
		if err := ask(behaviour{body: []string{eventsOf(text("Hello")), ok("stop")}}); err != nil || time.Since(begun) != 20*time.Second {
			t.Error(err, time.Since(begun))
		}
	})
}

// If headers say that nothing is left of a limit, no request goes out before the limit
// is renewed.
func TestHeadersThatSayThatNothingIsLeft(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		remaining, reset, left, when string
		want                         time.Duration
	}{
		{"x-ratelimit-remaining-requests", "x-ratelimit-reset-requests", "0", "6m0.5s", 6*time.Minute + 500*time.Millisecond},
		{"x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens", "0", "20ms", 20 * time.Millisecond},
		{"anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset", "0", "2026-11-21T10:00:30Z", 30 * time.Second},
		{"ratelimit-remaining", "ratelimit-reset", "0", "17", 17 * time.Second},
		{"x-ratelimit-remaining", "x-ratelimit-reset", "0", "1795255205", 0},
		{"x-ratelimit-remaining-requests", "x-ratelimit-reset-requests", "1", "1h", 0},
		{"x-ratelimit-remaining-requests", "x-ratelimit-reset-requests", "0", "soon", 0},
		{"ratelimit-remaining", "ratelimit-reset", "0", "-1", 0}, {"ratelimit-remaining", "ratelimit-reset", "0", "1e300", 0},
	} {
		h := http.Header{}
		h.Set(c.remaining, c.left)
		h.Set(c.reset, c.when)
		wait, slow := exhausted(h, now)
		if c.when == "1795255205" {
			c.want = time.Unix(1795255205, 0).Sub(now)
		}
		if wait != max(0, c.want) || slow != (c.want > 0) {
			t.Errorf("%s %s: %v %v, want %v", c.reset, c.when, wait, slow, c.want)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		c := &crowded{most: 100, began: time.Now(), header: http.Header{"Content-Type": {"text/event-stream"}, "X-Ratelimit-Remaining-Requests": {"0"}, "X-Ratelimit-Reset-Requests": {"5s"}}}
		m := open(t, "openai:m", Config{HTTP: c, Env: env(key), Pace: &Pace{}})
		start := time.Now()
		for range 2 {
			if _, err := m.Generate(context.Background(), request(), nil); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took != 5200*time.Millisecond {
			t.Errorf("took %v", took)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, err := m.Generate(ctx, request(), nil); !errors.Is(err, fault.Timeout) || time.Since(start) != 6200*time.Millisecond {
			t.Error(err, time.Since(start))
		}
	})
}

// SPEC §10: a list of models falls back in order, reports it, and stays with the new model.
func TestFallback(t *testing.T) {
	first := &steps{next: []func(context.Context, func(Delta)) (Turn, error){failing(529, 0)}}
	second := &steps{next: []func(context.Context, func(Delta)) (Turn, error){answering("two")}}
	var told []string
	m := WithFallback([]Model{first, second}, func(from, to Model, why *fault.Fault) {
		told = append(told, from.Name()+" "+to.Name()+" "+why.Message)
	})
	for range 2 {
		turn, err := m.Generate(context.Background(), request(), func(Delta) {})
		if err != nil || turn.Text != "two" {
			t.Fatal(turn, err)
		}
	}
	if first.taken != 1 || second.taken != 2 || len(told) != 1 || told[0] != "test:steps test:steps no" {
		t.Errorf("asked %d and %d times, told %q", first.taken, second.taken, told)
	}
	for name, c := range map[string]struct {
		fails func(context.Context, func(Delta)) (Turn, error)
		falls bool
	}{
		"gone": {failing(404, 0), true}, "slow down": {failing(429, 0), true}, "no connection": {failing(0, 0), true},
		"a bad request": {failing(400, 0), false}, "no key": {failing(401, 0), false}, "no quota": {failing(402, 0), false},
		"after it began to answer": {cutting("Hel"), false},
		"another fault": {func(context.Context, func(Delta)) (Turn, error) {
			return Turn{}, fault.New(fault.Attachment, "no pictures")
		}, false},
	} {
		second.taken = 0
		m := WithFallback([]Model{&steps{next: []func(context.Context, func(Delta)) (Turn, error){c.fails}}, second}, func(Model, Model, *fault.Fault) {})
		_, err := m.Generate(context.Background(), request(), func(Delta) {})
		if (err == nil) != c.falls || (second.taken == 1) != c.falls {
			t.Errorf("%s: %v, the second was asked %d times", name, err, second.taken)
		}
	}
	last := &steps{next: []func(context.Context, func(Delta)) (Turn, error){failing(500, 0)}}
	if _, err := WithFallback([]Model{first, last}, func(Model, Model, *fault.Fault) {}).Generate(context.Background(), request(), nil); err == nil || last.taken != 1 {
		t.Error(err)
	}
	paid := &steps{next: []func(context.Context, func(Delta)) (Turn, error){func(ctx context.Context, show func(Delta)) (Turn, error) {
		_, err := failing(529, 0)(ctx, show)
		return Turn{Model: "test:steps", Usage: Usage{In: 5}}, err
	}}}
	last = &steps{next: []func(context.Context, func(Delta)) (Turn, error){failing(401, 0)}}
	if turn, err := WithFallback([]Model{paid, last}, func(Model, Model, *fault.Fault) {}).Generate(context.Background(), request(), nil); err == nil || turn.Model == "" || turn.Usage.In != 5 {
		t.Errorf("what the first model cost is lost: %+v, %v", turn, err)
	}
	if got := WithFallback([]Model{first}, nil); got != Model(first) {
		t.Error("one model is wrapped")
	}
}
