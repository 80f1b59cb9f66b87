package ui

import (
	"context"
	"strings"

	"golem/core/approval"
	"golem/core/fault"
)

// Questions asks a Person for approval, with the words of S4 §3. The default is
// no, and a person who does not answer has said no (SECURITY 9). A gate asks
// one question at a time; if several gates use one Person, the caller must make
// sure that only one of them asks at a time.
type Questions struct {
	Person Person     // nil: nobody can be asked
	Width  func() int // columns of the screen; nil or 0: 80
	Height func() int // lines of the screen; nil or 0: 24
	Color  bool
}

var _ approval.Approver = Questions{}

// maxMisread is the number of answers that golem cannot read after which the answer is no.
const maxMisread = 3

// Approve shows the complete request and reads the answer. It returns
// approval.ErrNobody if there is no Person, and the Person's error if there was
// no answer.
func (q Questions) Approve(ctx context.Context, r approval.Request) (approval.Decision, error) {
	if q.Person == nil {
		return approval.Decision{}, approval.ErrNobody
	}
	view := &requestView{width: size(q.Width), height: size(q.Height), color: q.Color, whole: r.Kind == approval.KindInput}
	if err := q.say(view.request(r) + view.hint(r)); err != nil {
		return approval.Decision{}, err
	}
	if r.Kind == approval.KindInput {
		return q.input(ctx, r)
	}
	for misread := 0; misread < maxMisread; {
		line, err := q.Person.Ask(ctx, view.keys(r))
		if err != nil {
			return approval.Decision{}, err
		}
		if answer, reason, ok := ParseAnswer(line, r.Answers); ok {
			if answer == approval.Keep {
				sure, err := q.confirm(ctx, view, r.Lasting)
				if err != nil {
					return approval.Decision{}, err
				}
				if !sure {
					continue
				}
			}
			return approval.Decision{ID: r.ID, Answer: answer, Reason: reason}, nil
		}
		switch {
		case asks(line, "v", "view"):
			view.whole = true
			err = q.say(view.request(r) + view.again(r))
		case asks(line, "?", "h", "help"):
			err = q.say(view.help(r))
		default:
			misread++
			err = q.say("This is not one of the answers:\n" + view.help(r))
		}
		if err != nil {
			return approval.Decision{}, err
		}
	}
	return approval.Decision{ID: r.ID, Answer: approval.No, Reason: "none of the three lines was an answer"}, nil
}

// confirm shows the rule that would be saved and asks whether to save it. Everything
// that is not a clear yes is a no; the question about the call is then asked again.
func (q Questions) confirm(ctx context.Context, view *requestView, l *approval.Lasting) (bool, error) {
	if err := q.say(view.lasting(l)); err != nil {
		return false, err
	}
	line, err := q.Person.Ask(ctx, "Save this rule and run the call? [y]es / [n]o: ")
	answer, _, ok := ParseAnswer(line, []approval.Answer{approval.Yes, approval.No})
	return ok && answer == approval.Yes, err
}

// input reads the answer to a question for a text. An empty line means no answer.
func (q Questions) input(ctx context.Context, r approval.Request) (approval.Decision, error) {
	line, err := q.Person.Ask(ctx, "> ")
	if err != nil {
		return approval.Decision{}, err
	}
	d := approval.Decision{ID: r.ID, Answer: approval.No}
	if strings.TrimSpace(line) != "" {
		d.Answer, d.Text = approval.Yes, line
	}
	return d, nil
}

// size returns a dimension of the screen, or 0 if it is unknown.
func size(of func() int) int {
	if of == nil {
		return 0
	}
	return of()
}

func (q Questions) say(text string) error {
	_, err := q.Person.Write([]byte(text))
	if err != nil {
		return fault.New(fault.Denied, "the question could not be shown: %w", err)
	}
	return nil
}
