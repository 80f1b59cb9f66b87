package run

import (
	"cmp"
	"context"
	"time"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/tool"
	"golem/core/trace"
)

// restore repeats a kept conversation. again says that a last exchange that failed or
// was interrupted is to be continued; one in which golem was killed always is. in is
// the message of the exchange to continue, for goOn; nil if there is none. paid says that
// the spending of the conversation is booked already.
func (s *Session) restore(ctx context.Context, k *conversation.Kept, again, paid bool) (in *Input, err error) {
	p := newReplay(s.tree.r, k, 0)
	p.paid = paid
	s.tree.replay = p
	s.tree.events.quiet.Store(true)
	defer s.tree.events.quiet.Store(false)
	if k.Taint {
		s.tree.taint.is.Store(true)
	}
	defer func() { p.closed = nil }()
	for i, step := range k.Steps {
		if step.T == conversation.NewEntry {
			s.Reset()
			continue
		}
		input := inputOf(step.Input)
		p.step = i
		s.run.conversation.Calls = max(s.run.conversation.Calls, step.Calls)
		if i == len(k.Steps)-1 && k.Pending(again) {
			k.Reopen()
			return &input, nil
		}
		p.closed = step.Done
		if p.closed == nil { // in a branch: golem was killed in this exchange
			p.closed = &conversation.Entry{Error: errNotKept}
		}
		if input.unread() {
			s.out, s.err = tool.Output{}, cmp.Or(p.closed.Error, errNotKept) // the resource could not be read, so the model got nothing
			continue
		}
		s.out, s.err = s.exchange(ctx, input)
		if s.refused || ctx.Err() != nil {
			return nil, s.err
		}
		p.closed = nil
	}
	p.changes(s.run) // a /compact after the last exchange
	s.run.conversation.Calls = max(s.run.conversation.Calls, k.LastCall())
	return nil, nil
}

// beforeResume is what the warning about untrusted content names as its source.
const beforeResume = "before the conversation was resumed"

// resume restores the conversation in the Runner's Kept, without events.
func (s *Session) resume(ctx context.Context, again bool) (*Input, error) {
	k := s.tree.r.Keeping.Kept
	if k == nil {
		return nil, nil
	}
	var begun Input
	for _, step := range k.Steps {
		if step.Input != nil {
			begun = inputOf(step.Input)
		}
	}
	warning := chooseKept(ctx, s, k.Model)
	s.begin(begun)
	if warning != nil {
		s.run.emit(*warning)
	}
	s.tree.staging.resume(&s.run.place)
	in, err := s.restore(ctx, k, again, false)
	switch tainted := s.tree.taint.is.Swap(false); {
	case tainted && k.Foreign:
		s.tree.taint.mark(s.run.event(nil), beforeResume)
	case tainted:
		s.tree.taint.attached(s.run.event(nil), true, false)
	}
	return in, err
}

// Resume restores the conversation in the Runner's Kept as the session's conversation.
// pending says that golem was killed in its last exchange: call Continue next.
func (s *Session) Resume(ctx context.Context) (pending bool, err error) {
	s.pending, err = s.resume(ctx, false)
	return s.pending != nil, err
}

// Continue continues the exchange that Resume found pending, and returns its result.
func (s *Session) Continue(ctx context.Context) Result { return s.goOn(ctx, *s.pending) }

// goOn runs the exchange of a message that is kept already.
func (s *Session) goOn(ctx context.Context, in Input) Result {
	if in.unread() { // read keeps it again, with the content of its resources
		return s.read(ctx, in)
	}
	s.tree.staging.work.Refresh()
	s.out, s.err = s.exchange(ctx, in)
	s.tree.staging.close(ctx, &s.run.place)
	s.keepDone()
	return s.result()
}

// keepInput keeps the person's message before anything is done with it. calls is the
// number of the root's calls before it.
func keepInput(j *conversation.Journal, calls int, in Input) {
	j.Add(conversation.Entry{T: conversation.InputEntry, Calls: calls, Input: keptInput(in)})
	j.Flush()
}

// keptInput returns a message as an entry has it.
func keptInput(in Input) *conversation.Input {
	return &conversation.Input{Text: in.Text, JSON: in.JSON, Files: keptFiles(in.Attachments), Earlier: keptEarlier(in)}
}

func keptFiles(files []File) []conversation.File {
	var out []conversation.File
	for _, f := range files {
		out = append(out, conversation.File{Name: f.Name, Data: f.Data, Resource: f.Resource})
	}
	return out
}

// keepDone keeps the end of an exchange.
func (s *Session) keepDone() {
	e := conversation.Entry{T: conversation.DoneEntry, Status: string(statusOf(s.out, s.err)), Turn: s.run.conversation.Turns}
	if s.err != nil {
		e.Error, e.Refused = fault.Of(s.err, fault.Tool), s.run.turn.refused
	}
	s.tree.r.Keeping.Journal.Add(e)
	s.tree.r.Keeping.Journal.Flush()
	s.tree.replay = nil // what was kept is used up
}

