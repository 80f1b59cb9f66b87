package run

import (
	"sync"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/prompt"
	"golem/core/tool"
)

// replay repeats what was kept of a conversation (SPEC §14). A run that was killed continues
// by running again: where an answer or a result was kept, it is used instead of a request or
// a call. So there is only one loop, and everything that depends on it (ids, counters,
// budgets, repairs) comes out as before. The nil *replay repeats nothing.
type replay struct {
	kept    *conversation.Kept
	journal *conversation.Journal
	retake  map[string]bool     // see Keeping.Retake
	step    int                 // index of the exchange in kept.Steps
	closed  *conversation.Entry // the end of the exchange that is repeated; nil if the exchange continues
	paid    bool                // its spending is booked already

	mu      sync.Mutex
	changed map[string]int // by conversation: the last turn before which notes and compactions were repeated
}

func newReplay(r *Runner, k *conversation.Kept, step int) *replay {
	return &replay{kept: k, journal: r.Keeping.Journal, retake: r.Keeping.Retake, step: step, changed: map[string]int{}}
}

var errNotKept = fault.New(fault.Interrupted, "the conversation ends here")

// begin returns how a worker run of this name began; nil: it is new.
func (p *replay) begin(name string) *conversation.Entry {
	if p == nil {
		return nil
	}
	return p.kept.Begin(name)
}

// keptTurn returns the answer that was kept for the next request of a worker run. In an exchange
// that has ended no model is asked: if no answer is left, the exchange ends as it did. ok is
// false if the model must be asked.
func (p *replay) keptTurn(f *workerRun) (turn model.Turn, err error, ok bool) {
	if p == nil {
		return turn, nil, false
	}
	c := f.conversation
	a := p.kept.Answer(c.Name, c.Turns+1, p.step)
	if a == nil && p.closed != nil && (p.closed.Turn <= c.Turns || f.caller != nil) { // no request was made
		return turn, p.end(), true
	}
	p.changes(f)
	switch {
	case a != nil:
		turn = a.ModelTurn()
		c.Calls = max(c.Calls+a.Answer.Ran, a.Calls) // a module that did not answer was called before
	case p.closed == nil:
		return turn, nil, false
	default: // the model gave no answer
		turn = model.Turn{Model: f.model.Name(), Attempts: 1}
		err = p.end()
	}
	c.Turns++
	if part := p.kept.Part(c.Name, c.Turns, p.step); a == nil && part != nil && part.Text != "" {
		c.Add(model.Message{Role: model.Assistant, Text: prompt.Stopped(part.Text)})
	}
	model.Advance(f.model, f.request(), turn)
	if err == nil {
		p.book(f.budget, 1, turn)
	}
	return turn, err, true
}

// code returns the answer that the root's hardened module gave in the exchange that is
// repeated; nil: it gave none.
func (p *replay) code() *conversation.Entry {
	if p == nil {
		return nil
	}
	return p.kept.Code(p.step)
}

// ending returns the end of the exchange that is repeated; nil if none is, or it continues.
func (p *replay) ending() *conversation.Entry {
	if p == nil {
		return nil
	}
	return p.closed
}

// end returns how the exchange that is repeated ended.
func (p *replay) end() error {
	if p.closed.Error != nil {
		return p.closed.Error
	}
	return errNotKept
}

// answered reports whether an answer to the next request of a worker run was kept.
func (p *replay) answered(f *workerRun) bool {
	return p != nil && p.kept.Answer(f.conversation.Name, f.conversation.Turns+1, p.step) != nil
}

// book books an answer that was kept, unless that was done before.
func (p *replay) book(b *budget, turns int, t model.Turn) {
	if !p.paid {
		b.book(turns, t)
	}
}

// changes repeats, once, the notes and compactions that were kept before the next request of
// a worker run, and books its failed answers.
func (p *replay) changes(f *workerRun) {
	c := f.conversation
	p.mu.Lock()
	done := p.changed[c.Name] > c.Turns
	if !done {
		p.changed[c.Name] = c.Turns + 1
	}
	p.mu.Unlock()
	if done {
		return
	}
	for _, e := range p.kept.Changes(c.Name, c.Turns+1) {
		switch {
		case e.T == conversation.LostEntry:
			p.book(f.budget, 0, e.ModelTurn())
		case e.T == conversation.SteerEntry:
			_ = addSteering(f, inputOf(e.Input)) // it could be added before
			c.Question = nil
		case e.T == conversation.NoteEntry:
			c.Add(note(e.Text))
		case e.T == conversation.ImagesEntry:
			c.DropImages()
		case e.Dropped != nil:
			c.Shorten(*e.Dropped, prompt.Summary(e.Text))
			p.book(f.budget, 0, e.ModelTurn())
		}
	}
}

// call returns how a call of a worker run ended, if that was kept; else false.
func (p *replay) call(f *workerRun, req callRequest) (tool.Output, *fault.Fault, bool) {
	if p == nil {
		return tool.Output{}, nil, false
	}
	e := p.kept.End(req.id)
	same := e != nil && e.Tool == req.name && (req.caller == nil || e.Args == p.journal.RedactedText(req.args.Text()))
	if !same {
		if p.closed == nil {
			return tool.Output{}, nil, false
		}
		return tool.Output{}, errNotKept, true // nothing runs in an exchange that has ended
	}
	if e.Worker != "" {
		f.turn.reach(req.id, callee{id: e.Worker, file: e.ByFile})
	}
	for _, e := range p.kept.Below(req.id) {
		turns := 0
		if e.T == conversation.AnswerEntry {
			turns = 1
		}
		p.book(f.budget, turns, e.ModelTurn())
	}
	switch denial := (Denial{ID: req.id, Tool: req.name}); {
	case e.Status == string(callDenied) && e.Nobody:
		f.tree.tally.deny(denial)
	case e.Status == string(callDenied):
		f.tree.tally.decline(denial)
	case e.Status == string(callError) && e.ByFile:
		f.tree.tally.fail(Failure{ID: req.id, Worker: e.Worker, Error: e.Error})
	}
	out := e.Output.Tool()
	f.toolbox.recall(req.name, out)
	return out, e.Error, true
}

// ended reports whether the end of a call was kept.
func (p *replay) ended(id string) bool { return p != nil && p.kept.End(id) != nil }

// refused returns the fault of a call whose end is unknown and that the person does not want
// to run again; nil if the call is to run.
func (p *replay) refused(id string) error {
	if p == nil {
		return nil
	}
	if again, asked := p.retake[id]; !asked || again {
		return nil
	}
	return fault.New(fault.Interrupted, "golem ended while this call ran, and the person does not want to run it again: whether it had an effect is not known").
		Hinting("look at what is there before you call it again")
}
