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
	Person Person // nil: nobody can be asked
	Screen Screen // nil: 80 columns and 24 lines
	Color  bool
	Others Others
}

// Screen is the terminal on which a front end shows something.
type Screen interface {
	Size() (columns, lines int) // 0: not known
	// Live reports whether escape sequences may be written to it now. Natively golem must be
	// the job in the foreground.
	Live() bool
}

var _ approval.Approver = Questions{}

// maxMisread is the number of answers that golem cannot read after which the answer is no.
const maxMisread = 3

// Approve shows the complete request, a screen at a time, and reads the answer. An answer
// that approves counts only after everything was shown (SPEC §7). It returns
// approval.ErrNobody if there is no Person, and the Person's error if there was
// no answer.
func (q Questions) Approve(ctx context.Context, r approval.Request) (approval.Decision, error) {
	if q.Person == nil {
		return approval.Decision{}, approval.ErrNobody
	}
	columns, lines := q.size()
	view := &requestView{width: columns, height: lines, color: q.Color, whole: r.Kind == approval.KindInput, others: q.Others}
	no := approval.Decision{ID: r.ID, Answer: approval.No}
	if more, err := q.page(ctx, view.request(r)+view.hint(r)); err != nil || !more {
		return no, err
	}
	if r.Kind == approval.KindInput {
		return q.input(ctx, r)
	}
	for misread := 0; misread < maxMisread; {
		line, err := q.Person.Ask(ctx, view.keys(r))
		if err != nil {
			return approval.Decision{}, err
		}
		if other, ok := q.Others.chosen(line); ok {
			return approval.Decision{}, other
		}
		answer, reason, ok := ParseAnswer(line, r.Answers)
		unseen := ok && view.partial && answer != approval.No && answer != approval.Never
		if ok && !unseen {
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
		case unseen, asks(line, "v", "view"):
			if unseen {
				err = q.say("A yes counts after all of it was shown. Here it is:\n")
				misread++
			}
			more := err == nil
			if view.whole = true; more {
				more, err = q.page(ctx, view.request(r)+view.repeatCall(r))
			}
			if !more {
				return no, err
			}
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
	if more, err := q.page(ctx, view.lasting(l)); err != nil || !more {
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

// pagePrompt ends the question whether to show the next page.
const pagePrompt = ". Enter: the next page, n: no: "

// page shows a text as Page does, with the height of the screen.
func (q Questions) page(ctx context.Context, text string) (more bool, err error) {
	_, lines := q.size()
	return Page(ctx, q.Person, lines, text)
}

// Page shows a text before a question, and stops after each screen of height lines (0: 24)
// until the person wants the next one. more is false if the person said no instead, so that
// the end of the text was not shown; then the question must not be asked.
func Page(ctx context.Context, p Person, height int, text string) (more bool, err error) {
	if height <= 0 {
		height = screenHeight
	}
	room := max(height, minHeight) - 1
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	for len(lines) > room {
		if err := writeTo(p, strings.Join(lines[:room], "")); err != nil {
			return false, err
		}
		lines = lines[room:]
		answer, err := p.Ask(ctx, fault.Count(len(lines), "more line")+pagePrompt)
		if err != nil || asks(answer, "n", "no", "d", "deny") {
			return false, err
		}
	}
	return true, writeTo(p, strings.Join(lines, "")+"\n")
}

// size returns a dimension of the screen, or 0 if it is unknown.
// size returns the size of the screen; 0: not known.
func (q Questions) size() (columns, lines int) {
	if q.Screen == nil {
		return 0, 0
	}
	return q.Screen.Size()
}

func (q Questions) say(text string) error { return writeTo(q.Person, text) }

func writeTo(p Person, text string) error {
	_, err := p.Write([]byte(text))
	if err != nil {
		return fault.New(fault.Denied, "the question could not be shown: %w", err)
	}
	return nil
}
