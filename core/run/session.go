package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
	"golem/core/prompt"
	"golem/core/tool"
	"golem/core/trace"
)

// Session runs a root worker, exchange by exchange. Its approvals last as long as the
// Runner's gate. Use it from one goroutine; Close ends it.
type Session struct {
	tree    *tree
	run     *workerRun // of the root
	started time.Time
	begun   bool
	talks   int // conversations so far: /new starts another
	out     tool.Output
	err     error
	refused bool // there is no model to talk with
	single  bool // one answer is wanted, so that a hardened module may give it
	pending *Input

	attached []File // they go with the next message
}

// OpenWorker starts a session of a root worker (S0-58). The caller must Close it.
func (r *Runner) OpenWorker(ctx context.Context, w *project.Worker) (*Session, error) {
	started := r.now()
	closure, err := r.Project.Workers.Closure(w)
	if err != nil {
		return nil, err
	}
	t := newTree(r, closure, false)
	f, err := t.start(ctx, w, nil, rootID)
	if err != nil {
		return nil, err
	}
	s := &Session{tree: t, run: f, started: started}
	s.Reset()
	return s, nil
}

// Reset begins a new conversation (/new). The next message makes its system prompt.
func (s *Session) Reset() {
	if s.begun {
		s.run.emit(trace.Message{Role: "user", Text: "/new"})
	}
	s.forget()
	if s.begun && !s.tree.events.quiet.Load() {
		s.tree.r.Keeping.Journal.Add(conversation.Entry{T: conversation.NewEntry})
	}
}

// forget begins another conversation, without the messages, the attachments and the
// pending items of the old one. The taint stays: untrusted content can be in files.
func (s *Session) forget() {
	f := s.run
	if f.model != nil {
		model.Forget(f.model, f.conversation.Name)
	}
	s.talks++
	s.tree.staging.told = ""
	f.sight.detach()
	calls := f.conversation.Calls // their ids go on: the trace is the same
	f.conversation = conversation.New(fmt.Sprintf("%s#%d", rootID, s.talks))
	f.conversation.Calls = calls
}

// Say emits a line for the person to see; level is info, warn or error.
func (s *Session) Say(level, text string) { s.Show(trace.Status{Text: text, Level: level}) }

// Show emits a line for the person to see.
func (s *Session) Show(line trace.Status) { s.run.emit(line) }

// Fail emits the error of an exchange that failed. The session goes on.
func (s *Session) Fail(f *fault.Fault) {
	s.run.emit(trace.NewError(f))
}

// Interrupt makes E_INTERRUPTED the session's result if ctx has ended. Call it when the
// person stopped golem instead of typing a message.
func (s *Session) Interrupt(ctx context.Context) {
	if f := cause(ctx); f != nil {
		s.out, s.err = tool.Output{}, f
	}
}

// Tools returns the names of the worker's tools, manual ones included.
func (s *Session) Tools() []string { return s.run.toolbox.Names() }

// Schema returns the schema of a tool's arguments; nil if the worker has no such tool.
func (s *Session) Schema(name string) json.RawMessage {
	if t, ok := s.run.toolbox.Get(name); ok {
		return t.Spec().Input
	}
	return nil
}

// begin emits the start of the run, once. first says that this call did.
func (s *Session) begin(in Input) (first bool) {
	if s.begun {
		return false
	}
	s.beginRun(in)
	s.run.begin()
	return true
}

// beginRun emits the start of the run, without that of its root worker.
func (s *Session) beginRun(in Input) {
	s.begun = true
	s.tree.staging.begin(s.run.worker.ID)
	start := trace.RunStart{Input: in.Raw(), Files: fileRefs(in), Earlier: earlierRefs(in)}
	if k := s.tree.r.Keeping.Kept; k != nil && k.ID != s.tree.r.Keeping.ID { // not a branch, nor an item
		start.Resumes = k.ID
	}
	s.run.emit(start)
	for _, n := range slices.Concat(s.tree.r.Notices, s.tree.events.begin()) {
		s.run.emit(n)
	}
}

// Send runs one exchange: one message of the person, and all turns and calls until
// the worker has answered. The result's Denied and Usage are those of the session
// so far.
func (s *Session) Send(ctx context.Context, in Input) Result {
	if err := guardReply(ctx, s.run, in); err != nil {
		s.out, s.err = tool.Output{}, err
		return s.result()
	}
	return s.send(ctx, in)
}

// send does what Send does, with an answer that may be sent.
func (s *Session) send(ctx context.Context, in Input) Result {
	in.Attachments, s.attached = append(in.Attachments, s.attached...), nil
	typed := messageEvent(in, false)
	if len(s.run.conversation.Messages) == 0 {
		in = in.For(s.run.worker)
	}
	if !s.begin(in) {
		s.run.emit(typed)
	}
	return s.read(ctx, in)
}

// read reads the resources of a message, keeps it and runs the exchange.
func (s *Session) read(ctx context.Context, in Input) Result {
	unread := in.unread()
	files, err := s.run.resources(ctx, in.Attachments)
	if err != nil {
		keepInput(s.tree.r.Keeping.Journal, s.run.conversation.Calls, in) // with the names of the resources, which are read if the exchange is continued
		s.out, s.err = tool.Output{}, err
		s.keepDone()
		return s.result()
	}
	in.Attachments = files
	s.tree.taint.attached(s.run.event(nil), false, unread)
	keepInput(s.tree.r.Keeping.Journal, s.run.conversation.Calls, in)
	return s.goOn(ctx, in)
}

