package markdown

import (
	"strings"

	extast "github.com/yuin/goldmark/extension/ast"
)

// table draws a table. It is as wide as its cells need, up to the width of the screen;
// then cells take several lines. If columns would be too narrow to read, each row is
// drawn as a list of its cells, each labelled with its column head.
func (r *renderer) table(n *extast.Table, screen int) []string {
	var rows [][][]span
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		style := ""
		if len(rows) == 0 {
			style = bold
		}
		var row [][]span
		for d := c.FirstChild(); d != nil; d = d.NextSibling() {
			row = append(row, r.inline(d, style))
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 || len(rows[0]) == 0 {
		return nil
	}
	widths := fitted(rows, screen)
	if widths == nil {
		return r.records(rows, screen)
	}
	var out []string
	for i, row := range rows {
		out = append(out, r.row(row, widths, n.Alignments)...)
		if i == 0 {
			rule := make([]string, len(widths))
			for j, w := range widths {
				rule[j] = strings.Repeat("─", w)
			}
			out = append(out, paint(r.o.Color, dim, strings.Join(rule, "  ")))
		}
	}
	return out
}

// leastColumn is the smallest width of a shrunk column, in columns of the screen.
const leastColumn = 6

// fitted returns column widths with which the table fits the screen; nil if there are
// none.
func fitted(rows [][][]span, screen int) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for j := range min(len(row), len(widths)) {
			widths[j] = max(widths[j], width(row[j]), 1)
		}
	}
	for {
		total, widest := -2, 0
		for j, w := range widths {
			total += w + 2
			if w > widths[widest] {
				widest = j
			}
		}
		switch {
		case total <= screen:
			return widths
		case widths[widest] <= leastColumn:
			return nil
		}
		widths[widest] -= min(total-screen, max(widths[widest]/8, 1))
	}
}

func (r *renderer) row(row [][]span, widths []int, align []extast.Alignment) []string {
	cells := make([][][]span, len(widths))
	height := 1
	for j := range widths {
		if j < len(row) {
			cells[j] = wrap(row[j], widths[j])
		}
		height = max(height, len(cells[j]))
	}
	var out []string
	for i := range height {
		var b strings.Builder
		for j, w := range widths {
			var line []span
			if i < len(cells[j]) {
				line = cells[j][i]
			}
			gap := max(w-width(line), 0)
			left := 0
			if j < len(align) {
				switch align[j] {
				case extast.AlignRight:
					left = gap
				case extast.AlignCenter:
					left = gap / 2
				}
			}
			b.WriteString(strings.Repeat(" ", left) + styled(r.o, line) + strings.Repeat(" ", gap-left+2))
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	return out
}

// records draws each row as a list of its cells, one below the other.
func (r *renderer) records(rows [][][]span, screen int) []string {
	var out []string
	for i, row := range rows[1:] {
		if i > 0 {
			out = append(out, "")
		}
		for j, c := range row {
			if j < len(rows[0]) {
				c = append(append(append([]span{}, rows[0][j]...), span{": ", ""}), c...)
			}
			out = append(out, r.lines(c, screen)...)
		}
	}
	return out
}
