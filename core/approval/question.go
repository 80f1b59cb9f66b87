package approval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Kind is what a question is about. Every kind goes through one Approver, one
// question at a time, and is answered by the request's id (SECURITY 19).
type Kind string

// Kinds of question.
const (
	KindTool  Kind = "tool"  // a call of a tool
	KindInput Kind = "input" // a text for a worker, which Decision.Text is
	KindTurns Kind = "turns" // the root goes on past its limit
	KindTrust Kind = "trust" // what a project's files widen beyond its sandbox (SPEC §3)
)

// risk is what a wrong yes costs: a text, or some tokens; the rest reaches beyond
// the sandbox.
func (k Kind) risk() string {
	if k == KindTurns || k == KindInput {
		return "low"
	}
	return "high"
}

// Line is one thing that a yes covers.
type Line struct {
	Path  string `json:"path"`            // key path of the setting, "providers.acme.base_url"
	Value string `json:"value"`           // what it is set to
	Means string `json:"means,omitempty"` // what follows from a yes, one sentence
	Where string `json:"where,omitempty"` // file and line, "project.yaml:12"
}

// Question is a question that is no tool call. Its answers are yes and no; a
// yes covers exactly Lines.
type Question struct {
	Kind  Kind
	Title string // the question, one line: "Send the key in X to Y?"
	Lines []Line
	// Call is the trace id of the worker run that needs the answer, and
	// WorkerPath its IDs from the root; both are empty before a run begins.
	Call       string
	WorkerPath []string
	// Settled is looked at when the turn to ask has come: an answer to another
	// question may have settled this one meanwhile. nil: never settled.
	Settled func() (yes, known bool)
	// Asking and Shown are those of Item.
	Asking func() (done func())
	Shown  func(Request)
}

// Ask puts a question that is no tool call to the person. Record.Run is the
// yes. The modes mean: auto_deny is a no without asking; approve_all speaks of
// tool calls only, so the person is still asked. A nil error with Run false is
// a no, Nobody says that nobody could be asked. The error is set only when ctx
// ends.
func (g *Gate) Ask(ctx context.Context, q Question) (Record, error) {
	rec := Record{Setting: Ask, Source: "mode"}
	if g.mode == AutoDeny {
		rec.Reason = autoDenied
		return rec, nil
	}
	done, err := g.take(ctx)
	if err != nil {
		return gone(ctx, rec)
	}
	defer done()
	if q.Settled != nil {
		if yes, known := q.Settled(); known {
			rec.Source, rec.Run = "cache", yes
			if !yes {
				rec.Reason = deniedEarlier
			}
			return rec, nil
		}
	}
	rec.Source = "user"
	r := Request{
		ID: g.newID(), Kind: q.Kind, Call: q.Call, Title: q.Title, Lines: slices.Clone(q.Lines),
		WorkerPath: slices.Clone(q.WorkerPath), Risk: q.Kind.risk(), Answers: []Answer{Yes, No},
	}
	d, ok, err := g.put(ctx, r, q.Asking, q.Shown, &rec)
	switch {
	case err != nil:
		return rec, err
	case !ok:
	case d.Answer == Yes:
		rec.Run = true
	default:
		rec.Reason = spoken(d.Reason)
	}
	return rec, nil
}

// Input asks the person for a text. It is "" where there is none: nobody is
// there, the mode is auto_deny, or the person has nothing to say. The error is
// set only when ctx ends.
func (g *Gate) Input(ctx context.Context, q Question) (string, error) {
	if g.mode == AutoDeny {
		return "", nil
	}
	done, err := g.take(ctx)
	if err != nil {
		_, err = gone(ctx, Record{})
		return "", err
	}
	defer done()
	var rec Record
	r := Request{
		ID: g.newID(), Kind: q.Kind, Call: q.Call, Title: q.Title, Lines: slices.Clone(q.Lines),
		WorkerPath: slices.Clone(q.WorkerPath), Risk: q.Kind.risk(), Answers: []Answer{Yes, No},
	}
	d, ok, err := g.put(ctx, r, q.Asking, q.Shown, &rec)
	if err != nil || !ok || d.Answer != Yes {
		return "", err
	}
	return d.Text, nil
}

// What a denial says.
const (
	autoDenied    = "refused by --deny-all (approval mode auto_deny)"
	deniedEarlier = "it was denied earlier, for the rest of this session"
)

// newID is used for one request, ever.
func (g *Gate) newID() string { return fmt.Sprintf("%s-%d", g.nonce, g.asked.Add(1)) }

// take waits for the right to ask, which one question has at a time.
func (g *Gate) take(ctx context.Context) (done func(), err error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-g.turn:
	}
	if ctx.Err() != nil {
		g.turn <- struct{}{}
		return nil, ctx.Err()
	}
	return func() { g.turn <- struct{}{} }, nil
}

// put shows a request and waits for its answer. ok is false where there is
// none: rec then has the reason. The error is set only when ctx ends.
func (g *Gate) put(ctx context.Context, r Request, asking func() func(), shown func(Request), rec *Record) (d Decision, ok bool, err error) {
	d, err = g.approve(ctx, r, asking, shown)
	if ctx.Err() != nil {
		*rec, err = gone(ctx, *rec)
		return d, false, err
	}
	switch {
	case errors.Is(err, ErrNobody):
		rec.Nobody, rec.Reason = true, ErrNobody.Error()
	case errors.Is(err, io.EOF):
		rec.Reason = "no answer (end of input)"
	case err != nil:
		rec.Reason = "the question could not be shown"
	case d.ID != r.ID:
		rec.Reason = "the answer was meant for another question"
	default:
		rec.Answered = true
		return d, true, nil
	}
	return d, false, nil
}

// approve asks the approver between the caller's brackets. A panic in a front
// end is an error, thus a no.
func (g *Gate) approve(ctx context.Context, r Request, asking func() func(), shown func(Request)) (d Decision, err error) {
	if g.approver == nil {
		return Decision{}, ErrNobody
	}
	defer func() {
		if p := recover(); p != nil {
			d, err = Decision{}, errors.New("the user interface failed")
		}
	}()
	if asking != nil {
		if done := asking(); done != nil {
			defer done()
		}
	}
	if shown != nil {
		shown(r)
	}
	return g.approver.Approve(ctx, r)
}
