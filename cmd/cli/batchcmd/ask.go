package batchcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golem/core/approval"
	"golem/core/batch"
	"golem/core/fault"
	"golem/core/ui"

	"golem/cmd/cli/asking"
	"golem/cmd/cli/console"
)

// ask asks a person the questions, one after the other.
func (a *answering) ask(ctx context.Context, person ui.Person) error {
	ctx, stop := a.c.Interruptible(ctx)
	defer stop()
	defer a.end()
	back := false
	for n := 0; n < len(a.groups); {
		if g := a.groups[n]; g.Answer != nil && g.Answer.By == "" && !back {
			n++ // a rule of this session answered it
			continue
		}
		next, err := a.askOne(ctx, person, n)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case ctx.Err() != nil:
			return console.ExitCode(console.ExitInterrupted)
		case err != nil:
			return err
		}
		n, back = next, next < n
	}
	return nil
}

// The keys at a question of a batch, beside those of the answers.
const (
	keyLater = "l"
	keyRule  = "r"
	keyBack  = "b"
	keyQuit  = "q"
)

// askOne asks one question, and returns which is the next.
func (a *answering) askOne(ctx context.Context, person ui.Person, n int) (next int, err error) {
	g := &a.groups[n]
	a.c.Say("question %d of %d, of %s: %s", n+1, len(a.groups), fault.Count(len(g.Items), "item"), headline(*g))
	if g.Answer != nil {
		a.c.Say("the answer until now: %s; another one counts for the items that have not gone on", g.Answer.Answer)
	}
	ask := asking.Questions(a.c, person, false)
	ask.Others = a.keysFor(*g)
	r := g.Question.Request
	r.Answers = []approval.Answer{approval.Yes, approval.No}
	d, err := ask.Approve(ctx, r)
	var other ui.Other
	if errors.As(err, &other) {
		return a.otherKey(ctx, person, n, string(other))
	}
	if err != nil {
		return n, err
	}
	answer := batch.Answer{Key: g.Question.Key, Answer: d.Answer, Reason: d.Reason, Text: d.Text}
	if err := a.give(answer); err != nil {
		return n, err
	}
	g.Answer = &answer
	return n + 1, nil
}

// keysFor are the keys at a question.
func (a *answering) keysFor(g batch.Group) ui.Others {
	o := ui.Others{
		Hint: "Yes covers this call in " + fault.Count(len(g.Items), "item") + ". Enter alone: later. ?: what the keys mean.",
		Keys: []ui.OtherKey{
			{Words: []string{keyLater, "", "later"}, Label: "[l]ater", Means: "no answer now, as Enter alone: the items wait"},
			{Words: []string{keyBack, "back"}, Label: "[b]ack", Means: "the question before this one, to change its answer"},
			{Words: []string{keyQuit, "quit"}, Label: "[q]uit", Means: "end; what was answered is kept"},
		},
	}
	if g.Question.Of != "" {
		rule := ui.OtherKey{Words: []string{keyRule, "rule"}, Label: "[r]ule", Means: "one answer for all calls that a rule covers; they are shown first"}
		o.Keys = append([]ui.OtherKey{rule}, o.Keys...)
	}
	return o
}

// otherKey does what a key beside the answers says.
func (a *answering) otherKey(ctx context.Context, person ui.Person, n int, key string) (next int, err error) {
	switch key {
	case keyBack:
		return max(n-1, 0), nil
	case keyQuit:
		return len(a.groups), nil
	case keyRule:
		return n, a.byRule(ctx, person, n)
	}
	return n + 1, nil
}

// byRule asks for a rule, shows what it covers and asks for the answer.
func (a *answering) byRule(ctx context.Context, person ui.Person, n int) error {
	open := unanswered(a.groups)
	rule, err := a.askRule(ctx, person, n, open)
	if err != nil || rule.Of == "" {
		return err
	}
	covered := rule.Covered(open)
	if len(covered) == 0 {
		a.c.Say("the rule covers no question that is not answered: %s", rule)
		return nil
	}
	if seen, err := ui.Page(ctx, person, console.Rows(a.c.Err), console.Fit(a.c.Err, callsText(rule, covered))); err != nil || !seen {
		return err
	}
	line, err := person.Ask(ctx, "All of them, and those that come later: [y]es / [n]o / Enter: no rule: ")
	if err != nil || strings.TrimSpace(line) == "" {
		return err
	}
	answer, reason, ok := ui.ParseAnswer(line, []approval.Answer{approval.Yes, approval.No})
	if !ok {
		a.c.Say("that is neither yes nor no, so there is no rule")
		return nil
	}
	given := batch.Answer{Rule: &rule, Answer: answer, Reason: reason}
	if err := a.give(given); err != nil {
		return err
	}
	for i := range a.groups {
		if a.groups[i].Answer == nil && rule.Covers(a.groups[i].Question) {
			a.groups[i].Answer = &given
		}
	}
	a.c.Say("%s answered", fault.Count(len(covered), "question"))
	return nil
}

// mostMisread is after how many lines that are not a rule golem goes back to the question.
const mostMisread = 3

// askRule asks for the conditions of a rule. It returns none if the person wants none.
func (a *answering) askRule(ctx context.Context, person ui.Person, n int, open []batch.Group) (batch.Rule, error) {
	q := a.groups[n].Question
	proposed := batch.Proposed(q, open)
	usual := approval.Conditions(proposed)
	if usual == approval.AnyArguments {
		usual = "any arguments"
	}
	prompt := fmt.Sprintf("Rule for %s: Enter: %s; or ARG=PATTERN …; *: any arguments; n: no rule: ", ui.OneLine(q.Request.Tool), ui.Safe(usual))
	for range mostMisread {
		line, err := person.Ask(ctx, prompt)
		if err != nil {
			return batch.Rule{}, err
		}
		when := proposed
		switch word := strings.TrimSpace(line); word {
		case "":
		case "n", "no":
			return batch.Rule{}, nil
		default:
			when, err = approval.ParseConditions(line)
		}
		var rule batch.Rule
		if err == nil {
			rule, err = batch.NewRule(q, when)
		}
		if err == nil {
			return rule, nil
		}
		a.c.Report(err)
	}
	return batch.Rule{}, nil
}
