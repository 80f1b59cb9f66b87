package approval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Kind says what a question is about. Questions of every kind go to the one
// Approver, one at a time, and an answer must carry the request's id (SECURITY
// 19).
type Kind string

// The kinds of questions.
const (
	KindTool   Kind = "tool"   // a call of a tool
	KindInput  Kind = "input"  // a text for a worker, which is returned as Decision.Text
	KindTurns  Kind = "turns"  // whether the root may exceed its limit of turns
	KindResume Kind = "resume" // whether to resume a conversation although something is uncertain
	KindSecret Kind = "secret" // whether to send an answer that looks like a key
	KindTrust  Kind = "trust"  // whether to trust the widenings of a project's files (SPEC §3)
)

// risk returns the risk of a wrong yes: low for a text or some more turns, high for
// everything that reaches beyond the sandbox.
func (k Kind) risk() string {
	if k == KindTurns || k == KindInput {
		return "low"
	}
	return "high"
}

// Line is one of the things that a yes covers.
type Line struct {
	Path  string `json:"path"`            // the key of the setting, such as "providers.acme.base_url"
	Value string `json:"value"`           // its value
	Means string `json:"means,omitempty"` // the consequence of a yes, in one sentence
	Where string `json:"where,omitempty"` // file and line: "project.yaml:12"
	// what a yes gives away: "programs", "keys", "commands", "hosts", "outside" or "other"; lines
	// come in this order (SPEC §7)
	Danger string `json:"danger,omitempty"`
	// the worker whose words are in "value"; show them as such
	By string `json:"by,omitempty"`
}

// Question is a question that is not about a tool call. It is answered with yes
// or no; a yes covers exactly Lines.
type Question struct {
	Kind  Kind
	Title string // the question in one line: "Send the key in X to Y?"
	Lines []Line
	// Call is the trace id of the worker run that needs the answer, and
	// WorkerPath the worker IDs from the root to it. Both are empty before a
	// run begins.
	Call       string
	WorkerPath []string
	Answers    AnswerStore // nil: the answer is not kept
	By         Asker       // nil: nobody is told
}

// AnswerStore keeps the answers to questions about the same thing.
type AnswerStore interface {
	// Settled is called just before the question would be asked, because the answer to
	// another question may have decided this one. If known is true, nobody is asked.
	Settled() (yes, known bool)
	// Answered is called with the result before the next question is asked, so that
	// Settled of that question can use the result. Its error, which Record.Unsaved gets,
	// does not change the answer.
	Answered(yes bool) error
}

// Ask asks a person a question that is not about a tool call. Record.Run is
// true for yes. In mode auto_deny the answer is no without asking; approve_all
// is only about tool calls, so the person is still asked. Record.Nobody says
// that nobody could be asked. The error is set only if ctx ends.
func (g *Gate) Ask(ctx context.Context, q Question) (Record, error) {
	rec := Record{Setting: Ask, Source: "mode"}
	if g.mode == AutoDeny {
		rec.Reason = autoDenied
		return rec, nil
	}
	done, err := g.waitForFloor(ctx)
	if err != nil {
		return recordStopped(ctx, rec)
	}
	defer done()
	if q.Answers != nil {
		if yes, known := q.Answers.Settled(); known {
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
	d, ok, err := g.put(ctx, r, q.By, &rec)
	switch {
	case err != nil:
		return rec, err
	case !ok:
	case d.Answer == Yes:
		rec.Run = true
	default:
		rec.Reason = reasonForModel(d.Reason)
	}
	if q.Answers != nil {
		rec.Unsaved = q.Answers.Answered(rec.Run)
	}
	return rec, nil
}

// Input asks the person for a text. It returns "" if nobody can be asked, the
// mode is auto_deny, or the person gives no text. The error is set only if ctx
// ends.
func (g *Gate) Input(ctx context.Context, q Question) (string, error) {
	if g.mode == AutoDeny {
		return "", nil
	}
	done, err := g.waitForFloor(ctx)
	if err != nil {
		_, err = recordStopped(ctx, Record{})
		return "", err
	}
	defer done()
	var rec Record
	r := Request{
		ID: g.newID(), Kind: q.Kind, Call: q.Call, Title: q.Title, Lines: slices.Clone(q.Lines),
		WorkerPath: slices.Clone(q.WorkerPath), Risk: q.Kind.risk(), Answers: []Answer{Yes, No},
	}
	d, ok, err := g.put(ctx, r, q.By, &rec)
	if err != nil || !ok || d.Answer != Yes {
		return "", err
	}
	return d.Text, nil
}

// Reasons for denials. The page says DeniedInPage in place of autoDenied.
const (
	DeniedInPage  = "refused, because approvals are set to deny"
	autoDenied    = "refused by --deny-all (approval mode auto_deny)"
	deniedEarlier = "it was denied earlier, for the rest of this session"
)

// newID returns an id that is used for one request only.
func (g *Gate) newID() string { return fmt.Sprintf("%s-%d", g.nonce, g.asked.Add(1)) }

// waitForFloor waits until no other question is open. No other question can be asked until the
// caller calls done.
func (g *Gate) waitForFloor(ctx context.Context) (done func(), err error) {
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

// put shows a request and waits for its answer. ok is false if there is no
// answer; rec then has the reason. The error is set only if ctx ends.
func (g *Gate) put(ctx context.Context, r Request, by Asker, rec *Record) (d Decision, ok bool, err error) {
	d, err = g.approve(ctx, r, by)
	if ctx.Err() != nil {
		*rec, err = recordStopped(ctx, *rec)
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

// approve calls the Approver between asking and its done. A panic of a front
// end becomes an error, and so a no.
func (g *Gate) approve(ctx context.Context, r Request, by Asker) (d Decision, err error) {
	if g.approver == nil {
		return Decision{}, ErrNobody
	}
	defer func() {
		if p := recover(); p != nil {
			d, err = Decision{}, errors.New("the user interface failed")
		}
	}()
	if by != nil {
		defer by.Asking()()
		by.Shown(r)
	}
	return g.approver.Approve(ctx, r)
}
