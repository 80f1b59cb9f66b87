package run

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/trace"
)

// callRequest is one call as its caller made it. args are the caller's bytes, which may
// not be valid JSON.
type callRequest struct {
	id, parent string
	name, args string
	invalid    string // why args must not run, "" if they may
	model      bool   // asked for by a model or a tool, not by a person
	caller     *host  // the host of the tool that makes the call; nil for a model or a person
}

// callStatus is how a call ended (SPEC §16, tool.end).
type callStatus string

const (
	callOK      callStatus = "ok"
	callError   callStatus = "error"
	callDenied  callStatus = "denied"
	callNotRun  callStatus = "not_run"
	callStopped callStatus = "stopped"
)

// activeCall is one call under way.
type activeCall struct {
	frame   *frame
	req     callRequest
	spec    tool.Spec
	at      trace.Event
	hold    *hold
	entered bool
	nobody  bool // nobody could be asked
	started bool // keepStart has kept its start

	mu  sync.Mutex
	ctx context.Context // of the execution; kept after it only if it ended before the tool returned
}

// call is the only way to a tool or a worker: the call passes the gate, has a start and
// an end in the trace, and its output is checked. It returns a fault, never a bare
// error.
func (f *frame) call(ctx context.Context, req callRequest) (tool.Output, *fault.Fault) {
	if out, flt, kept := f.keptCall(req); kept {
		return out, flt
	}
	if req.caller != nil {
		req.args = string(f.tree.r.given().JSON([]byte(req.args)))
	}
	c := &activeCall{frame: f, req: req, at: trace.Event{ID: req.id, Parent: req.parent, Worker: f.worker.ID, Depth: f.depth}}
	c.hold = &hold{sched: f.tree.sched}
	start := f.tree.r.now()
	tl, known := f.tools.Get(req.name)
	if known {
		c.spec = tl.Spec()
	} else {
		c.spec = tool.Spec{Name: req.name}
	}
	stopped := f.tree.sched.open(ctx) != nil
	c.emit(trace.ToolStart{Tool: req.name, Kind: kindOf(c.spec), Module: module(ctx, tl, c.spec), Args: rawArgs(req.args)})
	var out tool.Output
	var err error
	switch {
	case stopped:
		err = cause(ctx)
	case req.invalid != "":
		err = fault.New(fault.ToolInput, "this call was not run: %s", req.invalid).
			Hinting("call it again; the arguments are one JSON object")
	case !known:
		err = f.unknown(req.name)
	case req.caller.nests(c.spec) != nil:
		err = req.caller.nests(c.spec)
	default:
		if err = f.tree.takenAsFailed(req.id); err == nil {
			out, err = f.tree.r.withoutGiven(c.run(ctx, tl))
		}
	}
	return c.finish(ctx, out, err, f.tree.r.now().Sub(start))
}

// run hands the call to the gate, which decides and then runs the tool.
func (c *activeCall) run(ctx context.Context, tl tool.Tool) (tool.Output, error) {
	f := c.frame
	back := &host{frame: f, id: c.req.id, at: c.at, hold: c.hold, spec: c.spec, caller: c.req.caller, life: ctx}
	defer back.end()
	out, err := f.tree.r.Gate.Call(ctx, approval.Item{
		Tool: tl, Policy: f.sight.policy, WorkerPath: f.chain, Workers: f.path(), FromModel: c.req.model,
		Call: tool.Call{
			ID: c.req.id, Name: c.req.name, Args: json.RawMessage(c.req.args), Host: back,
		},
		Permit:  func(risk tool.Risk) error { return c.permit(ctx, tl, risk) },
		Tainted: f.tree.isTainted, Source: f.source,
		Observe: c.observe, Coerced: c.coerced,
		Asking: f.tree.ask,
		Shown:  func(r approval.Request) { f.tree.shown(c.at, r) },
		Enter: func(ctx context.Context, risk tool.Risk) (context.Context, func(), error) {
			return c.enter(ctx, tl, risk)
		},
	})
	if err != nil {
		return out, err
	}
	return out, checkOutput(c.spec, out)
}

// permit refuses the network to tools of every toolset if the worker's sandbox has none
// (SPEC §6, Grants).
//
// It also refuses grants that nobody trusted (SPEC §3, Trust).
func (c *activeCall) permit(ctx context.Context, tl tool.Tool, risk tool.Risk) error {
	if risk != tool.Network && !c.spec.Network || c.frame.network() {
		return c.granted(ctx, tl)
	}
	none := fault.New(fault.Network, "%s uses the network, and %s may not", c.spec.Name, c.frame.worker.ID)
	if c.frame.worker.Sandbox.Network {
		return none.Hinting("a caller has network_enabled: false, which also applies to the workers that it calls; go on without it")
	}
	return none.Hinting("a person can set sandbox.network_enabled: true; go on without it")
}

