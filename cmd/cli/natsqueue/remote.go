package natsqueue

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"golem/core/batch"
	"golem/core/fault"
	"golem/core/sandbox"
)

// Remote is a batch.Worker for the machine that began a batch: it gives each item to the workers
// of other machines, and waits for what they make of it. So the batch of this machine has the
// questions, the answers and the results, as if it ran here. Make one with Producer.Remote, and
// close it.
type Remote struct {
	producer  *Producer
	local     batch.Queue // of this machine
	inputs    fs.FS
	outputs   sandbox.FS
	stop      context.CancelFunc
	following jetstream.ConsumeContext

	watching sync.WaitGroup
	over     chan struct{} // closed when the limits of the batch are reached
	why      error         // set before

	mu      sync.Mutex
	waiting map[string]chan struct{} // by the directory of the item
}

var _ batch.Worker = (*Remote)(nil)

// Remote returns a worker for the items of local, which are those of the producer's batch.
// inputs is the directory of inputs that are files; nil: there are none. What the items write
// goes to outputs, below the directory of each.
func (p *Producer) Remote(ctx context.Context, local batch.Queue, inputs fs.FS, outputs sandbox.FS) (*Remote, error) {
	r := &Remote{producer: p, local: local, inputs: inputs, outputs: outputs, over: make(chan struct{}), waiting: map[string]chan struct{}{}}
	ctx, r.stop = context.WithCancel(context.WithoutCancel(ctx))
	var ends jetstream.Consumer
	err := p.trying(ctx, func(ctx context.Context) (err error) {
		ends, err = p.log.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
			FilterSubjects: []string{p.subjectOf(logSubject, "*")}, DeliverPolicy: jetstream.DeliverNewPolicy, HeadersOnly: true,
		})
		return err
	})
	if err == nil {
		r.following, err = ends.Consume(r.wake)
	}
	if err != nil {
		r.stop()
		return nil, unreachable(err)
	}
	r.watching.Go(func() { r.watchLimits(ctx) })
	r.watching.Go(func() { p.watchClock(ctx) })
	return r, nil
}

// watchLimits looks every second whether a worker found too little for a request.
func (r *Remote) watchLimits(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := r.producer.Spent(ctx)
		if errors.Is(err, fault.Budget) || errors.Is(err, fault.Trust) {
			r.why = err
			close(r.over)
			return
		}
	}
}

// Close ends the waiting for items. Workers go on with those that they have.
func (r *Remote) Close() {
	r.stop()
	r.following.Stop()
	r.watching.Wait()
}

// wake wakes the one who waits for the item of a message.
func (r *Remote) wake(m jetstream.Msg) {
	if m.Headers().Get(endsHeader) == "" {
		return
	}
	prefix := r.producer.subjectOf(logSubject, "")
	if len(m.Subject()) <= len(prefix) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.waiting[m.Subject()[len(prefix):]]; c != nil {
		select {
		case c <- struct{}{}:
		default: // it is awake
		}
	}
}

// wait makes the channel on which the item's end is told.
func (r *Remote) wait(dir string) (told <-chan struct{}, end func()) {
	c := make(chan struct{}, 1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting[dir] = c
	return c, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.waiting, dir)
	}
}

// lookAgain is the time after which Run looks at an item of which it was told nothing: after a
// broken connection it may have missed it.
const lookAgain = 30 * time.Second

// sent is the line of the local log that says that the item is on the server.
var sent = batch.Line(`{"sent":true}`)

// Run implements batch.Worker.
func (r *Remote) Run(ctx context.Context, l *batch.Lease) batch.Outcome {
	again := len(l.Log) == 0 // the item begins, for the first time or anew
	if err := l.Append(ctx, len(l.Log), sent); err != nil {
		return stopped(err)
	}
	told, end := r.wait(l.Item.Dir())
	defer end()
	if err := r.send(ctx, l.Item, again); err != nil {
		return stopped(err)
	}
	for {
		out, ended, err := r.look(ctx, l.Item)
		if err != nil {
			return stopped(err)
		}
		if ended {
			return out
		}
		timer := time.NewTimer(lookAgain)
		select {
		case <-ctx.Done():
			timer.Stop()
			return batch.Outcome{}
		case <-r.over:
			timer.Stop()
			return stopped(r.why)
		case <-told:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// stopped returns the outcome of an item that cannot be followed.
func stopped(err error) batch.Outcome {
	switch {
	case errors.Is(err, context.Canceled):
		return batch.Outcome{}
	case errors.Is(err, fault.Conflict):
		return batch.Outcome{Lost: true}
	}
	return batch.Outcome{Stop: fault.Of(err, fault.Network)}
}

// send publishes an item. If it begins anew and had ended on the server before, it is opened there.
// A worker can end it as soon as it is published, so that is looked for before.
func (r *Remote) send(ctx context.Context, item batch.Item, again bool) error {
	var before *itemLog
	if again {
		var err error
		if before, err = r.producer.readLog(ctx, item.Dir()); err != nil {
			return unreachable(err)
		}
	}
	if err := r.producer.putInput(ctx, item, r.inputs); err != nil {
		return err
	}
	if err := r.producer.Add(ctx, item); err != nil {
		return err
	}
	if !again || !before.status.Ended() {
		return nil
	}
	return r.producer.reopen(ctx, item, before)
}

// reopen lets an item that ended begin anew.
func (p *Producer) reopen(ctx context.Context, item batch.Item, l *itemLog) error {
	objects := l.objects
	for _, o := range slices.Concat(l.outputs, l.staged) {
		if o.Object != "" {
			objects = append(objects, o.Object)
		}
	}
	spent := l.spent
	if l.result != nil {
		spent = l.result.Usage
	}
	err := p.add(ctx, l, record{Kind: openKind, Attempt: l.attempts, Spent: spent})
	if errors.Is(err, fault.Conflict) {
		return nil // another process of the producer opened it
	}
	if err == nil {
		p.removeObjects(ctx, objects)
		err = p.enqueue(ctx, item.N, item.Dir(), jobID(item.Dir(), l.last))
	}
	return unreachable(err)
}

// look reports whether an item has ended or asks what nobody answered here, and what became of
// it. An answer that was given here goes to the workers.
func (r *Remote) look(ctx context.Context, item batch.Item) (out batch.Outcome, ended bool, err error) {
	l, err := r.producer.readLog(ctx, item.Dir())
	switch {
	case err != nil:
		return out, false, unreachable(err)
	case l.status.Ended():
		out.Result = *l.result
		err := r.producer.files().fetchOutputs(ctx, l, item.Dir(), r.outputs)
		if err == nil {
			out.Result.Staged, err = r.producer.files().fetchStaged(ctx, l)
		}
		if errors.Is(err, fault.Trust) {
			out.Result = batch.Result{Status: batch.Failed, Error: fault.Of(err, fault.Trust), Attempt: out.Result.Attempt}
			err = nil
		}
		return out, err == nil, err
	case l.status != batch.Parked:
		return out, false, nil
	}
	answers, err := r.local.Answers(ctx)
	if err != nil {
		return out, false, err
	}
	a, answered := batch.AnswerTo(answers, *l.question)
	if !answered {
		return batch.Outcome{Question: l.question}, true, nil
	}
	known, err := r.producer.Answers(ctx)
	if _, sent := batch.AnswerTo(known, *l.question); err != nil || sent {
		return out, false, err
	}
	a.Key, a.Rule = l.question.Key, nil
	return out, false, r.producer.Answer(ctx, a)
}
