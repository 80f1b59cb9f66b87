// Package offering is what the servers of golem offer to other programs: the exported
// workers of a project, or its entry, each of whose calls is a run with a trace.
package offering

import (
	"context"
	"encoding/json"
	"time"

	"golem/core"
	"golem/core/approval"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/run"
	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/personcmd"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/session"
	"golem/cmd/cli/target"
	"golem/cmd/cli/telemetry"
	"golem/cmd/cli/toolhost"
)

// Offering offers workers of the project at a place, with the flags of the server.
type Offering struct {
	Console *console.Console
	Flags   *runflags.Flags
	Place   target.Place
	sender  *telemetry.Sender // of the traces of runs
}

// New returns an offering. Close must be called.
func New(c *console.Console, f *runflags.Flags, p target.Place) (*Offering, error) {
	sender, err := telemetry.New(c, telemetry.Wanted{URL: f.OTLP, Contents: f.OTLPContents})
	return &Offering{c, f, p, sender}, err
}

// Close waits for a moment until the traces are sent, and returns nil.
func (o *Offering) Close() error { return o.sender.Close() }

// Worker is one worker, or the tool that is the entry, with the project opened for it.
type Worker struct {
	Instance *core.Instance
	Entry    *project.Worker
}

// Workers returns what to offer: the workers that the project exports, or its entry. It
// fails with E_TRUST if a run would first ask a person for trust, because a client must not
// give it.
func (o *Offering) Workers(ctx context.Context, t *toolhost.Tools) ([]Worker, error) {
	first, err := machine.Open(o.Console, o.Place, o.Flags.OpenWith(), t)
	if err != nil {
		return nil, err
	}
	exports := first.Project().Manifest.Exports
	insts := []*core.Instance{first}
	if exports != nil && o.Flags.Entry == "" && !o.Place.File {
		if len(exports) == 0 {
			return nil, fault.New(fault.Config, "exports: is empty, so there is nothing to offer").Hinting("name workers in exports:, remove it to offer the entry, or use --entry")
		}
		insts = nil
		for _, ref := range exports {
			with := o.Flags.OpenWith()
			with.Entry = ref
			inst, err := machine.Open(o.Console, o.Place, with, t)
			if err != nil {
				return nil, err
			}
			insts = append(insts, inst)
		}
	}
	var out []Worker
	for _, inst := range insts {
		entry, err := inst.Entry()
		if err != nil {
			return nil, target.Elsewhere(o.Console, o.Flags.Wanted(), o.Place, console.Faults(err)).Err()
		}
		if err := o.trusted(ctx, inst, entry); err != nil {
			return nil, err
		}
		out = append(out, Worker{inst, entry})
	}
	return out, nil
}

// trusted returns E_TRUST if a run of the entry would ask for trust.
func (o *Offering) trusted(ctx context.Context, inst *core.Instance, entry *project.Worker) error {
	open, err := inst.Consent().Asks(ctx, entry)
	if err != nil || len(open) == 0 {
		return err
	}
	what := "DIR"
	if o.Place.Pack == nil {
		what = o.Place.Root
	}
	return fault.New(fault.Trust, "%s allows things beyond the project's sandbox that you have not trusted, the first of %d: %s", entry.ID, len(open), personcmd.Widening(open[0])).
		Hinting("golem trust %s shows all and asks you; --trust says yes for this server", what)
}

// NewRun returns the options of a new run.
func (o *Offering) NewRun() core.RunOptions {
	return core.RunOptions{ID: core.NewRunID(time.Now()), Running: o.Flags.Running}
}

// Run runs a call of a client as a run with a trace, and tells the person how it ended.
func (o *Offering) Run(ctx context.Context, w Worker, in run.Input, front ui.UI, how core.RunOptions) run.Result {
	how.Trouble = func(err error) {
		o.Console.Say("warning: the trace is incomplete, because it could not be written: %s", disk.Cause(err))
	}
	file, err := session.OpenTrace(o.Console, "", o.Place, how.ID)
	if err != nil {
		return run.Result{Status: run.Failed, Error: fault.Of(err, fault.Config), Refused: true}
	}
	if file != nil {
		defer file.Close()
		how.Trace = file
		how.Texts = file.Texts()
	}
	sent := o.sender.Run(nil)
	how.Lines = sent.Lines
	res := w.Instance.Run(ctx, in, front, how)
	_ = sent.Close() // it returns nil
	end := string(res.Status)
	if res.Error != nil {
		end += ": " + ui.OneLine(res.Error.Error())
	}
	o.Note("%s, run %s: %s", w.Entry.ID, how.ID, end)
	if denied := len(res.Denied); denied > 0 {
		name, _ := approval.Visible(res.Denied[0].Tool)
		o.Console.Say("%s, run %s: %s denied, because nobody could be asked; the first: %s", w.Entry.ID, how.ID, fault.Count(denied, "call"), name)
	}
	return res
}

// Note prints like Console.Say, but not with --quiet.
func (o *Offering) Note(format string, args ...any) {
	if !o.Flags.Quiet {
		o.Console.Say(format, args...)
	}
}

// ObjectSchema returns a schema with "type": "object", which MCP requires; nil for a
// schema that does not describe an object.
func ObjectSchema(raw json.RawMessage) json.RawMessage {
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
