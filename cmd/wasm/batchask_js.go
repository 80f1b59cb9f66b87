package main

import (
	"encoding/json"
	"time"

	"golem/core/approval"
	"golem/core/batch"
	"golem/core/fault"
)

// answering has the parameters of the actions covers and answer of batches.
type answering struct {
	Question string          `json:"question"` // the key of a question
	Rule     bool            `json:"rule"`     // the answer is for all calls that a rule for the tool of the question covers
	When     json.RawMessage `json:"when"`     // the conditions of the rule: an object, or a line that a person wrote; null: those that golem proposes
	Shown    string          `json:"shown"`    // of the reply of covers that the person saw
	Answer   approval.Answer `json:"answer"`
	Reason   string          `json:"reason"`
	Text     string          `json:"text"`
}

// conditions returns the conditions of a rule for the question of g.
func (a answering) conditions(g batch.Group, groups []batch.Group) (when map[string]string, err error) {
	var line string
	switch {
	case len(a.When) == 0 || string(a.When) == "null":
		return batch.Proposed(g.Question, groups), nil
	case json.Unmarshal(a.When, &line) == nil:
		return approval.ParseConditions(line)
	case json.Unmarshal(a.When, &when) != nil:
		return nil, fault.New(fault.Usage, "when is neither an object of texts nor a text").Hinting("for example {path: '/out/**'}, or 'path=/out/**'")
	}
	return when, nil
}

// shownGroup is a batch.Group in the form in which the page gets it.
type shownGroup struct {
	Question shownQuestion `json:"question"`
	Items    []string      `json:"items"`
	Answer   *batch.Answer `json:"answer,omitempty"`
}

type shownQuestion struct {
	Key     string   `json:"key"`
	Of      string   `json:"of,omitempty"`
	Request question `json:"request"`
}

func shownGroups(groups []batch.Group) []shownGroup {
	out := []shownGroup{}
	for _, g := range groups {
		q := g.Question
		out = append(out, shownGroup{shownQuestion{q.Key, q.Of, question{q.Request, shown(q.Request.Args)}}, g.Items, g.Answer})
	}
	return out
}

// covering is what a rule covers.
type covering struct {
	Rule   batch.Rule   `json:"rule"`
	Text   string       `json:"text"` // the rule for people
	Line   string       `json:"line"` // its conditions as a line, which a person may change
	Covers []shownGroup `json:"covers"`
	Shown  string       `json:"shown"`
}

// group returns the question with a key, and all questions.
func (a answering) group(q *batch.Local, again bool) (batch.Group, []batch.Group, error) {
	groups, err := q.Questions(again)
	if err != nil {
		return batch.Group{}, nil, err
	}
	for _, g := range groups {
		if g.Question.Key == a.Question {
			return g, groups, nil
		}
	}
	return batch.Group{}, nil, fault.New(fault.NotFound, "the batch %s has no question with the key %s", q.Head.Name, fault.Brief(a.Question)).
		Hinting("list its questions again: somebody may have answered it")
}

// covers returns what a rule for the tool of a question covers.
func (a answering) covers(q *batch.Local) (out covering, err error) {
	g, groups, err := a.group(q, false)
	if err != nil {
		return out, err
	}
	when, err := a.conditions(g, groups)
	if err == nil {
		out.Rule, err = batch.NewRule(g.Question, when)
	}
	if err != nil {
		return out, err
	}
	covered := out.Rule.Covered(groups)
	out.Text, out.Line, out.Covers, out.Shown = out.Rule.String(), approval.Conditions(when), shownGroups(covered), out.Rule.Shown(covered)
	return out, nil
}

// answer keeps the answer of the person to one question, or to all that a rule covers.
func (a answering) answer(q *batch.Local) error {
	given := batch.Answer{
		Key: a.Question, Answer: a.Answer, Reason: a.Reason, Text: a.Text, By: "the person in this browser", At: time.Now().UTC().Format(time.RFC3339),
	}
	if a.Answer != approval.Yes && a.Answer != approval.No {
		return fault.New(fault.Usage, "the answer %s is not yes or no", fault.Quoted(string(a.Answer)))
	}
	if !a.Rule {
		if _, _, err := a.group(q, true); err != nil {
			return err
		}
		return q.Answer(given)
	}
	c, err := a.covers(q)
	switch {
	case err != nil:
		return err
	case len(c.Covers) == 0:
		return fault.New(fault.NotFound, "the rule covers no question: %s", c.Text).Hinting("list the questions of the batch again")
	case a.Shown == "":
		return fault.New(fault.Usage, "an answer by a rule needs shown, the digest of the calls that it covers").Hinting("show the person what covers returns, and give its field shown")
	case a.Shown != c.Shown:
		return fault.New(fault.Conflict, "the rule covers other calls now than those that were shown").Hinting("show what covers returns now")
	}
	given.Key, given.Rule = "", &c.Rule
	return q.Answer(given)
}
