package core

import (
	"context"
	"errors"
	"io"
	"time"

	"golem/core/approval"
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
	r, entry, err := i.prepare(ctx, u, ro, in, "run")
	if err != nil {
		return i.notBegun(r, in, err)
	}
	return i.end(r, r.Run(ctx, entry, in))
}

// Call runs any worker (by reference) or tool of the entry worker (by name) of
// the project for a person (S3-01, S4-04).
func (i *Instance) Call(ctx context.Context, name string, in run.Input, u ui.UI, ro RunOptions) run.Result {
	r, _, err := i.prepare(ctx, u, ro, in, "run")
	if err != nil {
		return i.notBegun(r, in, err)
	}
	return i.end(r, r.Call(ctx, name, in))
}

// CallTool runs a tool of the entry worker for a person. Unlike Call, it never runs a worker
// of that name.
func (i *Instance) CallTool(ctx context.Context, name string, in run.Input, u ui.UI, ro RunOptions) run.Result {
	r, _, err := i.prepare(ctx, u, ro, in, "run")
	if err != nil {
		return i.notBegun(r, in, err)
	}
	return i.end(r, r.CallTool(ctx, name, in))
}

// Chat runs a conversation with the entry, until the person ends it (/exit, end
// of input) or ctx ends. first may be nil; it is the first message. If an
// exchange fails, the error is shown and the conversation continues. The result
// is that of the last exchange.
func (i *Instance) Chat(ctx context.Context, first *run.Input, u ui.UI, ro RunOptions) run.Result {
	var given run.Input
	if first != nil {
		given = *first
	}
	r, entry, err := i.prepare(ctx, u, ro, given, "chat")
	if err != nil {
		return i.notBegun(r, given, err)
	}
	if entry.Tool != "" {
		return i.end(r, r.Refuse(run.Input{}, fault.New(fault.Usage, "the entry %s is a tool, and a chat needs a worker", entry.Tool).
			Hinting("run the tool with golem run, or choose a worker with --entry")))
	}
	s, err := r.OpenWorker(ctx, entry)
	if err != nil {
		return i.end(r, r.Refuse(run.Input{}, err))
	}
	send := func(do func(context.Context) run.Result) bool { return exchange(ctx, s, ro, do) }
	if r.Kept != nil && !i.goesOn(ctx, s, r, ro.Resume.Recap, send) {
		return i.end(r, s.Close())
	}
	for ctx.Err() == nil {
		in, err := next(ctx, u, &first)
		if err != nil {
			if !errors.Is(err, io.EOF) && ctx.Err() == nil {
				s.Fail(fault.Of(err, fault.Usage))
			}
			break
		}
		if !i.said(ctx, s, u, in, ro) {
			break
		}
	}
	s.Interrupt(ctx)
	return i.end(r, s.Close())
}

// said carries out a line of the person, a command or a message. It returns false if the chat
// must end.
func (i *Instance) said(ctx context.Context, s *run.Session, u ui.UI, in run.Input, ro RunOptions) bool {
	if err := in.Check(); err != nil {
		s.Fail(fault.Of(err, fault.Limit))
		return true
	}
	if said := i.secrets.text(in.Text); ro.Said != nil && !trace.LooksLikeKey(said) {
		ro.Said(said)
	}
	cmd, err := ui.ParseCommand(in.Text)
	if err != nil {
		s.Say("error", fault.Of(err, fault.Usage).Error())
		return true
	}
	switch cmd.Name {
	case ui.Exit:
		return false
	case ui.Message:
		in.Text = cmd.Arg
		return exchange(ctx, s, ro, func(ctx context.Context) run.Result { return s.Send(ctx, in) })
	case ui.Again:
		return exchange(ctx, s, ro, func(ctx context.Context) run.Result { return i.again(ctx, s) })
	}
	return !errors.Is(i.command(ctx, s, u, cmd, ro), io.EOF)
}

// exchange runs one exchange of a chat and shows its error. It returns false if the chat must
// end, because no model could be opened.
func exchange(ctx context.Context, s *run.Session, ro RunOptions, do func(context.Context) run.Result) bool {
	within, stop := ctx, func() {}
	if ro.Exchange != nil {
		within, stop = ro.Exchange(ctx)
	}
	res := do(within)
	stop()
	switch {
	case res.Error == nil || ctx.Err() != nil:
	case res.Refused && s.Model() == "":
		return false
	case within.Err() != nil && res.Status == run.Interrupted:
		s.Say("warn", "stopped; the conversation goes on with your next message")
	default:
		s.Fail(res.Error)
	}
	return true
}

// end closes the conversation of a run and sets its id in the result, if something of it was
// kept. It redacts the result.
func (i *Instance) end(r *run.Runner, res run.Result) run.Result {
	res.Conversation = r.Journal.Close()
	return i.redact(res)
}

