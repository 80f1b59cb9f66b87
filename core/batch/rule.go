package batch

import (
	"encoding/json"
	"maps"
	"slices"

	"golem/core/approval"
	"golem/core/fault"
)

// Rule answers the calls of one tool whose arguments match patterns, those that items ask about
// now and later in the batch (SPEC §19). A gate asks about a call first, so a rule opens nothing
// that is blocked or that a ceiling forbids, and it counts nowhere but in its batch.
type Rule struct {
	Of   string            `json:"of"` // Question.Of of the questions that it may answer
	Tool string            `json:"tool"`
	When map[string]string `json:"when,omitempty"` // patterns of SPEC §7, by argument
}

// Covers reports whether the rule answers a question.
func (r Rule) Covers(q Question) bool {
	return q.Of != "" && q.Of == r.Of && approval.Rule{Tool: r.Tool, When: r.When}.Covers(q.Request)
}

// String returns the rule for people.
func (r Rule) String() string {
	if len(r.When) == 0 {
		return r.Tool + " with any arguments"
	}
	return r.Tool + " where " + approval.Conditions(r.When) + "; its other arguments may be anything"
}

// NewRule returns a rule for the tool of a question, or E_USAGE for a question that only itself
// can be answered, and for a pattern that golem cannot read.
func NewRule(q Question, when map[string]string) (Rule, error) {
	r := Rule{Of: q.Of, Tool: q.Request.Tool, When: when}
	if q.Of == "" {
		return r, fault.New(fault.Usage, "no rule answers this question: only calls of risk read and write that stay among the item's files have rules").
			Hinting("answer each call by itself")
	}
	for _, key := range slices.Sorted(maps.Keys(when)) {
		if err := approval.CheckPattern(key, when[key]); err != nil {
			return r, err
		}
	}
	return r, nil
}

// Covered returns the groups whose questions a rule answers.
func (r Rule) Covered(groups []Group) (out []Group) {
	for _, g := range groups {
		if r.Covers(g.Question) {
			out = append(out, g)
		}
	}
	return out
}

// Shown returns a digest (hex) of a rule and the questions that it covers, which binds an answer
// to the list that a person saw.
func (r Rule) Shown(covered []Group) string {
	data, _ := json.Marshal(r) // strings always encode
	for _, g := range covered {
		data = append(data, g.Question.Key...)
	}
	return sum(data)
}

// Proposed returns conditions for a rule that answers a question and others like it.
func Proposed(q Question, groups []Group) map[string]string {
	like := []approval.Request{q.Request}
	for _, g := range groups {
		if g.Question.Of == q.Of {
			like = append(like, g.Question.Request)
		}
	}
	return approval.Proposal(like...)
}

// AnswerTo returns the answer to a question: the last that was given to this very question, or
// else the last by a rule that covers it.
func AnswerTo(answers []Answer, q Question) (a Answer, known bool) {
	for _, a := range slices.Backward(answers) {
		if a.Rule == nil && a.Key == q.Key {
			return a, true
		}
	}
	for _, a := range slices.Backward(answers) {
		if a.Rule != nil && a.Rule.Covers(q) {
			return a, true
		}
	}
	return a, false
}
