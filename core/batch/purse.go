package batch

import (
	"context"

	"golem/core/fault"
	"golem/core/money"
	"golem/core/trace"
)

// Purse pays for the requests of a batch that several processes run (SPEC §19). What a process
// reserved that is not alive any more counts as used, because its provider may bill it. It is
// safe for concurrent use.
type Purse interface {
	// Limit returns the most tokens and US dollars that the batch may use; 0: no limit.
	Limit() (tokens int, cost money.USD)
	// Check returns E_BUDGET if an amount cannot fit into what is left, as far as this process
	// knows.
	Check(most trace.Usage) error
	// Reserve sets aside what a request may use. It waits while what is left is reserved for
	// others; if it never fits, the error is E_BUDGET. settle must be called once, with what the
	// request used.
	Reserve(ctx context.Context, most trace.Usage) (settle func(used trace.Usage), err error)
}

// Amount is what requests use.
type Amount struct {
	Tokens int       `json:"tokens,omitempty"`
	Cost   money.USD `json:"cost,omitempty"` // US dollars
}

// AmountOf returns the amount of a usage.
func AmountOf(u trace.Usage) Amount { return Amount{Tokens: u.In + u.Out, Cost: u.Cost} }

// Plus returns the sum.
func (a Amount) Plus(b Amount) Amount {
	return Amount{Tokens: a.Tokens + b.Tokens, Cost: a.Cost.Plus(b.Cost)}
}

// Minus returns the difference, with 0 for what would be less.
func (a Amount) Minus(b Amount) Amount {
	return Amount{Tokens: max(0, a.Tokens-b.Tokens), Cost: max(0, a.Cost-b.Cost)}
}

// exceeds reports whether the amount is more than a limit, whose zero fields have none.
func (a Amount) exceeds(limit Amount) bool {
	return limit.Tokens > 0 && a.Tokens > limit.Tokens || limit.Cost > 0 && a.Cost > limit.Cost
}

// Less reports whether a field of the amount is less than that of another.
func (a Amount) Less(b Amount) bool { return a.Tokens < b.Tokens || a.Cost < b.Cost }

// Ledger is what a batch used and what is reserved for requests under way, by holder.
type Ledger struct {
	Spent Amount            `json:"spent"`
	Held  map[string]Amount `json:"held,omitempty"`
}

// Fits reports whether an amount fits into what a limit leaves now, and whether it can fit once
// all that is held was settled.
func (l Ledger) Fits(limit, most Amount) (now, ever bool) {
	ever = !l.Spent.Plus(most).exceeds(limit)
	all := l.Spent.Plus(most)
	for _, held := range l.Held {
		all = all.Plus(held)
	}
	return !all.exceeds(limit), ever
}

// TooLittle returns E_BUDGET, which says that a batch has too little left for an amount.
func TooLittle(spent, limit, most Amount) *fault.Fault {
	const remedy = "golem goes on with the items that are left, with a higher --limit"
	if limit.Tokens > 0 && spent.Tokens+most.Tokens > limit.Tokens {
		return fault.New(fault.Budget, "the batch has used %d of its %d tokens, and the next request may need %d", spent.Tokens, limit.Tokens, most.Tokens).Hinting(remedy)
	}
	return fault.New(fault.Budget, "the batch has used %s of its %s, and the next request may cost %s", spent.Cost.Text(), limit.Cost.Text(), most.Cost.Text()).Hinting(remedy)
}
