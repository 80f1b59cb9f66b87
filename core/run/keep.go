package run

import (
	"cmp"
	"context"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/prompt"
	"golem/core/tool"
	"golem/core/trace"
)

// A run keeps what it and its models say (SPEC §14). A run that was killed continues by
// running again: where an answer or a result was kept, it is used instead of a request
// or a call. So there is only one loop, and everything that depends on it (ids,
// counters, budgets, repairs) comes out as before.

// restore repeats a kept conversation. again says that a last exchange that failed or
// was interrupted is to be continued; one in which golem was killed always is. in is
// the message of the exchange to continue, for goOn; nil if there is none.
func (s *Session) restore(ctx context.Context, k *conversation.Kept, again bool) (in *Input, err error) {
	t := s.tree
	t.kept, t.tainted = k, t.tainted || k.Taint
	defer func() { t.closed = nil }()
	for i, step := range k.Steps {
		if step.T == conversation.NewEntry {
			s.Reset()
			continue
		}
		input := inputOf(step.Input)
		t.step = i
		s.frame.conversation.Calls = max(s.frame.conversation.Calls, step.Calls)
		if i == len(k.Steps)-1 && k.Pending(again) {
			k.Reopen()
			return &input, nil
		}
		t.closed = step.Done
		if t.closed == nil { // in a branch: golem was killed in this exchange
			t.closed = &conversation.Entry{Error: errNotKept}
		}
		if input.unread() {
			s.out, s.err = tool.Output{}, cmp.Or(t.closed.Error, errNotKept) // the resource could not be read, so the model got nothing
			continue
		}
		s.out, s.err = s.exchange(ctx, input)
		if s.refused || ctx.Err() != nil {
			return nil, s.err
		}
		t.closed = nil
	}
	s.frame.keptChanges() // a /compact after the last exchange
	s.frame.conversation.Calls = max(s.frame.conversation.Calls, k.LastCall())
	return nil, nil
}

var errNotKept = fault.New(fault.Interrupted, "the conversation ends here")

// beforeResume is what the warning about untrusted content names as its source.
const beforeResume = "before the conversation was resumed"

