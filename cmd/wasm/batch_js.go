package main

import (
	"bytes"
	"encoding/json"
	"path"

	"golem/core"
	"golem/core/approval"
	"golem/core/batch"
	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/workspace"
	"golem/sandbox/opfs"
)

// usualJobs is how many items of a batch run beside each other.
const usualJobs = 4

// batchAsked has the parameters of batch, beside those of every method that opens a project.
// Without inputs the batch of the option name goes on as it began.
type batchAsked struct {
	Inputs *givenInputs `json:"inputs"`
	Again  bool         `json:"again"`  // failed and cancelled items are run again
	Failed bool         `json:"failed"` // with Again: only failed ones
}

// batchEnd is the reply of batch: how its run ended.
type batchEnd struct {
	Batch   string        `json:"batch"`
	Out     string        `json:"out"` // the directory of the outputs, in the project
	Status  string        `json:"status"`
	Exit    int           `json:"exit"`
	Summary batch.Summary `json:"summary"`
	Text    string        `json:"text"`             // the summary for people
	Staged  int           `json:"staged,omitempty"` // items of clearance that wait
	Shared  []sharedFile  `json:"shared,omitempty"`
	Error   *fault.Fault  `json:"error,omitempty"` // why the batch stopped
}

// sharedFile is a file that several items staged: if one is pushed, the others are refused.
type sharedFile struct {
	Path  string   `json:"path"`
	Items []string `json:"items"`
}

// batchJob is a batch that is to be run.
type batchJob struct {
	call    *call
	asked   asked
	project *opfs.FS
	inst    *core.Instance // of the project
	head    batch.Head
	pack    *workspace.Pack
	begin   batch.Beginning
}

// runBatch does what golem batch does: it runs the project's entry for each input.
func runBatch(c *call, n batchAsked) (any, []byte, error) {
	o, err := instance(c)
	if err != nil {
		return nil, nil, err
	}
	if o.Page.Assistant {
		return nil, nil, fault.New(fault.Usage, "a batch runs a worker of the project, and not the assistant").Hinting("leave the option assistant out")
	}
	if o.Name != "" && !batch.IsName(o.Name) {
		return nil, nil, fault.New(fault.Usage, "%s is not a name of a batch", fault.Quoted(o.Name)).Hinting("use 1 to 64 of the characters a-z, 0-9, _ and -")
	}
	if err := o.CheckBatch(); err != nil {
		return nil, nil, err
	}
	release, err := c.server.stores.hold(o.fsys)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	j := &batchJob{call: c, asked: o.asked, project: o.fsys, inst: o.inst}
	if n.Inputs == nil {
		err = j.goOn()
	} else {
		err = j.start(*n.Inputs)
	}
	if err != nil {
		return nil, nil, err
	}
	j.begin.Again, j.begin.Failed = n.Again, n.Failed
	end, err := j.run()
	return end, nil, err
}

// run runs the batch until no item is open, and writes its results.
func (j *batchJob) run() (end batchEnd, err error) {
	c := j.call
	account, priced, err := core.BatchAccount(j.head.Name, j.asked.Limits)
	if err != nil {
		return end, err
	}
	inst, staging, err := j.openPack(priced)
	if err != nil {
		return end, err
	}
	store, err := j.shelf().Batch(j.head.Name)
	if err != nil {
		return end, err
	}
	queue, err := core.OpenBatch(&store, j.head, j.pack)
	if err != nil {
		return end, err
	}
	defer queue.Close()
	if _, _, err := batch.Begin(queue, j.begin); err != nil {
		return end, err
	}
	outputs, err := batchOutputs(j.project, queue.Head.Out)
	if err != nil {
		return end, err
	}
	if err := core.BookBatch(queue, account); err != nil {
		return end, err
	}
	worker := core.NewBatchWorker(inst, core.BatchSetup{
		Name: j.head.Name, Inputs: inputFiles(j.project, queue.Head.Inputs), Outputs: outputs, Host: store.Host, Account: account, Queue: queue,
		Doubt: j.asked.Doubt, Staging: staging,
	})
	watch, err := newBatchWatch(c, queue, account)
	if err != nil {
		return end, err
	}
	why := batch.Run(c.ctx, queue, worker, batch.Running{Jobs: j.asked.Jobs, Retry: j.asked.Retry, Name: "a tab", Watch: watch})
	watch.end()
	if end, err = j.finish(queue, outputs, why); err != nil {
		return end, err
	}
	if err := batch.Prune(j.shelf(), stagedHere{j.inst.Clearance()}); err != nil {
		c.warnOf("old batches could not be removed", err)
	}
	return end, nil
}

