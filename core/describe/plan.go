package describe

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/ui"
)

// Plan describes what a run would do, as far as that is known before it begins (golem run
// --dry-run --json, scenario 60).
type Plan struct {
	Golem   string        `json:"golem"` // "plan"
	V       int           `json:"v"`
	Entry   string        `json:"entry"`   // ID
	Mode    string        `json:"mode"`    // interactive, approve_all or auto_deny
	Workers []PlannedWork `json:"workers"` // the entry first, then in the order of the calls
	Hosts   []PlannedHost `json:"hosts"`   // that a run can send requests to
	Faults  fault.List    `json:"faults,omitempty"`
}

// PlannedWork is a worker that a run can start.
type PlannedWork struct {
	ID     string         `json:"id"`
	Path   string         `json:"path"`
	Source string         `json:"source"`
	Model  string         `json:"model,omitempty"` // "": the model of its caller
	Tools  []ToolUse      `json:"tools"`           // without the schemas of their arguments
	View   View           `json:"view"`            // if a person runs it; a caller limits it to its own view
	Limits []config.Value `json:"limits"`
}

// PlannedHost is a host to which a run can send requests, and what sends them.
type PlannedHost struct {
	Host string `json:"host"`
	For  string `json:"for"` // "model openai:gpt-5-mini", "tools/fetch.wasm"
}

// Plan returns what a run of the entry would do. host returns the host to which requests
// for a model go, or "". Plan uses no model, runs no tool and no module, and writes nothing.
func (p *Describer) Plan(ctx context.Context, entry *project.Worker, host func(model string) string) (*Plan, error) {
	closure, err := p.Project.Workers.Closure(entry)
	if err != nil {
		return nil, err
	}
	out := &Plan{Golem: "plan", V: 1, Entry: entry.ID, Mode: string(p.Gate.Mode()), Workers: []PlannedWork{}, Hosts: []PlannedHost{}}
	add := func(to, what string) {
		if h := (PlannedHost{to, what}); to != "" && !slices.Contains(out.Hosts, h) {
			out.Hosts = append(out.Hosts, h)
		}
	}
	for _, w := range closure {
		d, err := p.Worker(ctx, w, nil)
		if err != nil {
			return nil, err
		}
		work := PlannedWork{ID: w.ID, Path: w.File, Source: w.Source, Model: w.Model, Tools: d.Tools, View: d.View, Limits: []config.Value{}}
		for _, m := range append([]string{w.Model}, w.Fallbacks...) {
			add(host(m), "model "+m)
		}
		for _, r := range p.Trust.Servers(w) {
			if u, err := url.Parse(r.URL); err == nil {
				add(u.Host, "MCP server "+r.Server)
			}
		}
		for i, t := range work.Tools {
			work.Tools[i].Input = nil
			for _, g := range t.Grants {
				if g.Name == "hosts" {
					for _, one := range strings.Split(g.Value, ", ") {
						add(one, t.From)
					}
				}
			}
		}
		for _, v := range d.Settings {
			if strings.HasPrefix(v.Path, "limits.") || strings.HasPrefix(v.Path, "delegation.") {
				work.Limits = append(work.Limits, v)
			}
		}
		out.Workers = append(out.Workers, work)
		out.Faults = append(out.Faults, d.Faults...)
	}
	out.Faults.Sort()
	out.Faults = out.Faults.Compact()
	return out, nil
}

// Text returns the plan for people.
func (p *Plan) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "A run of %s in approval mode %s. No model, tool or module ran, and nothing was written.\n", ui.OneLine(p.Entry), p.Mode)
	for _, w := range p.Workers {
		model := w.Model
		if model == "" {
			model = "its caller's"
		}
		fmt.Fprintf(&b, "\n%s (%s, %s)\n", ui.OneLine(w.ID), ui.OneLine(w.Path), ui.OneLine(w.Source))
		section(&b, "Model", ui.OneLine(model))
		section(&b, "Tools", toolsText(w.Tools))
		section(&b, "Files, if a person runs it", w.View.text())
		section(&b, "Limits", ValuesText(w.Limits))
	}
	hosts := "none"
	if len(p.Hosts) > 0 {
		rows := [][]string{{"HOST", "FOR"}}
		for _, h := range p.Hosts {
			rows = append(rows, []string{ui.OneLine(h.Host), ui.OneLine(h.For)})
		}
		hosts = ui.Table(rows)
	}
	section(&b, "Hosts that requests can go to", hosts)
	return b.String()
}
