package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"golem/core/trace"
	"golem/core/ui"
)

// maxDifferences is how many differences Text shows after the first one.
const maxDifferences = 50

// Text returns the comparison for people: both runs side by side, the first difference
// with its values, and the others in one line each. width is the number of columns of
// the screen; 0 means 80.
func (d Comparison) Text(color bool, width int) string {
	var b strings.Builder
	for _, l := range d.Lines(width) {
		b.WriteString(l.Paint(color) + "\n")
	}
	return b.String()
}

// Lines returns the text in parts with roles.
func (d Comparison) Lines(width int) []ui.Line {
	if width <= 0 {
		width = 80
	}
	out := append(d.totals(max((width-12)/2, 8)), nil)
	if d.Same {
		return append(out, ui.Line{{Text: "the runs are the same, times aside"}})
	}
	first := d.Differences[0]
	out = append(out, ui.Line{{Text: "first difference: "}, {Text: first.placeText(), Role: ui.Strong}, {Text: ": " + first.differenceText()}})
	x, y := excerpt(first.A, first.B, max(width-4, 20)*3)
	for _, side := range []struct {
		name, id, text string
		role           ui.Role
	}{{"A", first.IDA, x, ui.Bad}, {"B", first.IDB, y, ui.Good}} {
		if side.id == "" || first.What == "turn" && side.text == "" {
			continue
		}
		out = append(out, ui.Line{{Text: "  "}, {Text: side.name + " " + trace.Visible(side.text), Role: side.role}})
	}
	if rest := d.Differences[1:]; len(rest) > 0 {
		out = append(out, nil, ui.Line{{Text: fmt.Sprintf("%d more:", len(rest))}})
		for i, one := range rest {
			if i == maxDifferences {
				return append(out, ui.Line{{Text: fmt.Sprintf("  and %d others; --json has all of them", len(rest)-i)}})
			}
			out = append(out, ui.Line{{Text: "  " + one.line(width-3)}})
		}
	}
	return out
}

// totals returns the totals of both runs side by side, in columns of half characters.
func (d Comparison) totals(half int) []ui.Line {
	var out []ui.Line
	for _, row := range [][3]string{
		{"", "A", "B"}, {"run", d.A.Run, d.B.Run}, {"worker", d.A.Entry, d.B.Entry}, {"status", ended(d.A.Status), ended(d.B.Status)},
		{"duration", duration(d.A.MS), duration(d.B.MS)}, {"tokens", tokens(d.A.Usage), tokens(d.B.Usage)},
		{"cost", d.A.Usage.CostText(), d.B.Usage.CostText()}, {"turns", strconv.Itoa(d.A.Turns), strconv.Itoa(d.B.Turns)},
		{"calls", strconv.Itoa(d.A.Calls), strconv.Itoa(d.B.Calls)}, {"answer", plain(d.A.Output), plain(d.B.Output)},
	} {
		if row[1] == "" && row[2] == "" {
			continue
		}
		a, c := clip(trace.Visible(oneLine(row[1])), half-3), clip(trace.Visible(oneLine(row[2])), half-2)
		role := ui.Body
		if row[1] != row[2] && row[0] != "duration" && row[0] != "run" && row[0] != "" {
			role = ui.Warn
		}
		line := ui.Line{{Text: fmt.Sprintf("%-10s  ", row[0])}, {Text: a, Role: role}}
		if c != "" {
			line = append(line, ui.Span{Text: strings.Repeat(" ", max(half-utf8.RuneCountInString(a), 2))}, ui.Span{Text: c, Role: role})
		}
		out = append(out, line)
	}
	return out
}

func ended(status string) string {
	if status == "" {
		return "unfinished"
	}
	return strings.ReplaceAll(status, "_", " ")
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// differenceText returns what differs, for people.
func (d Difference) differenceText() string {
	switch {
	case d.What == "call" && d.IDB == "":
		return "only A makes this call"
	case d.What == "call":
		return "only B makes this call"
	case d.What == "turn" && d.IDB == "":
		return "only A has this turn"
	case d.What == "turn":
		return "only B has this turn"
	}
	return d.What
}

// line returns the difference on one line of about width characters.
func (d Difference) line(width int) string {
	text := d.placeText() + ": " + d.differenceText()
	if d.What == "call" || d.What == "turn" {
		return clip(text, width)
	}
	room := max((width-utf8.RuneCountInString(text)-5)/2, 10)
	a, b := excerpt(oneLine(d.A), oneLine(d.B), room)
	for _, side := range []*string{&a, &b} {
		if *side == "" {
			*side = "(none)"
		}
	}
	return clip(text+": "+trace.Visible(a)+" → "+trace.Visible(b), width)
}

// excerpt shortens two texts to about n characters each. The excerpts contain the first
// place where the texts differ.
func excerpt(a, b string, n int) (string, string) {
	if utf8.RuneCountInString(a) <= n && utf8.RuneCountInString(b) <= n {
		return a, b
	}
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	from := max(same-n/3, 0)
	for from > 0 && (from >= len(a) || !utf8.RuneStart(a[from])) {
		from--
	}
	cut := func(s string) string {
		lead := ""
		if from > 0 {
			lead = "…"
		}
		return lead + clip(s[min(from, len(s)):], n)
	}
	return cut(a), cut(b)
}
