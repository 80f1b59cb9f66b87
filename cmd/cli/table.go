package main

import (
	"strings"
	"unicode/utf8"

	"golem/core/approval"
)

// oneLine is text from a project, safe to show on one line.
func oneLine(s string) string {
	out, _ := approval.Visible(strings.Join(strings.Fields(s), " "))
	return out
}

// table lines up rows; the first one is the head.
func table(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}
