package worktest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"

	"golem/core/approval"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/run"
	"golem/core/tool"
	"golem/core/trace"
)

// Kept plays the first exchange of a kept conversation again, so that it becomes a case with
// a recording: its answers, its results, and the person's answers. It is a model, the doubles
// and the person of that run.
type Kept struct {
	*Recorder
	kept *conversation.Kept
	root string    // the name of the root's messages there
	seen *Observer // is told if the worker asked for input

	mu      sync.Mutex
	model   string // that answered last
	answers []Answer
	differs *fault.Fault // the first call whose result is not the kept one
}

var (
	_ model.Model = (*Kept)(nil)
	_ run.Doubles = (*Kept)(nil)
)

// NewKept returns the player of a conversation. What it plays is written with rec.
func NewKept(k *conversation.Kept, rec *model.Recorder, redact tool.Redactor, seen *Observer) *Kept {
	return &Kept{Recorder: NewRecorder(rec, redact), kept: k, root: k.FirstRoot(), seen: seen}
}

// Name returns the name of the model that answered last in the conversation.
func (k *Kept) Name() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return cmp.Or(k.model, "replay:conversation")
}

// Generate returns the kept answer to a request.
func (k *Kept) Generate(_ context.Context, r model.Request, show func(model.Delta)) (model.Turn, error) {
	a := k.answer(r)
	if a == nil {
		return model.Turn{}, fault.New(fault.Replay, "the conversation has no answer for %s, turn %d", r.Worker, r.Turn)
	}
	turn := a.ModelTurn()
	k.mu.Lock()
	k.model = turn.Model
	k.mu.Unlock()
	if show != nil {
		show(model.Delta{Text: turn.Text})
	}
	return turn, nil
}

// Took returns how long a request took in the conversation, in milliseconds.
func (k *Kept) Took(r model.Request) int64 {
	if a := k.answer(r); a != nil && a.Answer != nil {
		return a.Answer.MS
	}
	return 0
}

// answer returns the kept answer to a request; nil: there is none.
func (k *Kept) answer(r model.Request) *conversation.Entry {
	name := r.Conversation
	if r.ID == "0" {
		name = k.root
	}
	return k.kept.Answer(name, r.Turn, 0)
}

// Stands lets no call run that reaches beyond the files.
func (k *Kept) Stands(s tool.Spec) bool { return k.note(s) }

// Serve starts no server: the conversation does not have the tools of servers.
func (k *Kept) Serve(string, []string) (tools []tool.Spec, words string, ok bool) {
	return nil, "", true
}

// Result returns the kept result of a call.
func (k *Kept) Result(id, name string, _ json.RawMessage) (tool.Output, error) {
	e := k.kept.End(id)
	switch {
	case e == nil || e.Tool != name:
		return tool.Output{}, fault.New(fault.Replay, "the conversation has no result for %s", name)
	case e.Error != nil:
		return tool.Output{}, e.Error
	}
	return e.Output.Tool(), nil
}

// Ended compares the result of a call with the kept one, and records it.
func (k *Kept) Ended(id string, s tool.Spec, args json.RawMessage, out tool.Output, failed *fault.Fault) {
	k.Recorder.Ended(id, s, args, out, failed)
	e := k.kept.End(id)
	same := e != nil && (e.Error == nil) == (failed == nil) && (failed != nil || Same(ValueOf(out), ValueOf(e.Output.Tool())))
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case same || k.differs != nil:
	case strings.Contains(string(args), trace.Redacted):
		k.differs = fault.New(fault.Conflict, "the call %s of %s has another result now than in the run, because a secret was removed from what the run keeps of it", id, s.Name).
			Hinting("write the case yourself, and record it with golem test --record").Because(ErrRemoved)
	default:
		k.differs = fault.New(fault.Conflict, "the call %s of %s has another result now than in the run, so that the answers of the run do not fit", id, s.Name).
			Hinting("its files have changed since: write the case yourself, and record it with golem test --record")
	}
}

// ErrRemoved is the cause of an error about a call from whose arguments a secret was removed.
var ErrRemoved = errors.New("a secret was removed from the arguments")

// Differs returns E_CONFLICT if a call had another result than in the conversation.
func (k *Kept) Differs() *fault.Fault {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.differs
}

// Answers returns the person's answers, in order.
func (k *Kept) Answers() []Answer {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]Answer{}, k.answers...)
}

// Approve answers as the person did.
func (k *Kept) Approve(_ context.Context, r approval.Request) (approval.Decision, error) {
	if r.Kind == approval.KindInput { // a case has no text for an answer
		k.seen.Asked()
		return approval.Decision{ID: r.ID, Answer: approval.No, Reason: noAnswer}, nil
	}
	e := k.kept.End(r.Call)
	yes := e != nil && e.Status != "denied"
	if !k.Reaches(r.Tool) && r.Kind == approval.KindTool {
		k.mu.Lock()
		k.answers = append(k.answers, Answer{Tool: r.Tool, Yes: yes})
		k.mu.Unlock()
	}
	d := approval.Decision{ID: r.ID, Answer: approval.No}
	if yes {
		d.Answer = approval.Yes
	}
	return d, nil
}

// Emit does nothing.
func (k *Kept) Emit(trace.Event) {}

// Prompt has no message.
func (k *Kept) Prompt(context.Context) (run.Input, error) { return run.Input{}, io.EOF }
