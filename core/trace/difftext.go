package trace

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDifferences is how many differences Text shows after the first one.
const maxDifferences = 50

// Text returns the comparison for people: both runs side by side, the first difference
// with its values, and the others in one line each. width is the number of columns of
// the screen; 0 means 80.
func (d Comparison) Text(color bool, width int) string {
	if width <= 0 {
		width = 80
	}
	r := renderer{RenderOptions: RenderOptions{Color: color, Width: width}}
	var b strings.Builder
	half := max((width-12)/2, 8)
	for _, row := range [][3]string{
		{"", "A", "B"}, {"run", d.A.Run, d.B.Run}, {"worker", d.A.Entry, d.B.Entry}, {"status", ended(d.A.Status), ended(d.B.Status)},
		{"duration", duration(d.A.MS), duration(d.B.MS)}, {"tokens", tokens(d.A.Usage), tokens(d.B.Usage)},
		{"cost", d.A.Usage.CostText(), d.B.Usage.CostText()}, {"turns", strconv.Itoa(d.A.Turns), strconv.Itoa(d.B.Turns)},
		{"calls", strconv.Itoa(d.A.Calls), strconv.Itoa(d.B.Calls)}, {"answer", plain(d.A.Output), plain(d.B.Output)},
	} {
		if row[1] == "" && row[2] == "" {
			continue
		}
		a, c := clip(Visible(oneLine(row[1])), half-3), clip(Visible(oneLine(row[2])), half-2)
		style := ""
		if row[1] != row[2] && row[0] != "duration" && row[0] != "run" && row[0] != "" {
			style = "33"
		}
		line := fmt.Sprintf("%-10s  ", row[0]) + r.paint(style, a) + strings.Repeat(" ", max(half-utf8.RuneCountInString(a), 2)) + r.paint(style, c)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if d.Same {
		return b.String() + "\nthe runs are the same, times aside\n"
	}
	first := d.Differences[0]
	b.WriteString("\nfirst difference: " + r.paint("1", first.place()) + ": " + first.what() + "\n")
	x, y := excerpt(first.A, first.B, max(width-4, 20)*3)
	for _, side := range [][3]string{{"A", first.IDA, x}, {"B", first.IDB, y}} {
		if side[1] == "" || first.What == "turn" && side[2] == "" {
			continue
		}
		color := "31"
		if side[0] == "B" {
			color = "32"
		}
		b.WriteString("  " + r.paint(color, side[0]+" "+Visible(side[2])) + "\n")
	}
	if rest := d.Differences[1:]; len(rest) > 0 {
		fmt.Fprintf(&b, "\n%d more:\n", len(rest))
		for i, one := range rest {
			if i == maxDifferences {
				fmt.Fprintf(&b, "  and %d others; --json has all of them\n", len(rest)-i)
				break
			}
			b.WriteString("  " + one.line(width-3) + "\n")
		}
	}
	return b.String()
}

func ended(status string) string {
	if status == "" {
		return "unfinished"
	}
	return strings.ReplaceAll(status, "_", " ")
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// what returns what differs, for people.
func (d Difference) what() string {
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
	text := d.place() + ": " + d.what()
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
	return clip(text+": "+Visible(a)+" → "+Visible(b), width)
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