// Call calls a tool of the root worker for the person, between two exchanges. It passes
// the session's gate: remembered answers hold for it, and the person's answer here
// holds for later calls. Manual tools run too (S4-04). The conversation does not
// change.
func (s *Session) Call(ctx context.Context, name string, in Input) (tool.Output, error) {
	return callFor(ctx, s, name, in, false)
}

// callFor does what Session.Call does. told says that the model hears of the result.
func callFor(ctx context.Context, s *Session, name string, in Input, told bool) (tool.Output, error) {
	f := s.run
	args, err := toolArgs(f.toolbox, name, in)
	if err != nil {
		return tool.Output{}, err
	}
	s.begin(in)
	limited, stop := s.tree.clock.timeout(ctx, f.worker.Limits.WorkerTimeout, "tool "+name)
	defer stop()
	f.conversation.Calls++
	defer s.tree.staging.close(ctx, &f.place)
	out, flt := f.call(limited, callRequest{id: childID(rootID, f.conversation.Calls), parent: rootID, name: name, args: tool.ReadArguments(args), told: told})
	if flt != nil {
		return out, flt
	}
	return out, nil
}

func (s *Session) exchange(ctx context.Context, in Input) (tool.Output, error) {
	f := s.run
	// A kept message that the model got is not judged again: the worker's file may have
	// changed, and the rest of the conversation is based on it.
	kept := s.tree.replay.ending()
	judged := kept == nil || kept.Error != nil && kept.Turn <= f.conversation.Turns
	if len(f.conversation.Messages) == 0 {
		in = withDefaults(f.worker, in)
	}
	if judged {
		if err := checkMessage(f.worker, in, len(f.conversation.Messages) == 0); err != nil {
			return tool.Output{}, err
		}
	}
	asked := task{text: in.Text, object: in.JSON}
	output, err := outputSchema(f.worker, in.JSON)
	if err != nil {
		return tool.Output{}, err
	}
	f.output, f.task = output, asked.short()
	f.conversation.Question = nil // this message is the reply to it
	files := fromOutside(in.Attachments)
	if judged {
		if err := checkAttachments(f.worker, files); err != nil {
			return tool.Output{}, err
		}
	}
	if len(f.conversation.Messages) == 0 && len(in.Earlier) == 0 {
		if out, done, err := firstByCode(ctx, s, asked, files); done {
			return answeredByCode(ctx, s, in, out, err)
		}
	}
	if f.model == nil {
		if err := f.openModel(ctx); err != nil {
			s.refused = fault.Of(err, fault.Model).Code != fault.Trust
			return tool.Output{}, err
		}
		s.refused = false
	}
	s.tree.taint.attached(f.event(nil), len(files) > 0, false)
	if err := s.add(ctx, in, asked, files); err != nil {
		return tool.Output{}, err
	}
	f.budget.renew()
	s.tree.person.refusedMore.Store(false)
	f.turn.refused = false
	out, err := f.exchange(ctx)
	refused := err != nil && f.turn.refused
	if kept != nil {
		refused = kept.Refused
	}
	f.turn.refused = refused
	if errors.Is(err, fault.Attachment) || refused {
		f.conversation.TakeBack() // later messages must not carry what the model does not take
		if len(f.conversation.Messages) == 0 {
			s.tree.staging.told = "" // the note about pending items went, too
		}
	}
	return out, err
}

// add adds a message with its files to the conversation, after what comes before it.
func (s *Session) add(ctx context.Context, in Input, asked task, files []attachment) error {
	f := s.run
	var messages []model.Message
	if len(f.conversation.Messages) == 0 {
		instructions, err := f.system(ctx, asked)
		if err != nil {
			return err
		}
		messages = append(messages, model.Message{Role: model.System, Text: instructions})
		earlier, err := saidBefore(s, in)
		if err != nil {
			return err
		}
		messages = append(messages, earlier...)
	}
	listed, err := f.sight.attach(files)
	if err != nil {
		return err
	}
	if s.tree.replay == nil { // what was kept has the items that waited
		messages = append(messages, s.tree.staging.note()...)
	}
	f.conversation.Add(append(messages, model.Message{
		Role: model.User, Text: prompt.Task(in.Text, in.JSON, nil, listed), Parts: attachedParts(files, &f.place),
	})...)
	return nil
}

// Close ends the session and its trace. It returns the result of the last exchange.
func (s *Session) Close() Result {
	res := s.result()
	if s.begun {
		s.tree.staging.announce(&s.run.place)
		ms := s.tree.r.now().Sub(s.started).Milliseconds()
		s.run.end(s.out, s.err, ms)
		s.run.close()
		s.run.emit(endOf(res, s.tree.r.Project.Trees.Opened(), ms))
		return res
	}
	s.run.close()
	return res
}

// endOf returns the end of a run in the trace.
func endOf(res Result, opened []string, ms int64) trace.RunEnd {
	body := trace.RunEnd{
		Status: string(res.Status), Exit: res.Exit(), Error: res.Error, Opened: opened, Usage: usage(res.Usage), MS: ms,
	}
	for _, d := range res.Denied {
		body.Denied = append(body.Denied, d.ID)
	}
	for _, f := range res.Failed {
		body.Failed = append(body.Failed, f.ID)
	}
	if res.Error == nil {
		body.Output = rawOutput(res.Output)
	}
	return body
}

func (s *Session) result() Result {
	res := Result{Status: statusOf(s.out, s.err), Output: s.out, Usage: s.run.budget.spent(), Refused: s.refused && s.err != nil, Strict: s.tree.r.Strict}
	s.tree.tally.addTo(&res)
	if s.err != nil {
		res.Error = fault.Of(s.err, fault.Tool)
		res.Unasked = unasked(s.tree.r.Trust, res.Error)
	}
	return res
}
