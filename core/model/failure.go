package model

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golem/core/fault"
)

// failure is the cause inside a fault of one attempt: what WithRetry needs to
// decide and a recording needs to keep. Its text is the fault's message.
type failure struct {
	status     int           // HTTP status, 0 if there was no answer
	retryAfter time.Duration // what the provider asked for, 0 if nothing
	retry      bool          // another attempt can help
	unread     *unread       // a tool call of the model that the provider could not read
	empty      bool          // the answer is complete and has nothing
	noModel    bool          // the provider does not have the model
	noList     bool          // the provider does not list its models
	keyVar     string        // the variable with the key that was sent
	message    string
	err        error // the cause, may be nil
}

func (f *failure) Error() string { return f.message }

func (f *failure) Unwrap() error { return f.err }

// fault wraps the failure in the fault that leaves the package.
func (f *failure) fault(code fault.Code, do remedy) *fault.Fault {
	out := fault.New(code, "%w", f)
	out.Hint, out.Page = do.hint, do.page
	return out
}

// broken returns the fault of a failure without a status after which another attempt
// can help: a connection that failed, or an answer that broke off.
func broken(message string, err error) *fault.Fault {
	return (&failure{retry: true, message: message, err: err}).fault(fault.Model, remedy{})
}

// retriable reports whether another attempt can help after a status (SPEC §5).
func retriable(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusConflict ||
		status == http.StatusTooManyRequests || status >= 500
}

// failureOf finds the failure inside err, nil if there is none.
func failureOf(err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	return nil
}

// remedy is what a person can do about a failure, and what the page says if that differs.
type remedy struct {
	hint string
	page *fault.PageWords
}

func hintOrPage(hint, page string) remedy { return remedy{hint, &fault.PageWords{Hint: page}} }

// anotherModel returns a remedy that ends with the choice of another model.
func anotherModel(before string) remedy {
	return hintOrPage(before+" another model with --model", before+" another model")
}

// Unlisted reports whether err says that a provider does not list its models.
func Unlisted(err error) bool { f := failureOf(err); return f != nil && f.noList }

// RefusedKey reports whether err says that a provider refused the key in a variable.
func RefusedKey(err error, variable string) bool {
	f := failureOf(err)
	return f != nil && f.status == http.StatusUnauthorized && variable != "" && f.keyVar == variable
}

// raiseTimeout is the remedy for a provider that takes too long, otherwise that for an answer
// that a model or a filter refused.
var raiseTimeout, otherwise = anotherModel("raise limits.model_timeout, or try"), anotherModel("write the task in another way, or choose")

// ended returns the fault of a context that has ended: its cause if that is a fault,
// E_TIMEOUT for a deadline, else E_INTERRUPTED.
func ended(ctx context.Context, name string) error {
	cause := context.Cause(ctx)
	var f *fault.Fault
	if errors.As(cause, &f) {
		return f
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return (&failure{message: name + " did not answer in time", err: ctx.Err()}).
			fault(fault.Timeout, raiseTimeout)
	}
	return fault.Of(ctx.Err(), fault.Model)
}

// waitOf returns how long the headers of an answer ask to wait, 0 if not at all. Some
// providers also give the time in milliseconds, which is more exact.
func waitOf(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil && ms > 0 {
		return time.Duration(min(ms, 1e9) * float64(time.Millisecond))
	}
	return retryAfter(h.Get("Retry-After"), now)
}

// retryAfter reads a Retry-After header: seconds or an HTTP date. It returns 0 for one
// that is malformed or past.
func retryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if header == "" {
		return 0
	}
	if seconds, err := strconv.ParseFloat(header, 64); err == nil {
		if !(seconds > 0) {
			return 0
		}
		return time.Duration(min(seconds, 1e6) * float64(time.Second))
	}
	when, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return max(0, when.Sub(now))
}
