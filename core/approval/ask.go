package approval

import (
	"context"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/tool"
)

// maxReason is the largest size of a person's reason, in bytes.
const maxReason = 4 << 10

// ask asks a person about the call. Only one question is open at a time. When it is this
// call's turn, ask looks at everything again, because an answer to another question may cover
// this call.
func (g *Gate) ask(ctx context.Context, c *pending, rec Record) (Record, error) {
	done, err := g.waitForFloor(ctx)
	if err != nil {
		return recordStopped(ctx, rec)
	}
	defer done()
	// An answer, a saved rule or a permission of meanwhile may decide it.
	if now, decided := g.unasked(c); decided {
		return now, nil
	}
	if err := c.refresh(ctx); err != nil { // show the change as it is now
		rec.Reason = "not run: " + reason(err)
		return rec, err
	}
	rec.Source = "user"
	r := g.request(c, rec.Rule)
	d, ok, err := g.put(ctx, r, c.item.By, &rec)
	if ok {
		g.answer(c, d, r.Lasting, &rec)
	}
	if rec.Nobody {
		rec.Allow = g.lasting(c)
	}
	return rec, err
}

// answer applies a person's decision to the record. Everything that is not a
// clear yes is a no.
func (g *Gate) answer(c *pending, d Decision, lasting *Lasting, rec *Record) {
	switch d.Answer {
	case Yes:
		rec.Run = true
	case Session:
		rec.Run = true
		if c.spec.Unconfined == "" { // otherwise it was not offered, and counts as Yes
			g.memory.keepExact(c.key, true)
			rec.Remember = Session
		}
	case Always:
		rec.Run = true
		if g.coversAny(c) { // otherwise it was not offered, and counts as Yes
			g.memory.keepAny(c.kind)
			rec.Remember = Always
		}
	case Keep:
		rec.Run = true
		if lasting != nil && g.Rules.Save(lasting.Rule) { // if not offered or not saved, it counts as Yes
			g.memory.keepRule(lasting.Rule)
			rec.Remember = Keep
		}
	case Never:
		g.memory.keepExact(c.key, false)
		rec.Remember = Never
		rec.Reason = reasonForModel(d.Reason)
	default:
		rec.Reason = reasonForModel(d.Reason)
	}
}

// reasonForModel returns the person's reason in the form that the model gets.
func reasonForModel(reason string) string {
	if reason == "" {
		return "the user said no"
	}
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "") + "…"
	}
	return "the user said no: " + reason
}

// recordStopped fills the record for a question that got no answer because the run was
// stopped.
func recordStopped(ctx context.Context, rec Record) (Record, error) {
	rec.Source, rec.Run, rec.Reason = "user", false, "the run was stopped before an answer came"
	cause := context.Cause(ctx)
	if cause == nil {
		cause = ctx.Err()
	}
	return rec, fault.Of(cause, fault.Interrupted)
}

// request builds what a person is shown about a call, with a new request id.
func (g *Gate) request(c *pending, rule string) Request {
	answers := []Answer{Yes, No, Session, Never}
	if c.spec.Unconfined != "" {
		answers = []Answer{Yes, No, Never}
	}
	if g.coversAny(c) {
		answers = append(answers, Always)
	}
	r := Request{
		ID:          g.newID(),
		Kind:        KindTool,
		Call:        c.item.Call.ID,
		Type:        requestType(c.risk, c.paths),
		Tool:        c.spec.Name,
		Grants:      slices.Clone(c.spec.Grants),
		Description: c.spec.Description,
		Args:        slices.Clone(c.args.JSON()),
		Risk:        c.risk.Level(),
		WorkerPath:  slices.Clone(c.item.WorkerPath),
		Workers:     slices.Clone(c.item.Workers),
		Paths:       slices.Clone(c.paths),
		Diff:        c.diff,
		Unchanged:   c.same,
		Rule:        rule,
		Runs:        c.runs(),
		Why:         whyAsked(c.spec, c.risk, c.paths, rule),
		Answers:     answers,
		ByRule:      g.byRule(c),
	}
	if c.spec.Module != "" {
		r.Module = tool.Pinned(c.spec.Module, c.spec.Provider)
	}
	if g.Rules != nil && g.Rules.Saves() {
		if r.Lasting = g.lasting(c); r.Lasting != nil {
			r.Answers = append(r.Answers, Keep)
		}
	}
	return r
}
