package model

import (
	"context"
	"errors"
	"io"
	"time"
)

// errIdle is the cause of a request that ended because the provider was silent.
var errIdle = errors.New("no data arrived for too long")

// errEnough is the cause of a request that golem ended because the answer was complete.
var errEnough = errors.New("the answer is complete")

// guard bounds how long a provider may be silent (SECURITY 12). Its context ends with
// the caller's, when the provider has sent nothing for idle, or when the moment of
// finish or drain is over.
type guard struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	idle   time.Duration
	timer  *time.Timer
	grace  *time.Timer
	body   *events // of the answer, once there is one
}

func newGuard(ctx context.Context, idle time.Duration) *guard {
	g := &guard{idle: idle}
	g.ctx, g.cancel = context.WithCancelCause(ctx)
	g.timer = time.AfterFunc(idle, func() { g.cancel(errIdle) })
	return g
}

// heard starts to measure the silence from now; pause stops that while golem itself works.
func (g *guard) heard() { g.timer.Reset(g.idle) }

func (g *guard) pause() { g.timer.Stop() }

// finish gives the provider a moment from now on for what may follow the finish reason
// of an answer.
func (g *guard) finish(moment time.Duration) {
	if g.grace == nil {
		g.grace = time.AfterFunc(moment, func() { g.cancel(errEnough) })
	} else {
		g.grace.Reset(moment)
	}
}

// drain reads what follows an answer's end mark, as a rule nothing, so that the
// connection can be used again. It waits no longer than moment.
func (g *guard) drain(moment time.Duration) {
	if g.body == nil {
		return
	}
	timer := time.AfterFunc(moment, func() { g.cancel(errEnough) })
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, g.body.in, 4<<10) // an error only costs the connection
}

func (g *guard) silent() bool { return errors.Is(context.Cause(g.ctx), errIdle) }

func (g *guard) close() {
	g.timer.Stop()
	if g.grace != nil {
		g.grace.Stop()
	}
	g.cancel(nil)
}
