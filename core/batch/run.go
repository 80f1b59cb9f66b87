package batch

import (
	"context"
	"errors"
	"sync"
	"time"

	"golem/core/fault"
)

// Worker runs items. Run is called for several items beside each other.
type Worker interface {
	// Run runs an item until it ends, asks, or ctx ends. It appends to the item's log and does
	// not end the lease.
	Run(ctx context.Context, l *Lease) Outcome
}

// Outcome is what a Worker made of an item.
type Outcome struct {
	// Result ends the item, if it has an ended status. Otherwise it is given back, or parked
	// with Question.
	Result   Result
	Question *Question
	// Stop says why the batch cannot go on now, such as a budget that is spent; nil: it can.
	Stop *fault.Fault
	// Lost says that the item has another holder.
	Lost bool
}

// Watcher sees a batch run. Its methods are called one at a time.
type Watcher interface {
	// Ended gets each item that ended or was parked.
	Ended(r Result)
}

// Running says how a batch runs.
type Running struct {
	Jobs  int // how many items run beside each other; 0: 4
	Retry int // how often an item that failed is run again
	Name  string
	Watch Watcher // nil: nobody waits
}

// Run runs the items of a queue until none is open, the batch is cancelled, or ctx ends. It
// returns the reason why the batch stopped before.
func Run(ctx context.Context, q Queue, w Worker, how Running) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r := &running{queue: q, worker: w, how: how, stop: Cancelling(stop)}
	r.turn = sync.NewCond(&r.mu)
	defer context.AfterFunc(ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.turn.Broadcast()
	})()
	var wait, watching sync.WaitGroup
	done := make(chan struct{})
	watching.Go(func() { r.refresh(ctx, done) })
	jobs := how.Jobs
	if jobs <= 0 {
		jobs = usualJobs
	}
	for range jobs {
		wait.Go(func() { r.job(ctx) })
	}
	wait.Wait()
	close(done)
	watching.Wait()
	if r.err != nil {
		return r.err
	}
	return context.Cause(ctx)
}

// usualJobs is how many items run beside each other.
const usualJobs = 4

// Canceller ends a context with a cause.
type Canceller interface{ Cancel(cause error) }

// Cancelling is the Canceller of a function that package context made.
type Cancelling context.CancelCauseFunc

// Cancel implements Canceller.
func (c Cancelling) Cancel(cause error) { c(cause) }

// running is a batch that runs.
type running struct {
	queue  Queue
	worker Worker
	how    Running
	stop   Canceller

	mu   sync.Mutex
	turn *sync.Cond // an item ended, or was opened
	busy int        // items that run
	err  error
}

// refresh learns every second what others did.
func (r *running) refresh(ctx context.Context, done chan struct{}) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-ctx.Done():
			return
		case <-tick.C:
			cancelled, err := r.queue.Refresh(ctx)
			if err == nil && cancelled {
				err = fault.New(fault.Interrupted, "the batch was cancelled")
			}
			if err != nil {
				r.fail(err)
			}
			r.mu.Lock()
			r.turn.Broadcast()
			r.mu.Unlock()
		}
	}
}

// fail ends the batch with an error.
func (r *running) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
	r.stop.Cancel(err)
}

// job runs items, one after the other.
func (r *running) job(ctx context.Context) {
	for {
		l := r.next(ctx)
		if l == nil {
			return
		}
		r.settle(ctx, l, r.worker.Run(ctx, l))
		r.mu.Lock()
		r.busy--
		r.turn.Broadcast()
		r.mu.Unlock()
	}
}

// next returns the next item; nil if there is none and none can come, or the batch ends.
func (r *running) next(ctx context.Context) *Lease {
	r.mu.Lock()
	defer r.mu.Unlock()
	for ctx.Err() == nil {
		l, err := r.queue.Lease(ctx, r.how.Name)
		if err != nil {
			if r.err == nil {
				r.err = err
			}
			r.stop.Cancel(err)
			return nil
		}
		if l != nil {
			r.busy++
			return l
		}
		if r.busy == 0 {
			return nil
		}
		r.turn.Wait()
	}
	return nil
}

// settle ends a lease as its outcome says. What is kept of the item is written even if ctx has
// ended.
func (r *running) settle(ctx context.Context, l *Lease, out Outcome) {
	kept := context.WithoutCancel(ctx)
	var err error
	seen := out.Result
	seen.Item = l.Item.Key
	switch {
	case out.Lost:
		return
	case out.Question != nil:
		seen.Status = Parked
		err = l.Ask(kept, *out.Question)
	case out.Result.Status == Failed && l.Failures < r.how.Retry:
		seen.Status = Open
		err = l.Retry(kept, out.Result)
	case out.Result.Status.Ended():
		err = l.Finish(kept, out.Result)
	default:
		err = l.Release(kept)
	}
	written := err == nil // with E_CONFLICT another holder ends the item
	if out.Stop != nil && written {
		err = out.Stop
	}
	if err != nil && !errors.Is(err, fault.Conflict) {
		r.fail(err)
	}
	if r.how.Watch != nil && written && seen.Status != "" && seen.Status != Open {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.how.Watch.Ended(seen)
	}
}
