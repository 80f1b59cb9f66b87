package batchcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"golem/core"
	"golem/core/approval"
	"golem/core/batch"
	"golem/core/fault"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/ui"
	"golem/core/workspace"

	"golem/cmd/cli/asking"
	"golem/cmd/cli/console"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/natsqueue"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// joining is how a worker joins a batch.
type joining struct {
	join, file, from      string
	key, list             bool
	remove                string
	jobs                  int
	trust, quiet, noColor bool
}

// WorkerCommand returns golem worker.
func WorkerCommand(c *console.Console) *cobra.Command {
	f := &joining{}
	cmd := &cobra.Command{
		Use:   "worker [URL]",
		Short: "run items of a batch that another machine began",
		Long: `Joins a batch that golem batch --queue began, and runs its items until the batch is
done. The token of the batch is in ` + console.JoinVariable + `, in a file (--join-file), or in --join.

Without a token, the machines know each other by their keys: golem worker --key prints
the key of this one, golem batch --queue URL --worker KEY names it, and --from KEY
trusts the other from then on, whose batches golem worker URL finds later.

The project, the model and the limits are those of the batch; the keys are those of
this machine, and its config.yaml applies as to every project. What a project may do
beyond its sandbox needs your trust, as if it ran here: you are asked, or give --trust.
Calls that ask wait for the person who began the batch.

Ctrl+C gives back what the worker has; others go on with it.`,
		Example: `  GOLEM_JOIN=golem1.… golem worker nats://queue.local:4222
  golem worker nats://127.0.0.1:4222 --join-file join.txt --jobs 8
  golem worker --key
  golem worker nats://queue.local:4222 --from golemkey1.…`,
		Args: console.Words(0, 1),
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := console.NotEmpty(cmd.Flags(), "join", "join-file", "from", "remove"); err != nil {
				return err
			}
			return f.start(c, words)
		},
	}
	s := cmd.Flags()
	s.StringVar(&f.join, "join", "", "the `TOKEN` of the batch; other users of this machine can read it in the list of processes")
	s.StringVar(&f.file, "join-file", "", "the `FILE` with the token of the batch")
	s.StringVar(&f.from, "from", "", "trust the machine with this `KEY` from now on, and work for a batch that it began")
	s.BoolVar(&f.key, "key", false, "print the key of this machine, for --worker and --from on others")
	s.BoolVar(&f.list, "list", false, "list the keys that this machine trusts")
	s.StringVar(&f.remove, "remove", "", "trust the machine with this `KEY` no more")
	s.IntVar(&f.jobs, "jobs", 4, "how many items run beside each other")
	s.BoolVar(&f.trust, "trust", false, "trust what the batch's project allows beyond its sandbox")
	s.BoolVarP(&f.quiet, "quiet", "q", false, "do not name the items")
	s.BoolVar(&f.noColor, "no-color", false, "print without colours (NO_COLOR does the same)")
	return cmd
}

// start carries out golem worker.
func (f *joining) start(c *console.Console, words []string) error {
	alone := 0
	for _, given := range []bool{f.key, f.list, f.remove != ""} {
		if given {
			alone++
		}
	}
	switch {
	case alone > 1 || alone == 1 && len(words) > 0:
		return console.Usage("--key, --list and --remove stand alone").Hinting("golem worker --key")
	case f.key:
		return printKey(c)
	case f.list:
		return listSigners(c)
	case f.remove != "":
		return removeSigner(c, f.remove)
	case len(words) == 0:
		return console.Usage("the address of the queue is missing").Hinting("golem worker nats://HOST:4222")
	case f.jobs < 1 || f.jobs > 1000:
		return console.Usage("--jobs %d is not between 1 and 1000", f.jobs)
	}
	return f.carryOut(c, words[0])
}

// token returns the text of the invitation that the person gave; "": none.
func (f *joining) token(c *console.Console) (string, error) {
	switch {
	case f.from != "" && (f.join != "" || f.file != ""), f.join != "" && f.file != "":
		return "", console.Usage("--join, --join-file and --from exclude each other")
	case f.from != "":
		return "", nil
	case f.join != "":
		c.Say("warning: other users of this machine can read --join in the list of processes; %s and --join-file keep it from them", console.JoinVariable)
		return f.join, nil
	case f.file != "":
		data, err := c.ReadFile(f.file, 4<<10)
		if err != nil {
			return "", console.Usage("--join-file %s cannot be read: %s", f.file, fault.Of(err, fault.Usage).Message)
		}
		if strings.TrimSpace(string(data)) == "" {
			return "", console.Usage("--join-file %s is empty", f.file).Hinting("golem batch --queue prints the token of the batch")
		}
		return string(data), nil
	}
	return strings.TrimSpace(c.Env[console.JoinVariable]), nil
}

// joined returns with what the worker opens its batch: by the token, or by the keys of machines.
func (f *joining) joined(ctx context.Context, c *console.Console, address string) (*nats.Conn, natsqueue.Options, error) {
	var o natsqueue.Options
	token, err := f.token(c)
	if err != nil {
		return nil, o, err
	}
	var i natsqueue.Invitation
	var by keys
	if token != "" {
		i, err = natsqueue.ReadInvitation(token)
	} else {
		by, err = f.keys(c)
	}
	if err != nil {
		return nil, o, err
	}
	conn, err := connect(c, address)
	if err != nil {
		return nil, o, err
	}
	if token != "" {
		o, err = natsqueue.Join(ctx, conn, i)
	} else {
		o, err = by.find(ctx, conn)
	}
	if err != nil {
		conn.Close()
	}
	return conn, o, err
}

