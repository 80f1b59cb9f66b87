package custom

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/wasmtool"
)

// Cache keeps the modules of one project, so that each is read and compiled once,
// however many workers use it. It is safe for concurrent use. A nil *Cache stands for a
// platform that cannot run modules.
type Cache struct {
	library func() (*wasmtool.Library, error)

	mu    sync.Mutex
	known map[string]*wasmtool.Module // by path
}

// NewCache returns an empty Cache. It calls library when it gets a module that it does
// not know; if library fails or returns nil, the toolset fails, with E_PLATFORM if the
// error has no code of its own.
func NewCache(library func() (*wasmtool.Library, error)) *Cache { return &Cache{library: library} }

// Library returns the library that runs the modules; nil if the platform runs none.
func (k *Cache) Library() (*wasmtool.Library, error) { return k.library() }

func (k *Cache) module(m Module) (*wasmtool.Module, error) {
	none := fault.New(fault.Platform, "this platform cannot run tool modules, and the project has %s", m.Path).
		Hinting("run with --no-import-tools to leave its tools out")
	if k == nil {
		return nil, none
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if mod := k.known[m.Path]; mod != nil {
		return mod, nil
	}
	library, err := k.library()
	if err != nil {
		return nil, fault.Of(err, fault.Platform)
	}
	if library == nil {
		return nil, none
	}
	mod := library.Module(wasmtool.Source{Path: m.Path, File: m.File, Pinned: m.Digest})
	if k.known == nil {
		k.known = map[string]*wasmtool.Module{}
	}
	k.known[m.Path] = mod
	return mod, nil
}

// describe returns the descriptions of a module's tools. If no code may run, but a module
// would have to run to describe its tools, describe returns none.
func (c *custom) describe(ctx context.Context, p *part) ([]wasmtool.Description, error) {
	ds, err := p.mod.Describe(ctx, wasmtool.Describing{Run: !c.found.Inert, Listener: listener{c.env}, Total: c.found.Total})
	switch {
	case errors.Is(err, wasmtool.ErrUndescribed):
		c.unknown = true
		c.found.Worker.Undescribed(p.Path)
		return nil, nil
	case err != nil && c.options.Tools != nil && errors.Is(err, fault.ToolContract):
		p.broken = err
		return nil, nil
	}
	return ds, err
}

// listener shows what modules log in the run.
type listener struct{ toolset.Env }

// Compiling tells the person which module they are waiting for while it is compiled.
func (l listener) Compiling(path string) {
	l.Log("info", "compiling "+path)
}

// exports offers an export as a tool for each name in toolsets.custom.tools that no
// description has (S0-26). It reads the modules only if there is such a name.
func (c *custom) exports(ctx context.Context) error {
	for _, name := range c.options.Tools {
		if _, there := c.first[name]; there {
			continue
		}
		for _, p := range c.parts {
			has, err := p.mod.Exports(ctx, name)
			if err == nil && has {
				err = c.offer(p, wasmtool.Description{Name: name}, p.bound.Export(name))
			}
			if err := c.failed("", err); err != nil {
				return err
			}
		}
	}
	for _, p := range c.parts {
		if p.broken != nil && !p.offers {
			if err := c.failed(p.Path, p.broken); err != nil {
				return err
			}
		}
	}
	return nil
}

// tool returns the tool that calls one function of a module under this worker's grants.
func (c *custom) tool(p *part, d wasmtool.Description, made tool.Tool) tool.Tool {
	b, g := p.bound, p.grant
	inner, ok := made.(moduleFunction)
	if !ok { // unreachable: module tools are both
		return made
	}
	spec := inner.Spec()
	spec.Hosts, spec.Grants = b.Grants.Hosts, grantsOf(b.Grants, g)
	spec.Files = toolset.Uses(b.Grants.Files, "read", "write", "delete")
	spec.Confined = !b.Grants.Any() && spec.Risk == ""
	if spec.Risk == tool.Network {
		// The module itself says that it has the risk network, and that may only make
		// golem stricter. So Network records it, and the risk stays unknown.
		spec.Network, spec.Risk = true, ""
	}
	if g.Timeout != nil {
		spec.Timeout = time.Duration(*g.Timeout)
		if spec.Timeout == 0 {
			spec.Timeout = -1
		}
	}
	spec.Stateful = d.Stateful
	if g.Stateful != nil {
		spec.Stateful = *g.Stateful
	}
	if len(spec.Input) == 0 {
		spec.Input = json.RawMessage(`{"type":"object"}`)
	}
	return &moduleTool{moduleFunction: inner, spec: spec}
}

// grantsOf returns a module's grants, as they are shown to people. A remembered approval
// holds only for the same grants.
func grantsOf(g wasmtool.Grants, said grant) []tool.Grant {
	var out []tool.Grant
	if g.Files != nil {
		short, exact := said.FS.describe(g)
		out = append(out, tool.Grant{Name: "files", Value: short, Exact: exact})
	}
	if g.Network && len(g.Hosts) > 0 {
		hosts := slices.Sorted(slices.Values(g.Hosts))
		out = append(out, tool.Grant{Name: "hosts", Value: strings.Join(slices.Compact(hosts), ", ")})
	}
	if len(said.Config) > 0 {
		out = append(out, configGrant(said.Config))
	}
	return out
}

// moduleFunction is the interface of the tools that wasmtool makes.
type moduleFunction interface {
	tool.Identifier
	tool.Preparer
	tool.Admitter
}

// moduleTool is a module's function under the grants of one worker.
type moduleTool struct {
	moduleFunction
	spec tool.Spec
}

var (
	_ tool.Identifier = (*moduleTool)(nil)
	_ tool.Preparer   = (*moduleTool)(nil)
	_ tool.Admitter   = (*moduleTool)(nil)
)

// AsWorker returns a copy of a module's tool t that provides the worker id: the approval
// settings for calls of workers hold for it too (S3-24). If t is not a module's tool,
// AsWorker returns it unchanged.
func AsWorker(t tool.Tool, id string) tool.Tool {
	m, ok := t.(*moduleTool)
	if !ok {
		return t
	}
	spec := m.spec
	spec.Target, spec.Rules = id, append(slices.Clone(spec.Rules), "worker.call")
	return &moduleTool{moduleFunction: m.moduleFunction, spec: spec}
}

// Spec returns the function's metadata under this worker's grants.
func (t *moduleTool) Spec() tool.Spec { return t.spec }
