package batchcmd

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golem/core"
	"golem/core/approval"
	"golem/core/batch"
	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/run"
	"golem/core/state"
	"golem/core/ui"
	"golem/core/workspace"
	"golem/sandbox/osfs"

	"golem/cmd/cli/asking"
	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/target"
	"golem/cmd/cli/telemetry"
	"golem/cmd/cli/toolhost"
)

// How the files of results are called while they are written.
const (
	resultsTemp = ".results-*.tmp"
	summaryTemp = ".summary-*.tmp"
)

// job is a batch that is to be run.
type job struct {
	head    batch.Head
	pack    *workspace.Pack
	data    []byte       // of the pack; nil: the batch has it
	source  batch.Source // nil: the items are those that the batch has
	again   bool         // failed and, unless onlyFailed is set, cancelled items are run again
	failed  bool
	tools   *toolhost.Tools
	opening machine.Opening
	staged  *clearance.Store // of the project's directory; nil: it has none
}

// run runs a batch until no item is open, and writes its results.
func (f *flags) run(c *console.Console, j job) error {
	store, err := c.Home.Batch(j.head.Name)
	if err != nil {
		return err
	}
	if err := telemetry.Check(c, f.telemetry()); err != nil {
		return err
	}
	far, err := f.server(c, &store)
	if err != nil {
		return err
	}
	if far != nil {
		defer far.conn.Close()
	}
	account, priced, err := core.BatchAccount(j.head.Name, f.Limits)
	if err != nil {
		return err
	}
	ctx, stop := c.Interruptible(context.Background())
	defer stop()
	inst, staging, err := f.open(ctx, c, j, priced)
	if err != nil {
		return err
	}
	queue, err := core.OpenBatch(&store, j.head, j.pack)
	if err != nil {
		return err
	}
	defer queue.Close()
	if err := prepare(c, queue, j); err != nil {
		queue.Close()
		c.Home.Emptied(j.head.Name)
		return err
	}
	prune(c)
	outputs, err := outputDir(queue.Head.Out)
	if err != nil {
		return err
	}
	defer outputs.Close()
	if err := core.BookBatch(queue, account); err != nil {
		return err
	}
	b := begun{job: j, inst: inst, staging: staging, store: &store, queue: queue, outputs: outputs, account: account}
	var why error
	if far == nil {
		why = f.runHere(ctx, c, b)
	} else {
		why, err = f.runFar(ctx, c, b, far)
	}
	if err != nil {
		return err
	}
	if err := tellStaged(c, j.staged, j.head.Name); err != nil {
		c.Report(err)
	}
	return f.finish(ctx, c, queue, why)
}

// begun is a batch whose files are there.
type begun struct {
	job
	inst    *core.Instance
	staging core.BatchStaging
	store   *state.Store
	queue   *batch.Local
	outputs *osfs.FS
	account *run.Account
}

// runHere runs the items on this machine. why says why the batch stopped before its end.
func (f *flags) runHere(ctx context.Context, c *console.Console, b begun) error {
	worker := core.NewBatchWorker(b.inst, core.BatchSetup{
		Name: b.head.Name, Inputs: inputFiles(b.queue.Head.Inputs), Outputs: b.outputs, Host: b.store.Host, Account: b.account, Queue: b.queue, Doubt: f.Doubt, Staging: b.staging,
	})
	return f.play(ctx, c, b, worker, batch.Running{Jobs: f.Jobs, Retry: f.Retry})
}

// play runs the items with a worker, and shows how far they are.
func (f *flags) play(ctx context.Context, c *console.Console, b begun, w batch.Worker, how batch.Running) error {
	sender, err := telemetry.New(c, f.telemetry())
	if err != nil {
		return err
	}
	defer sender.Close()
	p := newProgress(c, b.queue, b.account, f.Quiet)
	defer p.end()
	how.Name, how.Watch = fmt.Sprintf("pid %d", os.Getpid()), p
	return batch.Run(ctx, b.queue, traced{w, sender, b.head.Name}, how)
}

// telemetry returns where the person wants traces to be sent.
func (f *flags) telemetry() telemetry.Wanted {
	return telemetry.Wanted{URL: f.OTLP, Contents: f.OTLPContents}
}

// traced sends the traces of the items that a worker runs.
type traced struct {
	batch.Worker
	sender *telemetry.Sender
	batch  string
}

// Run implements batch.Worker.
func (t traced) Run(ctx context.Context, l *batch.Lease) batch.Outcome {
	out := t.Worker.Run(ctx, l)
	t.sender.Trace(out.Result.Trace, t.batch)
	return out
}

