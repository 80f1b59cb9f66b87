package natsqueue

import (
	"context"
	"encoding/json"
	"maps"

	"golem/core/batch"
	"golem/core/fault"
)

// budgetRecord is the message with what a batch used. There is one.
type budgetRecord struct {
	After uint64 `json:"after"` // the sequence of the message that it replaced
	batch.Ledger
	Refused *refusal `json:"refused,omitempty"`
}

// refusal says that a request found too little.
type refusal struct {
	Most batch.Amount `json:"most"`
	// Of is the decision of the producer with the limit. Another limit ends the refusal.
	Of uint64 `json:"of"`
}

// entryKind says what an entry does with the purse.
type entryKind int

const (
	nothing      entryKind = iota
	reserving              // amount is set aside
	settlingKind           // amount is not set aside any more, and used was used
	burying                // what holder reserved counts as used
	raising                // at least used was used, and no refusal counts
)

// verdict is what became of an entry that reserves.
type verdict int

const (
	full    verdict = iota // there is room when others have settled
	granted                // it is reserved
	refused                // there is never room
)

// entry is one change of the purse.
type entry struct {
	kind         entryKind
	amount, used batch.Amount
	holder       string
	era          int // of the reservation
	verdict      verdict
	why          error // of a refusal

	done bool // it is on the server
	left bool // nobody waits for it
}

// book is the message of the server as a process knows it.
type book struct {
	id    string
	known budgetRecord
	last  uint64       // its sequence; 0: none was read
	seen  batch.Amount // the most that was spent
	own   batch.Amount // what this process has reserved
	era   int          // how often others settled what this process had reserved

	changed bool // by entries
	poor    bool // an entry that reserves was not granted
}

// with returns the book with entries.
func (b book) with(entries []*entry, limit batch.Amount, of uint64) book {
	b.known.Held = maps.Clone(b.known.Held)
	if b.known.Held == nil {
		b.known.Held = map[string]batch.Amount{}
	}
	if there, is := b.known.Held[b.id]; there != b.own { // others settled it: this process was silent
		if is {
			b.changed = true
			delete(b.known.Held, b.id)
			b.known.Spent = b.known.Spent.Plus(there)
		}
		b.own, b.era = batch.Amount{}, b.era+1
	}
	for _, e := range entries { // what is given back first makes room
		b.change(e)
	}
	for _, e := range entries {
		if e.kind == reserving {
			b.reserve(e, limit, of)
		}
	}
	return b
}

// hold changes what this process has reserved: less is taken away, and more is added.
func (b *book) hold(less, more batch.Amount) {
	b.changed = true
	b.own = b.own.Minus(less).Plus(more)
	if b.own == (batch.Amount{}) {
		delete(b.known.Held, b.id)
		return
	}
	b.known.Held[b.id] = b.own
}

func (b *book) change(e *entry) {
	switch e.kind {
	case settlingKind:
		if e.era == b.era {
			b.hold(e.amount, batch.Amount{})
			b.known.Spent = b.known.Spent.Plus(e.used)
		}
	case burying:
		if held, is := b.known.Held[e.holder]; is {
			b.changed = true
			delete(b.known.Held, e.holder)
			b.known.Spent = b.known.Spent.Plus(held)
		}
	case raising:
		b.changed = true
		b.known.Spent.Tokens, b.known.Spent.Cost = max(b.known.Spent.Tokens, e.used.Tokens), max(b.known.Spent.Cost, e.used.Cost)
		b.known.Refused = nil
	}
}

func (b *book) reserve(e *entry, limit batch.Amount, of uint64) {
	now, ever := b.known.Fits(limit, e.amount)
	switch {
	case now:
		b.hold(batch.Amount{}, e.amount)
		e.verdict, e.era = granted, b.era
	case ever:
		b.poor = true
		e.verdict = full
	default:
		b.poor = true
		e.verdict, e.why = refused, batch.TooLittle(b.known.Spent, limit, e.amount)
		if b.known.Refused == nil || b.known.Refused.Of != of {
			b.changed = true
			b.known.Refused = &refusal{Most: e.amount, Of: of}
		}
	}
}

