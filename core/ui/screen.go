package ui

import (
	"strings"

	"golem/core/approval"
)

// Choice is an answer that a question offers.
type Choice struct {
	Answer approval.Answer
	Key    string // the letter that gives it
	Means  string // what it covers, in one sentence
}

// Choices returns the answers that a request offers, in the order in which front ends
// show them.
func Choices(r approval.Request) []Choice {
	tool, _ := approval.Visible(r.Tool)
	var out []Choice
	for _, l := range letters {
		if r.Offers(l.answer) {
			means := strings.ReplaceAll(l.means, "TOOL", tool)
			yes := l.answer == approval.Yes
			switch {
			case r.Kind == approval.KindTrust && yes:
				means = "yes, to all of this, now and in later runs of this project; golem asks again about what changes"
			case r.Kind == approval.KindTrust:
				means = "no: nothing of this is used in this run, and what needs it fails"
			case r.Kind != approval.KindTool && yes:
				means = "yes, to all of this"
			case r.Kind == approval.KindResume && l.answer == approval.No:
				means = "no"
			case l.answer == approval.No:
				means = "no, this once"
			}
			out = append(out, Choice{l.answer, l.words[0], means})
		}
	}
	return out
}

// RequestLines returns a question as escaped lines for a screen of width columns. The
// front end shows them in a frame whose title says what is asked. If whole is true, or
// the question is not about a tool call, the lines are complete. Otherwise less important
// lines are left out, and a line that takes more than a few rows is cut and ends with a
// note that the key v shows the rest.
func RequestLines(r approval.Request, width int, color, whole bool) []string {
	lines, _ := RequestView(r, width, color, whole)
	return lines
}

// RequestView returns the lines of RequestLines, and whether they show all that a yes
// covers. A front end accepts a yes only after it has shown all of it (SPEC §7).
func RequestView(r approval.Request, width int, color, whole bool) (lines []string, complete bool) {
	v := &requestView{width: width, height: uncut * uncut, color: color, whole: whole || r.Kind != approval.KindTool, titled: true}
	return strings.Split(strings.Trim(v.request(r), "\n"), "\n"), !v.partial
}

// Marked breaks a line that golem did not write into lines of at most n columns (0: it
// does not break) and escapes it as in a question. Each line after the first begins with
// a mark, so that it cannot look like a separate line.
func Marked(l string, n int) []string {
	l, _ = approval.Visible(strings.ReplaceAll(l, "\t", "    "))
	if n <= 0 || Width(l) <= n {
		return []string{l}
	}
	out := breakWords(l, n-2)
	for i := range out[1:] {
		out[i+1] = "┆ " + out[i+1]
	}
	return out
}

// RuleLines returns the lines that describe the rule which the answer Keep would save.
func RuleLines(l *approval.Lasting, width int, color bool) []string {
	v := &requestView{width: max(width, MinWidth), height: uncut, color: color}
	return strings.Split(Fit(strings.Trim(v.lasting(l), "\n"), v.width), "\n")
}
