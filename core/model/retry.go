package model

import (
	"cmp"
	"context"
	"errors"
	"net/http"
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
	// Patient says that an answer "too many requests" does not count as an attempt: the request
	// is repeated, at the latest after Longest, until another answer comes or its time ends.
	Patient bool
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
	t := &tries{retrying: r, req: req}
	told := ""
	turn, err := backoff.Retry(ctx, func() (Turn, error) { return t.next(ctx, show) },
		backoff.WithBackOff(r.waits()),
		backoff.WithMaxTries(0), // next counts them
		backoff.WithMaxElapsedTime(0),
		backoff.WithNotify(func(_ error, wait time.Duration) {
			if t.shown && show != nil {
				show(Delta{Reset: true})
			}
			t.shown, t.waiting = false, true
			told = r.announceWait(req, t.made, t.last, told, wait)
		}),
	)
	switch {
	case err == nil:
		return turn, nil
	case ctx.Err() != nil && t.waiting:
		return t.lost, waited(ended(ctx, r.Name()), t.last)
	case ctx.Err() != nil && failureOf(t.last) != nil && failureOf(t.last).retry:
		return t.lost, ended(ctx, r.Name())
	case t.refused != nil:
		return t.lost, unpaid(t.refused, t.last)
	}
	return t.lost, r.finalFault(t.last, t.made)
}

// tries are the attempts for one request.
type tries struct {
	*retrying
	req Request

	made, counted int  // attempts; those of them that policy.Attempts limits
	shown         bool // some of the answer was shown
	waiting       bool // for the next attempt
	last, refused error
	lost          Turn // what the failed attempts were billed
}

// next makes an attempt.
func (t *tries) next(ctx context.Context, show func(Delta)) (Turn, error) {
	t.waiting = false
	bill, err := t.req.reserve(ctx, t.model)
	if err != nil {
		t.refused = err
		return Turn{}, backoff.Permanent(err)
	}
	t.made++
	turn, err := t.model.Generate(ctx, t.req, func(d Delta) {
		t.shown = true
		if show != nil {
			show(d)
		}
	})
	bill(turn)
	if err == nil {
		turn.Attempts = t.made
		turn.Usage = t.lost.Usage.Add(turn.Usage)
		return turn, nil
	}
	t.last = t.tooLong(err)
	if turn.Model != "" {
		t.lost = Turn{Model: turn.Model, Usage: t.lost.Usage.Add(turn.Usage)}
	}
	if !t.policy.Patient || !tooMany(err) {
		t.counted++
	}
	err = t.judge(ctx, err)
	switch {
	case errors.As(err, new(*backoff.PermanentError)):
		return Turn{}, err
	case t.counted >= t.policy.Attempts:
		return Turn{}, backoff.Permanent(err)
	}
	if t.refused = t.req.covers(t.model); t.refused != nil {
		return Turn{}, backoff.Permanent(t.refused)
	}
	return Turn{}, err
}

// tooMany reports whether an error is the answer "too many requests".
func tooMany(err error) bool {
	f := failureOf(err)
	return f != nil && f.status == http.StatusTooManyRequests
}

// judge returns an error whose type tells package backoff whether and when to try again.
func (r *retrying) judge(ctx context.Context, err error) error {
	f := failureOf(err)
	if f == nil || !f.retry || ctx.Err() != nil {
		return backoff.Permanent(err)
	}
	if f.retryAfter > r.policy.Longest {
		if r.policy.Patient && tooMany(err) {
			return &backoff.RetryAfterError{Duration: r.policy.Longest}
		}
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
	if why == nil || !why.retry || why.retryAfter <= r.policy.Longest || r.policy.Patient && tooMany(err) {
		return err
	}
	f := fault.Of(err, fault.Model)
	out := fault.New(f.Code, "%w: the provider asks to wait %s, and golem waits at most %s", &spoken{f}, why.retryAfter.Round(time.Second), r.policy.Longest)
	do := anotherModel("try again after that time, or choose")
	out.Hint, out.Page, out.Where = do.hint, do.page, f.Where
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

// announceWait announces a wait and returns the failure's message. It does not repeat a message
// that is equal to told, the one announced before.
func (r *retrying) announceWait(req Request, attempt int, err error, told string, wait time.Duration) string {
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

// finalFault returns the last attempt's fault; after several attempts it says how many there were.
func (r *retrying) finalFault(err error, attempts int) error {
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
