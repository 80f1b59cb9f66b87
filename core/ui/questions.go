package ui

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"golem/core/approval"
	"golem/core/fault"
)

// Questions asks a Person for approval in the words of S4 §3. The default is
// no; a person who vanishes has said no (SECURITY 9).
type Questions struct {
	Person Person // nil: nobody
	Width  func() int
	Color  bool
	// Turn keeps questions from mixing where several share a Person; nil: the
	// caller sees to it.
	Turn *sync.Mutex
}

var _ approval.Approver = Questions{}

// maxMisread is how many unreadable answers are asked again before they count as no.
const maxMisread = 3

// Approve shows the whole request and reads the answer. It returns
// approval.ErrNobody without a Person, and the Person's error when there was
// no answer.
func (q Questions) Approve(ctx context.Context, r approval.Request) (approval.Decision, error) {
	if q.Person == nil {
		return approval.Decision{}, approval.ErrNobody
	}
	defer q.turn()()
	view := requestView{width: q.columns(), color: q.Color}
	text, folded := view.request(r)
	if err := q.say(text + view.help(r, folded)); err != nil {
		return approval.Decision{}, err
	}
	for misread := 0; misread < maxMisread; {
		line, err := q.Person.Ask(ctx, prompt(r))
		if err != nil {
			return approval.Decision{}, err
		}
		answer, reason, ok := ParseAnswer(line, r.Always)
		switch {
		case ok:
			return approval.Decision{ID: r.ID, Answer: answer, Reason: reason}, nil
		case isView(line):
			view.whole = true
			text, _ = view.request(r)
			err = q.say(text)
		default:
			misread++
			err = q.say(view.help(r, folded && !view.whole))
		}
		if err != nil {
			return approval.Decision{}, err
		}
	}
	return approval.Decision{ID: r.ID, Answer: approval.No, Reason: "the answers could not be read"}, nil
}

// turn waits for one's turn to ask.
func (q Questions) turn() (done func()) {
	if q.Turn == nil {
		return func() {}
	}
	q.Turn.Lock()
	return q.Turn.Unlock
}

func (q Questions) columns() int {
	if q.Width == nil {
		return 0
	}
	return q.Width()
}

func (q Questions) say(text string) error {
	_, err := q.Person.Write([]byte(text))
	if err != nil {
		return fault.New(fault.Denied, "the question could not be shown: %w", err)
	}
	return nil
}

// prompt is the last line of the question (S4-35).
func prompt(r approval.Request) string {
	if r.Always {
		return "[y]es / [n]o / [a]lways / [s]ession: "
	}
	return "[y]es / [n]o / [s]ession: "
}

// ParseAnswer reads an answer to an approval request: y, n, a, s or d, as a
// letter or a word, n and d optionally followed by a reason. An empty line is
// no. always says whether a was offered; ok is false for anything else.
func ParseAnswer(line string, always bool) (answer approval.Answer, reason string, ok bool) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	word, rest = strings.ToLower(strings.TrimRight(word, ",:")), strings.TrimSpace(rest)
	switch word {
	case "":
		return approval.No, "", true
	case "n", "no":
		return approval.No, rest, true
	case "d", "deny", "never":
		return approval.Never, rest, true
	}
	if rest != "" {
		return "", "", false
	}
	switch word {
	case "y", "yes":
		return approval.Yes, "", true
	case "s", "session":
		return approval.Session, "", true
	case "a", "always":
		if always {
			return approval.Always, "", true
		}
	}
	return "", "", false
}

func isView(line string) bool {
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "v", "view":
		return true
	}
	return false
}

// Confirm asks a yes-or-no question about what is not a tool call. Only yes
// is yes.
func (q Questions) Confirm(ctx context.Context, question string) (bool, error) {
	if q.Person == nil {
		return false, approval.ErrNobody
	}
	defer q.turn()()
	if err := q.say("\n" + safe(question) + "\n"); err != nil {
		return false, err
	}
	line, err := q.Person.Ask(ctx, "[y]es / [n]o: ")
	if err != nil {
		return false, fmt.Errorf("no answer: %w", err)
	}
	answer, _, ok := ParseAnswer(line, false)
	return ok && answer == approval.Yes, nil
}
