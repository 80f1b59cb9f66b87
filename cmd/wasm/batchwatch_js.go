package main

import (
	"encoding/json"
	"maps"
	"sync"
	"time"

	"golem/core/batch"
	"golem/core/fault"
	"golem/core/run"
)

// between is the time between two events of progress: counting takes time with many items.
const between = 200 * time.Millisecond

// batchWatch tells the page how far a batch is.
type batchWatch struct {
	call    *call
	queue   *batch.Local
	account *run.Account
	began   time.Time
	done    chan struct{}
	wait    sync.WaitGroup

	mu       sync.Mutex
	ended    int // items that ended since
	failures map[fault.Code]int
	told     time.Time
	counts   batch.Counts // that were told last
}

var _ batch.Watcher = (*batchWatch)(nil)

func newBatchWatch(c *call, q *batch.Local, a *run.Account) (*batchWatch, error) {
	s, err := q.Summary()
	if err != nil {
		return nil, err
	}
	w := &batchWatch{call: c, queue: q, account: a, began: time.Now(), done: make(chan struct{}), failures: s.Failures}
	w.sendProgress()
	w.wait.Go(w.look)
	return w, nil
}

// Ended counts an item that has ended. It tells the page only if the last time was long enough
// ago (between).
func (w *batchWatch) Ended(r batch.Result) {
	w.mu.Lock()
	w.ended++
	if r.Error != nil && r.Status == batch.Failed {
		w.failures[r.Error.Code]++
	}
	due := time.Since(w.told) >= between
	w.mu.Unlock()
	if due {
		w.sendProgress()
	} else {
		w.call.server.breathe()
	}
}

// look tells every second what changed without the end of an item.
func (w *batchWatch) look() {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-w.done:
			return
		case <-tick.C:
			w.mu.Lock()
			counts := w.counts
			w.mu.Unlock()
			if w.queue.Counts() != counts {
				w.sendProgress()
			}
		}
	}
}

// sendProgress sends the page an event of progress.
func (w *batchWatch) sendProgress() {
	counts := w.queue.Counts()
	w.mu.Lock()
	w.told, w.counts = time.Now(), counts
	pace := batch.Pace{Ended: w.ended, Passed: time.Since(w.began)}
	p := pace.Progress(w.queue.Head.Name, counts, maps.Clone(w.failures), w.account.Spent().Cost)
	w.mu.Unlock()
	line, err := json.Marshal(p)
	if err == nil {
		w.call.event(string(line))
	}
}

// end ends the watch and tells the page once more.
func (w *batchWatch) end() {
	close(w.done)
	w.wait.Wait()
	w.sendProgress()
}
