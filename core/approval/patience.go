package approval

import (
	"context"
	"time"

	"golem/core/fault"
	"golem/core/tool"
)

// patience is how long the gate waits for a tool after the tool's context has ended. Then
// the call returns without it, so that a tool that ignores its context delays neither
// Ctrl+C nor a timeout (SPEC §5).
const patience = 500 * time.Millisecond

// call runs the tool. It calls done when the tool has returned, which may be
// later than call itself returns. For a worker it always waits, because a
// worker ends when its tools do.
func (c *pending) call(ctx context.Context, args tool.Call, done func()) (tool.Output, error) {
	type result struct {
		out tool.Output
		err error
	}
	returned := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r = result{err: panicked(c.spec.Name, p)}
			}
			done()
			returned <- r
		}()
		r.out, r.err = c.item.Tool.Call(ctx, args)
	}()
	if c.spec.Kind == tool.Worker {
		r := <-returned
		return r.out, r.err
	}
	select {
	case r := <-returned:
		return r.out, r.err
	case <-ctx.Done():
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case r := <-returned:
		return r.out, r.err
	case <-late.C:
		return tool.Output{}, fault.Of(context.Cause(ctx), fault.Interrupted)
	}
}
