package model

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"golem/core/fault"
)

// RetryPolicy limits the attempts for one model request. The zero value is the
// policy of SPEC §5: 3 attempts; the wait is half a second, then doubles, with
// jitter.
type RetryPolicy struct {
	Attempts int           // including the first; 0 means 3, 1 means no retry
	First    time.Duration // the wait before the second attempt, ± 50 %; 0 means 500 ms
	Longest  time.Duration // the longest wait; 0 means 60 s. A longer Retry-After is not waited for
}

// Retry is one failed attempt after which the request is repeated, after Wait.
type Retry struct {
	Worker  string
	ID      string // id of the worker run
	Turn    int
	Attempt int // the attempt that failed, counted from 1
	Code    fault.Code
	Message string
	Wait    time.Duration
}

// WithRetry repeats requests that failed for a temporary reason: 408, 409, 429,
// 5xx, broken connections, and streams that ended too early (SPEC §5). It waits
// as long as Retry-After says, but fails at once if that is longer than
// policy.Longest. A Delta with Reset makes the text of a failed
// attempt void. onRetry may be nil; it is called before each wait, in the
// caller's goroutine. When the context ends, it returns at once.
func WithRetry(m Model, p RetryPolicy, onRetry func(Retry)) Model {
	if p.Attempts <= 0 {
		p.Attempts = 3
	}
	if p.First <= 0 {
		p.First = 500 * time.Millisecond
	}
	if p.Longest <= 0 {
		p.Longest = 60 * time.Second
	}
	return &retrying{m, p, onRetry}
}

type retrying struct {
	model   Model
	policy  RetryPolicy
	onRetry func(Retry)
}

var _ Model = (*retrying)(nil)

// Name returns the wrapped model's name.
func (r *retrying) Name() string { return r.model.Name() }

func (r *retrying) unwrap() Model { return r.model }

// Generate makes up to policy.Attempts attempts.
func (r *retrying) Generate(ctx context.Context, req Request, show func(Delta)) (Turn, error) {
	if ctx.Err() != nil {
		return Turn{}, ended(ctx, r.Name())
	}
	attempt, shown, told, waiting := 0, false, "", false
	watch := func(d Delta) {
		shown = true
		if show != nil {
			show(d)
		}
	}
	var last, refused error
	var lost Turn // what the failed attempts were billed
	turn, err := backoff.Retry(ctx, func() (Turn, error) {
		waiting = false
		bill, err := req.reserve(ctx, r.model)
		if err != nil {
			refused = err
			return Turn{}, backoff.Permanent(err)
		}
		attempt++
		turn, err := r.model.Generate(ctx, req, watch)
		bill(turn)
		if err == nil {
			turn.Attempts = attempt
			turn.Usage = lost.Usage.Add(turn.Usage)
			return turn, nil
		}
		last = r.tooLong(err)
		if turn.Model != "" {
			lost = Turn{Model: turn.Model, Usage: lost.Usage.Add(turn.Usage)}
		}
		err = r.judge(ctx, err)
		if attempt < r.policy.Attempts && !errors.As(err, new(*backoff.PermanentError)) {
			if refused = req.covers(r.model); refused != nil {
				return Turn{}, backoff.Permanent(refused)
			}
		}
		return Turn{}, err
	},
		backoff.WithBackOff(r.waits()),
		backoff.WithMaxTries(uint(r.policy.Attempts)),
		backoff.WithMaxElapsedTime(0),
		backoff.WithNotify(func(_ error, wait time.Duration) {
			if shown && show != nil {
				show(Delta{Reset: true})
			}
			shown, waiting = false, true
			told = r.tell(req, attempt, last, told, wait)
		}),
	)
	switch {
	case err == nil:
		return turn, nil
	case ctx.Err() != nil && waiting:
		return lost, waited(ended(ctx, r.Name()), last)
	case ctx.Err() != nil && failureOf(last) != nil && failureOf(last).retry:
		return lost, ended(ctx, r.Name())
	case refused != nil:
		return lost, unpaid(refused, last)
	}
	return lost, r.final(last, attempt)
}

// judge returns an error whose type tells package backoff whether and when to try again.
func (r *retrying) judge(ctx context.Context, err error) error {
	f := failureOf(err)
	if f == nil || !f.retry || ctx.Err() != nil {
		return backoff.Permanent(err)
	}
	if f.retryAfter > r.policy.Longest {
		return backoff.Permanent(err)
	}
	if f.retryAfter > 0 {
		return &backoff.RetryAfterError{Duration: f.retryAfter}
	}
	return err
}

// tooLong returns err; if the provider asks for a longer wait than golem waits, with a
// fault that says so.
func (r *retrying) tooLong(err error) error {
	why := failureOf(err)
	if why == nil || !why.retry || why.retryAfter <= r.policy.Longest {
		return err
	}
	f := fault.Of(err, fault.Model)
	out := fault.New(f.Code, "%w: the provider asks to wait %s, and golem waits at most %s", &spoken{f}, why.retryAfter.Round(time.Second), r.policy.Longest)
	out.Hint, out.Where = "try again after that time, or choose another model with --model", f.Where
	return out
}

func (r *retrying) waits() backoff.BackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval = min(r.policy.First, r.policy.Longest)
	b.Multiplier = 2
	b.MaxInterval = r.policy.Longest
	return capped{b, r.policy.Longest}
}

// capped is a BackOff whose waits are at most longest, jitter included.
type capped struct {
	backoff.BackOff
	longest time.Duration
}

// NextBackOff returns the wrapped BackOff's wait, at most longest.
func (c capped) NextBackOff() time.Duration { return min(c.BackOff.NextBackOff(), c.longest) }

// tell announces a wait and returns the failure's message. It does not repeat a message
// that is equal to told, the one announced before.
func (r *retrying) tell(req Request, attempt int, err error, told string, wait time.Duration) string {
	f := fault.Of(err, fault.Model)
	if r.onRetry == nil {
		return f.Message
	}
	message := f.Message
	if message == told {
		message = "the same again"
	}
	r.onRetry(Retry{
		Worker: req.Worker, ID: req.ID, Turn: req.Turn,
		Attempt: attempt, Code: f.Code, Message: message, Wait: wait,
	})
	return f.Message
}

// waited returns the fault of a request whose time ended while it waited to be
// repeated: it says why the request had to wait, and what helps against that.
func waited(over, last error) error {
	f, why := fault.Of(over, fault.Model), fault.Of(last, fault.Model)
	if f.Code != fault.Timeout {
		return over
	}
	out := fault.New(f.Code, "%w, waiting to be repeated: %s", &spoken{f}, why.Message)
	out.Hint, out.Where = cmp.Or(why.Hint, "try again later, or raise limits.model_timeout"), f.Where
	return out
}

// final returns the last attempt's fault; after several attempts it says how many there were.
func (r *retrying) final(err error, attempts int) error {
	var f *fault.Fault
	if attempts < 2 || !errors.As(err, &f) {
		return fault.Of(err, fault.Model)
	}
	out := fault.New(f.Code, "%w, after %d attempts", &spoken{f}, attempts)
	out.Hint, out.Where = f.Hint, f.Where
	return out
}

// spoken is a fault that prints only its message, so that it can be part of another.
type spoken struct{ *fault.Fault }

// Error returns the message without code and hint.
func (s *spoken) Error() string { return s.Message }

// Unwrap returns the fault's own cause, so that failureOf still finds the failure.
func (s *spoken) Unwrap() error { return s.Fault.Unwrap() }
