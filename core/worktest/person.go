package worktest

import (
	"context"
	"io"
	"sync"

	"golem/core/approval"
	"golem/core/run"
	"golem/core/trace"
)

// Person answers the questions of a run with the answers of its case. What asks beyond them
// is denied. It is safe for concurrent use.
type Person struct {
	observer *Observer
	outside  Outside
	beyond   approval.Approver // nil: calls that reach beyond the files do not run

	mu   sync.Mutex
	left []Answer
}

// noAnswer is why a question was denied that the answers of a case do not have.
const noAnswer = "this is a test, and its case has no answer"

// Outside knows which tools of a run reach beyond its files.
type Outside interface {
	// Reaches reports whether a tool of this name, that was called, does.
	Reaches(name string) bool
}

// NewPerson returns a person with the answers of a case. beyond is asked about calls that
// reach beyond the files of the test, and about trust: no file can answer for a person there.
// With nil such calls do not run, so that nothing is asked.
func NewPerson(answers []Answer, o *Observer, outside Outside, beyond approval.Approver) *Person {
	return &Person{observer: o, outside: outside, beyond: beyond, left: append([]Answer{}, answers...)}
}

// Emit passes an event on to the Observer.
func (p *Person) Emit(e trace.Event) { p.observer.Emit(e) }

// Prompt has no message: a case has one input.
func (p *Person) Prompt(context.Context) (run.Input, error) { return run.Input{}, io.EOF }

// Approve returns the next answer of the case for the tool.
func (p *Person) Approve(ctx context.Context, r approval.Request) (approval.Decision, error) {
	beyond := r.Kind != approval.KindTool || p.outside.Reaches(r.Tool)
	switch {
	case r.Kind == approval.KindInput:
		p.observer.Asked()
	case beyond && p.beyond != nil:
		return p.beyond.Approve(ctx, r)
	case beyond && r.Kind == approval.KindTool: // nothing runs: the case has the result
		return approval.Decision{ID: r.ID, Answer: approval.Yes}, nil
	case !beyond:
		if answer, ok := p.next(r.Tool); ok {
			d := approval.Decision{ID: r.ID, Answer: approval.No, Reason: answer.Reason}
			if answer.Yes {
				d.Answer = approval.Yes
			}
			return d, nil
		}
	}
	return approval.Decision{ID: r.ID, Answer: approval.No, Reason: noAnswer}, nil
}

// next takes the next answer for a tool.
func (p *Person) next(tool string) (Answer, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, a := range p.left {
		if a.Tool == tool {
			p.left = append(p.left[:i:i], p.left[i+1:]...)
			return a, true
		}
	}
	return Answer{}, false
}
