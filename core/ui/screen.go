package ui

import (
	"strings"

	"golem/core/approval"
)

// Choice is an answer that a question offers.
type Choice struct {
	Answer approval.Answer
	Key    string // the letter that gives it
	Means  string // exactly what it covers, one sentence
}

// Choices are the answers that a request offers, in the order in which people see
// them.
func Choices(r approval.Request) []Choice {
	tool, _ := approval.Visible(r.Tool)
	var out []Choice
	for _, l := range letters {
		if r.Offers(l.answer) {
			means := strings.ReplaceAll(l.means, "TOOL", tool)
			if l.answer == approval.No {
				means = "no, this once"
			}
			if l.answer == approval.Yes && r.Kind != approval.KindTool {
				means = "yes, to all of this"
			}
			out = append(out, Choice{l.answer, l.words[0], means})
		}
	}
	return out
}

// RequestLines are the lines of a question for a screen of width columns, escaped. All
// of it is there if whole is true; else what decides little is left out, and a line
// that is longer than a few rows ends with a note that v shows the rest.
func RequestLines(r approval.Request, width int, color, whole bool) []string {
	v := &requestView{width: width, height: uncut * uncut, color: color, whole: whole || r.Kind == approval.KindInput}
	return strings.Split(strings.Trim(v.request(r), "\n"), "\n")
}

// RuleLines are the lines of a rule that an answer would save.
func RuleLines(l *approval.Lasting, width int, color bool) []string {
	v := &requestView{width: max(width, minWidth), height: uncut, color: color}
	return strings.Split(Fit(strings.Trim(v.lasting(l), "\n"), v.width), "\n")
}
