package worktest

import (
	"fmt"
	"strings"

	"golem/core/fault"
	"golem/core/trace"
)

// Report is the result of golem test as one value, and its JSON (SPEC §17).
type Report struct {
	Golem    string     `json:"golem"` // "test"
	V        int        `json:"v"`
	Platform string     `json:"platform"`
	Verdicts []Verdict  `json:"verdicts"`
	Groups   []Group    `json:"groups,omitempty"` // of cases that ran several times
	Models   []Group    `json:"models,omitempty"` // side by side, if there are several
	Faults   fault.List `json:"faults,omitempty"` // of files that could not be read
	Passed   int        `json:"passed"`
	Failed   int        `json:"failed"`
	Stale    int        `json:"stale"`
	Unjudged int        `json:"not_judged"`
	Exit     int        `json:"exit"`
}

// NewReport returns the report of verdicts, and of the faults of files of tests.
func NewReport(platform string, verdicts []Verdict, faults fault.List) Report {
	r := Report{Golem: "test", V: 1, Platform: platform, Verdicts: verdicts, Faults: faults, Exit: Exit(verdicts)}
	if verdicts == nil {
		r.Verdicts = []Verdict{}
	}
	for _, v := range verdicts {
		switch v.Status {
		case Passed:
			r.Passed++
		case Failed:
			r.Failed++
		case Stale:
			r.Stale++
		default:
			r.Unjudged++
		}
	}
	groups, cases := Groups(verdicts), map[string]bool{}
	for _, g := range groups {
		cases[g.File+"\x00"+g.Case] = true
	}
	if len(groups) < len(verdicts) {
		r.Groups = groups
	}
	if len(cases) < len(groups) || len(r.Groups) > 0 {
		r.Models = Models(verdicts)
	}
	if r.Exit == 0 && faults.Err() != nil {
		r.Exit = 2
	}
	return r
}

// marks are what people see of a status.
var marks = map[string]string{Passed: "✓", Failed: "✗", Stale: "●", NotJudged: "○"}

// Lines returns a verdict as one line, and its misses or its error below it.
func (v Verdict) Lines() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s:%d: %s", marks[v.Status], v.File, v.Line, v.Case)
	if v.Sample > 0 {
		fmt.Fprintf(&b, " #%d", v.Sample)
	}
	if v.Model != "replay" {
		b.WriteString(" (" + v.Model + ")")
	}
	if v.Status != Passed {
		b.WriteString(" " + strings.ReplaceAll(v.Status, "_", " "))
	}
	b.WriteString("\n")
	for _, m := range v.Misses {
		fmt.Fprintf(&b, "    %s\n      want  %s\n      got   %s\n", m.What, indented(m.Want), indented(m.Got))
	}
	if v.Fault != nil {
		fmt.Fprintf(&b, "    %s\n", indented(v.Fault.Error()))
	}
	return b.String()
}

func indented(s string) string {
	return strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n            ")
}

// Text returns the report for people. all shows the cases that pass, too.
func (r Report) Text(all bool) string {
	var b strings.Builder
	for _, v := range r.Verdicts {
		if all || v.Status != Passed {
			b.WriteString(v.Lines())
		}
	}
	for _, f := range r.Faults {
		b.WriteString(f.Error() + "\n")
	}
	for _, g := range r.Groups {
		fmt.Fprintf(&b, "%s %s: %s (%s): %s\n", marks[g.Status], g.File, g.Case, g.Model, g.rate())
	}
	if len(r.Models) > 0 {
		b.WriteString("\n" + sideBySide(r.Models))
	}
	parts := []string{fmt.Sprintf("%d passed", r.Passed)}
	for _, one := range []struct {
		n    int
		what string
	}{{r.Failed, "failed"}, {r.Stale, "stale"}, {r.Unjudged, "not judged"}} {
		if one.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", one.n, one.what))
		}
	}
	if n := r.unread(); n > 0 {
		parts = append(parts, fault.Count(n, "file")+" not read")
	}
	b.WriteString(strings.Join(parts, ", ") + used(r.Verdicts) + "\n")
	return b.String()
}

// unread returns how many files have errors, so that their cases are not run.
func (r Report) unread() int {
	files := map[string]bool{}
	for _, f := range r.Faults {
		if f.Severity != fault.Warning && f.Where != nil {
			files[f.Where.File] = true
		}
	}
	return len(files)
}

// rate returns how many runs of a group passed, with the interval.
func (g Group) rate() string {
	return fmt.Sprintf("%d of %d passed (95 %%: %.0f to %.0f %%)", g.Passed, g.Runs, 100*g.Low, 100*g.High)
}

func sideBySide(models []Group) string {
	rows := [][]string{{"model", "passed", "95 %", "tokens", "cost", "p50", "p95"}}
	for _, m := range models {
		cost := m.Usage.CostText()
		if cost == "" {
			cost = "-"
		}
		rows = append(rows, []string{
			m.Model, fmt.Sprintf("%d/%d", m.Passed, m.Runs), fmt.Sprintf("%.0f–%.0f %%", 100*m.Low, 100*m.High),
			fmt.Sprint(m.Usage.In + m.Usage.Out), cost, fmt.Sprintf("%d ms", m.P50), fmt.Sprintf("%d ms", m.P95),
		})
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += cell + strings.Repeat(" ", widths[i]-len([]rune(cell))+2)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String() + "\n"
}

// used returns the tokens and the cost of all runs; "" if there are none.
func used(verdicts []Verdict) string {
	var sum trace.Usage
	for _, v := range verdicts {
		if !v.Usage.Estimated { // a script is billed nothing
			sum = sum.Plus(v.Usage)
		}
	}
	if sum.In+sum.Out == 0 {
		return ""
	}
	text := fmt.Sprintf(" · %d tokens", sum.In+sum.Out)
	if cost := sum.CostText(); cost != "" {
		text += " · " + cost
	}
	return text
}
