// Package custom provides the toolset custom: the tools of `.wasm` modules, which
// package wasmtool reads and runs (S0-24..27, SPEC §6).
package custom

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"golem/core/fault"
	"golem/core/jstool"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/wasmtool"
)

// Discovery is the result of the search for a worker's modules.
type Discovery struct {
	Modules []Module // nearest level first
	// Inert says that no code of a module may run, not even to describe its tools
	// (golem check).
	Inert bool
	Run   string // the id of the worker run
	Total int64  // bytes of memory for all modules of the process together; 0: wasmtool.DefaultTotal
	// Untold says that there are modules whose tools are unknown, besides Modules.
	Untold bool
	Worker Worker // nil: Plain
}

// Worker is the worker whose modules are opened.
type Worker interface {
	// Warn is called with each warning.
	Warn(*fault.Fault)
	// Undescribed is called with the path of each module whose tools are unknown,
	// because its code would have to run to describe them.
	Undescribed(path string)
	// Served reports whether a worker serves a name that no module has.
	Served(name string) bool
	// Broken is called with each error. If it returns nil, the other modules and names are
	// looked at all the same; else the returned error ends the opening. path is the module
	// whose tools are unknown because of the error; "" for an error that hides no tool.
	Broken(path string, err error) error
}

// Plain is a Worker to which warnings do not matter, which serves no names, and which the
// first error ends.
type Plain struct{}

var _ Worker = Plain{}

// Warn does nothing.
func (Plain) Warn(*fault.Fault) {}

// Undescribed does nothing.
func (Plain) Undescribed(string) {}

// Served returns false.
func (Plain) Served(string) bool { return false }

// Broken returns the error.
func (Plain) Broken(_ string, err error) error { return err }

// Module is a module file that was found, but not read yet.
type Module struct {
	Path   string // the path in messages and in the trace
	Stem   string // the name of the module in the options: its file name without .wasm
	Level  int    // the module of the lower level wins; 0 is the worker's own
	Locked bool   // there is a tools.lock; Digest is the digest in it, or ""
	Digest string
	Named  bool // a worker or the manifest names the file
	File   wasmtool.File
}

// Toolset returns the factory of the toolset for one worker. It offers the tools of the
// modules in found, except those that a tool of the same name nearer to the worker hides
// and those that the worker's options leave out. A module is granted only what these
// options say.
func Toolset(cache *Cache, found Discovery) toolset.Factory {
	if found.Worker == nil {
		found.Worker = Plain{}
	}
	return toolset.Factory{
		Name:    "custom",
		Options: func() any { return new(customOptions) },
		Open: func(ctx context.Context, env toolset.Env, options any) (tool.Toolset, error) {
			o, _ := options.(*customOptions)
			c := &custom{env: env, found: found, options: o, first: map[string]firstModule{}, unknown: found.Untold}
			if err := c.open(ctx, cache); err != nil {
				_ = c.Close() // nothing was called yet, so an error of Close means no loss
				return nil, err
			}
			return c, nil
		},
	}
}

// customOptions are the keys of toolsets.custom beside approval.
type customOptions struct {
	Module  string           `json:"module"` // a path, or the stem of one that was found
	Tools   []string         `json:"tools"`
	Modules map[string]grant `json:"modules"` // by stem
}

// grant is the set of grants and limits of one module.
type grant struct {
	FS       files                 `json:"fs"`
	Hosts    hosts                 `json:"allowed_hosts"`
	Config   map[string]tool.Value `json:"config"`
	Timeout  *span                 `json:"timeout"` // 0: none
	Stateful *bool                 `json:"stateful"`
	Fuel     int64                 `json:"fuel"`
	// In bytes; the project's files cannot set more than the person's config allows.
	Memory   int64 `json:"memory"`
	Output   int64 `json:"output"`
	Request  int64 `json:"request"`
	Response int64 `json:"response"`
}

