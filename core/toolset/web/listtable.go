package web

import (
	"strconv"
	"strings"
)

// list writes a list. The items of an ordered list have the numbers that a browser shows:
// start, reversed and the value of an item count.
func (w *writer) list(n *node) string {
	var out []string
	number, step := numbering(n)
	for _, k := range n.kids {
		if k.tag == "" || w.skips(k) {
			continue
		}
		item := k.tag == "li"
		mark := "- "
		if n.tag == "ol" && item {
			if v, err := strconv.Atoi(strings.TrimSpace(k.attr["value"])); err == nil {
				number = v
			}
			mark = strconv.Itoa(number) + ". "
			number += step
		}
		text := w.block(&node{tag: "div", kids: []*node{k}})
		if item {
			text = w.block(k)
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		if !strings.Contains(text, "```") { // no empty lines within an item
			text = strings.ReplaceAll(text, "\n\n", "\n")
		}
		out = append(out, mark+strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", len(mark))))
	}
	return strings.Join(out, "\n")
}

// numbering returns the number of the first item of an ordered list and what is added for
// each further one.
func numbering(n *node) (first, step int) {
	first, step = 1, 1
	if _, reversed := n.attr["reversed"]; reversed {
		first, step = 0, -1
		for _, k := range n.kids {
			if k.tag == "li" {
				first++
			}
		}
	}
	if v, err := strconv.Atoi(strings.TrimSpace(n.attr["start"])); err == nil {
		first = v
	}
	return first, step
}

// Limits of a table. A wider one is written as blocks.
const (
	maxColumns = 60
	maxRowspan = 65534 // as in HTML
)

// grid has the cells of a table by row and column; nil is a place without a cell, also one
// that a cell covers which begins further left or above. So each value stays under its
// heading.
type grid struct {
	rows   [][]*node
	until  [maxColumns]int // for each column the first row that no cell from above covers
	column int             // the next place in the last row
	wide   int
	layout bool // a cell contains a table, code or a heading
}

func (g *grid) row() {
	g.rows = append(g.rows, nil)
	g.column = 0
	g.skipCovered()
}

// skipCovered goes to the next column that no cell from above covers.
func (g *grid) skipCovered() {
	for g.column < maxColumns && g.until[g.column] > len(g.rows)-1 {
		g.column++
	}
}

// add puts a cell into the last row. It returns false if there is no column for it.
func (g *grid) add(cell *node) bool {
	across, down := span(cell.attr["colspan"], 1000), span(cell.attr["rowspan"], maxRowspan)
	if strings.TrimSpace(cell.attr["rowspan"]) == "0" { // to the end of the table
		down = maxRowspan
	}
	if g.column+across > maxColumns {
		return false
	}
	last := len(g.rows) - 1
	for len(g.rows[last]) < g.column+across {
		g.rows[last] = append(g.rows[last], nil)
	}
	g.rows[last][g.column] = cell
	for range across {
		g.until[g.column] = last + down
		g.column++
	}
	g.wide = max(g.wide, g.column)
	g.layout = g.layout || cell.find(func(n *node) bool {
		return n != cell && (n.tag == "table" || n.tag == "pre" || n.tag == "h1" || n.tag == "h2")
	}) != nil
	g.skipCovered()
	return true
}

// span returns the number of columns or rows of a cell, between 1 and most.
func span(s string, most int) int {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || n < 1 {
		return 1
	}
	return min(n, most)
}

// read adds the rows of an element; inRow is true for a row itself. It returns false for a
// table that is too wide.
func (g *grid) read(w *writer, n *node, inRow bool) bool {
	for _, k := range n.kids {
		fits := true
		switch {
		case k.tag == "" || w.skips(k):
		case k.tag == "tr":
			g.row()
			fits = g.read(w, k, true)
		case inRow && (k.tag == "td" || k.tag == "th"):
			fits = g.add(k)
		case k.tag == "thead" || k.tag == "tbody" || k.tag == "tfoot":
			fits = g.read(w, k, false)
		}
		if !fits {
			return false
		}
	}
	return true
}

// table writes a table of Markdown, or blocks if the table is only for the layout.
func (w *writer) table(n *node) string {
	var g grid
	if !g.read(w, n, false) || g.wide < 2 || g.layout {
		return w.block(n)
	}
	var out []string
	if c := n.find(func(n *node) bool { return n.tag == "caption" }); c != nil {
		out = append(out, strings.TrimSpace(w.inline(c)), "")
	}
	for i, row := range g.rows {
		cells := make([]string, g.wide)
		for j, c := range row {
			if c != nil {
				cells[j] = strings.ReplaceAll(strings.Join(strings.Fields(w.inline(c)), " "), "|", `\|`)
			}
		}
		out = append(out, "| "+strings.Join(cells, " | ")+" |")
		if i == 0 {
			out = append(out, "|"+strings.Repeat(" --- |", g.wide))
		}
	}
	return strings.Join(out, "\n")
}
