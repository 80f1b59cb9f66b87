package run

import (
	"context"
	"sync"

	"golem/core/fault"
	"golem/core/model"
)

// payer pays for the attempts of one model request: a worker reserves before each what
// it may cost, and books afterwards what was billed. So neither repetitions nor the
// children of a turn spend more together than the budget that they share.
type payer struct {
	budget   *budget
	deadline *deadline // of the request; stands still while it waits for others to be billed
	in       int       // the estimated input, in tokens
}

var _ model.Budget = (*payer)(nil)

// payer returns the payer of the worker's next request.
func (f *workerRun) payer(d *deadline) *payer {
	p := &payer{budget: f.budget, deadline: d}
	if f.budget.limited() {
		p.in = f.nextSize()
	}
	return p
}

// Check returns E_BUDGET if an attempt does not fit into what is left, even when no
// other is under way.
func (p *payer) Check(m model.Model, r model.Request) error {
	next, most := p.attempt(m, r)
	if err := p.fitsHere(next, most); err != nil {
		return err
	}
	return p.checkPurse(next, most)
}

func (p *payer) fitsHere(next prospect, most model.Usage) error {
	p.budget.mu.Lock()
	defer p.budget.mu.Unlock()
	_, err := p.budget.fits(next, most)
	return err
}

// Reserve sets aside what an attempt may cost, in the worker's budget and in those of
// all its callers, and in the purse above. Waiting for attempts under way cannot block
// for ever: none of them waits for another.
func (p *payer) Reserve(ctx context.Context, m model.Model, r model.Request) (bill func(model.Turn), err error) {
	next, most := p.attempt(m, r)
	if err := p.reserveHere(ctx, next, most); err != nil {
		return nil, err
	}
	settle, err := p.fromPurse(ctx, next, most)
	if err != nil {
		p.budget.bill(most, model.Turn{})
		return nil, err
	}
	var once sync.Once
	return func(t model.Turn) {
		once.Do(func() {
			p.budget.bill(most, t)
			settle(t)
		})
	}, nil
}

// reserveHere reserves an attempt from the budgets of this process.
func (p *payer) reserveHere(ctx context.Context, next prospect, most model.Usage) error {
	b := p.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	for waits := false; ; {
		full, err := b.fits(next, most)
		if err != nil {
			return err
		}
		if !full {
			break
		}
		ch := b.billed()
		b.mu.Unlock()
		if !waits {
			p.deadline.leave()
			defer p.deadline.come()
			waits = true
		}
		select {
		case <-ch:
		case <-ctx.Done():
			err = fault.Of(context.Cause(ctx), fault.Interrupted)
		}
		b.mu.Lock()
		if err != nil {
			return err
		}
	}
	for n := b; n != nil; n = n.parent {
		n.reserved = n.reserved.Add(most)
	}
	return nil
}

// attempt returns what is known of the price of an attempt, and what it may be billed.
func (p *payer) attempt(m model.Model, r model.Request) (prospect, model.Usage) {
	price, name := model.Prospect(m, r.Settings)
	p.budget.mu.Lock()
	largest := p.budget.largest
	p.budget.mu.Unlock()
	return prospect{name, price}, model.Reservation(m, r.Settings, p.in, largest)
}

// limited reports whether tokens or cost are limited, here or in a budget above.
func (b *budget) limited() bool {
	for n := b; n != nil; n = n.parent {
		if n.limits.Tokens > 0 || n.limits.Cost > 0 || n.purse != nil {
			return true
		}
	}
	return false
}

// billed returns a channel that is closed when the next attempt is billed. The caller
// holds mu.
func (l *ledger) billed() <-chan struct{} {
	if l.settled == nil {
		l.settled = make(chan struct{})
	}
	return l.settled
}

// bill gives a reservation back and books what the attempt was billed.
func (b *budget) bill(most model.Usage, t model.Turn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for n := b; n != nil; n = n.parent {
		n.reserved = n.reserved.Minus(most)
	}
	if t.Model != "" {
		b.add(t)
	}
	if b.settled != nil {
		close(b.settled)
		b.settled = nil
	}
}

// fits returns the fault of the limit on tokens or cost that forbids an attempt which
// may be billed most. full says that it fits only once attempts under way are billed.
// The caller holds mu.
func (b *budget) fits(next prospect, most model.Usage) (full bool, err error) {
	for n := b; n != nil; n = n.parent {
		waits, err := n.fitsAlone(next, most)
		if err != nil {
			n.refused = true
			return false, err
		}
		full = full || waits
	}
	return full, nil
}

// fitsAlone is fits without the budgets above.
func (b *budget) fitsAlone(next prospect, most model.Usage) (full bool, err error) {
	if err := b.checkTokens(); err != nil {
		return false, err
	}
	if err := b.checkCost(next); err != nil {
		return false, err
	}
	tokens, limit := b.usage.In+b.usage.Out, b.limits.Tokens
	if needs := most.In + most.Out; limit > 0 && tokens+needs > limit {
		return false, fault.New(fault.Budget, "%s has used %d of its %d tokens, and the next request may need %d", b.worker, tokens, limit, needs).
			Hinting("raise limits.tokens of %s, or give model_settings.max_output_tokens a lower value", b.worker)
	} else if limit > 0 && tokens+needs+b.reserved.In+b.reserved.Out > limit {
		full = true
	}
	cost := b.usage.Cost.Plus(most.Cost)
	if b.limits.Cost > 0 && cost > b.limits.Cost {
		return false, fault.New(fault.Budget, "%s has used %s of its %s, and the next request may cost %s", b.worker, b.usage.Cost.Text(), b.limits.Cost.Text(), most.Cost.Text()).
			Hinting("raise limits.cost of %s, or give model_settings.max_output_tokens a lower value", b.worker)
	} else if b.limits.Cost > 0 && cost.Plus(b.reserved.Cost) > b.limits.Cost {
		full = true
	}
	return full, nil
}
