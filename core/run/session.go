package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"golem/core/approval"
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
	r       *Runner
	tree    *tree
	frame   *frame
	started time.Time
	begun   bool
	talks   int // conversations so far: /new starts another
	out     tool.Output
	err     error
	refused bool // there is no model to talk with
	pending *Input

	attached []File // they go with the next message
}

// OpenWorker starts a session of a root worker (S0-58). The caller must Close it.
func (r *Runner) OpenWorker(ctx context.Context, w *project.Worker) (*Session, error) {
	s := &Session{r: r, tree: newTree(r), started: r.now()}
	closure, err := r.Project.Closure(w)
	if err != nil {
		return nil, err
	}
	s.tree.closure = closure
	for _, c := range closure {
		s.tree.loaded = append(s.tree.loaded, c.ID)
	}
	f, err := s.tree.frame(ctx, w, nil, rootID)
	if err != nil {
		return nil, err
	}
	s.frame = f
	s.Reset()
	return s, nil
}

// Reset begins a new conversation (/new). The next message makes its system prompt.
func (s *Session) Reset() {
	if s.begun {
		s.frame.emit(trace.Message{Role: "user", Text: "/new"})
	}
	s.forget()
	if s.begun && s.tree.closed == nil && !s.tree.quiet.Load() {
		s.r.Journal.Add(conversation.Entry{T: conversation.NewEntry})
	}
}

// forget begins another conversation, without the messages, the attachments and the
// pending items of the old one. The taint stays: untrusted content can be in files.
func (s *Session) forget() {
	f := s.frame
	if f.model != nil {
		model.Forget(f.model, f.conversation.Name)
	}
	s.talks++
	s.tree.pending = ""
	f.detach()
	calls := f.conversation.Calls // their ids go on: the trace is the same
	f.conversation, f.changed = conversation.New(s.talk()), 0
	f.conversation.Calls = calls
}

// talk returns the name of the conversation.
func (s *Session) talk() string { return fmt.Sprintf("%s#%d", rootID, s.talks) }

// Say emits a line for the person to see; level is info, warn or error.
func (s *Session) Say(level, text string) { s.frame.emit(trace.Status{Text: text, Level: level}) }

// DropRule makes a rule that the person has removed from their configuration count no more
// in this session.
func (s *Session) DropRule(r approval.Rule) { s.r.Gate.Drop(r) }

// Fail emits the error of an exchange that failed. The session goes on.
func (s *Session) Fail(f *fault.Fault) {
	s.frame.emit(trace.Error{Code: f.Code, Message: f.Message, Where: f.Where, Hint: f.Hint})
}

// Interrupt makes E_INTERRUPTED the session's result if ctx has ended. Call it when the
// person stopped golem instead of typing a message.
func (s *Session) Interrupt(ctx context.Context) {
	if f := cause(ctx); f != nil {
		s.out, s.err = tool.Output{}, f
	}
}

// Tools returns the names of the worker's tools, manual ones included.
func (s *Session) Tools() []string { return s.frame.tools.Names() }

// Schema returns the schema of a tool's arguments; nil if the worker has no such tool.
func (s *Session) Schema(name string) json.RawMessage {
	if t, ok := s.frame.tools.Get(name); ok {
		return t.Spec().Input
	}
	return nil
}

// begin emits the start of the run, once. first says that this call did.
func (s *Session) begin(in Input) (first bool) {
	if s.begun {
		return false
	}
	s.begun = true
	s.tree.staged.Worker, s.tree.record.Worker = s.frame.worker.ID, s.frame.worker.ID
	s.emit(trace.RunStart{Input: in.Raw()})
	for _, n := range s.r.Notices {
		s.emit(n)
	}
	s.frame.begin()
	return true
}

// Send runs one exchange: one message of the person, and all turns and calls until
// the worker has answered. The result's Denied and Usage are those of the session
// so far.
func (s *Session) Send(ctx context.Context, in Input) Result {
	if err := s.guardReply(ctx, in); err != nil {
		s.out, s.err = tool.Output{}, err
		return s.result()
	}
	return s.send(ctx, in)
}

// send does what Send does, with an answer that may be sent.
func (s *Session) send(ctx context.Context, in Input) Result {
	in.Attachments, s.attached = append(in.Attachments, s.attached...), nil
	text := in.Text
	if text == "" {
		text = string(in.JSON)
	}
	if len(s.frame.conversation.Messages) == 0 {
		in = in.For(s.frame.worker)
	}
	if !s.begin(in) {
		s.frame.emit(trace.Message{Role: "user", Text: text})
	}
	return s.read(ctx, in)
}

