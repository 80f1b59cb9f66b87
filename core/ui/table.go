package ui

import (
	"slices"
	"strings"

	"golem/core/approval"
)

// OneLine makes text from a project safe to show on one line.
func OneLine(s string) string {
	out, _ := approval.Visible(strings.Join(strings.Fields(s), " "))
	return out
}

// Table aligns rows in columns by the width that they have on a terminal, with
// two spaces between columns.
func Table(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell + strings.Repeat(" ", widths[i]-Width(cell)+2))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// leastLast is the smallest width to which NarrowTable cuts the last column.
const leastLast = 12

// NarrowTable narrows a table so that each row fits on a line of n columns. It removes
// the columns whose headings are in spare, in that order, until the last column has
// enough room, and cuts the last column. If there is not enough room even then, the last
// column stays complete, so that Fit can break it. rows[0] has the headings, and each
// cell is one line. If n is 0, it returns the rows unchanged; otherwise it returns a copy.
func NarrowTable(rows [][]string, n int, spare ...string) [][]string {
	if n <= 0 || len(rows) == 0 {
		return rows
	}
	out := make([][]string, len(rows))
	for i, row := range rows {
		out[i] = slices.Clone(row)
	}
	for {
		last := len(out[0]) - 1
		before, longest := 0, 0
		for i := range last {
			wide := 0
			for _, row := range out {
				wide = max(wide, Width(row[i]))
			}
			before += wide + 2
		}
		for _, row := range out {
			longest = max(longest, Width(row[last]))
		}
		if room := n - before; room >= min(longest, leastLast) {
			for _, row := range out {
				row[last] = Clip(row[last], room)
			}
			return out
		}
		if len(spare) == 0 {
			return out
		}
		if at := slices.Index(out[0], spare[0]); at >= 0 && at < last {
			for i := range out {
				out[i] = slices.Delete(out[i], at, at+1)
			}
		}
		spare = spare[1:]
	}
}
