package describe

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golem/core/approval"
	"golem/core/project"
	"golem/core/tool"
)

// toolUses returns a worker's tools in the order in which a model gets them.
func (p *Describer) toolUses(ctx context.Context, w *project.Worker) []ToolUse {
	out := []ToolUse{}
	for _, spec := range p.Checker.Specs(ctx, w) {
		out = append(out, p.Forecast(w, spec))
	}
	return append(out, p.Remotes(w)...)
}

// Remote is a tool of an MCP server, as far as golem knows it without asking the server.
// The name SERVER__* stands for the tools that golem does not know.
type Remote struct {
	Spec   tool.Spec
	Server string // name
	At     string // command line or address
	URL    string // "" for a command
	Open   bool   // no person has trusted the server
}

// Remotes returns the tools of a worker's MCP servers. It starts no server.
func (p *Describer) Remotes(w *project.Worker) []ToolUse {
	var out []ToolUse
	for _, r := range p.Trust.Servers(w) {
		u := p.Forecast(w, r.Spec)
		u.From = "MCP server " + r.Server + " (" + r.At + ")"
		if r.Open && u.Call != string(approval.Refused) {
			u.Call, u.Why, u.Unless = string(approval.Refused), "nobody trusted toolsets.mcp."+r.Server, nil
		}
		out = append(out, u)
	}
	return out
}

// Forecast returns what happens when the worker's model calls the tool. For a tool of a
// module, spec.Provider must be the digest of the module.
func (p *Describer) Forecast(w *project.Worker, spec tool.Spec) ToolUse {
	f := p.Gate.Forecast(spec, w.Policy)
	u := ToolUse{
		Name: spec.Name, Worker: spec.Target, From: "toolset " + spec.Toolset, Risk: string(spec.Risk), Level: spec.Risk.Level(), Call: string(f.Outcome), Why: f.Rule,
		Uses: spec.Uses, Grants: spec.Grants, Text: spec.Description, Input: spec.Input,
	}
	switch {
	case spec.Module != "":
		u.From = spec.Module
	case spec.Toolset == "":
		u.From = "golem"
	}
	if u.Risk == "" {
		u.Risk = "unknown"
	}
	for _, r := range f.Unless {
		u.Unless = append(u.Unless, ruleText(r))
	}
	u.Unless = append(u.Unless, p.mountTexts(spec, w)...)
	if f.AsksOnceTainted {
		u.Unless = append(u.Unless, "it asks once untrusted content was read (approval.taint)")
	}
	if f.Setting == approval.Blocked {
		u.Unless = nil // blocked wins over every other setting
	}
	switch {
	case spec.Exec == tool.ExecManual:
		u.Call, u.Why, u.Unless = string(tool.ExecManual), "only a person can start it", nil
	case f.Outcome == approval.Refused:
	case (spec.Risk == tool.Network || spec.Network) && !w.Sandbox.Network:
		u.Call, u.Why, u.Unless = string(approval.Refused), "the sandbox has no network (sandbox.network_enabled)", nil
	default:
		if g, open := p.Trust.Grant(w, spec, spec.Provider); open {
			u.Call, u.Why, u.Unless = string(approval.Refused), "nobody trusted "+g.Path+": "+g.Value, nil
		}
	}
	return u
}

// ruleText returns a rule of approval.rules for people.
func ruleText(r approval.Rule) string {
	var when []string
	for _, key := range slices.Sorted(maps.Keys(r.When)) {
		when = append(when, fmt.Sprintf("%s is %s", key, r.When[key]))
	}
	return fmt.Sprintf("%s where %s (%s)", r.Decide, strings.Join(when, " and "), r.Origin.At)
}

// mountTexts returns the approval settings of the worker's mounts that apply to the file
// operations of a tool.
func (p *Describer) mountTexts(spec tool.Spec, w *project.Worker) []string {
	read, write := slices.Contains(spec.Rules, "sandbox.read"), slices.Contains(spec.Rules, "sandbox.write")
	var out []string
	for _, m := range w.Sandbox.Mounts {
		for _, op := range slices.Sorted(maps.Keys(m.Approval)) {
			if read && op == "read" || write && op != "read" {
				set, origin := m.Approval[op], m.Origin
				if !p.Gate.Believes(spec, w.Policy, set, w.Policy.Origins["mount:"+m.Name+":"+op], nil) {
					set, origin = approval.Ask, origin+", which nobody trusted"
				}
				out = append(out, fmt.Sprintf("%s where it is a %s in %s (%s)", set, op, m.Target, origin))
			}
		}
	}
	return out
}