// resume restores the conversation in the Runner's Kept, without events.
func (s *Session) resume(ctx context.Context, again bool) (*Input, error) {
	k := s.r.Kept
	if k == nil {
		return nil, nil
	}
	var begun Input
	for _, step := range k.Steps {
		if step.Input != nil {
			begun = inputOf(step.Input)
		}
	}
	s.begin(begun)
	s.frame.resumeStaged()
	s.tree.quiet.Store(true)
	in, err := s.restore(ctx, k, again)
	s.tree.quiet.Store(false)
	if s.tree.tainted {
		s.tree.tainted = false
		s.tree.taint(s.frame.at(), beforeResume)
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
	s.tree.staged.Refresh()
	s.out, s.err = s.exchange(ctx, in)
	s.frame.closeStaged(ctx)
	s.done()
	return s.result()
}

// said keeps the person's message before anything is done with it.
func (s *Session) said(in Input) {
	e := conversation.Entry{T: conversation.InputEntry, Calls: s.frame.conversation.Calls, Input: &conversation.Input{Text: in.Text, JSON: in.JSON}}
	for _, f := range in.Attachments {
		e.Input.Files = append(e.Input.Files, conversation.File{Name: f.Name, Data: f.Data, Resource: f.Resource})
	}
	s.r.Journal.Add(e)
	s.r.Journal.Flush()
}

// done keeps the end of an exchange.
func (s *Session) done() {
	e := conversation.Entry{T: conversation.DoneEntry, Status: string(statusOf(s.out, s.err)), Turn: s.frame.conversation.Turns}
	if s.err != nil {
		e.Error = fault.Of(s.err, fault.Tool)
	}
	s.r.Journal.Add(e)
	s.r.Journal.Flush()
	s.tree.kept = nil // what was kept is used up
}

func inputOf(in *conversation.Input) Input {
	out := Input{Text: in.Text, JSON: in.JSON}
	for _, f := range in.Files {
		file := File{Name: f.Name, Data: f.Data}
		if f.Resource {
			file, _ = Resource(f.Name)
		}
		out.Attachments = append(out.Attachments, file)
	}
	return out
}

// begun returns how this worker run began in the kept conversation; nil: it is new.
func (t *tree) begun(name string) *conversation.Entry {
	if t.kept == nil {
		return nil
	}
	return t.kept.Begin(name)
}

// keepBegin keeps the beginning of the worker run.
func (f *frame) keepBegin(system, text string, files []attachment) {
	e := conversation.Entry{
		T: conversation.BeginEntry, ID: f.id, Name: f.conversation.Name, System: system, Text: text,
		Worker: f.worker.ID, File: f.worker.File, Digest: f.worker.Digest,
	}
	for _, a := range files {
		e.Files = append(e.Files, conversation.File{Name: a.name, Path: a.path, MIME: a.mime, Data: a.data})
	}
	f.tree.r.Journal.Add(e)
}

func attachmentsOf(files []conversation.File) []attachment {
	var out []attachment
	for _, a := range files {
		out = append(out, attachment{path: a.Path, name: a.Name, mime: a.MIME, data: a.Data})
	}
	return out
}

// keptTurn returns the answer that was kept for the next request. In an exchange that
// has ended no model is asked: if no answer is left, the exchange ends as it did. ok is
// false if the model must be asked.
func (f *frame) keptTurn() (turn model.Turn, err error, ok bool) {
	k, closed := f.tree.kept, f.tree.closed
	if k == nil {
		return turn, nil, false
	}
	c := f.conversation
	a := k.Answer(c.Name, c.Turns+1, f.tree.step)
	if a == nil && closed != nil && (closed.Turn <= c.Turns || f.parent != nil) { // no request was made
		return turn, closedError(closed), true
	}
	f.keptChanges()
	switch {
	case a != nil:
		turn = a.ModelTurn()
	case closed == nil:
		return turn, nil, false
	default: // the model gave no answer
		turn = model.Turn{Model: f.model.Name(), Attempts: 1}
		err = closedError(closed)
	}
	c.Turns++
	if part := k.Part(c.Name, c.Turns, f.tree.step); a == nil && part != nil {
		c.Add(model.Message{Role: model.Assistant, Text: prompt.Stopped(part.Text)})
	}
	model.Advance(f.model, f.request(), turn)
	if err == nil && !f.tree.paid {
		f.budget.book(1, turn)
	}
	return turn, err, true
}

func closedError(done *conversation.Entry) error {
	if done.Error != nil {
		return done.Error
	}
	return errNotKept
}

// keptChanges repeats, once, the notes and compactions that were kept before the next
// request, and books its failed answers.
func (f *frame) keptChanges() {
	c := f.conversation
	if f.changed > c.Turns {
		return
	}
	f.changed = c.Turns + 1
	for _, e := range f.tree.kept.Changes(c.Name, c.Turns+1) {
		f.change(e)
	}
}

// change repeats a kept note or compaction, or books a failed answer.
func (f *frame) change(e *conversation.Entry) {
	switch {
	case e.T == conversation.LostEntry:
		if !f.tree.paid {
			f.budget.book(0, e.ModelTurn())
		}
	case e.T == conversation.NoteEntry:
		f.conversation.Add(model.Message{Role: model.User, Text: e.Text, Inner: true})
	case e.T == conversation.ImagesEntry:
		f.conversation.DropImages()
	case e.Dropped != nil:
		f.conversation.Drop(*e.Dropped, prompt.Summary(e.Text))
		if !f.tree.paid {
			f.budget.book(0, e.ModelTurn())
		}
	}
}

// keepAnswer keeps a model's answer before its calls run.
func (f *frame) keepAnswer(turn model.Turn) {
	e := conversation.AnswerOf(turn)
	e.ID, e.Name, e.Turn, e.Calls, e.Worker = f.id, f.conversation.Name, f.conversation.Turns, f.conversation.Calls, f.worker.ID
	f.tree.r.Journal.Add(e)
	f.tree.r.Journal.Flush()
}

// lost keeps what a failed answer to the request of a turn was billed, because limits on
// tokens and cost also count it after a resume.
func (f *frame) lost(billed model.Turn, turn int) {
	if billed.Model == "" {
		return
	}
	f.tree.r.Journal.Add(conversation.Entry{
		T: conversation.LostEntry, ID: f.id, Name: f.conversation.Name, Turn: turn, Worker: f.worker.ID,
		Usage: conversation.SpentOf(billed.Usage), Answer: &conversation.Answer{Model: billed.Model},
	})
}

// keptCall returns how the call ended, if that was kept; else false.
func (f *frame) keptCall(req callRequest) (tool.Output, *fault.Fault, bool) {
	t := f.tree
	if t.kept == nil {
		return tool.Output{}, nil, false
	}
	e := t.kept.End(req.id)
	same := e != nil && e.Tool == req.name && (req.caller == nil || e.Args == t.r.Journal.RedactedText(req.args))
	if !same {
		if t.closed == nil {
			return tool.Output{}, nil, false
		}
		return tool.Output{}, errNotKept, true // nothing runs in an exchange that has ended
	}
	if e.Worker != "" {
		f.current.reach(req.id, callee{id: e.Worker, file: e.ByFile})
	}
	if !t.paid {
		for _, e := range t.kept.Below(req.id) {
			turns := 0
			if e.T == conversation.AnswerEntry {
				turns = 1
			}
			f.budget.book(turns, e.ModelTurn())
		}
	}
	switch denial := (Denial{ID: req.id, Tool: req.name}); {
	case e.Status == string(callDenied) && e.Nobody:
		t.deny(denial)
	case e.Status == string(callDenied):
		t.decline(denial)
	case e.Status == string(callError) && e.ByFile:
		t.fail(Failure{ID: req.id, Worker: e.Worker, Error: e.Error})
	}
	out := e.Output.Tool()
	f.recall(req.name, out)
	return out, e.Error, true
}

// recall tells the toolsets a kept result. A search for tools offers what it has found.
func (f *frame) recall(name string, out tool.Output) {
	for _, c := range f.changing {
		if set, ok := c.set.(interface {
			Recall(name string, out tool.Output)
		}); ok {
			set.Recall(name, out)
		}
	}
}

// takenAsFailed returns the fault of a call whose end is unknown and that the person
// does not want to run again; nil if the call is to run.
func (t *tree) takenAsFailed(id string) error {
	if again, asked := t.r.Retake[id]; t.kept == nil || !asked || again {
		return nil
	}
	return fault.New(fault.Interrupted, "golem ended while this call ran, and the person does not want to run it again: whether it had an effect is not known").
		Hinting("look at what is there before you call it again")
}

// keepStart keeps the start of a call that can change something, before it runs, and
// writes everything that was gathered.
func (c *activeCall) keepStart(risk tool.Risk) {
	if risk == tool.Read {
		return
	}
	j := c.frame.tree.r.Journal
	j.Add(conversation.Entry{T: conversation.StartEntry, ID: c.req.id, Tool: c.req.name, Args: c.req.args, Worker: c.frame.worker.ID})
	j.Flush()
	c.started = true
}

// keepEnd keeps the end of a call. If the call can have changed something, it is
// written at once, else with what follows.
func (c *activeCall) keepEnd(out tool.Output, body trace.ToolEnd) {
	j := c.frame.tree.r.Journal
	if j == nil {
		return
	}
	who := c.frame.current.callee(c.req.id)
	e := conversation.Entry{T: conversation.EndEntry, ID: c.req.id, Tool: c.req.name, Status: body.Status, Error: body.Error, Worker: who.id, ByFile: who.file, Nobody: c.nobody}
	if c.req.caller != nil {
		e.Args = c.req.args
	}
	if body.Error == nil {
		e.Output = conversation.OutputOf(out)
	}
	e.Open = body.Status == string(callNotRun) || body.Status == string(callStopped)
	j.Add(e)
	if c.started {
		j.Flush()
	}
}

// request returns the next request to the model.
func (f *frame) request() model.Request {
	return model.Request{
		Worker: f.worker.ID, Conversation: f.conversation.Name, ID: f.id, Turn: f.conversation.Turns,
		Messages: f.conversation.Messages, Tools: f.offered(), OutputSchema: f.output, Settings: f.modelSettings,
		Timeout: f.worker.Limits.ModelTimeout, MayEnd: f.output == nil && mayEnd(f.conversation.Messages),
	}
}

// keepNote keeps a text that golem added before the next request.
func (f *frame) keepNote(text string) {
	f.tree.r.Journal.Add(conversation.Entry{T: conversation.NoteEntry, ID: f.id, Name: f.conversation.Name, Turn: f.conversation.Turns + 1, Text: text})
}

// failed closes a session that could not be restored.
func (s *Session) failed(err error) Result {
	s.out, s.err = tool.Output{}, err
	return s.Close()
}
