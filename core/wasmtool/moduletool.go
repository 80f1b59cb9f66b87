package wasmtool

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
)

// Grants are what a worker file lends a module beyond its own memory. The zero
// value is nothing (SPEC §6).
type Grants struct {
	Files   sandbox.FS // fs: true; the worker's effective view
	Network bool       // sandbox.network_enabled
	Hosts   []string   // allowed_hosts
	Config  map[string]string
	Fuel    int64         // 0: DefaultFuel
	Timeout time.Duration // 0: the worker's tool_timeout alone
	// Stateful keeps one instance for all the worker's calls of this module,
	// whatever its description says; nil: as the description says.
	Stateful *bool
}

// Any tells whether a module has been granted anything at all.
func (g Grants) Any() bool {
	return g.Files != nil || g.Network && len(g.Hosts) > 0 || len(g.Config) > 0
}

// Bound is a module with the grants of one worker run. Close ends its kept
// instance. It is safe for concurrent use.
type Bound struct {
	Module *Module
	Grants Grants
	Log    func(level, text string) // nil: nobody hears the module

	mu   sync.Mutex
	kept Instance
}

// Tool is one described tool of the module.
func (b *Bound) Tool(d Description) tool.Tool {
	return &moduleTool{bound: b, desc: d, spec: b.spec(d)}
}

// Close ends the kept instance, if there is one.
func (b *Bound) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kept == nil {
		return nil
	}
	err := b.kept.Close()
	b.kept = nil
	return err
}

// spec is what golem offers: the module's word counts where it is stricter
// than an unknown tool's default, which asks.
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
	return s
}

// moduleTool is one function of a module as a tool.
type moduleTool struct {
	bound *Bound
	desc  Description
	spec  tool.Spec
	// export says that the function is an export itself, not one of the form.
	export bool
}

var _ tool.Identified = (*moduleTool)(nil)

// Spec has the module's path; its digest is known from the first call on.
func (t *moduleTool) Spec() tool.Spec { return t.spec }

// Identity reads the module: its digest is what approval remembers, and what
// the trace shows beside the path.
func (t *moduleTool) Identity(ctx context.Context) (provider, module string, err error) {
	digest, err := t.bound.Module.Digest(ctx)
	if err != nil {
		return "", t.bound.Module.Path(), err
	}
	return digest, t.bound.Module.Path() + "@sha256:" + digest, nil
}

// Call runs the function. The fuel it used is in the output, and in that of a
// failed call too.
func (t *moduleTool) Call(ctx context.Context, c tool.Call) (tool.Output, error) {
	m := t.bound.Module
	shape, err := m.shape(ctx)
	if err != nil {
		return tool.Output{}, err
	}
	if t.export {
		shape = plain
	}
	code, err := m.compiled(ctx)
	if err != nil {
		return tool.Output{}, err
	}
	in, err := m.request(shape, t.desc.Name, c.Args)
	if err != nil {
		return tool.Output{}, fault.Of(err, fault.ToolInput)
	}
	in.Config, in.Limits = t.bound.Grants.Config, t.limits()
	var untrusted atomic.Bool
	res, err := t.bound.call(ctx, code, in, t.host(c, &untrusted), t.stateful())
	if err != nil {
		return tool.Output{Fuel: res.Fuel, Untrusted: untrusted.Load()}, err
	}
	out, err := answer(shape, t.desc.Name, res.Output, len(t.desc.Output) > 0)
	out.Fuel, out.Untrusted = res.Fuel, untrusted.Load()
	return out, err
}

// limits are the stricter of the description's and the worker's.
func (t *moduleTool) limits() Limits {
	l := Limits{Fuel: t.bound.Grants.Fuel, Time: t.bound.Grants.Timeout}
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

// call uses a fresh instance, or the kept one, a call at a time.
func (b *Bound) call(ctx context.Context, code Compiled, in Invocation, h Host, stateful bool) (Result, error) {
	if !stateful || in.Form == Command {
		return code.Call(ctx, in, h)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kept == nil {
		b.kept = code.Keep()
	}
	return b.kept.Call(ctx, in, h)
}

// host is everything this call can reach.
func (t *moduleTool) host(c tool.Call, untrusted *atomic.Bool) Host {
	g := t.bound.Grants
	h := Host{
		Files: g.Files, Log: t.bound.Log, Clock: time.Now,
		Random: func(b []byte) error { _, err := rand.Read(b); return err },
	}
	if c.Host != nil {
		h.Call = func(ctx context.Context, name string, args []byte) []byte {
			out, err := c.Host.Call(ctx, name, args)
			if out.Untrusted {
				untrusted.Store(true)
			}
			if err != nil {
				return []byte(fault.Of(err, fault.Tool).Result())
			}
			return []byte(out.String())
		}
	}
	if !g.Network && len(g.Hosts) > 0 {
		h.HTTP = func(context.Context, HTTPRequest) (HTTPResponse, error) {
			return HTTPResponse{}, fault.New(fault.Network, "the module asks for the network, and sandbox.network_enabled is false").
				Hinting("set sandbox: {network_enabled: true} in the worker, if its tools may use the network")
		}
	}
	if g.Network && len(g.Hosts) > 0 {
		h.HTTP = func(ctx context.Context, r HTTPRequest) (HTTPResponse, error) {
			p := Policy{Hosts: g.Hosts}
			r, err := p.Request(r)
			if err != nil {
				return HTTPResponse{}, err
			}
			fetch := t.bound.Module.library.Fetch
			if fetch == nil {
				return HTTPResponse{}, fault.New(fault.Network, "this platform lends tools no network")
			}
			untrusted.Store(true)
			return fetch(ctx, r, p)
		}
	}
	return h
}
