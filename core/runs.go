package core

import (
	"context"
	"errors"
	"time"

	"golem/core/approval"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
	"golem/core/run"
	"golem/core/trace"
	"golem/core/ui"
)

var errNoUI = errors.New("no user interface")

// Run runs the entry until it has answered once, even if its mode is chat.
func (i *Instance) Run(ctx context.Context, in run.Input, u ui.UI, ro RunOptions) run.Result {
	r, entry, err := i.prepare(ctx, u, ro, in, conversation.ModeRun)
	if err != nil {
		return i.notBegun(r, in, err)
	}
	return i.end(r, r.Run(ctx, entry, in))
}

// Call runs any worker (by reference) or tool of the entry worker (by name) of
// the project for a person (S3-01, S4-04).
func (i *Instance) Call(ctx context.Context, name string, in run.Input, u ui.UI, ro RunOptions) run.Result {
	r, _, err := i.prepare(ctx, u, ro, in, conversation.ModeRun)
	if err != nil {
		return i.notBegun(r, in, err)
	}
	return i.end(r, r.Call(ctx, name, in))
}

// CallTool runs a tool of the entry worker for a person. Unlike Call, it never runs a worker
// of that name.
func (i *Instance) CallTool(ctx context.Context, name string, in run.Input, u ui.UI, ro RunOptions) run.Result {
	r, _, err := i.prepare(ctx, u, ro, in, conversation.ModeRun)
	if err != nil {
		return i.notBegun(r, in, err)
	}
	return i.end(r, r.CallTool(ctx, name, in))
}

// end closes the conversation of a run and sets its id in the result, if something of it was
// kept. It redacts the result.
func (i *Instance) end(r *run.Runner, res run.Result) run.Result {
	res.Conversation = r.Keeping.Journal.Close()
	return i.values.redact(res)
}

// notBegun returns the result of a run for which prepare failed. If the person stopped it at
// the question before the run, it also ends the trace, which already has that question.
func (i *Instance) notBegun(r *run.Runner, in run.Input, err error) run.Result {
	f := fault.Of(err, fault.Config)
	res := run.Result{Status: run.Failed, Error: f, Refused: true, Unasked: errors.As(err, new(nobodyAsked))}
	if r == nil {
		return res
	}
	if f.Code == fault.Interrupted {
		res = r.Refuse(in, f)
	}
	return i.end(r, res)
}

// prepare makes the runner of one session, with its sinks and its gate, and asks the person
// for trust if that is needed. With an error it may return the runner, whose sinks then are
// still needed. Every consumer of events is behind the redactor. An input that is too large
// is an error before anything else.
func (i *Instance) prepare(ctx context.Context, u ui.UI, ro RunOptions, in run.Input, mode string) (r *run.Runner, entry *project.Worker, err error) {
	if u == nil {
		return nil, nil, errNoUI
	}
	if err := in.Check(); err != nil {
		return nil, nil, err
	}
	entry, err = i.project.Workers.Entry()
	if err != nil {
		return nil, nil, err
	}
	if ro.ID == "" {
		ro.ID = i.platform.newID()
	}
	i.values.add(moduleSecrets(i.project, entry)...)
	kept, unread := i.values.personSecrets()
	i.values.add(kept...)
	// The trace gets every event at once. While a person is asked, the front end gets
	// only the question.
	hold := &trace.Hold{}
	front := front{trace.Redacting(&i.values.redactor, trace.Sinks{i.writer(ro, entry, hold), hold.Sink(u)}), hold}
	gate := i.gate(u, front)
	trusting, err := i.consent.Before(ctx, entry, gate, front)
	if err != nil {
		return i.runner(front, gate, run.Keeping{}, nil), nil, err
	}
	notices := append(append(append(trusting, ro.notices...), settle(ctx, i.Clearance(), i.Undo())...), warnings(i.project, entry)...)
	if unread != nil {
		notices = append(notices, trace.Warning{Code: unread.Code, Message: unread.Text()})
	}
	before := &beforehand{project: i.project, gate: gate, front: front, notices: notices}
	keeping, err := i.keeping(ctx, before, entry, ro, mode)
	keeping.ID = ro.ID
	if ro.through && err == nil {
		keeping.Through, err = i.platform.Files.Mount(".")
	}
	if ro.Artifact != nil {
		keeping.Artifacts = &trace.Artifacts{Files: ro.Artifact, Redactor: &i.values.redactor}
	}
	r = i.runner(front, gate, keeping, before.notices)
	r.Strict = ro.Strict
	if ro.Record != nil {
		r.Models = recorded{i.models, model.NewRecorder(ro.Record, i.platform.Version, i.values)}
	}
	if ro.Account != nil {
		r.Models = accounted{r.Models, ro.Account}
	}
	return r, entry, err
}

// recorded are models whose answers are written to a recording.
type recorded struct {
	run.Models
	recorder *model.Recorder
}

// Open opens the model of a worker.
func (r recorded) Open(ctx context.Context, w *project.Worker) (model.Model, error) {
	m, err := r.Models.Open(ctx, w)
	if err != nil {
		return nil, err
	}
	return r.recorder.Wrap(m), nil
}

// accounted are models for whose requests an account pays.
type accounted struct {
	run.Models
	account *run.Account
}

var _ run.Accounted = accounted{}

// Account returns the account.
func (a accounted) Account() *run.Account { return a.account }

// writer returns the writer of the run's trace.
func (i *Instance) writer(ro RunOptions, entry *project.Worker, hold *trace.Hold) *trace.Writer {
	w := trace.NewWriter(ro.Trace, trace.Header{
		Golem: "trace", V: trace.Version, Run: ro.ID, Version: i.platform.Version, Platform: i.platform.Name,
		Project: i.options.Name, Entry: entry.ID, Started: i.platform.now().UTC().Format(time.RFC3339),
	}, i.platform.now)
	w.Texts, w.OnError = ro.Texts, ro.Trouble
	if ro.Lines != nil {
		w.Whole(hold.Writer(ro.Lines))
	}
	return w
}

// warnings returns what a person should know before the run begins: the warnings about the
// project, and an approval mode approve_all that the project chose itself.
func warnings(p *project.Project, entry *project.Worker) []trace.Body {
	var out []trace.Body
	if set := p.Approval; set.Mode == approval.ApproveAll && !set.Trusted {
		out = append(out, trace.Warning{Code: fault.Config, Message: "approval.mode approve_all is set by " + set.Origin +
			": calls that stay in the sandbox are approved without asking; network and command still ask"})
	}
	for _, f := range p.Workers.Warnings(entry) {
		out = append(out, trace.Warning{Code: f.Code, Message: f.Text()})
	}
	return out
}