// span is a duration that configuration writes as "30s", or 0.
type span time.Duration

// UnmarshalJSON reads "30s" and 0.
func (s *span) UnmarshalJSON(raw []byte) error {
	var text string
	if string(raw) == "0" {
		*s = 0
		return nil
	}
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	d, err := time.ParseDuration(strings.ReplaceAll(text, " ", ""))
	*s = span(d)
	return err
}

// hosts is a list of hosts that wasmtool.CheckHost accepts.
type hosts []string

// UnmarshalJSON reads a list of hosts and fails if one of them is not valid.
func (h *hosts) UnmarshalJSON(raw []byte) error {
	if err := json.Unmarshal(raw, (*[]string)(h)); err != nil {
		return err
	}
	for _, host := range *h {
		if err := wasmtool.CheckHost(host); err != nil {
			return errors.New(fault.Of(err, fault.Config).Message)
		}
	}
	return nil
}

// custom is the toolset of one worker run.
type custom struct {
	env     toolset.Env
	found   Discovery
	options *customOptions
	tools   []tool.Tool
	first   map[string]firstModule
	parts   []*part
	known   []string // every described name, for hints
	unknown bool     // the tools of some module are not known
}

// part is one module of the toolset.
type part struct {
	Module
	mod    *wasmtool.Module
	bound  *wasmtool.Bound
	grant  grant
	offers bool
	broken error // why it has no description; returned unless the module offers an export
}

// firstModule is the module in which a tool's name was found first.
type firstModule struct {
	path  string
	level int
}

var _ tool.Toolset = (*custom)(nil)

// Tools returns the tools in the order of the modules and of their descriptions.
func (c *custom) Tools() []tool.Tool { return c.tools }

