package batch_test

import (
	"context"
	"testing"

	"golem/core/batch"
	"golem/core/fault"
)

// lostQueue has one item, which another holder ends before its first holder does.
type lostQueue struct{ leased bool }

// Lease implements batch.Queue.
func (q *lostQueue) Lease(context.Context, string) (*batch.Lease, error) {
	if q.leased {
		return nil, nil
	}
	q.leased = true
	return &batch.Lease{Item: batch.Item{Key: "x"}, Holder: lostHolder{}}, nil
}

// Answers implements batch.Queue.
func (*lostQueue) Answers(context.Context) ([]batch.Answer, error) { return nil, nil }

// Refresh implements batch.Queue.
func (*lostQueue) Refresh(context.Context) (bool, error) { return false, nil }

type lostHolder struct{ batch.Holder }

// Finish implements batch.Holder.
func (lostHolder) Finish(context.Context, batch.Result) error {
	return fault.New(fault.Conflict, "another process holds the item")
}

// okWorker ends each item at once.
type okWorker struct{}

// Run implements batch.Worker.
func (okWorker) Run(context.Context, *batch.Lease) batch.Outcome {
	return batch.Outcome{Result: batch.Result{Status: batch.OK}}
}

type ended []batch.Result

// Ended implements batch.Watcher.
func (e *ended) Ended(r batch.Result) { *e = append(*e, r) }

// A worker whose result is not written, because another holder has the item, does not say that
// the item ended.
func TestLostItemIsNotSaidToEnd(t *testing.T) {
	var said ended
	if err := batch.Run(t.Context(), &lostQueue{}, okWorker{}, batch.Running{Jobs: 1, Watch: &said}); err != nil {
		t.Fatal(err)
	}
	if len(said) > 0 {
		t.Errorf("said %+v", said)
	}
}
