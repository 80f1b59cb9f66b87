package run

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/trace"
)

// person asks whoever runs golem. While a question is open, the time limits of the tree
// stand still, no call starts, and the front end shows nothing else (S4-45, SECURITY 19).
type person struct {
	gate   *approval.Gate
	sched  *schedule
	clock  *clock
	events *events

	refusedMore atomic.Bool // the root gets no more turns in this exchange, see askMore
}

// pause begins a question; done ends it.
func (p *person) pause() (done func()) {
	open, resume, show := p.sched.ask(), p.clock.pause(), p.events.front.Asking()
	return sync.OnceFunc(func() {
		show()
		resume()
		open()
	})
}

// asking is a question at one place of the trace.
type asking struct {
	person *person
	at     trace.Event
}

// Asking begins the question.
func (a asking) Asking() (done func()) { return a.person.pause() }

// Shown emits the question itself.
func (a asking) Shown(r approval.Request) {
	if data, err := json.Marshal(r); err == nil { // a request is strings and valid JSON
		a.at.Body = trace.Ask{Request: data}
		a.person.events.emit(a.at)
	}
}

// questionFrom returns a question as a worker run asks it.
func (p *person) questionFrom(at *place, q approval.Question) approval.Question {
	q.Call, q.WorkerPath, q.By = at.id, at.chain, asking{p, at.event(nil)}
	return q
}

// ask asks a question for a worker run, and emits the answer of the person; rule says
// there what it holds for.
func (p *person) ask(ctx context.Context, at *place, q approval.Question, rule string) (approval.Record, error) {
	rec, err := p.gate.Ask(ctx, p.questionFrom(at, q))
	if rec.Answered {
		at.emit(answered(q, rec, rule))
	}
	if err != nil {
		return rec, fault.Of(err, fault.Interrupted)
	}
	return rec, nil
}

// Asker asks the person a question for a worker run.
type Asker func(context.Context, approval.Question) (approval.Record, error)

// asker returns the function with which a worker run asks for trust. It emits the answers.
func (p *person) asker(at *place) Asker {
	return func(ctx context.Context, q approval.Question) (approval.Record, error) {
		rec, err := p.gate.Ask(ctx, p.questionFrom(at, q))
		if err != nil || rec.Source == "cache" {
			return rec, err
		}
		for _, body := range Outcome(q, rec) {
			p.events.emitBegun(at.event(body))
		}
		return rec, nil
	}
}

// Outcome returns the trace's events for the answer to a question about trust: the answer,
// and a warning if it could not be saved.
func Outcome(q approval.Question, rec approval.Record) []trace.Body {
	out := []trace.Body{Answered(q, rec)}
	if rec.Unsaved != nil {
		out = append(out, trace.Warning{Code: fault.Trust, Message: "your yes counts for this run, but could not be saved: " + fault.Of(rec.Unsaved, fault.Config).Text()})
	}
	return out
}

// Answered returns the trace's event for the answer to a question that is not about a
// call. Its rule names what the answer holds for.
func Answered(q approval.Question, rec approval.Record) trace.Approval {
	lines := make([]string, len(q.Lines))
	for i, l := range q.Lines {
		lines[i] = l.Where + ": " + l.Path + ": " + l.Value
	}
	return answered(q, rec, strings.Join(lines, "; "))
}

func answered(q approval.Question, rec approval.Record, rule string) trace.Approval {
	return trace.Approval{
		Kind: string(q.Kind), Setting: string(rec.Setting), Rule: rule, Source: rec.Source, Decision: decision(rec), Reason: rec.Reason,
	}
}

func decision(r approval.Record) string {
	if r.Run {
		return "run"
	}
	return "deny"
}
