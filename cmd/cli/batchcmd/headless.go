package batchcmd

import (
	"context"
	"strings"

	"golem/core/approval"
	"golem/core/batch"
	"golem/core/fault"

	"golem/cmd/cli/console"
)

// carryOut does what the flags say: it lists or answers the questions, or asks a person.
func (f *questioning) carryOut(ctx context.Context, a *answering) error {
	switch {
	case f.rule != "":
		return f.byRule(a)
	case f.answer != "":
		return f.byKey(a)
	case f.json:
		if a.groups == nil {
			a.groups = []batch.Group{}
		}
		return a.c.PrintJSON(a.groups)
	case len(a.groups) == 0:
		a.c.Say("no item of %s waits for an answer", a.q.Head.Name)
		return nil
	}
	if person := a.c.Person(); person != nil {
		return a.ask(ctx, person)
	}
	for n, g := range a.groups {
		a.c.Say("question %d of %d, of %s: %s (key %s)", n+1, len(a.groups), fault.Count(len(g.Items), "item"), headline(g), g.Question.Key[:shortKey])
	}
	a.c.Say("answer them on a terminal, or with --question KEY --answer yes or no: golem batch questions %s", a.q.Head.Name)
	return console.ExitCode(console.ExitNobody)
}

// shortKey is how much of a question's key is shown, and the least that names it.
const shortKey = 10

// byKey answers the questions with the keys of --question.
func (f *questioning) byKey(a *answering) error {
	var answers []batch.Answer
	for _, key := range f.questions {
		var found []batch.Group
		for _, g := range a.groups {
			if len(key) >= shortKey && strings.HasPrefix(g.Question.Key, key) {
				found = append(found, g)
			}
		}
		if len(found) != 1 {
			return fault.New(fault.NotFound, "the batch %s has not one question with the key %s", a.q.Head.Name, fault.Quoted(key)).
				Hinting("golem batch questions %s --json shows the questions with their keys; give at least %d characters", a.q.Head.Name, shortKey)
		}
		answers = append(answers, batch.Answer{Key: found[0].Question.Key, Answer: approval.Answer(f.answer), Reason: f.reason})
	}
	if err := a.give(answers...); err != nil {
		return err
	}
	a.end()
	return nil
}

// covering is what a rule covers, for programs.
type covering struct {
	Rule   batch.Rule    `json:"rule"`
	Covers []batch.Group `json:"covers"`
	Shown  string        `json:"shown"` // for --shown
}

// byRule shows what the rule of the flags covers, or answers that.
func (f *questioning) byRule(a *answering) error {
	rule, err := f.ruleOf(a.groups)
	if err != nil {
		return err
	}
	covers := covering{Rule: rule, Covers: rule.Covered(a.groups)}
	if len(covers.Covers) == 0 {
		return fault.New(fault.NotFound, "the rule covers no question: %s", rule).Hinting("golem batch questions %s shows the questions", a.q.Head.Name)
	}
	covers.Shown = rule.Shown(covers.Covers)
	switch {
	case f.answer == "" && f.json:
		return a.c.PrintJSON(covers)
	case f.answer == "":
		return a.c.Show(callsText(rule, covers.Covers) + "shown: " + covers.Shown + "\n")
	case f.shown == "":
		return console.Usage("--rule with --answer needs --shown DIGEST").Hinting("the same command without --answer shows the calls that the rule covers, and the digest")
	case f.shown != covers.Shown:
		return fault.New(fault.Conflict, "the rule covers other calls now than those that were shown").Hinting("the same command without --answer shows them, and their digest")
	}
	if err := a.give(batch.Answer{Rule: &rule, Answer: approval.Answer(f.answer), Reason: f.reason}); err != nil {
		return err
	}
	a.end()
	return nil
}

// ruleOf returns the rule of the flags.
func (f *questioning) ruleOf(groups []batch.Group) (batch.Rule, error) {
	var of *batch.Question
	for i := range groups {
		switch q := &groups[i].Question; {
		case q.Request.Tool != f.rule || q.Of == "" && of != nil:
		case of != nil && of.Of != "" && q.Of != of.Of:
			return batch.Rule{}, console.Usage("several tools that items ask about are named %s", fault.Quoted(f.rule)).Hinting("answer each question by itself: --question KEY")
		default:
			of = q
		}
	}
	if of == nil {
		return batch.Rule{}, fault.New(fault.NotFound, "no item asks about the tool %s", fault.Quoted(f.rule)).Hinting("--json shows the questions")
	}
	when := map[string]string{}
	for _, text := range f.when {
		name, pattern, err := approval.ParseCondition(text)
		if err != nil {
			return batch.Rule{}, err
		}
		if _, twice := when[name]; twice {
			return batch.Rule{}, console.Usage("--when names %s twice", fault.Quoted(name))
		}
		when[name] = pattern
	}
	return batch.NewRule(*of, when)
}
