package main

import (
	"context"
	"errors"
	"strconv"
	"syscall/js"
	"time"

	"golem/cmd/wasm/jsbytes"
	"golem/core/fault"
	"golem/core/wasmtool"
)

// toolCall is one call of a module that runs in a worker. What the module asks of its host
// is answered on the goroutine of the caller.
type toolCall struct {
	worker *toolWorker
	host   wasmtool.Host
	files  *toolFiles
	limit  time.Duration // the time limit of the module; 0: only the context limits it
	fault  error         // the fault with which the host ended the call
}

// toolGrace is how long after the limit of a call its worker is terminated, if the worker
// did not end the call itself.
const toolGrace = 2 * time.Second

// toolStart is how long a worker may take until it is ready. It does not count as the
// module's time: wazero may have to compile the module.
const toolStart = time.Minute

// answerUntil answers what the worker asks until the worker sends a message that has the field
// word, and returns that message. If the worker is too late, breaks, or ctx ends, it
// kills the worker and returns an error.
func (c *toolCall) answerUntil(ctx context.Context, word string) (js.Value, error) {
	var late <-chan time.Time
	begun := time.Now()
	var watch *time.Timer
	if c.limit > 0 {
		watch = time.NewTimer(c.limit + toolGrace)
		if word == "done" {
			watch.Reset(toolStart + c.limit + toolGrace)
		}
		defer watch.Stop()
		late = watch.C
	}
	for {
		if ctx.Err() != nil {
			c.worker.kill()
			return js.Undefined(), endedBy(ctx)
		}
		select {
		case <-ctx.Done():
		case <-late:
			c.worker.kill()
			return js.Undefined(), wasmtool.TooLate(c.limit)
		case m := <-c.worker.messages:
			switch {
			case m.Get(word).Truthy():
				return m, nil
			case m.Get("begins").Truthy():
				if watch != nil {
					begun = time.Now()
					watch.Reset(c.limit + toolGrace)
				}
			case m.Get("ask").Truthy():
				asked := time.Now()
				answer := c.answer(ctx, m)
				answer["answer"] = m.Get("ask")
				c.worker.post(answer)
				if watch != nil { // the host's time does not count as the module's
					begun = begun.Add(time.Since(asked))
					watch.Reset(max(0, c.limit+toolGrace-time.Since(begun)))
				}
			case m.Get("log").Truthy():
				if c.host.Log != nil {
					c.host.Log(m.Get("log").String(), string(jsbytes.Bytes(m.Get("text"))))
				}
			case m.Get("broke").Truthy():
				c.worker.kill()
				return js.Undefined(), fault.New(fault.ToolTrap, "the web worker that ran the module crashed").
					Hinting("give it less to do in one call; this tab may not have enough memory")
			}
		}
	}
}

// endedBy returns the fault for a context that has ended: its cause, or E_TIMEOUT or
// E_INTERRUPTED.
func endedBy(ctx context.Context) error {
	code := fault.Interrupted
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		code = fault.Timeout
	}
	return fault.Of(context.Cause(ctx), code)
}

// answer does what the module asked of its host, and returns the message to the worker.
func (c *toolCall) answer(ctx context.Context, m js.Value) map[string]any {
	switch op := m.Get("op").String(); op {
	case "call":
		return map[string]any{"data": jsbytes.Array(c.host.CallBack(ctx, string(jsbytes.Bytes(m.Get("name"))), jsbytes.Bytes(m.Get("data"))))}
	case "http":
		left := time.Duration(m.Get("left").Float() * float64(time.Millisecond))
		res, head, err := c.host.Exchange(ctx, jsbytes.Bytes(m.Get("data")), jsbytes.Bytes(m.Get("body")), left)
		if err != nil {
			return c.ended(fault.Of(err, fault.Network))
		}
		return map[string]any{"status": res.Status, "head": jsbytes.Array(head), "data": jsbytes.Array(res.Body)}
	case "random":
		if c.host.Chance == nil { // not reached: a worker asks only if the call came with random bytes
			return c.ended(fault.New(fault.Tool, "no random numbers are available here"))
		}
		b := make([]byte, min(max(m.Get("size").Int(), 0), wasmtool.RandomPart))
		if err := c.host.Chance.Random(b); err != nil {
			return c.ended(fault.Of(err, fault.Tool))
		}
		return map[string]any{"data": jsbytes.Array(b)}
	case "view":
		return c.files.lend(m)
	default:
		return c.files.answer(op, m)
	}
}

// ended returns the answer that makes the worker end the call, and keeps the fault.
func (c *toolCall) ended(why *fault.Fault) map[string]any {
	c.fault = why
	out := failed(why)
	out["ended"] = true
	return out
}

// number parses an int64, which the workers write as text.
func number(v js.Value) int64 {
	n, err := strconv.ParseInt(v.String(), 10, 64)
	if err != nil {
		return 0 // not reached: the workers write whole numbers
	}
	return n
}

// sentFault returns the fault that a worker sent.
func sentFault(f js.Value) *fault.Fault {
	out := fault.New(fault.Code(f.Get("code").String()), "%s", f.Get("message").String())
	if hint := f.Get("hint").String(); hint != "" {
		out = out.Hinting("%s", hint)
	}
	return out
}

// judged returns the result of a call for which the worker itself decided how it ended, as
// cmd/wasm/wazero does.
func judged(done js.Value) (wasmtool.Result, error) {
	res := wasmtool.Result{
		Output: jsbytes.Bytes(done.Get("output")), Stderr: jsbytes.Bytes(done.Get("stderr")), Exit: done.Get("code").Int(), Fuel: number(done.Get("fuel")),
	}
	if f := done.Get("fault"); f.Truthy() {
		return res, sentFault(f)
	}
	return res, nil
}

// ending combines what the worker reports about the end of a call with what only this side
// knows, for wasmtool.Judge.
func (c *toolCall) ending(m *browserModule, in wasmtool.Invocation, done js.Value) wasmtool.Ending {
	e := wasmtool.Ending{
		Memory: in.Limits.Memory,
		Trap:   done.Get("trap").String(), Exited: done.Get("exited").Truthy(), Code: done.Get("code").Int(), Flags: int32(done.Get("flags").Int()),
		Left: number(done.Get("left")), Fuel: number(done.Get("fuel")), Output: jsbytes.Bytes(done.Get("output")), Stderr: jsbytes.Bytes(done.Get("stderr")),
		Message: jsbytes.Bytes(done.Get("message")), Refused: c.files.refused,
	}
	if e.Refused == nil && done.Get("heldTooMuch").Truthy() {
		e.Refused = wasmtool.HeldTooMuch()
	}
	switch f, missing := done.Get("fault"), done.Get("missing"); {
	case f.Truthy():
		e.Fault = sentFault(f)
	case done.Get("atHost").Truthy() && c.fault != nil:
		e.Fault = c.fault
	case missing.Truthy():
		e.Fault = wasmtool.NotOffered(missing.Get("module").String(), missing.Get("name").String())
	case done.Get("contract").Truthy():
		x, exported := m.exports[exportOf(in)]
		e.Fault = wasmtool.NotCallable(exportOf(in), exported)
		if x.Imported {
			e.Fault = wasmtool.HandedOn(exportOf(in))
		}
	case done.Get("handedOn").Truthy():
		e.Fault = wasmtool.HandedOn(done.Get("handedOn").String())
	}
	return e
}
