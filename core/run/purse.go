package run

import (
	"context"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/money"
	"golem/core/trace"
)

// Purse pays for requests from a budget that several processes share (SPEC §19). It is safe for
// concurrent use.
type Purse interface {
	// Limit returns the most tokens and US dollars of the budget; 0: no limit.
	Limit() (tokens int, cost money.USD)
	// Check returns E_BUDGET if an amount cannot fit into what is left, as far as this process
	// knows.
	Check(most trace.Usage) error
	// Reserve sets aside what a request may use. It waits while what is left is reserved for
	// others; if it never fits, the error is E_BUDGET. settle must be called once, with what the
	// request used.
	Reserve(ctx context.Context, most trace.Usage) (settle func(used trace.Usage), err error)
}

// AccountOf returns the account of a run that a purse pays for. name stands for it in messages.
func AccountOf(name string, p Purse) *Account {
	a := NewAccount(name, 0, 0)
	a.budget.purse = p
	return a
}

// paid returns the account above with a purse; nil: there is none.
func (b *budget) paid() *budget {
	for n := b; n != nil; n = n.parent {
		if n.purse != nil {
			return n
		}
	}
	return nil
}

// refuse notes that a purse has too little.
func (b *budget) refuse() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refused = true
}

// priced returns E_BUDGET if a purse limits the cost and the price is not known.
func (b *budget) priced(next prospect) error {
	_, cost := b.purse.Limit()
	one := &budget{worker: b.worker, limits: config.Limits{Cost: cost, OwnCost: cost}}
	return one.checkCost(next)
}

// checkPurse returns E_BUDGET if the purse above has too little for an attempt.
func (p *payer) checkPurse(next prospect, most model.Usage) error {
	of := p.budget.paid()
	if of == nil {
		return nil
	}
	err := of.priced(next)
	if err == nil {
		err = of.purse.Check(usage(most))
	}
	if err != nil {
		of.refuse()
	}
	return err
}

// fromPurse reserves an attempt from the purse above. An attempt that was interrupted counts as
// much as it may have used, because the provider may bill it.
func (p *payer) fromPurse(ctx context.Context, next prospect, most model.Usage) (settle func(model.Turn), err error) {
	of := p.budget.paid()
	if of == nil {
		return func(model.Turn) {}, nil
	}
	if err := of.priced(next); err != nil {
		of.refuse()
		return nil, err
	}
	p.deadline.leave()
	defer p.deadline.come()
	pay, err := of.purse.Reserve(ctx, usage(most))
	if err != nil {
		if fault.Of(err, fault.Network).Code == fault.Budget {
			of.refuse()
		}
		return nil, err
	}
	return func(t model.Turn) {
		used := t.Usage
		if t.Model == "" && ctx.Err() != nil {
			used = most
		}
		pay(usage(used))
	}, nil
}