// granted returns E_TRUST if no person trusted the tool's grants. If nobody could be
// asked for it, the call counts as denied.
func (c *activeCall) granted(ctx context.Context, tl tool.Tool) error {
	r := c.frame.tree.r
	if r.Granted == nil {
		return nil
	}
	err := r.Granted(ctx, c.frame.worker, tl)
	if err != nil && r.unasked(fault.Of(err, fault.Trust)) {
		c.frame.tree.deny(Denial{ID: c.req.id, Tool: c.spec.Name, Trust: true})
	}
	return err
}

// network reports whether the worker may reach the network: its sandbox allows it, and
// neither the worker nor a caller says network_enabled: false.
func (f *frame) network() bool { return f.worker.Sandbox.Network && !f.sight.noNetwork }

// module returns the name of a tool's module for the trace, with the digest of its
// file, which it reads. If the file cannot be read, the name is the path, and the gate
// will fail the call.
func module(ctx context.Context, tl tool.Tool, spec tool.Spec) string {
	if t, ok := tl.(tool.Identifier); ok {
		if digest, err := t.Identity(ctx); err == nil {
			return tool.Pinned(spec.Module, digest)
		}
	}
	return spec.Module
}

// source returns a name of the files behind a mount, so that a remembered decision for
// one worker's mount does not hold for another worker's mount of the same name.
func (f *frame) source(mount string) string { return sandbox.SourceIn(f.sight.files, mount) }

// observe puts the gate's decision into the trace.
func (c *activeCall) observe(r approval.Record) {
	body := trace.Approval{
		Tool: c.spec.Name, Setting: string(r.Setting), Rule: r.Rule, Source: r.Source,
		Decision: decision(r), Remember: string(r.Remember), Reason: r.Reason,
	}
	if r.Nobody {
		c.nobody = true
		if r.Allow != nil {
			body.Allow = r.Allow.YAML
		}
		c.frame.tree.deny(Denial{ID: c.req.id, Tool: c.spec.Name, Allow: body.Allow})
	}
	c.emit(body)
}

// enter makes the tool ready, waits until the schedule lets the call run, and starts
// its timeout. A call of a worker does neither: the worker has its own timeout, and
// its own calls wait for the schedule.
func (c *activeCall) enter(ctx context.Context, tl tool.Tool, risk tool.Risk) (context.Context, func(), error) {
	c.executes(ctx)
	if c.spec.Kind == tool.Worker {
		c.entered = true
		c.hold.release() // it has no place, and must not take one after a callback
		return ctx, func() {}, c.frame.tree.sched.open(ctx)
	}
	leave, err := c.ready(ctx, tl)
	if err != nil {
		return ctx, func() {}, err
	}
	c.hold.exclusive = risk != tool.Read && !c.spec.Confined
	if err := c.hold.enter(ctx); err != nil {
		leave()
		return ctx, func() {}, err
	}
	c.entered = true
	if risk == tool.Command {
		if c.spec.Toolset != "mcp" { // a person trusted the server, whatever its tools do
			c.frame.tree.wrote("")
		}
		c.frame.tree.record.Blind(c.spec.Name)
	}
	c.keepStart(risk)
	limit := c.frame.worker.Limits.ToolTimeout
	if c.spec.Timeout != 0 {
		limit = c.spec.Timeout
	}
	tctx, dl := c.frame.tree.clock.deadline(ctx, limit, "tool "+c.spec.Name)
	c.hold.deadline = dl
	c.hold.lives(tctx)
	c.executes(tctx)
	return tctx, func() { leave(); c.hold.release(); c.returned(tctx); dl.stop() }, nil
}

// executes stores the context in which the tool runs.
func (c *activeCall) executes(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ctx = ctx
}

// returned forgets the context if it has not ended, so that cutOff does not take the
// stop() that follows for a time-out.
func (c *activeCall) returned(tctx context.Context) {
	if tctx.Err() == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ctx = nil
	}
}

// cutOff returns why the tool's context ended before the tool returned; nil if it did
// not.
func (c *activeCall) cutOff() *fault.Fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx == nil || c.spec.Kind == tool.Worker {
		return nil
	}
	return cause(c.ctx)
}

