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

// callRequest is one call as its caller made it.
type callRequest struct {
	id, parent string
	name       string
	args       *tool.Arguments
	invalid    string    // why args must not run, "" if they may
	model      bool      // asked for by a model or a tool, not by a person
	caller     *toolHost // the host of the tool that makes the call; nil for a model or a person
	hardened   bool      // of the worker's hardened module, which is not in the toolbox
	told       bool      // a call of a person of which the model hears
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
	run     *workerRun
	req     callRequest
	spec    tool.Spec
	at      trace.Event
	slot    *slot
	entered bool
	nobody  bool // nobody could be asked
	doubled bool // a double answers in the place of the tool, see Doubles
	keptCall

	mu  sync.Mutex
	ctx context.Context // of the execution; kept after it only if it ended before the tool returned
}

// call is the only way to a tool or a worker: the call passes the gate, has a start and
// an end in the trace, and its output is checked. It returns a fault, never a bare
// error.
func (f *workerRun) call(ctx context.Context, req callRequest) (tool.Output, *fault.Fault) {
	if out, flt, kept := f.tree.replay.call(f, req); kept {
		return out, flt
	}
	if given := f.tree.r.given(); given != nil && req.caller != nil {
		req.args = tool.ReadArguments(given.JSON([]byte(req.args.Text())))
	}
	c := &activeCall{run: f, req: req, at: trace.Event{ID: req.id, Parent: req.parent, Worker: f.worker.ID, Depth: f.depth}}
	c.slot = &slot{sched: f.tree.sched}
	start := f.tree.r.now()
	tl, known := f.toolbox.find(req)
	if known {
		c.spec = tl.Spec()
	} else {
		c.spec = tool.Spec{Name: req.name}
	}
	stopped := f.tree.sched.open(ctx) != nil
	c.emit(trace.ToolStart{Tool: req.name, Kind: kindOf(c.spec), Module: module(ctx, tl, c.spec), Args: req.args.Written()})
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
		if err = f.tree.replay.refused(req.id); err == nil {
			out, err = f.tree.r.withoutGiven(c.pass(ctx, tl))
		}
	}
	return c.finish(ctx, out, err, f.tree.r.now().Sub(start))
}

// pass hands the call to the gate, which decides and then runs the tool.
func (c *activeCall) pass(ctx context.Context, tl tool.Tool) (tool.Output, error) {
	f := c.run
	tl = c.double(tl)
	back := &toolHost{run: f, id: c.req.id, at: c.at, slot: c.slot, spec: c.spec, caller: c.req.caller, life: ctx, hardened: c.req.hardened}
	defer back.end()
	out, err := f.tree.r.Gate.Call(ctx, approval.Item{
		Tool: tl, Policy: c.policy(), WorkerPath: f.chain, Workers: f.workers(), FromModel: c.req.model,
		Call: tool.Call{ID: c.req.id, Name: c.req.name, Args: c.req.args, Host: back},
		By:   &passing{c, asking{f.tree.person, c.at}, tl},
	})
	if err != nil {
		return out, c.withoutFuel(err)
	}
	return out, checkOutput(c.spec, out)
}

// passing is a call on its way through the gate.
type passing struct {
	*activeCall
	asking
	tool tool.Tool
}

var _ approval.Caller = (*passing)(nil)

// Tainted reports whether the run has read untrusted content.
func (c *passing) Tainted() bool { return c.run.tree.taint.is.Load() }

// SourceOf returns a name of the files behind a mount.
func (c *passing) SourceOf(mount string) string { return sandbox.SourceIn(c.run.sight.files, mount) }

// Coerced puts what the gate changed in the arguments into the trace.
func (c *passing) Coerced(notes []string) {
	c.emit(trace.Warning{Code: fault.ToolInput, Message: c.spec.Name + ": arguments were coerced: " + strings.Join(notes, "; ")})
}

// Permit refuses the network to tools of every toolset if the worker's sandbox has none
// (SPEC §6, Grants). It also refuses grants that nobody trusted (SPEC §3, Trust).
func (c *passing) Permit(ctx context.Context, risk tool.Risk) error {
	w := c.run.worker
	if risk != tool.Network && !c.spec.Network || c.run.sight.network(w) {
		return c.granted(ctx, c.tool)
	}
	none := fault.New(fault.Network, "%s uses the network, and %s may not", c.spec.Name, w.ID)
	if w.Sandbox.Network {
		return none.Hinting("a caller has network_enabled: false, which also applies to the workers that it calls; go on without it")
	}
	return none.Hinting("a person can set sandbox.network_enabled: true; go on without it")
}

