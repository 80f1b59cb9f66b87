package acpcmd

import (
	"encoding/json"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"golem/core/fault"
)

// Limits of the MCP servers of a session.
const (
	maxServers     = 32
	maxServerBytes = 64 << 10
)

// serversOf returns the MCP servers that a client offers, as a project's file has them; nil for
// none. They are the person's word, and are asked about before the first prompt.
func serversOf(all []acp.McpServer) ([]byte, error) {
	if len(all) == 0 {
		return nil, nil
	}
	if len(all) > maxServers {
		return nil, fault.New(fault.Limit, "the editor offers %d MCP servers, and golem takes %d", len(all), maxServers).Hinting("switch some off in the editor's settings")
	}
	type server struct {
		Command string            `json:"command"`
		Args    []string          `json:"args,omitempty"`
		Env     map[string]string `json:"env,omitempty"`
	}
	out := map[string]server{}
	for _, one := range all {
		s := one.Stdio
		switch {
		case s == nil:
			return nil, fault.New(fault.Platform, "golem takes only MCP servers of an editor that it can start").Hinting("name a server with an address under toolsets.mcp of a worker")
		case s.Name == "" || s.Command == "":
			return nil, fault.New(fault.Usage, "an MCP server of the editor has no name or no command").Hinting("send both")
		}
		if _, twice := out[s.Name]; twice {
			return nil, fault.New(fault.Usage, "the editor offers two MCP servers %s", fault.Quoted(s.Name)).Hinting("give each its own name")
		}
		env := map[string]string{}
		for _, v := range s.Env {
			if v.Name == "" || strings.ContainsAny(v.Name, "=\x00") || strings.Contains(v.Value, "\x00") {
				return nil, fault.New(fault.Usage, "a variable of the MCP server %s cannot be set", fault.Quoted(s.Name)).Hinting("give it a name without = and a value without a zero byte")
			}
			env[v.Name] = v.Value
		}
		out[s.Name] = server{s.Command, s.Args, env}
	}
	data, err := json.Marshal(map[string]any{"mcpServers": out})
	if err != nil {
		return nil, fault.Of(err, fault.Usage)
	}
	if len(data) > maxServerBytes {
		return nil, fault.New(fault.Limit, "the MCP servers of the editor have more than %d bytes", maxServerBytes).Hinting("switch some off in the editor's settings")
	}
	return data, nil
}
