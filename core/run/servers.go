package run

import (
	"context"
	"encoding/json"

	"golem/core/fault"
	"golem/core/mcp"
	"golem/core/project"
	"golem/core/tool"
	"golem/core/toolset/mcpset"
	"golem/core/trace"
)

// Servers says how a run reaches MCP servers and asks for trust in them.
type Servers struct {
	mcp.Host
	// Lookup returns the value of a reference to a variable or a secret.
	Lookup func(tool.Value) (string, error)
	// Hide is mcp.Server.Hide.
	Hide func(string)
	// Trust returns E_TRUST unless a person trusts a server of a worker; ask asks the
	// person. nil: all are trusted.
	Trust func(ctx context.Context, w *project.Worker, server string, ask Asker) error
	// Pin returns for each tool of a server whether a person trusts it with its current
	// description. nil: all are trusted.
	Pin func(ctx context.Context, w *project.Worker, server string, tools []mcp.Tool, ask Asker) ([]bool, error)
}

// serverLink returns what toolset mcp needs. A frame that is only looked at starts no server.
func (f *frame) serverLink() mcpset.Link {
	s := &f.tree.r.Servers
	link := mcpset.Link{Accepts: s.Accepts, Warn: f.serverWarning}
	if f.inert || f.tree.looks {
		return link
	}
	link.Connect = f.connect
	if s.Pin != nil {
		link.Pin = func(ctx context.Context, name string, tools []mcp.Tool) ([]bool, error) {
			return s.Pin(ctx, f.worker, name, tools, f.question)
		}
	}
	return link
}

// serverWarning stores a warning until the worker begins; after that it emits it.
func (f *frame) serverWarning(w *fault.Fault) {
	if f.tools == nil || len(f.conversation.Messages) == 0 {
		f.warnings = append(f.warnings, w)
		return
	}
	f.warn(w)
}

// connect returns the run's connection to a server, which all its workers share.
func (f *frame) connect(ctx context.Context, name string, c mcp.Config) (*mcp.Connection, error) {
	s := &f.tree.r.Servers
	if s.Trust != nil {
		if err := s.Trust(ctx, f.worker, name, f.question); err != nil {
			if f.tree.r.unasked(fault.Of(err, fault.Trust)) {
				f.tree.deny(Denial{ID: f.id, Tool: "mcp " + name, Trust: true})
			}
			return nil, err
		}
	}
	reached, err := c.Server(name, func(v tool.Value) (string, error) {
		if s.Lookup == nil {
			return "", fault.New(fault.Platform, "this platform has no variables and no secrets for MCP servers")
		}
		return s.Lookup(v)
	})
	if err != nil {
		return nil, err
	}
	key, err := json.Marshal(reached)
	if err != nil {
		return nil, fault.New(fault.Config, "the MCP server %s cannot be used: %w", name, err)
	}
	reached.Hide = s.Hide
	if s.Trust != nil { // its files may have changed when it starts again
		reached.Ready = func(ctx context.Context) error { return s.Trust(ctx, f.worker, name, f.question) }
	}
	return f.tree.servers.get(ctx, string(key), true, func() (*mcp.Connection, error) { return s.Host.Connect(reached), nil })
}

// disconnect ends the connections to servers when the root ends.
func (t *tree) disconnect(at trace.Event) {
	t.servers.mu.Lock()
	defer t.servers.mu.Unlock()
	for _, one := range t.servers.by {
		if one.value == nil {
			continue
		}
		if err := one.value.Close(); err != nil {
			at.Body = trace.Warning{Code: fault.Tool, Message: "closing an MCP server: " + mcp.Plain(err.Error(), 300)}
			t.emit(at)
		}
	}
	t.servers.by = nil
}

// changing is a toolset whose tools can change, with the tools that the worker has of it.
type changing struct {
	set   tool.Changing
	tools []tool.Tool
}

func (f *frame) changes(set tool.Toolset) {
	if c, ok := set.(tool.Changing); ok {
		f.changing = append(f.changing, changing{c, set.Tools()})
	}
}

// refresh replaces the tools of toolsets that have changed. It is called between turns,
// when nothing reads the set.
func (f *frame) refresh(ctx context.Context) {
	for i := range f.changing {
		c := &f.changing[i]
		changed, err := c.set.Refresh(ctx)
		if changed {
			with := c.set.Tools()
			if clash := f.tools.Replace(c.tools, with); err == nil {
				err = clash
			}
			c.tools = with
			f.unfit()
		}
		if err != nil && ctx.Err() == nil {
			problem := fault.Of(err, fault.Tool)
			f.warn(fault.Warn(problem.Code, "%s", problem.Text()))
		}
	}
}
