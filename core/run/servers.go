package run

import (
	"context"
	"encoding/json"
	"slices"

	"golem/core/fault"
	"golem/core/mcp"
	"golem/core/project"
	"golem/core/tool"
	"golem/core/toolset/mcpset"
	"golem/core/trace"
)

// servers are the connections of a tree to MCP servers, which all its workers share.
type servers struct {
	host   mcp.Host
	trust  Trust
	values Values
	open   onces[*mcp.Connection] // by name and configuration; closed with the root
}

// serverLink is how one worker run reaches them.
type serverLink struct {
	tree *tree
	box  *toolbox
}

var _ mcpset.Link = serverLink{}

// Accepts returns an error if the platform cannot reach a server.
func (l serverLink) Accepts(name string, c mcp.Config) error {
	return l.tree.servers.host.Accepts(name, c)
}

// Connect returns the connection to a server, for which it asks a person.
func (l serverLink) Connect(ctx context.Context, name string, c mcp.Config) (*mcp.Connection, error) {
	at := l.box.place
	ask := l.tree.person.asker(at)
	if err := l.tree.servers.trusted(ctx, at.worker, name, ask); err != nil {
		return nil, l.tree.untrusted(at.id, "mcp "+name, err)
	}
	return l.tree.servers.connect(ctx, at.worker, name, c, ask)
}

// Pin asks a person for trust in a server's tools.
func (l serverLink) Pin(ctx context.Context, name string, tools []mcp.Tool) ([]bool, error) {
	if l.tree.r.Trust == nil {
		return slices.Repeat([]bool{true}, len(tools)), nil
	}
	return l.tree.r.Trust.ServerTools(ctx, l.box.place.worker, name, tools, l.tree.person.asker(l.box.place))
}

// Warn emits a warning, once the worker has begun.
func (l serverLink) Warn(w *fault.Fault) {
	if !l.box.begun {
		l.box.warnings = append(l.box.warnings, w)
		return
	}
	l.box.place.warn(w)
}

// trusted returns E_TRUST unless a person trusts a server of a worker.
func (s *servers) trusted(ctx context.Context, w *project.Worker, name string, ask Asker) error {
	if s.trust == nil {
		return nil
	}
	return s.trust.Server(ctx, w, name, ask)
}

// connect returns the connection to a server that is trusted.
func (s *servers) connect(ctx context.Context, w *project.Worker, name string, c mcp.Config, ask Asker) (*mcp.Connection, error) {
	reached, err := c.Server(name, func(v tool.Value) (string, error) {
		if s.values == nil {
			return "", fault.New(fault.Platform, "this platform has no variables and no secrets for MCP servers")
		}
		return s.values.Value(v)
	})
	if err != nil {
		return nil, err
	}
	key, err := json.Marshal(reached)
	if err != nil {
		return nil, fault.New(fault.Config, "the MCP server %s cannot be used: %w", name, err)
	}
	reached.Guard = serverGuard{s, w, name, ask}
	return s.open.get(ctx, string(key), true, func() (*mcp.Connection, error) { return s.host.Connect(reached), nil })
}

// serverGuard guards a server of a worker.
type serverGuard struct {
	servers *servers
	worker  *project.Worker
	name    string
	ask     Asker
}

// Ready asks for trust again, because the server's files may have changed when it starts again.
func (g serverGuard) Ready(ctx context.Context) error {
	return g.servers.trusted(ctx, g.worker, g.name, g.ask)
}

// Hide removes a value from everything that leaves golem.
func (g serverGuard) Hide(value string) {
	if g.servers.values != nil {
		g.servers.values.Hide(value)
	}
}

// close ends the connections when the root ends.
func (s *servers) close(at *place) {
	s.open.mu.Lock()
	defer s.open.mu.Unlock()
	for _, one := range s.open.by {
		if one.value == nil {
			continue
		}
		if err := one.value.Close(); err != nil {
			at.emit(trace.Warning{Code: fault.Tool, Message: "closing an MCP server: " + mcp.Plain(err.Error(), 300)})
		}
	}
	s.open.by = nil
}

// changing is a toolset whose tools can change, with the tools that the worker has of it.
type changing struct {
	set   tool.Changing
	tools []tool.Tool
}

// refresh replaces the tools of toolsets that have changed. It is called between turns,
// when nothing reads the set.
func (b *toolbox) refresh(ctx context.Context) {
	for i := range b.changing {
		c := &b.changing[i]
		changed, err := c.set.Refresh(ctx)
		if changed {
			with := c.set.Tools()
			if clash := b.Replace(c.tools, with); err == nil {
				err = clash
			}
			c.tools = with
			b.warnUnfit()
		}
		if err != nil && ctx.Err() == nil {
			problem := fault.Of(err, fault.Tool)
			b.place.warn(fault.Warn(problem.Code, "%s", problem.Text()))
		}
	}
}

// recall tells the toolsets a kept result. A search for tools offers what it has found.
func (b *toolbox) recall(name string, out tool.Output) {
	for _, c := range b.changing {
		if set, ok := c.set.(interface {
			Recall(name string, out tool.Output)
		}); ok {
			set.Recall(name, out)
		}
	}
}
