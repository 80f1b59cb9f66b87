package project

import (
	"slices"
	"strings"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/yamltree"
)

// Servers returns the MCP servers that w's configuration names, one Said for each; Key
// is the server's name.
func (w *Worker) Servers() []config.Said {
	var out []config.Said
	for _, f := range config.FieldsOf(w.eff.Path("toolsets", "mcp")) {
		if f.Name != "approval" && f.Value.Kind == yamltree.Mapping {
			out = append(out, config.NewSaid(f.Value, "toolsets.mcp."+f.Name, f.Name))
		}
	}
	return out
}

// commandServers is the name in PlatformToolsets of MCP servers that are started by a
// command.
const commandServers = "mcp.command"

// serverFaults returns a fault for each MCP server that a platform cannot start.
func (pl Platform) serverFaults(set yamltree.Field, platform string) fault.List {
	on, limited := pl.Limited[commandServers]
	if set.Name != "mcp" || !limited || slices.Contains(on, platform) {
		return nil
	}
	var out fault.List
	for _, f := range set.Value.Fields {
		if f.Value.Kind != yamltree.Mapping || f.Value.Get("command") == nil {
			continue
		}
		one := f.Value.Get("command").Pos.Fault(fault.Platform, "the MCP server %s is a command, and programs can be started only on %s, not on platform %s",
			fault.Quoted(f.Name), strings.Join(on, ", "), fault.Quoted(platform)).
			Hinting("use a server with a url, or run the project with the golem command")
		if f.Value.Get("optional").Flag() {
			one.Severity = fault.Warning
		}
		out = append(out, one)
	}
	return out
}

// ServerValues returns the texts in headers, env and args of w's MCP servers; Key is the
// name of the variable, or "headers" or "args".
func (w *Worker) ServerValues() []config.Said {
	var out []config.Said
	for _, server := range config.FieldsOf(w.eff.Path("toolsets", "mcp")) {
		for _, kind := range []string{"headers", "env"} {
			for _, f := range config.FieldsOf(server.Value.Get(kind)) {
				if f.Value.Kind != yamltree.Scalar {
					continue
				}
				one := config.NewSaid(f.Value, "toolsets.mcp."+server.Name+"."+kind+"."+f.Name, f.Name)
				if kind == "headers" {
					one.Key = kind
				}
				out = append(out, one)
			}
		}
		if args := server.Value.Get("args"); args != nil {
			for _, n := range args.Items {
				out = append(out, config.NewSaid(n, "toolsets.mcp."+server.Name+".args", "args"))
			}
		}
	}
	return out
}
