package wasmtool

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"sync"
	"time"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
)

// KeptValues are values of the person that a module may use and no file may have.
type KeptValues interface {
	tool.Redactor // removes these values
	// Values returns them by the keys of the module's configuration. It is called for each
	// call.
	Values() (map[string]string, error)
}

// Grants lists what a worker file allows a module to use beyond its own memory.
// The zero value grants nothing (SPEC §6).
type Grants struct {
	Files   sandbox.FS // fs: true; the worker's view
	Network bool       // sandbox.network_enabled
	Hosts   []string   // allowed_hosts
	Config  map[string]string
	// Kept has the configuration values that are secrets or environment variables of the
	// person. nil: there are none.
	Kept KeptValues
	Fuel int64 // 0 means DefaultFuel
	// Memory, Output, Request and Response are limits in bytes; 0 means the default
	// (tool.UsualMemory, …).
	Memory, Output, Request, Response int64
	// Total limits the memory of all modules of the process together; 0: DefaultTotal.
	Total int64

	Timeout time.Duration // 0 means that only the worker's tool_timeout applies
	// Stateful says whether one instance is kept for all the worker's calls of
	// this module; nil: as the module's description says.
	Stateful *bool
}

// Any reports whether the module was granted anything.
func (g Grants) Any() bool {
	return g.Files != nil || g.Network && len(g.Hosts) > 0 || len(g.Config) > 0 || g.Kept != nil
}

// config returns the values for config_get, including those from Kept.
func (g Grants) config() (map[string]string, error) {
	if g.Kept == nil {
		return g.Config, nil
	}
	out, err := g.Kept.Values()
	if err != nil {
		return nil, err
	}
	maps.Copy(out, g.Config)
	return out, nil
}

// Listener is told what a module does. Its methods must be safe for concurrent use.
type Listener interface {
	// Log gets a line that the module logs. Levels are debug, info, warn and error.
	Log(level, text string)
	// Compiling is called if compiling a module takes a while. path is that of its Source.
	Compiling(path string)
}

// Bound is a module with the grants of one worker run. Close releases the
// instance that it keeps. It is safe for concurrent use.
type Bound struct {
	Module *Module
	Grants Grants
	// Listener is told what the module logs; nil: it is dropped.
	Listener Listener
	Run      string // the id of the worker run that keeps the instance

	turn turn // protects the kept instance
	kept Instance
	held heldBy

	memory lasting // of the kept instance
}

// Tool returns one of the module's described tools.
func (b *Bound) Tool(d Description) tool.Tool {
	return &moduleTool{bound: b, desc: d, spec: b.spec(d)}
}

// Close waits for the current call of the kept instance and releases the
// instance.
func (b *Bound) Close() error {
	if err := b.turn.acquire(context.Background()); err != nil { // unreachable: this context does not end
		return err
	}
	defer b.turn.give()
	defer b.memory.give()
	if b.kept == nil {
		return nil
	}
	err := b.kept.Close()
	b.kept = nil
	return err
}

// spec returns the Spec of a described tool. What the module says of itself counts only
// if it is stricter than the default for unknown tools, which is ask.
func (b *Bound) spec(d Description) tool.Spec {
	s := tool.Spec{
		Name: d.Name, Description: d.Description, Input: d.Input, Output: d.Output,
		Kind: tool.Wasm, Toolset: "custom", Module: b.Module.Path(),
	}
	switch d.Risk {
	case tool.Network, tool.Destructive, tool.Command:
		s.Risk = d.Risk
	}
	if d.Exec == tool.ExecManual {
		s.Exec = d.Exec
	}
	if d.NeedsApproval != nil && *d.NeedsApproval {
		s.NeedsApproval = func(json.RawMessage) bool { return true }
	}
	if b.Module.CallsBack() {
		s.Uses = []string{tool.UsesAll}
	}
	return s
}

// moduleTool is one function of a module as a tool.
type moduleTool struct {
	bound *Bound
	desc  Description
	spec  tool.Spec
	// export says that the tool is an export of its own, whatever form the module has.
	export bool
}

var (
	_ tool.Identifier = (*moduleTool)(nil)
	_ tool.Preparer   = (*moduleTool)(nil)
	_ tool.Admitter   = (*moduleTool)(nil)
)

// Spec returns the metadata, without the module's digest: the file may not be read yet.
func (t *moduleTool) Spec() tool.Spec { return t.spec }

// Identity reads the module and returns its digest. A remembered approval contains the
// digest, and the trace shows it with the path.
func (t *moduleTool) Identity(ctx context.Context) (digest string, err error) {
	return t.bound.Module.Digest(ctx)
}

