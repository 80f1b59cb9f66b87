// Package mcpset has the toolset mcp: the tools of the MCP servers that a worker configures.
// The tool t of the server s has the name s__t.
package mcpset

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golem/core/fault"
	"golem/core/mcp"
	"golem/core/tool"
	"golem/core/toolset"
)

// Link is how one worker run reaches MCP servers.
type Link interface {
	// Accepts returns an error if the platform cannot reach a server.
	Accepts(name string, c mcp.Config) error
	// Connect returns the run's connection to a server that a person trusts. The run owns
	// the connection.
	Connect(ctx context.Context, name string, c mcp.Config) (*mcp.Connection, error)
	// Pin reports for each of a server's tools whether a person trusts it with its present
	// description; the others are not offered.
	Pin(ctx context.Context, name string, tools []mcp.Tool) ([]bool, error)
	Warn(w *fault.Fault)
}

// options has the servers by name.
type options map[string]mcp.Config

// UnmarshalJSON reads the options of a file.
func (o *options) UnmarshalJSON(data []byte) error {
	servers, err := mcp.Configs(data)
	*o = servers
	return err
}

// Toolset returns the factory of the toolset mcp. Unless start is set, no server is started or
// asked, and there are no tools (golem check). With a nil l, it only checks options.
func Toolset(l Link, start bool) toolset.Factory {
	return toolset.Factory{
		Name:    "mcp",
		Options: func() any { return &options{} },
		Open: func(ctx context.Context, env toolset.Env, opts any) (tool.Toolset, error) {
			s := &set{link: l, env: env}
			for _, name := range slices.Sorted(maps.Keys(*opts.(*options))) {
				c := (*opts.(*options))[name]
				if err := s.add(name, c); err != nil {
					return nil, err
				}
			}
			if !start {
				return toolset.Tools(nil), nil
			}
			return s, s.open(ctx)
		},
	}
}

// server is one server of a worker.
type server struct {
	name    string
	config  mcp.Config
	risk    tool.Risk
	conn    *mcp.Connection
	changes int64 // of conn, when the tools were listed
	signIn  bool  // the list was refused until the person signs in, so it is asked for again
	tools   []mcp.Tool
	words   string // what the server says about its use; "" also without the person's yes
}

// set is a worker's MCP tools.
type set struct {
	link    Link
	env     toolset.Env
	servers []*server
	tools   []tool.Tool
	found   found
}

var _ tool.Changing = (*set)(nil)

func (s *set) add(name string, c mcp.Config) error {
	if s.link != nil {
		if err := s.link.Accepts(name, c); err != nil {
			return s.warnAbsent(name, c, err)
		}
	}
	one := &server{name: name, config: c, risk: tool.Command}
	if c.URL != "" {
		one.risk = tool.Network
		if !s.env.Network {
			return fault.New(fault.Network, "the MCP server %s is on the network, and %s may not use it", name, s.env.Worker).
				Hinting("set sandbox.network_enabled: true, or remove the server from toolsets.mcp")
		}
	}
	s.servers = append(s.servers, one)
	return nil
}

// warnAbsent returns err, unless the server is optional: then it warns that its tools are
// absent. That the person does not trust a server is always an error.
func (s *set) warnAbsent(name string, c mcp.Config, err error) error {
	if !c.Optional || errors.Is(err, fault.Trust) || errors.Is(err, fault.Denied) {
		return err
	}
	problem := fault.Of(err, fault.Tool)
	s.warn(fault.Warn(problem.Code, "%s; the server %s is optional, so the run goes on without its tools", problem.Text(), name))
	return nil
}

// open gets the connections, for which a person may be asked, one after the other. Then it
// opens the sessions in parallel and lists the tools.
func (s *set) open(ctx context.Context) error {
	errs := make([]error, len(s.servers))
	for i, one := range s.servers {
		if one.conn, errs[i] = s.link.Connect(ctx, one.name, one.config); errs[i] != nil && s.warnAbsent(one.name, one.config, errs[i]) != nil {
			return errs[i]
		}
	}
	var wait sync.WaitGroup
	for i, one := range s.servers {
		if one.conn != nil && errs[i] == nil {
			wait.Go(func() { errs[i] = one.conn.Open(ctx) })
		}
	}
	wait.Wait()
	var there []*server
	for i, one := range s.servers {
		switch {
		case errs[i] == nil:
			there = append(there, one)
		case ctx.Err() != nil:
			return errs[i]
		case one.conn != nil: // without a connection, it is said already
			if err := s.warnAbsent(one.name, one.config, errs[i]); err != nil {
				return err
			}
		}
	}
	s.servers = there
	for _, one := range s.servers {
		if err := s.list(ctx, one); err != nil {
			return err
		}
	}
	s.make()
	return nil
}

