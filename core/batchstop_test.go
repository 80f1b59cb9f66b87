package core_test

import (
	"context"
	"testing"

	"golem/core/batch"
	"golem/core/fault"
)

// stopsAtBlob is a worker that is stopped when an item asks for a file that its log names.
type stopsAtBlob struct {
	batch.Worker
	stopped bool
}

// Run implements batch.Worker.
func (s *stopsAtBlob) Run(ctx context.Context, l *batch.Lease) batch.Outcome {
	if !s.stopped {
		var stop context.CancelFunc
		ctx, stop = context.WithCancel(ctx)
		defer stop()
		l.Holder = blobless{l.Holder, func() { s.stopped = true; stop() }}
	}
	return s.Worker.Run(ctx, l)
}

type blobless struct {
	batch.Holder
	stop func()
}

func (b blobless) Blob(ctx context.Context, _ string) ([]byte, error) {
	b.stop()
	return nil, fault.New(fault.Network, "the queue does not work: %w", ctx.Err())
}

// An item whose batch is stopped while golem restores the item's files has not failed: it is
// open, and ends when the batch goes on.
func TestBatchStopsWhileAnItemIsRestored(t *testing.T) {
	files := map[string]string{
		"main.worker": "---\ntoolsets: {filesystem: {}}\n---\nM.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - when: {turn: 1}\n      calls: [{tool: write_file, args: {path: a.txt, content: a}}]\n    - say: done\n",
	}
	restored := false
	for writes := int64(0); ; writes++ {
		p, first, s := newPlant(t, files), newProcess(writes), &stopsAtBlob{}
		p.run(t, first, "")
		died := first.left.Load() < 0
		p.around = func(w batch.Worker) batch.Worker { s.Worker = w; return s }
		if r := p.run(t, newProcess(lives), ""); r.Status != batch.OK {
			t.Errorf("killed at write %d: %s %v", writes, r.Status, r.Error)
		}
		restored = restored || s.stopped
		if !died {
			break
		}
	}
	if !restored {
		t.Error("no item was restored")
	}
}
