package mcpcmd

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"golem/core"
	"golem/core/approval"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/run"
	"golem/core/tool"
	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/mcpserve"
	"golem/cmd/cli/personcmd"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/session"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// serving offers workers of a project as tools of an MCP server, and runs their calls.
type serving struct {
	console *console.Console
	flags   *runflags.Flags
	place   target.Place
}

// tools returns the tools to offer: the workers that the project exports, or its entry.
func (s *serving) tools(ctx context.Context, t *toolhost.Tools) ([]mcpserve.Tool, error) {
	first, err := machine.Open(s.console, s.place, s.flags.OpenWith(), t)
	if err != nil {
		return nil, err
	}
	exports := first.Project().Manifest.Exports
	insts := []*core.Instance{first}
	if exports != nil && s.flags.Entry == "" && !s.place.File {
		if len(exports) == 0 {
			return nil, fault.New(fault.Config, "exports: is empty, so there is nothing to offer").Hinting("name workers in exports:, remove it to offer the entry, or use --entry")
		}
		insts = nil
		for _, ref := range exports {
			with := s.flags.OpenWith()
			with.Entry = ref
			inst, err := machine.Open(s.console, s.place, with, t)
			if err != nil {
				return nil, err
			}
			insts = append(insts, inst)
		}
	}
	var out []mcpserve.Tool
	var ids []string
	for _, inst := range insts {
		entry, err := inst.Entry()
		if err != nil {
			return nil, target.Elsewhere(s.console, s.flags.Wanted(), s.place, console.Faults(err)).Err()
		}
		if err := s.trusted(ctx, inst, entry); err != nil {
			return nil, err
		}
		one, err := s.tool(ctx, inst, entry)
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

// trusted returns fault.Trust if a run would first ask a person for trust,
// because the client must not give it.
func (s *serving) trusted(ctx context.Context, inst *core.Instance, entry *project.Worker) error {
	open, err := inst.Consent().Asks(ctx, entry)
	if err != nil || len(open) == 0 {
		return err
	}
	what := "DIR"
	if s.place.Pack == nil {
		what = s.place.Root
	}
	return fault.New(fault.Trust, "%s allows things beyond the project's sandbox that you have not trusted, the first of %d: %s", entry.ID, len(open), personcmd.Widening(open[0])).
		Hinting("golem trust %s shows all and asks you; --trust says yes for this server", what)
}

// tool returns a worker, or the tool that is the entry, as a tool for clients.
func (s *serving) tool(ctx context.Context, inst *core.Instance, entry *project.Worker) (mcpserve.Tool, error) {
	out := mcpserve.Tool{Name: entry.ID, Description: entry.Description, Optional: entry.AllowEmptyInput}
	in, result := entry.Input, entry.Output
	if entry.Tool != "" {
		spec, err := inst.EntryTool(ctx)
		if err != nil {
			return out, err
		}
		out.Name, out.Description, in, result = spec.Name, spec.Description, spec.Input, spec.Output
	}
	out.Input, out.Output = objectSchema(in), objectSchema(result)
	var err error
	if out.Description == "" {
		out.Description = "a worker of the project " + s.place.Name()
	}
	out.Run = func(ctx context.Context, call mcpserve.Call, front ui.UI) run.Result {
		return s.run(ctx, inst, entry, call, front)
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

// objectSchema returns a schema with "type": "object", which the protocol requires; nil
// for a schema that does not describe an object.
func objectSchema(raw json.RawMessage) json.RawMessage {
	var schema map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &schema) != nil {
		return nil
	}
	if kind := schema["type"]; kind != nil {
		if string(kind) != `"object"` {
			return nil
		}
		return raw
	}
	if schema["properties"] == nil {
		return nil
	}
	schema["type"] = json.RawMessage(`"object"`)
	out, err := json.Marshal(schema)
	if err != nil {
		return nil // unreachable: the values were parsed from JSON
	}
	return out
}

// run runs a call of a client as a run with a trace.
func (s *serving) run(ctx context.Context, inst *core.Instance, entry *project.Worker, call mcpserve.Call, front ui.UI) run.Result {
	o := core.RunOptions{ID: core.NewRunID(time.Now()), Running: s.flags.Running}
	if call.Resume != "" {
		o.Resume = &call.Resume
	}
	if inst.Conversations() != nil {
		call.Kept(cmp.Or(call.Resume, o.ID))
	}
	o.Trouble = func(err error) {
		s.console.Say("warning: the trace is incomplete, because it could not be written: %s", disk.Cause(err))
	}
	file, err := session.OpenTrace(s.console, "", s.place, o.ID)
	if err != nil {
		return run.Result{Status: run.Failed, Error: fault.Of(err, fault.Config), Refused: true}
	}
	if file != nil {
		defer file.Close()
		o.Trace = file
		o.Texts = file.Texts()
	}
	res := inst.Run(ctx, call.Input, front, o)
	end := string(res.Status)
	if res.Error != nil {
		end += ": " + ui.OneLine(res.Error.Error())
	}
	s.note("%s, run %s: %s", entry.ID, o.ID, end)
	if denied := len(res.Denied); denied > 0 {
		name, _ := approval.Visible(res.Denied[0].Tool)
		s.console.Say("%s, run %s: %s denied, because the client's user could not be asked; the first: %s", entry.ID, o.ID, fault.Count(denied, "call"), name)
	}
	return res
}

// note prints like Console.Say, but not with --quiet.
func (s *serving) note(format string, args ...any) {
	if !s.flags.Quiet {
		s.console.Say(format, args...)
	}
}