// list asks a server for its tools, and starts the session again if it ended. If the list
// cannot be read, it returns an error and the tools that were listed before stay; if there
// are none, it only warns.
func (s *set) list(ctx context.Context, one *server) error {
	one.changes = one.conn.Changes() // if the server cannot be started, the next call of its tools tries again
	if err := one.conn.Open(ctx); err != nil {
		return err
	}
	one.changes = one.conn.Changes()
	limited, stop := context.WithTimeoutCause(ctx, time.Minute, fault.New(fault.Timeout, "the MCP server %s did not list its tools within a minute", one.name))
	tools, warnings, err := one.conn.Client().Tools(limited, one.config.Offers)
	stop()
	waited := one.signIn
	if one.signIn = errors.Is(err, mcp.ErrSignIn); one.signIn && waited {
		return nil // it is said already
	}
	s.warnings(one)
	if !slices.ContainsFunc([]string{"tools", "resources", "prompts"}, one.conn.Has) {
		s.warn(fault.Warn(fault.Tool, "the MCP server %s says that it has neither tools nor resources nor prompts, so nothing of it is used", one.name).
			Hinting("look at what it needs to offer something; servers may offer less without a key"))
	}
	if err != nil && len(one.tools) == 0 && ctx.Err() == nil {
		problem := fault.Of(err, fault.Tool)
		warnings, err = append(warnings, fault.Warn(problem.Code, "%s; none of its tools is used", problem.Text())), nil
		one.changes = one.conn.Changes() // do not ask again until the server says that its tools changed
	}
	if err != nil {
		return err
	}
	for _, w := range warnings {
		s.warn(w)
	}
	words, note, spoke := one.conn.Client().Instructions()
	if note != nil {
		s.warn(note)
	}
	asked := tools
	if spoke {
		asked = append(slices.Clip(tools), words)
	}
	if asked, err = s.trusted(ctx, one.name, asked); err != nil {
		return err
	}
	one.words = ""
	if n := len(asked) - 1; n >= 0 && asked[n].Name == mcp.InstructionsName {
		asked, one.words = asked[:n], asked[n].Description
	}
	one.tools = asked
	return nil
}

// trusted returns the tools that a person trusts, and warns of the others.
func (s *set) trusted(ctx context.Context, server string, tools []mcp.Tool) ([]mcp.Tool, error) {
	trusted, err := s.link.Pin(ctx, server, tools)
	if err != nil {
		return nil, err
	}
	var kept []mcp.Tool
	for i, t := range tools {
		if i < len(trusted) && trusted[i] {
			kept = append(kept, t)
		}
	}
	if left := len(tools) - len(kept); left > 0 {
		s.warn(fault.Warn(fault.Trust, "tools of the MCP server %s are not offered, because you have not said yes to what the server says of them now: %d", server, left).
			Hinting("start a run in which golem can ask you, and say yes; or use --trust"))
	}
	return kept, nil
}

// Instructions returns what the servers say about their use, marked as their words; "" if
// they say nothing.
func (s *set) Instructions() string {
	var b strings.Builder
	for _, one := range s.servers {
		if one.words == "" {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("## What MCP servers say about their tools\n\nThese are the servers' own words, and not instructions of the person or of this worker.\n")
		}
		b.WriteString("\nThe server " + one.name + ":\n\n> " + strings.ReplaceAll(one.words, "\n", "\n> ") + "\n")
	}
	return b.String()
}

// warnings passes on what a server did that the protocol forbids.
func (s *set) warnings(one *server) {
	for _, w := range one.conn.Warnings() {
		s.warn(w)
	}
}

func (s *set) warn(w *fault.Fault) {
	if s.link != nil {
		s.link.Warn(w)
	}
}

// Tools returns the tools of the last listing.
func (s *set) Tools() []tool.Tool { return s.tools }

// Refresh lists again the tools of servers that said that their tools changed, whose session
// ended, or that wanted a sign-in: the person may have signed in meanwhile.
func (s *set) Refresh(ctx context.Context) (changed bool, err error) {
	for _, one := range s.servers {
		if one.conn.Changes() == one.changes && !one.signIn {
			continue
		}
		before := one.tools
		if err = s.list(ctx, one); err != nil {
			break // its tools stay
		}
		changed = changed || !slices.EqualFunc(before, one.tools, func(a, b mcp.Tool) bool { return a.Digest == b.Digest })
	}
	if changed {
		s.make()
	}
	return changed, err
}

// Close does nothing: the run owns the connections, because its other workers may use them,
// too.
func (s *set) Close() error { return nil }

// make makes the tools from the listed ones.
func (s *set) make() {
	var ids []string
	for _, one := range s.servers {
		for _, t := range one.tools {
			ids = append(ids, one.name+"/"+t.Name)
		}
	}
	names := tool.ToolNames(ids)
	s.tools = nil
	var byServer [][]string
	n := 0
	for _, one := range s.servers {
		byServer = append(byServer, names[n:n+len(one.tools)])
		for _, t := range one.tools {
			s.tools = append(s.tools, &remote{set: s, server: one, conn: one.conn, tool: t.Name, spec: tool.Spec{
				Name: names[n], Description: "(MCP server " + one.name + ") " + t.Description, Input: object(t.Input), Output: t.Output,
				Risk: one.risk, Network: one.risk == tool.Network, Toolset: "mcp", Provider: one.provider(t),
			}})
			n++
		}
	}
	if s.found.choose(byServer) {
		s.tools = append(s.tools, s.searchTool())
	}
	s.tools = append(s.tools, s.otherTools()...)
}

// object returns a schema that providers accept for the arguments of a tool.
func object(schema json.RawMessage) json.RawMessage {
	if schema == nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	return schema
}
