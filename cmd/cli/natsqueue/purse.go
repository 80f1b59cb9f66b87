package natsqueue

import (
	"context"
	"encoding/hex"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"golem/core/batch"
	"golem/core/fault"
	"golem/core/money"
	"golem/core/trace"
)

// purse is the batch.Purse of all processes of a batch. What is spent and reserved is one message
// of the server, which a process replaces at the sequence that it knows. What several requests of
// a process want goes into one replacement.
type purse struct {
	queue *Queue
	id    string        // of this process
	turn  chan struct{} // one of the process replaces at a time

	mu        sync.Mutex
	asked     []*entry
	book      book
	announced bool // begin has told others that this process is alive
	heard     hearing
}

var _ batch.Purse = (*purse)(nil)

func newPurse(q *Queue) *purse {
	id := hex.EncodeToString(q.sealer.public())
	return &purse{queue: q, id: id, turn: make(chan struct{}, 1), book: book{id: id}}
}

// Limit implements batch.Purse.
func (p *purse) Limit() (tokens int, cost money.USD) {
	limit, _ := p.queue.Limit()
	return limit.Tokens, limit.Cost
}

// Limit returns the limit of the batch, and which decision of the producer it is.
func (q *Queue) Limit() (limit batch.Amount, of uint64) {
	q.reading.Lock()
	defer q.reading.Unlock()
	return q.limit, q.limitOf
}

// Check implements batch.Purse.
func (p *purse) Check(most trace.Usage) error {
	limit, _ := p.queue.Limit()
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ever := p.book.known.Fits(limit, batch.AmountOf(most)); !ever {
		return batch.TooLittle(p.book.known.Spent, limit, batch.AmountOf(most))
	}
	return nil
}

// lookForRoom is the time after which a process that waits for room looks again.
const lookForRoom = 200 * time.Millisecond

// Reserve implements batch.Purse.
func (p *purse) Reserve(ctx context.Context, most trace.Usage) (settle func(used trace.Usage), err error) {
	if limit, _ := p.queue.Limit(); limit == (batch.Amount{}) {
		return func(trace.Usage) {}, nil
	}
	if err := p.begin(ctx); err != nil {
		return nil, unreachable(err)
	}
	looks := time.NewTicker(lookForRoom)
	defer looks.Stop()
	buried := time.Now()
	for {
		e := &entry{kind: reserving, amount: batch.AmountOf(most)}
		if err := p.carryOut(ctx, e); err != nil {
			return nil, unreachable(err)
		}
		switch e.verdict {
		case granted:
			return p.settling(e), nil
		case refused:
			return nil, e.why
		}
		select {
		case <-ctx.Done():
			return nil, fault.Of(context.Cause(ctx), fault.Interrupted)
		case <-looks.C:
		}
		if time.Since(buried) >= p.queue.leaseTime()/aliveParts {
			buried = time.Now()
			if err := p.settleSilent(ctx); err != nil {
				return nil, unreachable(err)
			}
		}
	}
}

// settling returns what settles a reservation. If the server does not answer, the next change of
// the purse settles it.
func (p *purse) settling(reserved *entry) func(trace.Usage) {
	return func(used trace.Usage) {
		ctx, stop := context.WithTimeout(context.Background(), patience)
		defer stop()
		_ = p.carryOut(ctx, &entry{kind: settlingKind, amount: reserved.amount, used: batch.AmountOf(used), era: reserved.era})
	}
}

// flush settles what is not settled yet.
func (p *purse) flush() {
	p.mu.Lock()
	open := len(p.asked)
	p.mu.Unlock()
	if open > 0 {
		ctx, stop := context.WithTimeout(context.Background(), patience)
		defer stop()
		_ = p.carryOut(ctx, &entry{kind: nothing}) // the reservation counts as used then
	}
}

// carryOut carries out an entry, with all others that wait. An entry that settles stays if ctx
// ends before.
func (p *purse) carryOut(ctx context.Context, e *entry) error {
	p.mu.Lock()
	p.asked = append(p.asked, e)
	p.mu.Unlock()
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		p.leave(e)
		return context.Cause(ctx)
	}
	p.mu.Lock()
	entries, done := p.asked, e.done
	if !done {
		p.asked = nil
	}
	p.mu.Unlock()
	if done {
		return nil
	}
	err := p.commit(ctx, entries)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, o := range entries {
		switch {
		case err == nil:
			p.finish(o)
		case o != e || e.kind == settlingKind:
			p.asked = append(p.asked, o) // its own caller tries again
		}
	}
	return err
}