// open opens the packed project, and checks it before the first item.
func (f *flags) open(ctx context.Context, c *console.Console, j job, priced bool) (_ *core.Instance, staging core.BatchStaging, err error) {
	j.opening.Entry = j.head.Entry
	inst, err := machine.Open(c, target.OfPack(j.pack, ""), j.opening, j.tools)
	if err != nil {
		return nil, staging, err
	}
	if staging, err = core.StagingHere(inst, j.staged); err != nil {
		return nil, staging, err
	}
	var person approval.Approver
	if p := c.Person(); p != nil {
		person = asking.Questions(c, p, f.NoColor)
	}
	return inst, staging, core.BeforeBatch(ctx, inst, person, priced)
}

// prepare brings the files of the batch to what the command line says.
func prepare(c *console.Console, q *batch.Local, j job) error {
	changes, again, err := batch.Begin(q, batch.Beginning{Source: j.source, Pack: j.data, Again: j.again, Failed: j.failed})
	if err != nil {
		return err
	}
	if j.source != nil {
		c.Say("%s", changes.Text(q))
	}
	if j.again {
		c.Say("batch %s: %s again, %d open", q.Head.Name, fault.Count(again, "item"), q.Counts().Open)
	}
	return nil
}

// outputDir makes and opens the directory of outputs. It has a file of results from the
// beginning, by which golem knows it.
func outputDir(name string) (*osfs.FS, error) {
	err := os.MkdirAll(name, 0o755)
	var dir *osfs.FS
	if err == nil {
		dir, err = osfs.Open(name)
	}
	if err == nil {
		if _, err = fs.Stat(dir, batch.ResultsFile); errors.Is(err, fs.ErrNotExist) {
			err = dir.WriteFile(batch.ResultsFile, nil)
		}
	}
	if err == nil {
		err = removeUnfinished(name)
	}
	if err != nil {
		return nil, console.Usage("--out %s cannot be written: %s", name, disk.Cause(err)).Hinting("name another directory")
	}
	return dir, nil
}

// removeUnfinished removes what a golem that was killed left while it wrote results.
func removeUnfinished(dir string) error {
	for _, pattern := range []string{resultsTemp, summaryTemp} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// inputFiles returns the directory of inputs, if they are files.
func inputFiles(name string) fs.FS {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return os.DirFS(name)
	}
	return nil
}

// finish writes the results and the summary, prints the summary and returns the exit code.
func (f *flags) finish(ctx context.Context, c *console.Console, q *batch.Local, why error) error {
	s, err := writeResults(q)
	if err != nil {
		if n := q.Counts(); why != nil {
			c.Report(fault.Of(why, fault.Config))
			c.Say("%d of %d items have ended and are kept; the same command goes on", n.Done(), n.Total)
		}
		return err
	}
	if f.json {
		err = c.PrintJSON(s)
	} else {
		err = c.Show(ui.Safe(s.Text() + "results: " + filepath.Join(q.Head.Out, batch.ResultsFile) + "\n"))
	}
	if err != nil {
		return err
	}
	if s.Statuses[batch.Parked] > 0 {
		c.Say("%s wait for an answer: golem batch questions %s", fault.Count(s.Statuses[batch.Parked], "item"), q.Head.Name)
	}
	open := s.Statuses[batch.Open]
	switch stopped := fault.Of(why, fault.Config); {
	case why != nil && ctx.Err() != nil:
		c.Say("interrupted with %s left; the same command goes on", fault.Count(open, "item"))
		return console.ExitCode(console.ExitInterrupted)
	case why != nil && stopped.Code == fault.Interrupted: // golem batch cancel
		n, err := q.Cancel()
		if err == nil {
			_, err = writeResults(q)
		}
		if err != nil {
			return err
		}
		c.Say("cancelled: %s were not run", fault.Count(n, "item"))
		return console.ExitCode(console.ExitFailed)
	case why != nil:
		c.Report(stopped)
		return console.ExitCode(console.ExitFailed)
	}
	if exit := s.Exit(); exit != 0 {
		return console.ExitCode(exit)
	}
	return nil
}

// writeResults writes the results in the order of the inputs, and the summary.
func writeResults(q *batch.Local) (s batch.Summary, err error) {
	out, err := os.CreateTemp(q.Head.Out, resultsTemp)
	if err != nil {
		return s, disk.NotWritten("the results", err, "free some space")
	}
	defer os.Remove(out.Name())
	w := bufio.NewWriterSize(out, 256<<10)
	err = batch.WriteResults(w, q)
	err = errors.Join(err, w.Flush(), out.Chmod(0o644), out.Close())
	if err == nil {
		err = os.Rename(out.Name(), filepath.Join(q.Head.Out, batch.ResultsFile))
	}
	if err != nil {
		return s, disk.NotWritten("the results", err, "free some space")
	}
	if s, err = q.Summary(); err != nil {
		return s, err
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err == nil {
		err = disk.Replace(filepath.Join(q.Head.Out, batch.SummaryFile), summaryTemp, append(data, '\n'), func(f *os.File) error { return f.Chmod(0o644) })
	}
	return s, err
}
