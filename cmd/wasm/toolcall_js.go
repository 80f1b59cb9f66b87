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

// toolCall is one call under way in a worker: what it asks for is answered
// here, on the calling goroutine.
type toolCall struct {
	worker *toolWorker
	host   wasmtool.Host
	files  *toolFiles
	limit  time.Duration // of the module; 0: as long as the context
	fault  error         // what the host ended the call with
}

// toolGrace is how long after its limit a worker is terminated that did not
// notice by itself.
const toolGrace = 2 * time.Second

// toolStart is how long a worker may take to be there and ready, which is not
// the module's time: wazero may have to compile it.
const toolStart = time.Minute

// until serves the call until the worker says the word. If it never does, or
// ctx ends, the worker is gone.
func (c *toolCall) until(ctx context.Context, word string) (js.Value, error) {
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
				if watch != nil { // a callback keeps its own time
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

// endedBy is the fault of a context that has ended.
func endedBy(ctx context.Context) error {
	code := fault.Interrupted
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		code = fault.Timeout
	}
	return fault.Of(context.Cause(ctx), code)
}

// answer does what the module asked for.
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
		if c.host.Random == nil { // not reached: a worker asks only if it was lent some
			return c.ended(fault.New(fault.Tool, "no random numbers are available here"))
		}
		b := make([]byte, min(max(m.Get("size").Int(), 0), wasmtool.RandomPart))
		if err := c.host.Random(b); err != nil {
			return c.ended(fault.Of(err, fault.Tool))
		}
		return map[string]any{"data": jsbytes.Array(b)}
	case "view":
		return c.files.lend(m)
	default:
		return c.files.answer(op, m)
	}
}

// ended is the answer that ends the call.
func (c *toolCall) ended(why *fault.Fault) map[string]any {
	c.fault = why
	out := failed(why)
	out["ended"] = true
	return out
}

// number is an int64 as the workers write it.
func number(v js.Value) int64 {
	n, err := strconv.ParseInt(v.String(), 10, 64)
	if err != nil {
		return 0 // not reached: they write whole numbers
	}
	return n
}

// told is a fault as the workers write it.
func told(f js.Value) *fault.Fault {
	out := fault.New(fault.Code(f.Get("code").String()), "%s", f.Get("message").String())
	if hint := f.Get("hint").String(); hint != "" {
		out = out.Hinting("%s", hint)
	}
	return out
}

// judged is how a call ended that its engine has judged itself.
func judged(done js.Value) (wasmtool.Result, error) {
	res := wasmtool.Result{
		Output: jsbytes.Bytes(done.Get("output")), Stderr: jsbytes.Bytes(done.Get("stderr")), Exit: done.Get("code").Int(), Fuel: number(done.Get("fuel")),
	}
	if f := done.Get("fault"); f.Truthy() {
		return res, told(f)
	}
	return res, nil
}

// ending is what the worker saw, with what only this side knows.
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
		e.Fault = told(f)
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
