package batchcmd

import (
	"time"

	"golem/core/batch"
	"golem/core/run"
	"golem/core/ui/plain"

	"golem/cmd/cli/console"
)

// progress shows on a terminal how far a batch is.
type progress struct {
	queue   *batch.Local
	account *run.Account
	began   time.Time
	drawn   time.Time
	ended   int            // items that ended since
	spinner *plain.Spinner // nil: nothing is shown
	stop    func()
}

var _ batch.Watcher = (*progress)(nil)

func newProgress(c *console.Console, q *batch.Local, a *run.Account, quiet bool) *progress {
	p := &progress{queue: q, account: a, began: time.Now(), stop: func() {}}
	if !quiet {
		p.spinner, p.stop = c.Spinner()
		p.spinner.Wait(batch.Pace{}.Line(q.Counts()))
	}
	return p
}

// Ended implements batch.Watcher.
func (p *progress) Ended(batch.Result) {
	p.ended++
	if p.spinner == nil || time.Since(p.drawn) < between {
		return
	}
	p.drawn = time.Now()
	p.spinner.Wait(p.line(time.Since(p.began)))
}

// between is the time between two lines of progress: counting takes time with many items.
const between = 200 * time.Millisecond

// line returns how far the batch is after some time.
func (p *progress) line(passed time.Duration) string {
	pace := batch.Pace{Ended: p.ended, Passed: passed}
	if cost := p.account.Spent().Cost; cost > 0 {
		pace.Cost = cost.Text()
	}
	return pace.Line(p.queue.Counts())
}

func (p *progress) end() { p.stop() }
