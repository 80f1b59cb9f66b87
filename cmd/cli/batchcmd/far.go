package batchcmd

import (
	"cmp"
	"context"
	"os"
	"time"

	"github.com/nats-io/nats.go"

	"golem/core"
	"golem/core/batch"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/run"
	"golem/core/state"

	"golem/cmd/cli/console"
	"golem/cmd/cli/natsqueue"
)

// server is the server of a batch.
type server struct {
	kept *queueKept
	conn *nats.Conn
}

// server connects to the server of a batch, before anything of the batch is made; nil: it has
// none. The caller closes the connection.
func (f *flags) server(c *console.Console, store *state.Store) (*server, error) {
	kept, err := f.queueOf(store)
	if err != nil || kept == nil {
		return nil, err
	}
	if err := f.refuseFar(); err != nil {
		return nil, err
	}
	conn, err := connect(c, cmp.Or(f.Queue, kept.URL))
	if err != nil {
		return nil, err
	}
	return &server{kept, conn}, nil
}

// mostSent is how many items of a batch are at the workers of other machines, or wait for one, at
// the same time.
const mostSent = 1000

// runFar lets the workers of other machines run the items. why says why the batch stopped before
// its end.
func (f *flags) runFar(ctx context.Context, c *console.Console, b begun, s *server) (why, err error) {
	if err := s.kept.write(b.store); err != nil {
		return nil, err
	}
	w, err := f.newFarWorker(ctx, c, b, s)
	if err != nil {
		return nil, err
	}
	how := batch.Running{Jobs: mostSent} // workers run an item again that failed
	if f.Given("jobs") {
		how.Jobs = f.Jobs
	}
	why = f.play(ctx, c, b, w, how)
	cancelled := ctx.Err() == nil && why != nil && fault.Of(why, fault.Config).Code == fault.Interrupted
	if err := w.end(b.queue, cancelled); err != nil {
		c.Report(err)
	}
	return why, nil
}

// farWorker gives the items of a batch to other machines.
type farWorker struct {
	*natsqueue.Remote
	producer *natsqueue.Producer
	account  *run.Account
	staging  core.BatchStaging
	batch    string
}

// Run implements batch.Worker. What the item staged becomes an item of clearance here, if an item
// of this project can stage it.
func (w *farWorker) Run(ctx context.Context, l *batch.Lease) batch.Outcome {
	out := w.Remote.Run(ctx, l)
	if u := out.Result.Usage; u != nil {
		w.account.Book(model.Usage{In: u.In, Out: u.Out, Cached: u.Cached, Written: u.Written, Cost: u.Cost})
	}
	staged := out.Result.Staged
	out.Result.Staged = nil
	if err := w.staging.Check(staged); err != nil {
		out.Result.Status, out.Result.Error, out.Result.Output = batch.Failed, fault.Of(err, fault.Trust), nil
	} else if err := w.staging.Bring(ctx, l, w.batch, staged); err != nil {
		return batch.Outcome{Stop: fault.Of(err, fault.Config)}
	}
	return out
}

// end says to the workers whether the batch is done or cancelled.
func (w *farWorker) end(q *batch.Local, cancelled bool) error {
	defer w.producer.Close()
	defer w.Close()
	ctx, stop := context.WithTimeout(context.Background(), endPatience)
	defer stop()
	switch n := q.Counts(); {
	case cancelled:
		return w.producer.Set(ctx, natsqueue.Cancelled)
	case n.Open == 0 && n.Parked == 0:
		return w.producer.Set(ctx, natsqueue.Done)
	}
	return nil
}

// endPatience is how long golem tries to tell the workers that the batch has ended.
const endPatience = 10 * time.Second

// newFarWorker begins or goes on with a batch on its server.
func (f *flags) newFarWorker(ctx context.Context, c *console.Console, b begun, s *server) (_ *farWorker, err error) {
	w := &farWorker{account: b.account, staging: b.staging, batch: b.queue.Head.Name}
	invitation, private := s.kept.invitation(b.queue.Head.Name)
	w.producer, err = natsqueue.Create(ctx, s.conn, natsqueue.Options{Name: invitation.Name, Key: [natsqueue.KeySize]byte(s.kept.Key), Lease: f.lease, Watch: told{c}}, private)
	if err != nil {
		return nil, err
	}
	pack := b.data
	if pack == nil {
		if pack, err = b.queue.Pack(); err != nil {
			return nil, err
		}
	}
	about := description{
		Golem: c.Build.Version, Batch: b.queue.Head.Name, Project: b.queue.Head.Project, Entry: b.queue.Head.Entry, Pack: pack, Opening: forWorkers(f.Opening), Doubt: f.Doubt, Retry: f.Retry,
	}
	for _, step := range []func() error{
		func() error { return w.limit(ctx) },
		func() error { return w.producer.Set(ctx, natsqueue.Going) },
		func() error { return w.producer.Describe(ctx, about) },
		func() error { return s.kept.admit(ctx, c, w.producer, invitation) },
		func() error {
			w.Remote, err = w.producer.Remote(ctx, b.queue, inputFiles(b.queue.Head.Inputs), b.outputs)
			return err
		},
	} {
		if err = step(); err != nil {
			w.producer.Close()
			return nil, err
		}
	}
	return w, s.kept.sayInvitation(c, invitation)
}

// limit says to the workers how much the batch may use, and what was used before.
func (w *farWorker) limit(ctx context.Context) error {
	var limit batch.Amount
	limit.Tokens, limit.Cost = w.account.Limits()
	before := w.account.Spent()
	spent := batch.Amount{Tokens: before.In + before.Out, Cost: before.Cost}
	return w.producer.Limit(ctx, limit, spent, core.UsedIn)
}

// workerName returns how a worker calls itself.
func workerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "a machine"
	}
	return host
}
