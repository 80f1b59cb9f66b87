package mcpset

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/mcp"
	"golem/core/tool"
)

// otherTools returns the tools for the resources and prompts of servers.
func (s *set) otherTools() []tool.Tool {
	var out []tool.Tool
	if names, risk := s.serversWith("resources"); len(names) > 0 {
		out = append(out, tool.Func(tool.Spec{
			Name: "read_resource", Risk: risk, Network: risk == tool.Network, Toolset: "mcp", Provider: s.provider(),
			Description: "Reads a resource of an MCP server, as text or as an attached file; without uri it lists the resources, and the templates of URIs whose {parts} you fill in. Servers: " + strings.Join(names, ", ") + ".",
		}, s.readResource))
	}
	if names, risk := s.serversWith("prompts"); len(names) > 0 {
		out = append(out, tool.Func(tool.Spec{
			Name: "get_prompt", Risk: risk, Network: risk == tool.Network, Toolset: "mcp", Provider: s.provider(), Exec: tool.ExecBoth,
			Description: "Returns a prompt that an MCP server has prepared; without name it lists the prompts. Servers: " + strings.Join(names, ", ") + ".",
		}, s.getPrompt))
	}
	return out
}

// serversWith returns the names of the servers that have resources or prompts, and the highest risk
// among them.
func (s *set) serversWith(what string) (names []string, risk tool.Risk) {
	risk = tool.Network
	for _, one := range s.servers {
		if one.conn.Has(what) {
			names = append(names, one.name)
			if one.risk == tool.Command {
				risk = tool.Command
			}
		}
	}
	return names, risk
}

// provider returns the provider of a tool that uses all servers. It is part of the approval
// key.
func (s *set) provider() string {
	out := "mcp"
	for _, one := range s.servers {
		out += " " + one.provider(mcp.Tool{})
	}
	return out
}

func (s *set) server(name, what string) (*server, error) {
	i := slices.IndexFunc(s.servers, func(one *server) bool { return one.name == name })
	if i < 0 || !s.servers[i].conn.Has(what) {
		names, _ := s.serversWith(what)
		return nil, fault.New(fault.NotFound, "no MCP server %s of this worker has %s", fault.Quoted(name), what).Hinting("servers: %s", strings.Join(names, ", "))
	}
	return s.servers[i], nil
}

type resourceArgs struct {
	Server string `json:"server" jsonschema:"name of the server"`
	URI    string `json:"uri,omitempty" jsonschema:"the resource; leave it out to list them"`
}

func (s *set) readResource(ctx context.Context, in resourceArgs) (tool.Output, error) {
	one, err := s.server(in.Server, "resources")
	if err != nil {
		return tool.Output{}, err
	}
	if in.URI != "" {
		return one.conn.Client().Read(ctx, in.URI)
	}
	all, err := one.conn.Client().Resources(ctx)
	if err != nil {
		return listed("resources", nil, 0, err)
	}
	patterns, err := one.conn.Client().Templates(ctx)
	out, err := listed("resources", all, len(all), err)
	if err != nil || len(patterns) == 0 {
		return out, err
	}
	if len(all) == 0 {
		all = []mcp.Resource{}
	}
	data, err := json.Marshal(map[string]any{"resources": all, "templates": patterns})
	if err != nil {
		return out, fault.New(fault.Tool, "the list could not be encoded: %w", err)
	}
	out.Data, out.Summary = data, out.Summary+", "+fault.Count(len(patterns), "template")
	return out, nil
}

// Resource reads a resource that a person names. It needs no approval.
func (s *set) Resource(ctx context.Context, server, uri string) (tool.Output, error) {
	return s.readResource(ctx, resourceArgs{server, uri})
}

type promptArgs struct {
	Server    string            `json:"server" jsonschema:"name of the server"`
	Name      string            `json:"name,omitempty" jsonschema:"the prompt; leave it out to list them"`
	Arguments map[string]string `json:"arguments,omitempty" jsonschema:"the prompt's arguments"`
}

func (s *set) getPrompt(ctx context.Context, in promptArgs) (tool.Output, error) {
	one, err := s.server(in.Server, "prompts")
	if err != nil {
		return tool.Output{}, err
	}
	if in.Name != "" {
		return one.conn.Client().Prompt(ctx, in.Name, in.Arguments)
	}
	all, err := one.conn.Client().Prompts(ctx)
	return listed("prompts", all, len(all), err)
}

func listed(what string, all any, n int, err error) (tool.Output, error) {
	if err != nil {
		return tool.Output{Untrusted: true}, err
	}
	if n == 0 {
		all = []string{}
	}
	data, err := json.Marshal(map[string]any{what: all})
	if err != nil {
		return tool.Output{}, fault.New(fault.Tool, "the list could not be encoded: %w", err)
	}
	return tool.Output{Kind: "json", Data: data, Summary: fmt.Sprintf("%d %s", n, what), Untrusted: true}, nil
}
