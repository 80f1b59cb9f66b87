package core

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/run"
	"golem/core/tool"
	"golem/core/trace"
)

// Description is everything that golem knows about a worker before it runs
// (golem describe --json).
type Description struct {
	Golem       string          `json:"golem"` // "describe"
	V           int             `json:"v"`
	ID          string          `json:"id"`
	Path        string          `json:"path"`
	Source      string          `json:"source"`
	Description string          `json:"description,omitempty"`
	Tool        string          `json:"tool,omitempty"` // the entry is this tool: there is no prompt
	Prompt      *Prompt         `json:"prompt,omitempty"`
	Input       json.RawMessage `json:"input,omitempty"`  // JSON Schema
	Output      json.RawMessage `json:"output,omitempty"` // JSON Schema
	Tools       []ToolUse       `json:"tools"`
	View        View            `json:"view"`
	Settings    []project.Value `json:"settings"`
	Faults      fault.List      `json:"faults,omitempty"`
}

// Prompt is a worker's system prompt.
type Prompt struct {
	Path     string  `json:"path"`
	Line     int     `json:"line"` // of the first line
	Template bool    `json:"template"`
	Source   string  `json:"source"`
	Rendered *string `json:"rendered,omitempty"` // for the input that was given; nil: none was
}

// View is what a worker sees if a person runs it.
type View struct {
	Mounts   []MountUse `json:"mounts"` // none: it sees no files but attachments
	Restrict string     `json:"restrict,omitempty"`
	ReadOnly bool       `json:"readonly"`
	Network  bool       `json:"network"`
}

// MountUse is one mount of a view.
type MountUse struct {
	At           string               `json:"at"`
	Root         string               `json:"root"`
	Mode         string               `json:"mode"` // the one that holds
	Suffixes     []string             `json:"suffixes,omitempty"`
	MaxFileBytes int64                `json:"max_file_bytes,omitempty"`
	Approval     approval.MountPolicy `json:"approval,omitempty"`
	Origin       string               `json:"origin"`
}

// Asks is the value of ToolUse.Call if a person is asked.
const Asks = string(approval.Asks)

// ToolUse is a tool of a worker, and whether its calls run, ask or are blocked.
type ToolUse struct {
	Name   string          `json:"name"`
	From   string          `json:"from"` // "toolset filesystem", a module's path, "worker reports/s"
	Worker string          `json:"worker,omitempty"`
	Risk   string          `json:"risk"`
	Level  string          `json:"level"` // low, medium or high
	Call   string          `json:"call"`  // runs, asks, refused; manual: only a person can start it
	Why    string          `json:"why"`   // the setting that decides
	Unless []string        `json:"unless,omitempty"`
	Uses   []string        `json:"uses,omitempty"` // what a call can call in turn
	Grants []tool.Grant    `json:"grants,omitempty"`
	Text   string          `json:"description,omitempty"`
	Input  json.RawMessage `json:"input,omitempty"` // JSON Schema of the arguments
}

// Describe returns everything about a worker. in may be nil; it is the input
// with which a template is rendered. It uses no model and runs no tool. The
// faults are those of the tools, the view and the template.
func (i *Instance) Describe(ctx context.Context, w *project.Worker, in *run.Input) (*Description, error) {
	gate := i.gate(nil)
	c := i.runner(trace.Sinks(nil), gate).Checker()
	d := &Description{
		Golem: "describe", V: 1, ID: w.ID, Path: w.File, Source: w.Source, Description: w.Description, Tool: w.Tool,
		Input: w.Input, Output: w.Output, Settings: i.project.Values(w),
	}
	d.Faults = c.Tools(ctx, w)
	d.Tools = i.toolUses(ctx, c, gate, w)
	view, faults := c.View(ctx, w)
	d.Faults = append(d.Faults, faults...)
	d.View = View{Mounts: []MountUse{}, Restrict: w.Sandbox.Restrict, ReadOnly: w.Sandbox.ReadOnly, Network: view.Network}
	for _, m := range view.Mounts {
		d.View.Mounts = append(d.View.Mounts, MountUse{m.Target, m.Source, string(m.Mode), m.Suffixes, m.MaxFileBytes, m.Approval, m.Origin})
	}
	d.Faults.Sort()
	d.Faults = d.Faults.Compact()
	if w.Tool != "" {
		return d, nil
	}
	d.Prompt = &Prompt{Path: w.TextFile, Line: w.TextLine, Template: w.Template, Source: w.Instructions}
	if in != nil {
		text, err := c.Prompt(ctx, w, *in)
		if err != nil {
			return nil, err
		}
		d.Prompt.Rendered = &text
	}
	return d, nil
}

