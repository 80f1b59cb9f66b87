package ui

import (
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