func inputOf(in *conversation.Input) Input {
	return Input{Text: in.Text, JSON: in.JSON, Attachments: filesOf(in.Files), Earlier: earlierOf(in.Earlier)}
}

func filesOf(kept []conversation.File) []File {
	var out []File
	for _, f := range kept {
		file := File{Name: f.Name, Data: f.Data}
		if f.Resource {
			file, _ = Resource(f.Name)
		}
		out = append(out, file)
	}
	return out
}

// keepEntry keeps an entry about the worker run's conversation.
func (f *workerRun) keepEntry(e conversation.Entry) {
	e.ID, e.Name = f.id, f.conversation.Name
	f.tree.r.Keeping.Journal.Add(e)
}

// keepBegin keeps the beginning of the worker run.
func (f *workerRun) keepBegin(system, text string, files []attachment) {
	e := conversation.Entry{T: conversation.BeginEntry, System: system, Text: text, Worker: f.worker.ID, File: f.worker.File, Digest: f.worker.Digest}
	for _, a := range files {
		e.Files = append(e.Files, conversation.File{Name: a.name, Path: a.path, MIME: a.mime, Data: a.data})
	}
	f.keepEntry(e)
}

func attachmentsOf(files []conversation.File) []attachment {
	var out []attachment
	for _, a := range files {
		out = append(out, attachment{path: a.Path, name: a.Name, mime: a.MIME, data: a.Data})
	}
	return out
}

// keepAnswer keeps a model's answer, for which the request took so long, before its calls run.
func (f *workerRun) keepAnswer(turn model.Turn, took time.Duration) {
	e := conversation.AnswerOf(turn)
	e.Turn, e.Calls, e.Worker, e.Answer.MS = f.conversation.Turns, f.conversation.Calls, f.worker.ID, took.Milliseconds()
	e.Answer.Thought = f.turn.thought
	f.keepEntry(e)
	f.tree.r.Keeping.Journal.Flush()
}

// keepLost keeps what a failed answer to the request of a turn was billed, because limits
// on tokens and cost also count it after a resume.
func (f *workerRun) keepLost(billed model.Turn, turn int) {
	if billed.Model == "" {
		return
	}
	f.keepEntry(conversation.Entry{
		T: conversation.LostEntry, Turn: turn, Worker: f.worker.ID, Usage: conversation.SpentOf(billed.Usage), Answer: &conversation.Answer{Model: billed.Model},
	})
}

// keptCall is what is kept of a call while it runs. The call's mu guards it, because a tool
// that ignores its context can return after the call has ended.
type keptCall struct {
	started bool                  // keepStart has kept its start
	ended   bool                  // keepEnd has kept its end
	changed []conversation.Change // what it changed in the project's files
}

// keepStart keeps the start of a call that can change something, before it runs, and
// writes everything that was gathered.
func (c *activeCall) keepStart(risk tool.Risk) {
	if risk == tool.Read {
		return
	}
	j := c.run.tree.r.Keeping.Journal
	j.Add(conversation.Entry{T: conversation.StartEntry, ID: c.req.id, Tool: c.req.name, Args: c.req.args.Text(), Worker: c.run.worker.ID, Again: c.repeats(risk, j)})
	j.Flush()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.started = true
}

// repeats reports whether the call, if its end is not known, can run again without a question
// (SPEC §19): it is an idempotent write, of a module without grants, or changes only files
// that have ended with the process.
func (c *activeCall) repeats(risk tool.Risk, j *conversation.Journal) bool {
	switch {
	case c.spec.Confined:
		return true
	case risk != tool.Write && risk != tool.Destructive || c.spec.Toolset != "filesystem":
		return false
	}
	return c.spec.Idempotent || j != nil && j.KeepsFiles
}

// keepChanges gathers the files that the call changed. It is called while no other call can
// change something: if that call were stopped, its files must not count as kept with this one.
// After the end of the call they are left for the next call that changes something.
func (c *activeCall) keepChanges() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	c.changed = c.run.tree.staging.changed(c.run.tree.r.Keeping.Journal)
}

// keepEnd keeps the end of a call. If the call can have changed something, it is
// written at once, else with what follows.
func (c *activeCall) keepEnd(out tool.Output, body trace.ToolEnd) {
	j := c.run.tree.r.Keeping.Journal
	if j == nil {
		return
	}
	who := c.run.turn.callee(c.req.id)
	e := conversation.Entry{T: conversation.EndEntry, ID: c.req.id, Tool: c.req.name, Status: body.Status, Error: body.Error, Worker: who.id, ByFile: who.file, Nobody: c.nobody}
	if c.req.caller != nil {
		e.Args = c.req.args.Text()
	}
	if body.Error == nil {
		e.Output = conversation.OutputOf(out)
	}
	e.Open = body.Status == string(callNotRun) || body.Status == string(callStopped)
	c.mu.Lock()
	e.Changed, c.ended = c.changed, true
	started := c.started
	c.mu.Unlock()
	j.Add(e)
	if started {
		j.Flush()
	}
}