// finish determines the status and the fault of a call, keeps both and emits the end of
// the call.
func (c *activeCall) finish(ctx context.Context, out tool.Output, err error, took time.Duration) (tool.Output, *fault.Fault) {
	body := trace.ToolEnd{Tool: c.spec.Name, Status: string(callOK), Fuel: out.Fuel, FuelVaries: out.FuelVaries, MS: took.Milliseconds()}
	var flt *fault.Fault
	if err != nil {
		flt = fault.Of(err, fault.Tool)
		if why := c.cutOff(); why != nil {
			flt = why
		}
		status := c.statusOf(ctx, flt)
		if status == callNotRun || status == callStopped {
			flt = unfinished(status, flt)
		}
		body.Status, body.Error = string(status), flt
		c.effects(tool.Output{Untrusted: out.Untrusted}) // the text of an error can be untrusted, too
	} else {
		body.Result, body.Parts = rawOutput(out), recorded(out.Parts)
		c.effects(out)
	}
	c.keepEnd(out, body)
	c.emit(body)
	c.settle(callStatus(body.Status), flt)
	if keep := c.frame.tree.r.Artifact; keep != nil {
		keep(c.req.id+".in.json", rawArgs(c.req.args))
		if flt != nil {
			keep(c.req.id+".out.json", flt)
		} else {
			keep(c.req.id+".out.json", rawOutput(out))
		}
	}
	return out, flt
}

// settle notes a call that was denied or failed, and ends the progress of a worker's call.
func (c *activeCall) settle(status callStatus, flt *fault.Fault) {
	f := c.frame
	if status == callDenied && !c.nobody {
		f.tree.decline(Denial{ID: c.req.id, Tool: c.spec.Name})
	}
	if c.spec.Kind != tool.Worker {
		return
	}
	name, task := readDelegation(c.spec, json.RawMessage(c.req.args))
	if who := f.current.callee(c.req.id); who.file {
		name = who.id
		if status == callError {
			f.tree.fail(Failure{ID: c.req.id, Worker: who.id, Error: flt})
		}
	}
	state := progressComplete
	if flt != nil {
		state = progressFailed
	}
	f.progress(c.req.id, state, name, task)
}

// effects emits the effects of a call: it has read untrusted content, or changed a
// file.
func (c *activeCall) effects(out tool.Output) {
	if out.Untrusted {
		c.frame.tree.taint(c.at, c.spec.Name)
	}
	if d := out.Diff; d != nil {
		c.emit(trace.Diff{Path: d.Path, Before: d.Before, After: d.After, Patch: d.Patch})
	}
}

func (c *activeCall) statusOf(ctx context.Context, f *fault.Fault) callStatus {
	switch {
	case ctx.Err() != nil && !c.entered:
		return callNotRun
	case ctx.Err() != nil:
		return callStopped
	case f.Code == fault.Denied:
		return callDenied
	}
	return callError
}

// unfinished returns the fault of a call that the end of its worker cut off: "not run"
// or "stopped", and why (SPEC §5).
func unfinished(status callStatus, why *fault.Fault) *fault.Fault {
	out := *why
	out.Message = strings.ReplaceAll(string(status), "_", " ") + ": " + why.Message
	return &out
}

func (c *activeCall) emit(b trace.Body) {
	e := c.at
	e.Body = b
	c.frame.tree.emit(e)
}

// checkOutput validates an output against its declared schema (S3-16). It does not
// validate a question in place of an answer.
func checkOutput(spec tool.Spec, out tool.Output) error {
	if spec.Output == nil || out.NeedsInput || spec.Kind == tool.Worker {
		return nil // a worker has validated its own answer
	}
	schema, err := tool.Compile(spec.Output)
	if err != nil {
		return fault.New(fault.ToolOutput, "the output schema of %s is not valid: %w", spec.Name, err)
	}
	value := rawOutput(out)
	if len(out.Data) == 0 && json.Valid([]byte(out.Text)) {
		value = json.RawMessage(out.Text)
	}
	if vs := schema.Validate(value); len(vs) > 0 {
		return tool.OutputFault(spec.Name, vs)
	}
	return nil
}

// unknown returns the fault of a name that no tool of this worker has: E_NOT_ALLOWED if
// a loaded worker has the name, else E_UNKNOWN_TOOL, which lists the known names
// (S0-06, S2-23).
func (f *frame) unknown(name string) *fault.Fault {
	for _, id := range f.tree.loaded {
		if id == name || tool.ToolName(id) == name {
			return fault.New(fault.NotAllowed, "%s may not call the worker %s", f.worker.ID, id).
				Hinting("allowed workers: %s", listOr(f.allowed(), "none"))
		}
	}
	var names []string
	for _, s := range f.offered() {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	hint := "known tools: " + listOr(names, "none")
	if near := fault.Nearest(name, names); near != "" {
		hint = "did you mean " + near + "; " + hint
	}
	return fault.New(fault.UnknownTool, "there is no tool %q", name).Hinting("%s", hint)
}

func kindOf(s tool.Spec) string {
	if s.Kind == "" {
		return string(tool.Builtin)
	}
	return string(s.Kind)
}

// rawArgs returns arguments as JSON: unchanged if they are JSON, else as a string.
func rawArgs(args string) json.RawMessage {
	if json.Valid([]byte(args)) {
		return json.RawMessage(args)
	}
	return quote(args)
}
