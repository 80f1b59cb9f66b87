package approval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golem/core/fault"
)

// maxReason bounds the reason a person gives, in bytes.
const maxReason = 4 << 10

// ask puts the call before a person, one question at a time. After waiting
// for its turn it looks at the memory again: the answer may be there by now.
func (g *Gate) ask(ctx context.Context, c *pending, rec Record) (Record, error) {
	select {
	case <-ctx.Done():
		return gone(ctx, rec)
	case <-g.turn:
	}
	defer func() { g.turn <- struct{}{} }()
	if ctx.Err() != nil {
		return gone(ctx, rec)
	}
	if g.remembered(c, &rec) {
		return rec, nil
	}
	if err := c.refresh(ctx); err != nil { // show the change as it is now
		rec.Reason = "not run: " + reason(err)
		return rec, err
	}
	rec.Source = "user"
	r := g.request(c, rec.Rule)
	d, err := g.question(ctx, c.item, r)
	if ctx.Err() != nil {
		return gone(ctx, rec)
	}
	switch {
	case errors.Is(err, ErrNobody):
		rec.Nobody, rec.Reason = true, ErrNobody.Error()
	case err != nil:
		rec.Reason = "the question could not be put to a person"
	case d.ID != r.ID:
		rec.Reason = "the answer was meant for another question"
	default:
		g.answer(c, d, &rec)
	}
	return rec, nil
}

// answer does what the person said. What is no answer is a no.
func (g *Gate) answer(c *pending, d Decision, rec *Record) {
	switch d.Answer {
	case Yes:
		rec.Run = true
	case Session:
		g.memory.keepExact(c.key, true)
		rec.Run, rec.Remember = true, Session
	case Always:
		rec.Run = true
		if g.coversAny(c) { // not offered otherwise: then it is yes, once
			g.memory.keepAny(c.kind)
			rec.Remember = Always
		}
	case Never:
		g.memory.keepExact(c.key, false)
		rec.Remember = Never
		rec.Reason = spoken(d.Reason)
	default:
		rec.Reason = spoken(d.Reason)
	}
}

// spoken is the person's reason as it is passed on.
func spoken(reason string) string {
	if reason == "" {
		return "the user said no"
	}
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "") + "…"
	}
	return "the user said no: " + reason
}

// gone is a question that nobody answered because the run was stopped.
func gone(ctx context.Context, rec Record) (Record, error) {
	rec.Source, rec.Run, rec.Reason = "user", false, "interrupted before an answer"
	cause := context.Cause(ctx)
	if cause == nil {
		cause = ctx.Err()
	}
	return rec, fault.Of(cause, fault.Interrupted)
}

// request is all a person is told. Its id is used once.
func (g *Gate) request(c *pending, rule string) Request {
	return Request{
		ID:          fmt.Sprintf("%s-%d", g.nonce, g.asked.Add(1)),
		Call:        c.item.Call.ID,
		Type:        requestType(c.risk, c.paths),
		Tool:        c.spec.Name,
		Module:      c.spec.Module,
		Description: c.spec.Description,
		Args:        slices.Clone(c.args),
		Risk:        c.risk.Level(),
		WorkerPath:  slices.Clone(c.item.WorkerPath),
		Paths:       slices.Clone(c.paths),
		Diff:        c.diff,
		Rule:        rule,
		Always:      g.coversAny(c),
	}
}

// question asks the approver between the caller's brackets. A panic in a
// front end is an error, thus a no.
func (g *Gate) question(ctx context.Context, it Item, r Request) (d Decision, err error) {
	if g.approver == nil {
		return Decision{}, ErrNobody
	}
	defer func() {
		if p := recover(); p != nil {
			d, err = Decision{}, errors.New("the user interface failed")
		}
	}()
	if it.Asking != nil {
		if done := it.Asking(); done != nil {
			defer done()
		}
	}
	if it.Shown != nil {
		it.Shown(r)
	}
	return g.approver.Approve(ctx, r)
}