// carryOut joins the batch and runs items until it is done.
func (f *joining) carryOut(c *console.Console, address string) error {
	ctx, stop := c.Interruptible(context.Background())
	defer stop()
	conn, o, err := f.joined(ctx, c, address)
	if err != nil {
		return err
	}
	defer conn.Close()
	o.Watch, o.Inputs, o.Outputs = told{c}, sandbox.Memory(), sandbox.Memory()
	q, err := natsqueue.Open(ctx, conn, o)
	if err != nil {
		return err
	}
	defer q.Close()
	var about description
	if err := q.Description(ctx, &about); err != nil {
		return err
	}
	tools := toolhost.New(c, false)
	defer tools.Close()
	worker, err := f.worker(ctx, c, q, o, about, tools)
	if err != nil {
		return err
	}
	c.Say("this machine works for the batch %s of %s, %s beside each other; Ctrl+C ends it", ui.OneLine(about.Batch), ui.OneLine(about.Project), fault.Count(f.jobs, "item"))
	return f.work(ctx, c, q, worker, about)
}

// worker opens the batch's project on this machine.
func (f *joining) worker(ctx context.Context, c *console.Console, q *natsqueue.Queue, o natsqueue.Options, about description, tools *toolhost.Tools) (*core.BatchWorker, error) {
	if about.Golem != c.Build.Version {
		return nil, fault.New(fault.Platform, "the batch was begun by golem %s, and this is golem %s", ui.OneLine(about.Golem), c.Build.Version).Hinting("use one version of golem on all machines")
	}
	pack, err := workspace.ReadPack(about.Pack)
	if err != nil {
		return nil, err
	}
	opening := machine.Opening{Options: core.Options{Opening: forWorkers(about.Opening)}}
	opening.Entry, opening.Trust = about.Entry, f.trust
	inst, err := machine.Open(c, target.OfPack(pack, ""), opening, tools)
	if err != nil {
		return nil, err
	}
	staging, err := core.StagingElsewhere(inst)
	if err != nil {
		return nil, err
	}
	var person approval.Approver
	if p := c.Person(); p != nil {
		person = asking.Questions(c, p, f.noColor)
	}
	if _, err := q.Refresh(ctx); err != nil {
		return nil, err
	}
	limit, _ := q.Limit()
	if err := core.BeforeBatch(ctx, inst, person, limit.Cost > 0); err != nil {
		return nil, err
	}
	pace, err := q.Pace(ctx)
	if err != nil {
		return nil, err
	}
	return core.NewBatchWorker(inst, core.BatchSetup{
		Name: about.Batch, Inputs: o.Inputs, Outputs: o.Outputs, Host: stateKey(o.StateKey()), Account: run.NewAccount("the batch "+about.Batch, 0, 0), Queue: q, Pace: pace, Staging: staging, Doubt: about.Doubt,
	}), nil
}

// work runs items until the batch is done, cancelled or interrupted.
func (f *joining) work(ctx context.Context, c *console.Console, q *natsqueue.Queue, w batch.Worker, about description) error {
	seen := &naming{c: c, quiet: f.quiet}
	for {
		_, limit := q.Limit()
		err := batch.Run(ctx, q, w, batch.Running{Jobs: f.jobs, Retry: about.Retry, Name: fmt.Sprintf("%s, pid %d", workerName(), os.Getpid()), Watch: seen})
		state := natsqueue.Going
		if errors.Is(err, fault.Budget) {
			c.Say("%s; this machine waits until the batch goes on with a higher limit", fault.Of(err, fault.Budget).Message)
			state, err = otherLimit(ctx, q, limit)
		} else if ctx.Err() == nil && (err == nil || errors.Is(err, fault.Interrupted)) {
			state, err = q.State(ctx)
		}
		switch {
		case ctx.Err() != nil:
			c.Say("interrupted after %s; others go on with what was under way", fault.Count(seen.ended, "item"))
			return console.ExitCode(console.ExitInterrupted)
		case err != nil:
			return err
		case state == natsqueue.Done:
			c.Say("the batch is done; this machine ran %s", fault.Count(seen.ended, "item"))
			return nil
		case state == natsqueue.Cancelled:
			c.Say("the batch was cancelled; this machine ran %s", fault.Count(seen.ended, "item"))
			return nil
		}
		pause(ctx, time.Second)
	}
}

// otherLimit waits until the batch has another limit than the one that was reached, or has ended.
func otherLimit(ctx context.Context, q *natsqueue.Queue, reached uint64) (natsqueue.BatchState, error) {
	for ; ; pause(ctx, time.Second) {
		state, err := q.State(ctx)
		if _, limit := q.Limit(); err != nil || state != natsqueue.Going || limit != reached || ctx.Err() != nil {
			return state, err
		}
	}
}

// pause waits for a time, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// naming names the items that end.
type naming struct {
	c     *console.Console
	quiet bool
	ended int
}

// Ended implements batch.Watcher.
func (n *naming) Ended(r batch.Result) {
	if r.Status != batch.Parked {
		n.ended++
	}
	if !n.quiet {
		n.c.Say("item %s: %s", ui.OneLine(r.Item), r.Status)
	}
}

// stateKey is the state.Host of a worker: it has a key, and keeps nothing.
type stateKey []byte

var _ state.Host = stateKey(nil)

// Key returns the key that all workers of the batch have.
func (k stateKey) Key() ([]byte, error) { return k, nil }

// Lock returns at once.
func (stateKey) Lock(context.Context, string) (release func(), err error) { return func() {}, nil }

// Held returns false.
func (stateKey) Held(string) bool { return false }

// Append returns E_PLATFORM.
func (stateKey) Append(string) (io.WriteCloser, error) {
	return nil, fault.New(fault.Platform, "a worker of a batch keeps no files")
}