// granted returns E_TRUST if no person trusted the tool's grants. If nobody could be
// asked for it, the call counts as denied.
func (c *activeCall) granted(ctx context.Context, tl tool.Tool) error {
	trust := c.run.tree.r.Trust
	if trust == nil {
		return nil
	}
	return c.run.tree.untrusted(c.req.id, c.spec.Name, trust.Granted(ctx, c.run.worker, tl))
}

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

// Observe puts the gate's decision into the trace.
func (c *passing) Observe(r approval.Record) {
	body := trace.Approval{
		Tool: c.spec.Name, Setting: string(r.Setting), Rule: r.Rule, Source: r.Source,
		Decision: decision(r), Remember: string(r.Remember), Reason: r.Reason,
	}
	if r.Nobody {
		c.nobody = true
		if r.Allow != nil {
			body.Allow = r.Allow.YAML
		}
		c.run.tree.tally.deny(Denial{ID: c.req.id, Tool: c.spec.Name, Allow: body.Allow})
	}
	c.emit(body)
}

// Enter makes the tool ready, waits until the schedule lets the call run, and starts
// its timeout. A call of a worker does neither: the worker has its own timeout, and
// its own calls wait for the schedule.
func (c *passing) Enter(ctx context.Context, risk tool.Risk) (context.Context, func(), error) {
	c.executes(ctx)
	if c.spec.Kind == tool.Worker {
		c.entered = true
		c.slot.release() // it has no place, and must not take one after a callback
		return ctx, func() {}, c.run.tree.sched.open(ctx)
	}
	if err := c.guarded(risk); err != nil {
		return ctx, func() {}, err
	}
	leave, err := c.ready(ctx, c.tool)
	if err != nil {
		return ctx, func() {}, err
	}
	c.slot.exclusive = risk != tool.Read && !c.spec.Confined
	if err := c.slot.enter(ctx); err != nil {
		leave()
		return ctx, func() {}, err
	}
	c.entered = true
	if risk == tool.Command {
		if c.spec.Toolset != "mcp" { // a person trusted the server, whatever its tools do
			c.run.tree.staging.wrote("")
		}
		c.run.tree.staging.record.Blind(c.spec.Name)
	}
	c.keepStart(risk)
	limit := c.run.worker.Limits.ToolTimeout
	if c.spec.Timeout != 0 {
		limit = c.spec.Timeout
	}
	tctx, dl := c.run.tree.clock.deadline(ctx, limit, "tool "+c.spec.Name)
	c.slot.deadline = dl
	c.slot.lives(tctx)
	c.executes(tctx)
	return tctx, func() { leave(); c.keepChanges(); c.slot.release(); c.returned(tctx); dl.stop() }, nil
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
		body.Result, body.Text, body.Parts = rawOutput(out), out.Beside(), recorded(out.Parts)
		c.effects(out)
	}
	c.keepEnd(out, body)
	c.emit(body)
	if d := c.run.tree.r.Doubles; d != nil && c.spec.Kind != tool.Worker {
		d.Ended(c.req.id, c.spec, c.req.args.Written(), out, flt)
	}
	c.count(callStatus(body.Status), flt)
	c.run.tree.artifact(c.req.id+".in.json", c.req.args.Written())
	if flt != nil {
		c.run.tree.artifact(c.req.id+".out.json", flt)
	} else {
		c.run.tree.artifact(c.req.id+".out.json", body.Result)
	}
	return out, flt
}

// count counts a call that was denied or failed, and ends the progress of a worker's call.
func (c *activeCall) count(status callStatus, flt *fault.Fault) {
	f := c.run
	if status == callDenied && !c.nobody {
		f.tree.tally.decline(Denial{ID: c.req.id, Tool: c.spec.Name})
	}
	if c.spec.Kind != tool.Worker {
		return
	}
	name, task := delegated(c.req.args, c.spec)
	if who := f.turn.callee(c.req.id); who.file {
		name = who.id
		if status == callError {
			f.tree.tally.fail(Failure{ID: c.req.id, Worker: who.id, Error: flt})
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
		c.run.tree.taint.result(c.at, c.spec.Name, c.req.told)
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
	c.run.events.emit(e)
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
func (f *workerRun) unknown(name string) *fault.Fault {
	for _, w := range f.tree.names.closure {
		if w.ID == name || tool.ToolName(w.ID) == name {
			return fault.New(fault.NotAllowed, "%s may not call the worker %s", f.worker.ID, w.ID).
				Hinting("allowed workers: %s", listOr(allowedIDs(f.tree.r.Project, f.worker), "none"))
		}
	}
	var names []string
	for _, s := range f.toolbox.offered() {
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