// Close ends the instances that stateful modules keep between calls.
func (c *custom) Close() error {
	var first error
	for _, p := range c.parts {
		if err := p.bound.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// open describes the modules and decides which module's tool gets each name.
func (c *custom) open(ctx context.Context, cache *Cache) error {
	var nearest []string // stems that a nearer module has
	for _, m := range c.found.Modules {
		first := !slices.Contains(nearest, m.Stem)
		nearest = append(nearest, m.Stem)
		if c.options.Module != "" && c.options.Module != m.Path && (c.options.Module != m.Stem || !first) {
			continue
		}
		if err := c.failed(m.Path, c.add(ctx, cache, m, first)); err != nil {
			return err
		}
	}
	if err := c.exports(ctx); err != nil {
		return err
	}
	return c.missing()
}

// failed returns an error that ends the opening; nil if the opening goes on.
func (c *custom) failed(path string, err error) error {
	if err != nil {
		err = c.found.Worker.Broken(path, err)
		c.unknown = c.unknown || err == nil && path != ""
	}
	return err
}

// add offers one module's tools. If several modules have the same name, only the nearest
// gets the grants for that name, so that no other file gets them by mistake.
func (c *custom) add(ctx context.Context, cache *Cache, m Module, nearest bool) error {
	mod, err := cache.module(m)
	if err != nil {
		return err
	}
	if err := c.locked(ctx, m, mod); err != nil {
		return c.unlessImported(m, nearest, err)
	}
	var g grant
	if nearest {
		g = c.options.Modules[m.Stem]
	}
	b := &wasmtool.Bound{Module: mod, Listener: listener{c.env}, Run: c.found.Run, Grants: wasmtool.Grants{
		Network: c.env.Network, Hosts: g.Hosts, Fuel: g.Fuel, Stateful: g.Stateful,
		Memory: g.Memory, Output: g.Output, Request: g.Request, Response: g.Response, Total: c.found.Total,
	}}
	c.configure(&b.Grants, g.Config, m.Path)
	if b.Grants.Files, err = c.files(g.FS); err != nil {
		return err
	}
	if len(g.Hosts) > 0 && !c.env.Network {
		c.found.Worker.Warn(fault.Warn(fault.Config, "the allowed_hosts of %s have no effect, because sandbox.network_enabled is false", m.Path).
			Hinting("write network_enabled: true under sandbox, or remove them").At(m.Path, 0, 0))
	}
	p := &part{Module: m, mod: mod, bound: b, grant: g}
	c.parts = append(c.parts, p)
	described, err := c.describe(ctx, p)
	if errors.Is(err, jstool.ErrNoTools) {
		c.parts = c.parts[:len(c.parts)-1]
		return c.unlessImported(m, nearest, err)
	}
	if err != nil {
		return err
	}
	for _, d := range described {
		if !slices.Contains(c.known, d.Name) { // two modules can describe the same name
			c.known = append(c.known, d.Name)
		}
		if err := c.failed("", c.offer(p, d, b.Tool(d))); err != nil {
			return err
		}
	}
	return nil
}

// unlessImported returns nil for the error of a source that can only be imported, if nothing
// names the file.
func (c *custom) unlessImported(m Module, nearest bool, err error) error {
	_, granted := c.options.Modules[m.Stem]
	if !errors.Is(err, jstool.ErrNoTools) || m.Named || c.options.Module != "" || granted && nearest {
		return err
	}
	return nil
}

// offer adds a tool, if its name is selected and free.
func (c *custom) offer(p *part, d wasmtool.Description, made tool.Tool) error {
	use, err := c.takes(p.Module, d.Name)
	if use {
		c.tools = append(c.tools, c.tool(p, d, made))
		p.offers = true
	}
	return err
}

// locked fails if tools.lock does not name the module. If it does, wasmtool.Module
// compares the digest before it uses the description.
func (c *custom) locked(ctx context.Context, m Module, mod *wasmtool.Module) error {
	if !m.Locked || m.Digest != "" {
		return nil
	}
	digest, err := mod.Digest(ctx)
	if err != nil {
		return err
	}
	return fault.New(fault.Lock, "%s is not in tools.lock: the file has sha256 %s", m.Path, digest).
		Hinting("if you trust the file, update tools.lock with golem tool lock").At("tools.lock", 0, 0)
}

// takes reports whether a module's tool is offered: it is selected, and no tool of a
// nearer module has its name. Two modules of one level with the same tool are an error,
// and so is the name of a built-in tool.
func (c *custom) takes(m Module, name string) (bool, error) {
	if c.options.Tools != nil && !slices.Contains(c.options.Tools, name) {
		return false, nil
	}
	if slices.Contains(toolset.Reserved(), name) {
		return false, fault.New(fault.Config, "%s has a tool named %s, which is the name of a built-in tool", m.Path, name).
			Hinting("rename it, or leave it out with toolsets.custom.tools").At(m.Path, 0, 0)
	}
	first, there := c.first[name]
	switch {
	case !there:
		c.first[name] = firstModule{m.Path, m.Level}
		return true, nil
	case first.level == m.Level:
		return false, fault.New(fault.Config, "%s and %s both have a tool named %s", first.path, m.Path, name).
			Hinting("rename one, or choose with toolsets.custom.module").At(m.Path, 0, 0)
	}
	c.found.Worker.Warn(fault.Warn(fault.Config, "the tool %s of %s is not used, because %s has a tool of that name nearer to the worker", name, m.Path, first.path).At(m.Path, 0, 0))
	return false, nil
}

// missing fails if toolsets.custom.tools names a tool that no module has. It cannot know
// that if a module is undescribed.
func (c *custom) missing() error {
	for _, name := range c.options.Tools {
		if _, there := c.first[name]; !there && !c.unknown && !c.found.Worker.Served(name) {
			if err := c.failed("", fault.New(fault.Config, "toolsets.custom.tools names %q, and no module has such a tool", name).
				Hinting("%s", fault.DidYouMean(name, c.known))); err != nil {
				return err
			}
		}
	}
	return nil
}
