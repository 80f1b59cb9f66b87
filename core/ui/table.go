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
			widths[i] = max(widths[i], width(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell + strings.Repeat(" ", widths[i]-width(cell)+2))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// leastLast is the least width of the last column of a narrowed table.
const leastLast = 12

// NarrowTable is a table that keeps a row on one line of n columns: it leaves out the
// columns named in spare, in their order, and then cuts the last column. Where that is
// not enough, the last column is whole, for Fit to break. For n of 0 the rows are
// unchanged. Cells are one line each.
func NarrowTable(rows [][]string, n int, spare ...string) [][]string {
	if n <= 0 {
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
				wide = max(wide, width(row[i]))
			}
			before += wide + 2
		}
		for _, row := range out {
			longest = max(longest, width(row[last]))
		}
		if room := n - before; room >= min(longest, leastLast) {
			for _, row := range out {
				row[last] = clip(row[last], room)
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