// toolUses are a worker's tools, in the order in which a model is given them.
func (i *Instance) toolUses(ctx context.Context, c *run.Checker, gate *approval.Gate, w *project.Worker) []ToolUse {
	out := []ToolUse{}
	for _, spec := range c.Specs(ctx, w) {
		out = append(out, i.forecast(gate, w, spec))
	}
	return out
}

// forecast is what becomes of calls of a tool that a worker's model makes. spec
// has the module's digest as its provider where it has hosts.
func (i *Instance) forecast(gate *approval.Gate, w *project.Worker, spec tool.Spec) ToolUse {
	f := gate.Forecast(spec, w.Policy)
	u := ToolUse{
		Name: spec.Name, Worker: spec.Target, From: "toolset " + spec.Toolset, Risk: string(spec.Risk), Level: spec.Risk.Level(), Call: string(f.Outcome), Why: f.Rule,
		Uses: spec.Uses, Grants: spec.Grants, Text: spec.Description, Input: spec.Input,
	}
	switch {
	case spec.Module != "":
		u.From, _, _ = strings.Cut(spec.Module, "@")
	case spec.Toolset == "":
		u.From = "golem"
	}
	if u.Risk == "" {
		u.Risk = "unknown"
	}
	for _, r := range f.Unless {
		u.Unless = append(u.Unless, ruleText(r))
	}
	u.Unless = append(u.Unless, mountTexts(spec, w)...)
	if f.AsksOnceTainted {
		u.Unless = append(u.Unless, "it asks once untrusted content was read (approval.taint)")
	}
	if f.Setting == approval.Blocked {
		u.Unless = nil // wherever blocked stands, it wins
	}
	switch {
	case spec.Exec == tool.ExecManual:
		u.Call, u.Why, u.Unless = string(tool.ExecManual), "only a person can start it", nil
	case f.Outcome == approval.Refused:
	case (spec.Risk == tool.Network || spec.Network) && !w.Sandbox.Network:
		u.Call, u.Why, u.Unless = string(approval.Refused), "the sandbox has no network (sandbox.network_enabled)", nil
	default:
		if g, open := i.untrustedGrant(w, spec, spec.Provider); open {
			u.Call, u.Why, u.Unless = string(approval.Refused), "nobody trusted "+g.Path+": "+g.Value, nil
		}
	}
	return u
}

// ruleText is a rule of approval.rules as people read it.
func ruleText(r approval.Rule) string {
	var when []string
	for _, key := range slices.Sorted(maps.Keys(r.When)) {
		when = append(when, fmt.Sprintf("%s is %s", key, r.When[key]))
	}
	return fmt.Sprintf("%s where %s (%s)", r.Decide, strings.Join(when, " and "), r.Origin.At)
}

// mountTexts are what the worker's mounts say about the file operations of a
// tool.
func mountTexts(spec tool.Spec, w *project.Worker) []string {
	read, write := slices.Contains(spec.Rules, "sandbox.read"), slices.Contains(spec.Rules, "sandbox.write")
	var out []string
	for _, m := range w.Sandbox.Mounts {
		for _, op := range slices.Sorted(maps.Keys(m.Approval)) {
			if read && op == "read" || write && op != "read" {
				out = append(out, fmt.Sprintf("%s where it is a %s in %s (%s)", m.Approval[op], op, m.Target, m.Origin))
			}
		}
	}
	return out
}