func (j *batchJob) shelf() batchShelf {
	return batchShelf{j.call.server.stores, j.project, j.asked.Project}
}

// openPack opens the packed project as the browser opens the project itself, with its files in
// memory, and checks before the first item that it can run.
func (j *batchJob) openPack(priced bool) (_ *core.Instance, staging core.BatchStaging, err error) {
	c, a := j.call, j.asked
	p, err := c.platform(a, j.project, true)
	if err != nil {
		return nil, staging, err
	}
	if p.State, err = j.shelf().Batch(j.head.Name); err != nil {
		return nil, staging, err
	}
	p.Volatile = true
	p.Files, p.Libraries = core.Mounter(packMounter(j.pack)), core.PackLibraries(j.pack)
	o := core.Options{Files: j.pack.Project, Name: j.head.Project, Opening: a.Opening}
	o.Entry = j.head.Entry
	inst, err := core.Open(p, o)
	if err != nil {
		return nil, staging, err
	}
	if staging, err = core.StagingHere(inst, j.inst.Clearance()); err != nil {
		return nil, staging, err
	}
	var person approval.Approver
	if !a.Headless {
		person = &page{call: c}
	}
	return inst, staging, core.BeforeBatch(c.ctx, inst, person, priced)
}

// finish writes the results and returns how the batch ended, as golem batch does.
func (j *batchJob) finish(q *batch.Local, outputs *opfs.FS, why error) (end batchEnd, err error) {
	end = batchEnd{Batch: q.Head.Name, Out: q.Head.Out, Status: "ok"}
	stopped := fault.Of(why, fault.Config)
	cancelled := why != nil && j.call.ctx.Err() == nil && stopped.Code == fault.Interrupted // golem batch cancel
	if cancelled {
		if _, err := q.Cancel(); err != nil {
			return end, err
		}
	}
	if end.Summary, err = writeResults(q, outputs); err != nil {
		return end, err
	}
	end.Text, end.Exit = end.Summary.Text(), end.Summary.Exit()
	switch {
	case why != nil && j.call.ctx.Err() != nil:
		end.Status, end.Exit = "interrupted", exitInterrupted
	case cancelled:
		end.Status, end.Exit = "cancelled", 1
	case why != nil:
		end.Status, end.Exit, end.Error = "stopped", 1, stopped
	case end.Summary.Statuses[batch.Failed] > 0:
		end.Status = "error"
	case end.Summary.Statuses[batch.Parked] > 0:
		end.Status = "parked"
	}
	return end, j.tellStaged(&end)
}

// exitInterrupted is the exit code after Ctrl+C.
const exitInterrupted = 130

// tellStaged adds what of the batch waits in clearance.
func (j *batchJob) tellStaged(end *batchEnd) error {
	store := j.inst.Clearance()
	var err error
	if end.Staged, err = clearance.WaitingOf(store, end.Batch); err != nil || end.Staged == 0 {
		return err
	}
	shared, err := clearance.SharedFiles(store, end.Batch)
	for _, s := range shared {
		f := sharedFile{Path: s.Name}
		for _, it := range s.Items {
			f.Items = append(f.Items, path.Base(it.Run))
		}
		end.Shared = append(end.Shared, f)
	}
	return err
}

// writeResults writes the results in the order of the inputs, and the summary.
func writeResults(q *batch.Local, outputs *opfs.FS) (s batch.Summary, err error) {
	var lines bytes.Buffer
	if err := batch.WriteResults(&lines, q); err != nil {
		return s, err
	}
	if err := outputs.WriteFile(batch.ResultsFile, lines.Bytes()); err != nil {
		return s, err
	}
	if s, err = q.Summary(); err != nil {
		return s, err
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err == nil {
		err = outputs.WriteFile(batch.SummaryFile, append(data, '\n'))
	}
	return s, err
}