// read reads the message of the server. One that says that less was used than before, or that is
// gone, is E_TRUST: somebody without the right to do so set it back.
func (p *purse) read(ctx context.Context) error {
	subject := p.queue.subject(budgetSubject)
	m, err := p.queue.last(ctx, subject)
	if err != nil {
		return err
	}
	p.mu.Lock()
	next := p.book
	p.mu.Unlock()
	next.known, next.last = budgetRecord{}, 0
	if m != nil {
		next.last = m.Sequence
		b, err := p.queue.unpack(ctx, subject, m.Data)
		if err == nil && json.Unmarshal(b.data, &next.known) != nil {
			err = ignored("it is not a budget")
		}
		if p.queue.ignores(subject, err) {
			return setBack()
		}
		if err != nil {
			return err
		}
	}
	if next.known.Spent.Less(next.seen) {
		return setBack()
	}
	p.set(next)
	return nil
}

func setBack() error {
	return fault.New(fault.Trust, "somebody changed on the queue what the batch has used, so its limits do not hold").
		Hinting("end all workers, and begin the batch again with --name and another queue")
}

// Limit says how much the batch may use together; the zero fields have no limit. spent is what it
// used as far as the producer knows. If nothing limited the batch before, what the server's items
// used counts as well: used counts the log of one that has not ended; nil: there is none.
func (p *Producer) Limit(ctx context.Context, limit, spent batch.Amount, used func(log []batch.Line) batch.Amount) error {
	if _, err := p.Refresh(ctx); err != nil {
		return err
	}
	before, _ := p.Queue.Limit()
	if before == limit && limit == (batch.Amount{}) {
		return nil
	}
	if err := p.decide(ctx, controlSubject, &p.control, decided{Limit: &limit}); err != nil {
		return err
	}
	if limit == (batch.Amount{}) {
		return nil
	}
	if before == (batch.Amount{}) && used != nil {
		all, err := p.usedBefore(ctx, used)
		if err != nil {
			return unreachable(err)
		}
		spent = batch.Amount{Tokens: max(spent.Tokens, all.Tokens), Cost: max(spent.Cost, all.Cost)}
	}
	return unreachable(p.purse.carryOut(ctx, &entry{kind: raising, used: spent}))
}

// usedBefore returns what the items of the server used.
func (p *Producer) usedBefore(ctx context.Context, used func(log []batch.Line) batch.Amount) (all batch.Amount, err error) {
	items, err := p.items(ctx)
	if err != nil {
		return all, err
	}
	for _, item := range items {
		l, err := p.readLog(ctx, item.Dir())
		if err != nil {
			return all, err
		}
		if l.spent != nil {
			all = all.Plus(batch.AmountOf(*l.spent))
		}
		if l.result != nil && l.result.Usage != nil {
			all = all.Plus(batch.AmountOf(*l.result.Usage))
		}
		all = all.Plus(used(l.lines))
	}
	return all, nil
}

// Spent returns why a worker ended to make requests: E_BUDGET with the limit of now; nil: none
// did.
func (p *Producer) Spent(ctx context.Context) error {
	if _, err := p.Refresh(ctx); err != nil {
		return err
	}
	limit, of := p.Queue.Limit()
	if limit == (batch.Amount{}) {
		return nil
	}
	select {
	case p.purse.turn <- struct{}{}:
		defer func() { <-p.purse.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := p.purse.read(ctx); err != nil {
		return unreachable(err)
	}
	p.purse.mu.Lock()
	defer p.purse.mu.Unlock()
	known := p.purse.book.known
	if known.Refused == nil || known.Refused.Of != of {
		return nil
	}
	return batch.TooLittle(known.Spent, limit, known.Refused.Most)
}
