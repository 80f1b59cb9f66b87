package run

import (
	"context"
	"sync"
	"time"

	"golem/core/fault"
)

// clock runs deadlines that stand still while a person is asked: waiting for
// an answer counts against no timeout (SPEC §5, scenario 20). The zero value
// is ready; one clock serves a whole worker tree.
type clock struct {
	mu        sync.Mutex
	paused    int
	deadlines map[*deadline]struct{}
}

// deadline is one timeout. left is the time that remained when it last stood still,
// since is when it last began to run. A nil deadline never ends.
type deadline struct {
	clock   *clock
	timer   *time.Timer
	cancel  context.CancelCauseFunc
	left    time.Duration
	since   time.Time
	away    int // callbacks under way, whose time does not count as the tool's
	running bool
}

// timeout derives a context that ends with E_TIMEOUT after d of unpaused
// time. d ≤ 0 means no timeout. The caller must call stop.
func (c *clock) timeout(ctx context.Context, d time.Duration, what string) (context.Context, func()) {
	ctx, dl := c.deadline(ctx, d, what)
	return ctx, dl.stop
}

// deadline is like timeout, but returns the deadline, which can stand still by itself.
func (c *clock) deadline(ctx context.Context, d time.Duration, what string) (context.Context, *deadline) {
	if d <= 0 {
		return ctx, nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	cause := fault.New(fault.Timeout, "%s ran longer than %s", what, d).
		Hinting("do less in one call, or raise the time limit under limits")
	dl := &deadline{clock: c, cancel: cancel, left: d, since: time.Now(), running: true}
	c.mu.Lock()
	defer c.mu.Unlock()
	dl.timer = time.AfterFunc(d, func() { cancel(cause) })
	if c.deadlines == nil {
		c.deadlines = map[*deadline]struct{}{}
	}
	c.deadlines[dl] = struct{}{}
	dl.adjust(dl.since)
	return ctx, dl
}

// stop ends the deadline and its context.
func (dl *deadline) stop() {
	if dl == nil {
		return
	}
	dl.clock.mu.Lock()
	delete(dl.clock.deadlines, dl)
	dl.clock.mu.Unlock()
	dl.timer.Stop()
	dl.cancel(context.Canceled)
}

// leave makes the deadline stand still until come is called; calls nest.
func (dl *deadline) leave() { dl.shift(1) }

// come ends the effect of one leave.
func (dl *deadline) come() { dl.shift(-1) }

func (dl *deadline) shift(by int) {
	if dl == nil {
		return
	}
	dl.clock.mu.Lock()
	defer dl.clock.mu.Unlock()
	dl.away += by
	if _, open := dl.clock.deadlines[dl]; open {
		dl.adjust(time.Now())
	}
}

// adjust starts or stops the timer as the pauses require. The caller holds the clock's
// mu.
func (dl *deadline) adjust(now time.Time) {
	should := dl.clock.paused == 0 && dl.away == 0
	switch {
	case should && !dl.running && dl.left > 0:
		dl.since, dl.running = now, true
		dl.timer.Reset(dl.left)
	case !should && dl.running:
		dl.running = false
		if dl.timer.Stop() {
			dl.left = max(dl.left-now.Sub(dl.since), 1)
		} else {
			dl.left = 0 // it has fired; nothing to resume
		}
	}
}

// pause stops every deadline until the returned function is called; pauses nest.
func (c *clock) pause() (resume func()) {
	c.shift(1)
	return sync.OnceFunc(func() { c.shift(-1) })
}

func (c *clock) shift(by int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused += by
	now := time.Now()
	for dl := range c.deadlines {
		dl.adjust(now)
	}
}
