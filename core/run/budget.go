package run

import (
	"sync"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/model"
)

// budget is what one worker run may still spend. A child also spends its parent's (SPEC
// §5 Budgets). Time is limited by the clock's deadlines, which a child's context
// inherits.
type budget struct {
	parent *budget
	worker string
	limits config.Limits

	*ledger
	turns    int // since renew
	extra    int // turns that a person allowed beyond the limit
	usage    model.Usage
	reserved model.Usage // for requests under way
	own      model.Usage // the part of usage of the worker's own requests
	kept     model.Usage // the part of usage that was spent before the conversation was resumed
	// priceless names a model that was used and whose price nobody knows.
	priceless string
	suggested string // names a model that was used and whose price only the project gives

	shared  bool  // of an Account: it is above the budgets of several roots
	refused bool  // it had too little for a request
	purse   Purse // pays as well; nil: nothing else does
}

// ledger is what the budgets of a tree share. The zero value is ready.
type ledger struct {
	mu      sync.Mutex    // one for all, so that checking and booking are one step
	settled chan struct{} // closed when an attempt has been billed; nil if nobody waits
	largest int           // the tokens of the largest answer so far
}

// prospect is what is known of the price of a model's next answer.
type prospect struct {
	model string
	price model.Usage // Unpriced and Suggested count
}

// bookTurn books one model request, or returns the fault of the limit that forbids it:
// E_TURNS for the worker's own turns, E_BUDGET for its tokens or cost and for any limit
// of an ancestor. full is the budget whose turns are used up; nil if the limit is not
// about turns.
func (b *budget) bookTurn(next prospect) (full *budget, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for n := b; n != nil; n = n.parent {
		err := n.check(n == b)
		if err == nil {
			err = n.checkCost(next)
		}
		if err != nil {
			n.refused = true
			if n.spentTurns() {
				full = n
			}
			return full, err
		}
	}
	for n := b; n != nil; n = n.parent {
		n.turns++
	}
	return nil, nil
}

// unbookTurn takes a booked turn back whose request was not made.
func (b *budget) unbookTurn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for n := b; n != nil; n = n.parent {
		n.turns--
	}
}

// spentTurns reports whether no turn is left. The caller holds mu.
func (b *budget) spentTurns() bool {
	return b.limits.Turns > 0 && b.turns >= b.limits.Turns+b.extra
}

// hasTurn reports whether a turn is left.
func (b *budget) hasTurn() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.spentTurns()
}

// turnsBooked returns how many turns were booked since renew.
func (b *budget) turnsBooked() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.turns
}

// root returns the budget of the root.
func (b *budget) root() *budget {
	for b.parent != nil && !b.parent.shared {
		b = b.parent
	}
	return b
}

// extend allows as many turns again as the limit, unless some are left.
func (b *budget) extend() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.spentTurns() {
		b.extra += b.limits.Turns
	}
}

// check returns the fault of the limit that is reached; own says that it is the asking
// worker's budget. The caller holds mu.
func (b *budget) check(own bool) error {
	if b.spentTurns() {
		if own {
			return fault.New(fault.Turns, "no answer after %s", fault.Count(b.turns, "turn")).
				Hinting("raise limits.turns, or say in the instructions when to stop")
		}
		return fault.New(fault.Budget, "%s has used its %s", b.worker, fault.Count(b.turns, "turn")).
			Hinting("a worker also uses its caller's turns: raise limits.turns of %s", b.worker)
	}
	return b.checkTokens()
}

func (b *budget) checkTokens() error {
	if spent := b.usage.In + b.usage.Out; b.limits.Tokens > 0 && spent >= b.limits.Tokens {
		return fault.New(fault.Budget, "%s has used %d of its %d tokens", b.worker, spent, b.limits.Tokens).
			Hinting("raise limits.tokens of %s", b.worker)
	}
	return nil
}

// checkCost returns the fault of the limit on cost that is reached, or that cannot be
// checked, because the model's price is not known or, for a person's limit, only the
// project gives it. The caller holds mu.
func (b *budget) checkCost(next prospect) error {
	limit := b.limits.Cost
	if limit == 0 {
		return nil
	}
	priceless, suggested := b.priceless, b.suggested
	if next.price.Unpriced {
		priceless = next.model
	}
	if next.price.Suggested {
		suggested = next.model
	}
	const inPage = "give its price under providers: in your configuration, or remove the limit"
	const remedy = "give its price under providers: in your own config.yaml, or remove the limit for this run with --limit cost=0"
	switch {
	case b.usage.Cost >= limit:
		return fault.New(fault.Budget, "%s has used %s of its %s", b.worker, b.usage.Cost.Text(), limit.Text()).
			Hinting("raise limits.cost of %s", b.worker)
	case priceless != "":
		return fault.New(fault.Budget, "limits.cost of %s is %s, but the price of %s is not known", b.worker, limit.Text(), priceless).Hinting(remedy).InPage("", inPage)
	case b.limits.OwnCost > 0 && suggested != "":
		return fault.New(fault.Budget, "limits.cost of %s is %s, but only the project gives a price for %s", b.worker, limit.Text(), suggested).Hinting(remedy).InPage("", inPage)
	}
	return nil
}

// renew gives a chat's root all its turns again, for the next exchange.
func (b *budget) renew() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turns, b.extra = 0, 0
}

// spend books the usage of an answer, in this budget and in those of all ancestors.
func (b *budget) spend(t model.Turn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(t)
}

// add is spend for a caller that holds mu.
func (b *budget) add(t model.Turn) {
	b.largest = max(b.largest, t.Usage.Out)
	b.own = b.own.Add(t.Usage)
	for n := b; n != nil; n = n.parent {
		n.usage = n.usage.Add(t.Usage)
		if t.Usage.Unpriced {
			n.priceless = t.Model
		}
		if t.Usage.Suggested {
			n.suggested = t.Model
		}
	}
}

// book books answers that were kept: they count against every limit, but are not
// spending of this run. An Account booked them when they came, or before its first run.
func (b *budget) book(turns int, t model.Turn) {
	b.spend(t)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.own = b.own.Minus(t.Usage)
	for n := b; n != nil; n = n.parent {
		n.turns += turns
		if n.shared {
			n.usage = n.usage.Minus(t.Usage)
			continue
		}
		n.kept = n.kept.Add(t.Usage)
	}
}

// spentAlone returns the usage of the worker's own requests.
func (b *budget) spentAlone() model.Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.own
}

// spent returns the usage of this worker and of everything below it in this run.
func (b *budget) spent() model.Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.usage.Minus(b.kept)
}
