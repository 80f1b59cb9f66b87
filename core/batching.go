package core

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"golem/core/approval"
	"golem/core/batch"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/options"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/trace"
)

// BatchWorker runs the items of a batch in a packed project (SPEC §19): each on files of its own
// over those of the pack. Make one with NewBatchWorker.
type BatchWorker struct {
	itemBatch
	of      *Instance
	inputs  fs.FS
	outputs sandbox.FS
	account *run.Account
	queue   batch.Queue
}

var _ batch.Worker = (*BatchWorker)(nil)

// BatchSetup says how the items of a batch run.
type BatchSetup struct {
	Name    string       // of the batch
	Inputs  fs.FS        // the directory of inputs that are files; nil: there are none
	Outputs sandbox.FS   // the directory to which the files of an item are written
	Host    state.Host   // has the key of the machine; nothing else of it is used
	Account *run.Account // pays for all requests
	Queue   batch.Queue
	// Pace is what other processes that run the batch know of the limits of providers; nil: there
	// are none.
	Pace model.SharedPace
	// Staging says what becomes of what items change in staged mounts of the same project.
	Staging BatchStaging
	// Doubt says what happens with a call that was running when golem ended: BatchAsk,
	// BatchRepeat or BatchFail. A call that changes nothing but the item's files is always
	// repeated, because its changes were lost with it.
	Doubt string
}

// NewBatchWorker returns a worker for the items of a batch in an open project.
func NewBatchWorker(i *Instance, s BatchSetup) *BatchWorker {
	if s.Pace != nil {
		i.models.SharePace(s.Pace)
	}
	return &BatchWorker{
		itemBatch: itemBatch{s.Name, s.Host, s.Doubt, s.Staging}, of: i, inputs: s.Inputs, outputs: s.Outputs, account: s.Account, queue: s.Queue,
	}
}

// errParked ends an item that asks.
var errParked = errors.New("the item waits for an answer")

// Run implements batch.Worker.
func (w *BatchWorker) Run(ctx context.Context, l *batch.Lease) batch.Outcome {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	base, err := w.of.platform.Files.Mount(".")
	if err != nil {
		return itemNotBegun(ctx, err)
	}
	it := newItemState(ctx, batch.Cancelling(stop), w.itemBatch, l, base)
	if err := it.restore(); err != nil {
		return itemNotBegun(ctx, err)
	}
	in, err := w.input(l.Item.Input)
	if err != nil {
		return itemNotBegun(ctx, err)
	}
	answers, err := w.queue.Answers(ctx)
	if err != nil {
		return batch.Outcome{Stop: fault.Of(err, fault.Config)}
	}
	front := &itemFront{answers: answers, item: it}
	var lines bytes.Buffer
	started := w.of.platform.now()
	account := w.account
	if l.Purse != nil {
		account = run.AccountOf("the batch "+w.name, l.Purse)
	}
	res := w.run(ctx, it, in, front, account, &lines)
	out := w.outcome(ctx, it, res, front, account)
	if out.Result.Status.Ended() {
		out.Result.MS, out.Result.Trace = w.of.platform.now().Sub(started).Milliseconds(), lines.Bytes()
	}
	return out
}

// itemNotBegun is the outcome of an item that could not begin. It has failed, unless ctx ended or the
// queue did not answer: then another holder runs it.
func itemNotBegun(ctx context.Context, err error) batch.Outcome {
	flt := fault.Of(err, fault.Config)
	switch {
	case ctx.Err() != nil:
		return batch.Outcome{}
	case flt.Code == fault.Network:
		return batch.Outcome{Stop: flt}
	}
	return batch.Outcome{Result: batch.Result{Status: batch.Failed, Error: flt}}
}

// run runs the project once on the item's files, or goes on with its conversation.
func (w *BatchWorker) run(ctx context.Context, it *itemState, in run.Input, front *itemFront, account *run.Account, lines io.Writer) run.Result {
	one := *w.of
	one.platform.Files, one.platform.State, one.platform.Volatile = Tree{it.files}, it.store(), true
	ro := RunOptions{ID: it.id, Trace: lines, Account: account, through: true, notices: it.earlierAttempts()}
	if it.resumes {
		ro.Resume, ro.Doubt = &it.id, w.doubt
	}
	return one.Run(ctx, in, front, ro)
}

