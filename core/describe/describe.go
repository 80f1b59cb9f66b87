// Package describe shows what a project would do before it runs: a worker with
// its prompt, tools, files and settings, and who can call whom. It uses no model
// and runs no tool.
package describe

import (
	"context"
	"encoding/json"

	"golem/core/approval"
	"golem/core/config"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/run"
	"golem/core/tool"
	"golem/core/trust"
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
	Tool        string          `json:"tool,omitempty"` // the tool that is the entry, so there is no prompt
	Prompt      *Prompt         `json:"prompt,omitempty"`
	Input       json.RawMessage `json:"input,omitempty"`  // JSON Schema
	Output      json.RawMessage `json:"output,omitempty"` // JSON Schema
	Tools       []ToolUse       `json:"tools"`
	View        View            `json:"view"`
	Settings    []config.Value  `json:"settings"`
	Faults      fault.List      `json:"faults,omitempty"`
}

// Prompt is a worker's system prompt.
type Prompt struct {
	Path     string  `json:"path"`
	Line     int     `json:"line"` // of the first line
	Template bool    `json:"template"`
	Source   string  `json:"source"`
	Rendered *string `json:"rendered,omitempty"` // for the given input; nil without input
}

// View describes the files that a worker sees if a person runs it, and whether it may use
// the network.
type View struct {
	Mounts   []MountUse `json:"mounts"` // empty: it sees only attachments
	Restrict string     `json:"restrict,omitempty"`
	ReadOnly bool       `json:"readonly"`
	Network  bool       `json:"network"`
}

// MountUse is one mount of a view.
type MountUse struct {
	At           string               `json:"at"`
	Root         string               `json:"root"`
	Mode         string               `json:"mode"` // the effective one
	Suffixes     []string             `json:"suffixes,omitempty"`
	MaxFileBytes int64                `json:"max_file_bytes,omitempty"`
	Approval     approval.MountPolicy `json:"approval,omitempty"`
	Origin       string               `json:"origin"`
}

// Asks is the value of ToolUse.Call if a person is asked.
const Asks = string(approval.Asks)

// ToolUse is a tool of a worker, and what happens to its calls.
type ToolUse struct {
	Name   string          `json:"name"`
	From   string          `json:"from"` // "toolset filesystem", a module's path, "worker reports/s"
	Worker string          `json:"worker,omitempty"`
	Risk   string          `json:"risk"`
	Level  string          `json:"level"`            // low, medium or high
	Call   string          `json:"call"`             // runs, asks, refused; manual: only a person can start it
	Why    string          `json:"why"`              // the setting that decides
	Unless []string        `json:"unless,omitempty"` // conditions under which something else happens
	Uses   []string        `json:"uses,omitempty"`   // the callables that a call can use
	Grants []tool.Grant    `json:"grants,omitempty"`
	Text   string          `json:"description,omitempty"`
	Input  json.RawMessage `json:"input,omitempty"` // JSON Schema of the arguments
}

// Describer describes the workers of one project. All fields are required.
type Describer struct {
	Project *project.Project
	Checker *run.Checker
	Gate    *approval.Gate
	Trust   Trust
}

// Trust knows what a person trusted.
type Trust interface {
	// Grant returns the first grant of a tool's module that no person has trusted; open
	// is false if there is none. digest is the SHA-256 of the module.
	Grant(w *project.Worker, spec tool.Spec, digest string) (first trust.Widening, open bool)
	// Servers returns the tools of a worker's MCP servers, as far as they are known. It
	// must not start a server.
	Servers(w *project.Worker) []Remote
}

// Worker returns the description of a worker. in is the input for which the prompt is
// rendered; nil means that it is not rendered. Worker uses no model and runs no tool. Faults
// of the tools and of the view are in the description; the error is that of the prompt.
func (p *Describer) Worker(ctx context.Context, w *project.Worker, in *run.Input) (*Description, error) {
	c := p.Checker
	d := &Description{
		Golem: "describe", V: 1, ID: w.ID, Path: w.File, Source: w.Source, Description: w.Description, Tool: w.Tool,
		Input: w.Input, Output: w.Output, Settings: p.Project.Values(w),
	}
	d.Faults = c.Tools(ctx, w)
	d.Tools = p.toolUses(ctx, w)
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