// Prepare compiles the module if that has not been done yet.
func (t *moduleTool) Prepare(ctx context.Context) error {
	leave, err := t.bound.Module.library.enter()
	if err != nil {
		return err
	}
	defer leave()
	_, err = t.bound.Module.compiled(ctx, t.bound.Grants.Memory, t.bound.Listener)
	return err
}

// Call runs the function. The output has the fuel that it used, also if the
// call failed.
func (t *moduleTool) Call(ctx context.Context, c tool.Call) (tool.Output, error) {
	return t.invoke(ctx, c)
}

// Within runs a function as a part of the call c, whose tool passed the gate with all that the
// grants allow. c.Host answers the calls that the module makes.
func (b *Bound) Within(ctx context.Context, d Description, c tool.Call) (tool.Output, error) {
	t := &moduleTool{bound: b, desc: d}
	if err := t.Prepare(ctx); err != nil {
		return tool.Output{}, err
	}
	leave, err := t.Admit(ctx, c.ID)
	if err != nil {
		return tool.Output{}, err
	}
	defer leave()
	return t.invoke(ctx, c)
}

func (t *moduleTool) invoke(ctx context.Context, c tool.Call) (tool.Output, error) {
	m := t.bound.Module
	leave, err := m.library.enter()
	if err != nil {
		return tool.Output{}, err
	}
	defer leave()
	shape, err := m.shape(ctx)
	if err != nil {
		return tool.Output{}, err
	}
	if t.export {
		shape = plain
	}
	code, err := m.compiled(ctx, t.bound.Grants.Memory, t.bound.Listener)
	if err != nil {
		return tool.Output{}, err
	}
	in, err := m.request(shape, c.ID, &t.desc, c.Args)
	if err != nil {
		return tool.Output{}, fault.Of(err, fault.ToolInput)
	}
	if in.Config, err = t.bound.Grants.config(); err != nil {
		return tool.Output{}, err
	}
	in.Limits = t.limits()
	lent := &lending{bound: t.bound, caller: c.Host, id: c.ID}
	res, err := t.bound.call(ctx, code, in, lent, t.stateful())
	if err != nil {
		return tool.Output{Fuel: res.Fuel, FuelVaries: m.varies(), Untrusted: lent.untrusted.Load()}, m.explained(err)
	}
	out, err := answer(shape, t.desc.Name, res.Output, len(t.desc.Output) > 0)
	out.Fuel, out.FuelVaries, out.Untrusted = res.Fuel, m.varies(), lent.untrusted.Load()
	if res.Refused != nil {
		out.Refused = res.Refused.Message
	}
	return out, err
}

// limits returns the limits of the grants, with the shorter of the grants' and the
// description's time limit.
func (t *moduleTool) limits() Limits {
	g := t.bound.Grants
	l := Limits{Fuel: g.Fuel, Output: g.Output, Memory: g.Memory, Time: g.Timeout}
	if own, err := time.ParseDuration(t.desc.Timeout); err == nil && own > 0 && (l.Time == 0 || own < l.Time) {
		l.Time = own
	}
	return l
}

func (t *moduleTool) stateful() bool {
	if s := t.bound.Grants.Stateful; s != nil {
		return *s
	}
	return t.desc.Stateful
}

// call makes a call in a new instance, or, if the module is stateful, in the kept one,
// which runs one call at a time.
func (b *Bound) call(ctx context.Context, code Compiled, in Invocation, l *lending, stateful bool) (Result, error) {
	if !stateful || in.Form == Command {
		return code.Call(ctx, in, l.host())
	}
	if b.held.isAbove(l.id) {
		return Result{}, fault.New(fault.Cycle, "the module called itself, directly or through others, while it was running; a stateful module cannot do that").
			Hinting("call it after the first call has ended, or remove stateful")
	}
	if err := b.turn.acquire(ctx); err != nil {
		return Result{}, err
	}
	defer b.turn.give()
	defer b.held.heldFor(l.id)()
	if b.kept == nil {
		b.kept = code.Keep()
	}
	return b.kept.Call(ctx, in, l.host())
}

// heldBy holds the id of the call that uses the kept instance. A call of the same
// instance from inside that call would wait for itself for ever.
type heldBy struct {
	mu sync.Mutex
	id string
}

func (h *heldBy) heldFor(id string) (done func()) {
	h.set(id)
	return func() { h.set("") }
}

func (h *heldBy) set(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.id = id
}

func (h *heldBy) isAbove(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.id != "" && strings.HasPrefix(id, h.id+".")
}
