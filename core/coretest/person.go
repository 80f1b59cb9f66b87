package coretest

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"golem/core/approval"
	"golem/core/run"
	"golem/core/trace"
	"golem/core/ui"
)

// person is the front end of a case: it records every event, answers questions by call id
// and returns the remaining inputs of a chat.
type person struct {
	settings Settings
	stop     context.CancelFunc // of the run

	mu       sync.Mutex
	inputs   []run.Input
	given    map[string]int // answers used, by call id
	events   []trace.Event
	asked    []approval.Request
	open     string // the call whose question waits for an answer
	problems []string
	stopped  time.Time // when the person stopped the run; zero: never
}

var _ ui.UI = (*person)(nil)

// Emit records the event and stops the run at Settings.Interrupt. An event between a
// question and its answer is a problem (scenario 20).
func (p *person) Emit(e trace.Event) {
	p.mu.Lock()
	p.events = append(p.events, e)
	count := len(p.events)
	if p.open != "" {
		p.problems = append(p.problems, fmt.Sprintf("%s of %s came while %s waited for an answer", e.Body.EventType(), e.ID, p.open))
	}
	p.mu.Unlock()
	if at := p.settings.Interrupt; at == e.Body.EventType()+" "+e.ID || at == fmt.Sprintf("#%d", count) {
		p.interrupt()
	}
}

// interrupt stops the run, as Ctrl+C does.
func (p *person) interrupt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped.IsZero() {
		p.stopped = time.Now()
	}
	p.stop()
}

// Approve returns the case's next answer for this call. If there is none, it returns
// approval.ErrNobody, which is a problem unless the case is Headless.
func (p *person) Approve(ctx context.Context, r approval.Request) (approval.Decision, error) {
	p.mu.Lock()
	if p.open != "" {
		p.problems = append(p.problems, fmt.Sprintf("%s asks while %s waits for an answer", r.Call, p.open))
	}
	p.open = r.Call
	defer p.answered()
	n := p.given[r.Call]
	p.given[r.Call]++
	p.asked = append(p.asked, r)
	list := p.settings.Answers[r.Call]
	if n >= len(list) {
		if !p.settings.Headless {
			p.problems = append(p.problems, fmt.Sprintf("nobody answers the question of %s (%s %s)", r.Call, r.Tool, r.Args))
		}
		p.mu.Unlock()
		return approval.Decision{}, approval.ErrNobody
	}
	p.mu.Unlock()
	a := list[n]
	if a.After > 0 {
		select {
		case <-ctx.Done():
			return approval.Decision{}, ctx.Err()
		case <-time.After(time.Duration(a.After)):
		}
	}
	d := approval.Decision{ID: r.ID, Answer: approval.Answer(a.Answer), Reason: a.Reason, Text: a.Text}
	if a.Wrong {
		d.ID = "another-" + r.ID
	}
	return d, nil
}

func (p *person) answered() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = ""
}

// Steer returns the next message of a case with Steer.
func (p *person) Steer() (run.Input, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.settings.Steer || len(p.inputs) == 0 || !ui.IsMessage(p.inputs[0].Text) {
		return run.Input{}, false
	}
	in := p.inputs[0]
	p.inputs = p.inputs[1:]
	return in, true
}

// Prompt returns the next message of a chat, or io.EOF after the last.
func (p *person) Prompt(ctx context.Context) (run.Input, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return run.Input{}, err
	}
	if len(p.inputs) == 0 {
		return run.Input{}, io.EOF
	}
	in := p.inputs[0]
	p.inputs = p.inputs[1:]
	return in, nil
}