// redact removes known secrets from the result that a front end prints.
func (i *Instance) redact(res run.Result) run.Result {
	res.Output.Text = i.secrets.redactor.Load().String(res.Output.Text)
	res.Output.Summary = i.secrets.redactor.Load().String(res.Output.Summary)
	res.Output.Data = i.secrets.redactor.Load().Bytes(res.Output.Data)
	res.Error = i.redactFault(res.Error)
	for n := range res.Failed {
		res.Failed[n].Error = i.redactFault(res.Failed[n].Error)
	}
	return res
}

func (i *Instance) redactFault(f *fault.Fault) *fault.Fault {
	if f == nil {
		return nil
	}
	out := *f
	out.Message, out.Hint = i.secrets.redactor.Load().String(f.Message), i.secrets.redactor.Load().String(f.Hint)
	return &out
}

// next returns the first message, if there is one, and then the person's next message.
func next(ctx context.Context, u ui.UI, first **run.Input) (run.Input, error) {
	if *first != nil {
		in := **first
		*first = nil
		return in, nil
	}
	if u == nil {
		return run.Input{}, io.EOF
	}
	return u.Prompt(ctx)
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
	entry, err = i.project.Entry()
	if err != nil {
		return nil, nil, err
	}
	if ro.ID == "" {
		ro.ID = i.platform.newID()
	}
	i.secrets.add(moduleSecrets(i.project, entry)...)
	kept, unread := i.keptSecrets()
	i.secrets.add(kept...)
	// The trace gets every event at once. While a person is asked, the front end gets
	// only the question.
	hold := &trace.Hold{}
	sinks := trace.Sinks{i.writer(ro, entry, hold), hold.Sink(u)}
	r = i.runner(trace.Redacting(i.secrets.now, sinks), i.gate(u))
	r.Asking = hold.Asking
	i.saveRules(r.Gate, r.Sink)
	trusting, err := i.consent.Before(ctx, entry, r)
	if err != nil {
		return r, nil, err
	}
	r.Strict, r.ID = ro.Strict, ro.ID
	r.Notices = append(append(trusting, i.settle(ctx)...), i.notices(entry)...)
	if unread != nil {
		r.Notices = append(r.Notices, trace.Warning{Code: unread.Code, Message: unread.Text()})
	}
	i.keep(r, ro)
	return r, entry, i.keepConversation(ctx, r, entry, ro, mode)
}

// writer returns the writer of the run's trace.
func (i *Instance) writer(ro RunOptions, entry *project.Worker, hold *trace.Hold) *trace.Writer {
	w := trace.NewWriter(ro.Trace, i.header(ro.ID, entry), i.platform.now)
	w.Texts, w.OnError = ro.Texts, ro.Trouble
	if ro.Lines != nil {
		w.Whole(hold.Writer(ro.Lines))
	}
	return w
}

// notices returns what a person should know before the run begins: the warnings about the
// project, and an approval mode approve_all that the project chose itself.
func (i *Instance) notices(entry *project.Worker) []trace.Body {
	var out []trace.Body
	if mode, origin, trusted := i.project.Approval(); mode == approval.ApproveAll && !trusted {
		out = append(out, trace.Warning{Code: fault.Config, Message: "approval.mode approve_all is set by " + origin +
			": calls that stay in the sandbox are approved without asking; network and command still ask"})
	}
	for _, f := range i.project.Warnings(entry) {
		out = append(out, trace.Warning{Code: f.Code, Message: f.Text()})
	}
	return out
}

// header returns the first line of the run's trace.
func (i *Instance) header(id string, entry *project.Worker) trace.Header {
	return trace.Header{
		Golem: "trace", V: trace.Version, Run: id, Version: i.platform.Version, Platform: i.platform.Name,
		Project: i.options.Name, Entry: entry.ID, Started: i.platform.now().UTC().Format(time.RFC3339),
	}
}

// keep connects the runner with the recording and the artifacts.
func (i *Instance) keep(r *run.Runner, ro RunOptions) {
	if ro.Record != nil {
		rec := model.NewRecorder(ro.Record, i.platform.Version, i.secrets.text)
		r.Model = func(ctx context.Context, w *project.Worker) (model.Model, error) {
			m, err := i.models.Open(ctx, w)
			if err != nil {
				return nil, err
			}
			return rec.Wrap(m), nil
		}
	}
	if ro.Artifact == nil {
		return
	}
	files := &trace.Artifacts{Put: ro.Artifact, Redact: i.secrets.now}
	r.Artifact = func(name string, value any) {
		if err := files.Keep(name, value); err != nil && !errors.Is(err, context.Canceled) {
			r.Sink.Emit(trace.Event{ID: "0", Body: trace.Warning{Code: fault.Config, Message: "an artifact could not be written: " + err.Error()}})
		}
	}
}
