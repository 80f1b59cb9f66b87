package main

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"golem/core/approval"
	"golem/core/run"
	"golem/core/trace"
	"golem/core/ui"
)

// page is the front end of one run: events go out as lines, questions wait for
// the page's answer.
type page struct {
	ui.JSON
	call     *call
	headless bool
}

var _ ui.UI = (*page)(nil)

// Emit gives the page the result of a call at once: golem may work on for a while
// before it waits.
func (p *page) Emit(e trace.Event) {
	p.JSON.Emit(e)
	if _, ends := e.Body.(trace.ToolEnd); ends {
		p.call.server.scope.Call("golemTold")
	}
}

// Approve asks the person behind the page. A page that goes away takes this
// worker with it; a run that is cancelled is a denial.
func (p *page) Approve(ctx context.Context, r approval.Request) (approval.Decision, error) {
	if p.headless {
		return approval.Decision{}, approval.ErrNobody
	}
	p.call.post("ask", decoded(r))
	for {
		select {
		case <-ctx.Done():
			p.call.post("withdrawn", r.ID)
			return approval.Decision{}, context.Cause(ctx)
		case raw := <-p.call.answers:
			var d approval.Decision
			if err := json.Unmarshal(raw, &d); err != nil || d.ID != r.ID {
				continue // bound to another request
			}
			if d.Answer == "nobody" {
				return d, approval.ErrNobody
			}
			return d, nil
		}
	}
}

// Prompt waits for the person's next message.
func (p *page) Prompt(ctx context.Context) (run.Input, error) {
	p.call.event(`{"type":"prompt"}`)
	select {
	case text := <-p.call.said: // before the end, which was said later
		return run.Input{Text: text}, nil
	default:
	}
	select {
	case <-ctx.Done():
		return run.Input{}, context.Cause(ctx)
	case text := <-p.call.said:
		return run.Input{Text: text}, nil
	case <-p.call.ended:
		return run.Input{}, io.EOF
	}
}

// lines calls f with each line, without its end.
func lines(f func(string)) io.Writer { return lineFunc(f) }

type lineFunc func(string)

func (f lineFunc) Write(b []byte) (int, error) {
	f(strings.TrimSuffix(string(b), "\n"))
	return len(b), nil
}