// earlierAttempts returns what the trace of an item says about the attempts before; nil: this is
// the first one.
func (s *itemState) earlierAttempts() []trace.Body {
	if s.lease.Attempt < 2 {
		return nil
	}
	begins := "it begins anew"
	switch {
	case s.resumes:
		begins = "it goes on behind the last answer that was kept"
	case s.anew != "":
		begins += ", because " + s.anew
	}
	return []trace.Body{trace.Warning{Code: fault.Interrupted, Message: fmt.Sprintf("attempt %d of this item: %s", s.lease.Attempt, begins)}}
}

// outcome returns what became of an item.
func (w *BatchWorker) outcome(ctx context.Context, it *itemState, res run.Result, front *itemFront, account *run.Account) batch.Outcome {
	lost, asked := it.err(), front.asked()
	switch {
	case errors.Is(lost, fault.Conflict):
		return batch.Outcome{Lost: true}
	case lost != nil:
		return batch.Outcome{Stop: fault.Of(lost, fault.Config)}
	case asked != nil:
		return batch.Outcome{Question: asked}
	case ctx.Err() != nil:
		return batch.Outcome{}
	case res.Error != nil && res.Error.Code == fault.Budget && account.Refused():
		return batch.Outcome{Stop: fault.New(fault.Budget, "%s", res.Error.Message).
			Hinting("golem goes on with the items that are left, with a higher --limit")}
	}
	out := batch.Result{Status: batch.Status(res.Status), Error: res.Error, Denied: len(res.Denied)}
	res.Usage = res.Usage.Add(spentIn(it.lease.Log)) // by the processes before
	if used := res.Spent(); used != (trace.Usage{}) {
		out.Usage = &used
	}
	if res.Error != nil {
		out.Status = batch.Failed
		return batch.Outcome{Result: out}
	}
	out.Output = outputOf(res)
	if front.needsInput() {
		out.Status = batch.NeedsInput
	}
	files, staged, err := it.write(w.outputs)
	if err == nil {
		err = w.staging.Bring(ctx, it.lease, w.name, staged)
	}
	if err != nil {
		return batch.Outcome{Stop: fault.Of(err, fault.Config)}
	}
	out.Files, out.Staged = files, staged
	return batch.Outcome{Result: out}
}

// outputOf returns the output of a run as JSON.
func outputOf(res run.Result) json.RawMessage {
	if json.Valid(res.Output.Data) {
		return res.Output.Data
	}
	data, _ := json.Marshal(res.Output.Text) // a text always encodes
	return data
}

// input returns the input of an item.
func (w *BatchWorker) input(in batch.Input) (out run.Input, err error) {
	if in.File == "" {
		entry, err := w.of.Entry()
		if err != nil {
			return out, err
		}
		return run.Input{Text: in.Text, JSON: in.Fit(entry.Input)}, nil
	}
	data, err := in.Content(w.inputs)
	return run.Input{Attachments: []run.File{{Name: path.Base(in.File), Data: data}}}, err
}

// itemFront is the front end of an item: nobody sees it, and what it asks parks the item, unless
// a person answered it before.
type itemFront struct {
	answers  []batch.Answer
	item     *itemState
	question atomicValue[*batch.Question]
	input    atomicValue[bool]
}

// Emit does nothing: the trace has the events.
func (*itemFront) Emit(trace.Event) {}

// Prompt returns io.EOF.
func (*itemFront) Prompt(context.Context) (run.Input, error) { return run.Input{}, io.EOF }

// Approve gives the answer that a person gave to the question, or parks the item. A question of
// the worker itself is its answer, and limits are not raised.
func (f *itemFront) Approve(_ context.Context, r approval.Request) (approval.Decision, error) {
	switch r.Kind {
	case approval.KindInput:
		f.input.set(true)
		return approval.Decision{}, approval.ErrNobody
	case approval.KindTurns:
		return approval.Decision{}, approval.ErrNobody
	}
	q := batch.QuestionOf(r)
	if a, known := batch.AnswerTo(f.answers, q); known {
		return approval.Decision{ID: r.ID, Answer: a.Answer, Reason: a.Reason, Text: a.Text}, nil
	}
	f.question.set(&q)
	f.item.stop.Cancel(errParked)
	return approval.Decision{}, approval.ErrNobody
}

func (f *itemFront) asked() *batch.Question { return f.question.get() }
func (f *itemFront) needsInput() bool       { return f.input.get() }

// The values of BatchSetup.Doubt.
const (
	BatchAsk    = options.DoubtAsk
	BatchRepeat = options.DoubtRepeat
	BatchFail   = options.DoubtFail
)
