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
	mu     sync.Mutex
	paused int
	timers map[*deadline]struct{}
}

// deadline is one running timeout. left is what remained when it last stood
// still, since is when it last began to run.
type deadline struct {
	timer *time.Timer
	left  time.Duration
	since time.Time
}

// timeout derives a context that ends with E_TIMEOUT after d of unpaused
// time. d ≤ 0 means no timeout. The caller must call stop.
func (c *clock) timeout(ctx context.Context, d time.Duration, what string) (context.Context, func()) {
	if d <= 0 {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	cause := fault.New(fault.Timeout, "%s ran longer than %s", what, d).
		Hinting("do less at once, or raise the timeout under limits")
	dl := &deadline{left: d}
	c.mu.Lock()
	defer c.mu.Unlock()
	dl.timer = time.AfterFunc(d, func() { cancel(cause) })
	dl.since = time.Now()
	if c.paused > 0 {
		dl.timer.Stop()
	}
	if c.timers == nil {
		c.timers = map[*deadline]struct{}{}
	}
	c.timers[dl] = struct{}{}
	return ctx, func() {
		c.mu.Lock()
		delete(c.timers, dl)
		c.mu.Unlock()
		dl.timer.Stop()
		cancel(context.Canceled)
	}
}

// pause stops every deadline until the returned function is called; pauses nest.
func (c *clock) pause() (resume func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused++
	if c.paused == 1 {
		now := time.Now()
		for dl := range c.timers {
			if dl.timer.Stop() {
				dl.left -= now.Sub(dl.since)
			} else {
				dl.left = 0 // it has fired; nothing to resume
			}
		}
	}
	return sync.OnceFunc(c.resume)
}

func (c *clock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused--
	if c.paused > 0 {
		return
	}
	now := time.Now()
	for dl := range c.timers {
		if dl.left > 0 {
			dl.since = now
			dl.timer.Reset(dl.left)
		}
	}
}