// read reads the resources of a message, keeps it and runs the exchange.
func (s *Session) read(ctx context.Context, in Input) Result {
	files, err := s.frame.resources(ctx, in.Attachments)
	if err != nil {
		s.said(in) // with the names of the resources, which are read if the exchange is continued
		s.out, s.err = tool.Output{}, err
		s.done()
		return s.result()
	}
	in.Attachments = files
	s.said(in)
	return s.goOn(ctx, in)
}

// Call calls a tool of the root worker for the person, between two exchanges. It passes
// the session's gate: remembered answers hold for it, and the person's answer here
// holds for later calls. Manual tools run too (S4-04). The conversation does not
// change.
func (s *Session) Call(ctx context.Context, name string, in Input) (tool.Output, error) {
	f := s.frame
	args, err := toolArgs(f, name, in)
	if err != nil {
		return tool.Output{}, err
	}
	s.begin(in)
	limited, stop := s.tree.clock.timeout(ctx, f.worker.Limits.WorkerTimeout, "tool "+name)
	defer stop()
	f.conversation.Calls++
	defer f.closeStaged(ctx)
	out, flt := f.call(limited, callRequest{id: childID(rootID, f.conversation.Calls), parent: rootID, name: name, args: string(args)})
	if flt != nil {
		return out, flt
	}
	return out, nil
}

func (s *Session) exchange(ctx context.Context, in Input) (tool.Output, error) {
	f := s.frame
	// A kept message that the model got is not judged again: the worker's file may have
	// changed, and the rest of the conversation is based on it.
	kept := s.tree.closed
	judged := kept == nil || kept.Error != nil && kept.Turn <= f.conversation.Turns
	if judged {
		if err := s.checkMessage(in); err != nil {
			return tool.Output{}, err
		}
	}
	asked := task{text: in.Text, object: in.JSON}
	if err := f.settleOutput(in.JSON); err != nil {
		return tool.Output{}, err
	}
	f.task = asked.short()
	f.conversation.Question = nil // this message is the reply to it
	files := fromOutside(in.Attachments)
	if judged {
		if err := judge(f.worker, files); err != nil {
			return tool.Output{}, err
		}
	}
	if f.model == nil {
		if err := f.openModel(ctx); err != nil {
			s.refused = fault.Of(err, fault.Model).Code != fault.Trust
			return tool.Output{}, err
		}
		s.refused = false
	}
	if len(files) > 0 {
		s.tree.taint(f.at(), "attachments")
	}
	var system []model.Message
	if len(f.conversation.Messages) == 0 {
		instructions, err := f.system(ctx, asked)
		if err != nil {
			return tool.Output{}, err
		}
		system = append(system, model.Message{Role: model.System, Text: instructions})
	}
	listed, err := f.attach(files)
	if err != nil {
		return tool.Output{}, err
	}
	f.conversation.Add(append(append(system, f.pending()...), model.Message{
		Role: model.User, Text: prompt.Task(in.Text, in.JSON, nil, listed), Parts: f.parts(files),
	})...)
	f.budget.renew()
	f.tree.settleEnough(false)
	out, err := f.exchange(ctx)
	if errors.Is(err, fault.Attachment) {
		f.conversation.TakeBack() // later messages must not carry what the model does not take
		if len(f.conversation.Messages) == 0 {
			f.tree.pending = "" // the note about pending items went, too
		}
	}
	return out, err
}

// Close ends the session and its trace. It returns the result of the last exchange.
func (s *Session) Close() Result {
	res := s.result()
	if s.begun {
		s.frame.announcePending()
		ms := s.r.now().Sub(s.started).Milliseconds()
		s.frame.end(s.out, s.err, ms)
		s.frame.close()
		s.end(res, ms)
		return res
	}
	s.frame.close()
	return res
}

func (s *Session) end(res Result, ms int64) {
	body := trace.RunEnd{
		Status: string(res.Status), Exit: res.Exit(), Error: res.Error,
		Opened: s.r.Project.Opened(), Usage: usage(res.Usage), MS: ms,
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
	s.emit(body)
}

func (s *Session) result() Result {
	res := Result{Status: statusOf(s.out, s.err), Output: s.out, Usage: s.frame.budget.spent(), Refused: s.refused && s.err != nil, Strict: s.r.Strict}
	s.tree.book(&res)
	if s.err != nil {
		res.Error = fault.Of(s.err, fault.Tool)
		res.Unasked = s.r.unasked(res.Error)
	}
	return res
}

func (s *Session) emit(b trace.Body) {
	s.tree.emit(trace.Event{ID: rootID, Worker: s.frame.worker.ID, Body: b})
}
