package model

import (
	"context"
	"encoding/json"

	"golem/core/fault"
)

// Budget pays for the attempts of a request, each by itself: first attempts,
// repetitions, and those of the other models of a list (SPEC §19). It is safe
// for concurrent use.
type Budget interface {
	// Check returns E_BUDGET if an attempt may cost more than what is left.
	Check(m Model, r Request) error
	// Reserve sets aside what an attempt may cost. It waits while what is left is
	// reserved for other attempts. bill must be called once: it books what the
	// attempt was billed (nothing if the turn names no model), and gives the rest back.
	Reserve(ctx context.Context, m Model, r Request) (bill func(Turn), err error)
}

func (r Request) reserve(ctx context.Context, m Model) (bill func(Turn), err error) {
	if r.Budget == nil {
		return func(Turn) {}, nil
	}
	return r.Budget.Reserve(ctx, m, r)
}

// covers returns E_BUDGET if the request's budget does not allow another attempt.
func (r Request) covers(m Model) error {
	if r.Budget == nil {
		return nil
	}
	return r.Budget.Check(m, r)
}

// leastReserved is how many tokens an answer is expected to have at least, where no
// setting limits it.
const leastReserved = 1000

// Reservation returns what an attempt with in tokens of input may be billed:
// max_output_tokens where that is set, else the greater of 1,000 tokens and largest,
// the largest answer of the run so far.
func Reservation(m Model, s Settings, in, largest int) Usage {
	u := Usage{In: in, Out: max(leastReserved, largest)}
	one := undecorated(m)
	r, remote := one.(*remote)
	if most := s.mostOutput(); most > 0 && (!remote || r.end.row.nameOf("max_output_tokens", r.api) != "") {
		u.Out = most
	}
	if remote {
		u = r.bill(u, s)
	}
	return u
}

// mostOutput returns the largest answer that the settings allow, in tokens; 0 if they
// do not limit it.
func (s Settings) mostOutput() (most int) {
	extra := s.extra()
	for _, raw := range []json.RawMessage{s["max_output_tokens"], extra["max_output_tokens"], extra["max_completion_tokens"], extra["max_tokens"]} {
		n := 0
		if json.Unmarshal(raw, &n) == nil {
			most = max(most, n)
		}
	}
	return most
}

// unpaid returns the fault of a request that is not repeated, because the budget does
// not allow it; last is what the attempt before failed for, nil if there was none.
func unpaid(refused, last error) error {
	if last == nil {
		return refused
	}
	f := fault.Of(refused, fault.Budget)
	out := fault.New(f.Code, "%s, so the request is not repeated: %w", f.Message, &spoken{fault.Of(last, fault.Model)})
	out.Hint, out.Where = f.Hint, f.Where
	return out
}
