package run

import (
	"cmp"
	"sync"

	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
)

// budget is what one worker run may still spend. A child spends its parent's
// too (SPEC §5 Budgets). Time is kept by the clock's deadlines, which a
// child's context inherits.
type budget struct {
	parent *budget
	worker string
	limits project.Limits

	mu    *sync.Mutex // one for the whole tree: checking and booking are one step
	turns int         // since renew
	extra int         // turns that a person allowed beyond the limit
	usage model.Usage
	own   model.Usage // of usage, the worker's own requests
	kept  model.Usage // of usage, what was spent before the conversation was resumed
	// priceless names a model that was used and of which nobody knows the price.
	priceless string
	suggested string // likewise, of which only the project says one
}

// prospect is what is known of the price of a model before it answers.
type prospect struct {
	model string
	price model.Usage // Unpriced and Suggested count
}

// turn books one model request, or says which limit forbids it: E_TURNS for
// the worker's own turns, E_BUDGET for its tokens and for anything of an
// ancestor's. full is the budget whose turns are used up; nil: it is not turns.
func (b *budget) turn(next prospect) (full *budget, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for n := b; n != nil; n = n.parent {
		err := n.check(n == b)
		if err == nil {
			err = n.checkCost(next)
		}
		if err != nil {
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

// affords says which limit on tokens or cost forbids another request, which is no
// turn.
func (b *budget) affords(next prospect) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for n := b; n != nil; n = n.parent {
		if err := cmp.Or(n.checkTokens(), n.checkCost(next)); err != nil {
			return err
		}
	}
	return nil
}

// spentTurns says that no turn is left. The caller holds mu.
func (b *budget) spentTurns() bool {
	return b.limits.Turns > 0 && b.turns >= b.limits.Turns+b.extra
}

// room says that a turn is left.
func (b *budget) room() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.spentTurns()
}

// made is how many turns were booked since renew.
func (b *budget) made() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.turns
}

// extend allows as many turns again as the limit, unless some are left.
func (b *budget) extend() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.spentTurns() {
		b.extra += b.limits.Turns
	}
}

// check names the limit that is reached. The caller holds mu.
func (b *budget) check(own bool) error {
	if b.spentTurns() {
		if own {
			return fault.New(fault.Turns, "no answer after %d turns", b.turns).
				Hinting("raise limits.turns, or say in the instructions when to stop")
		}
		return fault.New(fault.Budget, "%s has used all of its %d turns", b.worker, b.turns).
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

// checkCost names the limit on cost that is reached, or that cannot be kept with
// this model: a limit that nobody can compare with anything fails closed. The caller
// holds mu.
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
	const remedy = "give its price under providers: in your own config.yaml, or remove the limit for this run with --limit cost=0"
	switch {
	case b.usage.Cost >= limit:
		return fault.New(fault.Budget, "%s has used %s of its %s", b.worker, b.usage.Cost.Text(), limit.Text()).
			Hinting("raise limits.cost of %s", b.worker)
	case priceless != "":
		return fault.New(fault.Budget, "limits.cost of %s is %s, but the price of %s is not known", b.worker, limit.Text(), priceless).Hinting(remedy)
	case b.limits.OwnCost > 0 && suggested != "":
		return fault.New(fault.Budget, "limits.cost of %s is %s, but only the project gives a price for %s", b.worker, limit.Text(), suggested).Hinting(remedy)
	}
	return nil
}

// renew gives a chat's root its turns anew, for the next exchange.
func (b *budget) renew() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turns, b.extra = 0, 0
}

// spend books what an answer used, here and with every ancestor.
func (b *budget) spend(t model.Turn) {
	b.mu.Lock()
	defer b.mu.Unlock()
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

// book books answers that were kept: they count against every limit, and are no
// spending of this run.
func (b *budget) book(turns int, t model.Turn) {
	b.spend(t)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.own = b.own.Minus(t.Usage)
	for n := b; n != nil; n = n.parent {
		n.turns += turns
		n.kept = n.kept.Add(t.Usage)
	}
}

// spentAlone is what the worker's own requests used.
func (b *budget) spentAlone() model.Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.own
}

// spent is what this worker and everything below it used in this run.
func (b *budget) spent() model.Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.usage.Minus(b.kept)
}
