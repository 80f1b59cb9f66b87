package ui

import (
	"context"
	"slices"
	"strings"

	"golem/core/approval"
	"golem/core/fault"
)

// Questions asks a Person for approval in the words of S4 §3. The default is
// no; a person who vanishes has said no (SECURITY 9). A gate asks one question
// at a time; who lets several gates share a Person sees to that himself.
type Questions struct {
	Person Person // nil: nobody
	Width  func() int
	Color  bool
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
	view := requestView{width: q.columns(), color: q.Color}
	text, folded := view.request(r)
	if err := q.say(text + view.help(r, folded)); err != nil {
		return approval.Decision{}, err
	}
	if r.Kind == approval.KindInput {
		return q.input(ctx, r)
	}
	for misread := 0; misread < maxMisread; {
		line, err := q.Person.Ask(ctx, prompt(r))
		if err != nil {
			return approval.Decision{}, err
		}
		answer, reason, ok := ParseAnswer(line, r.Answers)
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

// input reads a text; an empty line is none.
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

// letters are how answers are offered and typed, in the order of S4-35.
var letters = []struct {
	answer approval.Answer
	prompt string
	words  []string
}{
	{approval.Yes, "[y]es", []string{"y", "yes"}},
	{approval.No, "[n]o", []string{"n", "no"}},
	{approval.Always, "[a]lways", []string{"a", "always"}},
	{approval.Session, "[s]ession", []string{"s", "session"}},
	{approval.Never, "", []string{"d", "deny", "never"}}, // named by help alone
}

// prompt is the last line of the question (S4-35).
func prompt(r approval.Request) string {
	var parts []string
	for _, l := range letters {
		if l.prompt != "" && r.Offers(l.answer) {
			parts = append(parts, l.prompt)
		}
	}
	return strings.Join(parts, " / ") + ": "
}

// ParseAnswer reads an answer to a request: y, n, a, s or d, as a letter or a
// word, n and d optionally followed by a reason. An empty line is no. ok is
// false for anything else, and for an answer that is not among those offered.
func ParseAnswer(line string, offered []approval.Answer) (answer approval.Answer, reason string, ok bool) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	word, rest = strings.ToLower(strings.TrimRight(word, ",:")), strings.TrimSpace(rest)
	if word == "" {
		return approval.No, "", true
	}
	for _, l := range letters {
		if !slices.Contains(l.words, word) || !slices.Contains(offered, l.answer) {
			continue
		}
		takesReason := l.answer == approval.No || l.answer == approval.Never
		if rest != "" && !takesReason {
			return "", "", false
		}
		return l.answer, rest, true
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