// finish ends an entry. The caller holds mu.
func (p *purse) finish(e *entry) {
	e.done = true
	if e.left && e.verdict == granted {
		p.asked = append(p.asked, &entry{kind: settlingKind, amount: e.amount, era: e.era})
	}
}

// leave says that nobody waits for an entry any more.
func (p *purse) leave(e *entry) {
	if e.kind == settlingKind {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	e.left = true
	if e.done {
		p.finish(e)
	}
}

// commit brings the entries into the message of the server. It has the turn.
func (p *purse) commit(ctx context.Context, entries []*entry) error {
	fresh := p.book.last == 0
	if fresh {
		if err := p.read(ctx); err != nil {
			return err
		}
	}
	for {
		limit, of := p.queue.Limit()
		p.mu.Lock()
		next := p.book.with(entries, limit, of)
		p.mu.Unlock()
		if next.poor && !fresh { // others may have settled meanwhile
			if err := p.read(ctx); err != nil {
				return err
			}
			fresh = true
			continue
		}
		if !next.changed {
			p.set(next)
			return nil
		}
		subject := p.queue.subject(budgetSubject)
		next.known.After = next.last
		data, _, err := p.queue.pack(ctx, subject, next.known, p.queue.sealer.private)
		if err != nil {
			return err
		}
		sequence, err := p.queue.publish(ctx, message{subject: subject, data: data, after: &next.known.After, only: true})
		switch {
		case err == nil:
			next.last = sequence
			p.set(next)
			return nil
		case moved(err), err == errMoved:
			if err := p.read(ctx); err != nil {
				return err
			}
			fresh = true
		default:
			return err
		}
	}
}

func (p *purse) set(b book) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b.changed, b.poor, b.seen = false, false, b.known.Spent
	p.book = b
}

// begin says to others that this process is alive, and goes on with it.
func (p *purse) begin(ctx context.Context) error {
	p.mu.Lock()
	told := p.announced
	p.announced = true
	p.mu.Unlock()
	if told {
		return nil
	}
	_, err := p.showAlive(ctx)
	if err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.announced = false
		return err
	}
	p.queue.done.Go(func() { p.stayAlive(p.queue.life) })
	return nil
}

// stayAlive says regularly that this process is alive.
func (p *purse) stayAlive(ctx context.Context) {
	tick := time.NewTicker(p.queue.leaseTime() / aliveParts)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_, _ = p.showAlive(ctx) // without a connection others settle what this process reserved
		}
	}
}

// showAlive replaces the message that says when this process was alive, and returns its time by
// the clock of the server.
func (p *purse) showAlive(ctx context.Context) (at time.Time, err error) {
	subject := p.queue.subjectOf(aliveSubject, p.id)
	if _, err := p.queue.publish(ctx, message{subject: subject, data: p.queue.sealer.seal(subject, nil), only: true}); err != nil {
		return at, err
	}
	return p.alive(ctx, p.id)
}

// alive returns when a process was alive, by the clock of the server; zero: nothing says so.
func (p *purse) alive(ctx context.Context, id string) (at time.Time, err error) {
	var m *jetstream.RawStreamMsg
	if m, err = p.queue.last(ctx, p.queue.subjectOf(aliveSubject, id)); err == nil && m != nil {
		at = m.Time
	}
	return at, err
}

// settleSilent settles what processes reserved that were silent for the time of a lease.
func (p *purse) settleSilent(ctx context.Context) error {
	now, err := p.showAlive(ctx)
	if err != nil {
		return err
	}
	p.mu.Lock()
	held := p.book.known.Held
	p.mu.Unlock()
	for id := range held {
		if id == p.id {
			continue
		}
		at, err := p.alive(ctx, id)
		if err != nil {
			return err
		}
		p.mu.Lock()
		silent := p.heard.silent(id, at, now, time.Now(), p.queue.leaseTime())
		p.mu.Unlock()
		if !silent {
			continue
		}
		if err := p.carryOut(ctx, &entry{kind: burying, holder: id}); err != nil {
			return err
		}
	}
	return nil
}
