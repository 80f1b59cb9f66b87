package mcpcmd

import (
	"cmp"
	"context"

	"golem/core/conversation"
	"golem/core/run"
	"golem/core/tool"
	"golem/core/ui"

	"golem/cmd/cli/mcpserve"
	"golem/cmd/cli/offering"
	"golem/cmd/cli/toolhost"
)

// serving offers workers of a project as tools of an MCP server, and runs their calls.
type serving struct{ *offering.Offering }

// tools returns the tools to offer.
func (s *serving) tools(ctx context.Context, t *toolhost.Tools) ([]mcpserve.Tool, error) {
	workers, err := s.Workers(ctx, t)
	if err != nil {
		return nil, err
	}
	var out []mcpserve.Tool
	var ids []string
	for _, w := range workers {
		one, err := s.tool(ctx, w)
		if err != nil {
			return nil, err
		}
		ids, out = append(ids, one.Name), append(out, one)
	}
	for i, name := range tool.ToolNames(ids) {
		out[i].Name = name
	}
	return out, nil
}

// tool returns a worker, or the tool that is the entry, as a tool for clients.
func (s *serving) tool(ctx context.Context, w offering.Worker) (mcpserve.Tool, error) {
	inst, entry := w.Instance, w.Entry
	out := mcpserve.Tool{Name: entry.ID, Description: entry.Description, Optional: entry.AllowEmptyInput}
	in, result := entry.Input, entry.Output
	if entry.Tool != "" {
		spec, err := inst.EntryTool(ctx)
		if err != nil {
			return out, err
		}
		out.Name, out.Description, in, result = spec.Name, spec.Description, spec.Input, spec.Output
	}
	out.Input, out.Output = offering.ObjectSchema(in), offering.ObjectSchema(result)
	var err error
	if out.Description == "" {
		out.Description = "a worker of the project " + s.Place.Name()
	}
	out.Run = func(ctx context.Context, call mcpserve.Call, front ui.UI) run.Result {
		return s.run(ctx, w, call, front)
	}
	out.Digest, err = definitionDigest(inst.Project(), entry)
	out.Started = func(id, call string) (int, error) {
		k, err := conversation.Read(inst.Conversations(), id)
		if err != nil {
			return 0, err
		}
		return k.Started(call), k.Err
	}
	return out, err
}

// run runs a call of a client as a run with a trace.
func (s *serving) run(ctx context.Context, w offering.Worker, call mcpserve.Call, front ui.UI) run.Result {
	o := s.NewRun()
	if call.Resume != "" {
		o.Resume = &call.Resume
	}
	if w.Instance.Conversations() != nil {
		call.Kept(cmp.Or(call.Resume, o.ID))
	}
	return s.Run(ctx, w, call.Input, front, o)
}
