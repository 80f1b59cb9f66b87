package editor

import (
	"strconv"
	"strings"

	"golem/cmd/cli/columns"
	"golem/core/ui"
)

// drawnAs returns a character as it is drawn: a tab as spaces, misleading characters
// escaped.
func drawnAs(s string) string {
	if s == "\t" {
		return "    "
	}
	return ui.Safe(s)
}

// shownCluster returns the length of the first character of s in bytes, and its width
// in columns as it is drawn.
func shownCluster(s string) (length, width int) {
	n, w := columns.First(s)
	if text := drawnAs(s[:n]); text != s[:n] {
		w = 0
		for text != "" {
			m, one := columns.First(text)
			text, w = text[m:], w+one
		}
	}
	return n, w
}

// widthOf returns how many columns a text of one line takes.
func widthOf(s string) int {
	w := 0
	for s != "" {
		n, one := shownCluster(s)
		s, w = s[n:], w+one
	}
	return w
}

// row is a line of the screen: a piece of the text.
type row struct{ from, to int }

// rows breaks the line between the offsets from and to into rows of at most width
// columns. If the last row is full, an empty one follows for the cursor.
func (e *Editor) rows(from, to, width int) []row {
	var out []row
	begin, col := from, 0
	for i := from; i < to; {
		n, w := shownCluster(e.text[i:to])
		if col+w > width && i > begin {
			out = append(out, row{begin, i})
			begin, col = i, 0
		}
		i, col = i+n, col+w
	}
	out = append(out, row{begin, to})
	if col >= width {
		out = append(out, row{to, to})
	}
	return out
}

// maxLine is how many bytes of a line are laid out on each side of the cursor, so that
// the cost does not grow with a line of several megabytes.
const maxLine = 64 << 10

// View returns the text around the cursor as at most height lines of at most width
// columns, and the cursor's column x and line y, counted from 0. The list of
// completions follows the text and is part of the lines. The lines contain SGR
// sequences only if color is true.
func (e *Editor) View(width, height int, color bool) (lines []string, x, y int) {
	width, height = max(width, 4), max(height, 1)
	list := e.list(width, max(height-1, 0), color)
	room := max(height-len(list), 1)
	rows, here := e.visibleRows(width, room)
	first := max(min(here-room/2, len(rows)-room), 0)
	if here-first >= room {
		first = here - room + 1
	}
	for _, r := range rows[first:min(first+room, len(rows))] {
		lines = append(lines, e.draw(r))
	}
	x = min(widthOf(e.text[rows[here].from:e.at]), width-1)
	return append(lines, list...), x, here - first
}

// visibleRows lays out the cursor's line, and as many lines before and after it as can be
// visible. here is the index of the cursor's row.
func (e *Editor) visibleRows(width, room int) (rows []row, here int) {
	start, end := e.lineStart(), e.lineEnd()
	start, end = max(start, e.aligned(max(e.at-maxLine, start))), min(end, e.aligned(min(e.at+maxLine, end)))
	rows = e.rows(start, end, width)
	for here = len(rows) - 1; here > 0 && rows[here].from > e.at; here-- {
	}
	if here > 0 && rows[here].from == rows[here].to && rows[here].from > e.at {
		here--
	}
	for n := room; n > 0 && start > 0; {
		to := start - 1
		start = max(strings.LastIndexByte(e.text[:to], '\n')+1, e.aligned(max(to-maxLine, 0)))
		above := e.rows(start, to, width)
		rows, here, n = append(above, rows...), here+len(above), n-len(above)
		if start > 0 && e.text[start-1] != '\n' {
			break
		}
	}
	for n := room; n > 0 && end < len(e.text) && e.text[end] == '\n'; {
		from := end + 1
		if end = strings.IndexByte(e.text[from:], '\n'); end < 0 {
			end = len(e.text)
		} else {
			end += from
		}
		end = min(end, e.aligned(min(from+maxLine, end)))
		below := e.rows(from, end, width)
		rows, n = append(rows, below...), n-len(below)
	}
	return rows, here
}

// draw returns a row as it appears on the screen.
func (e *Editor) draw(r row) string {
	var b strings.Builder
	for s := e.text[r.from:r.to]; s != ""; {
		n, _ := columns.First(s)
		b.WriteString(drawnAs(s[:n]))
		s = s[n:]
	}
	return b.String()
}

// list returns the lines below the text: the search prompt, or the completions.
func (e *Editor) list(width, most int, color bool) []string {
	if e.search != nil && most > 0 {
		what := "search: " + e.search.query
		if e.search.query != "" && e.search.found == 0 {
			what = "nothing found: " + e.search.query
		}
		return []string{paint(color, "2", fit(what+"   (Ctrl+R: older, Enter: take it, Esc: leave)", width))}
	}
	o := e.offer
	if !o.open() {
		return nil
	}
	n := min(most, maxShown, len(o.choices))
	more := n > 1 && n < len(o.choices)
	if more && n == most {
		n--
	}
	first := max(min(max(o.pick, 1)-(n+1)/2, len(o.choices)-n), 0)
	wide := 0
	for _, c := range o.choices[first : first+n] {
		wide = max(wide, widthOf(c.Text))
	}
	var out []string
	for i, c := range o.choices[first : first+n] {
		text := c.Text
		if c.Shown != "" {
			text = c.Shown
		} else if c.Help != "" {
			text += strings.Repeat(" ", min(wide, width)-min(widthOf(c.Text), min(wide, width))+2) + c.Help
		}
		lead, style := "  ", "2"
		if first+i+1 == o.pick {
			lead, style = "› ", "1"
		}
		out = append(out, paint(color, style, fit(lead+text, width)))
	}
	if more {
		out = append(out, paint(color, "2", fit("  … "+strconv.Itoa(len(o.choices)-n)+" more: arrow keys", width)))
	}
	return out
}

// fit returns a text on one line of at most width columns, cut with an ellipsis if
// needed.
func fit(s string, width int) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' }), " ")
	if widthOf(s) <= width {
		return drawn(s)
	}
	col := 0
	for i := 0; i < len(s); {
		n, w := shownCluster(s[i:])
		if col+w > width-1 {
			return drawn(s[:i]) + "…"
		}
		i, col = i+n, col+w
	}
	return drawn(s)
}

func drawn(s string) string {
	e := Editor{text: s}
	return e.draw(row{0, len(s)})
}

func paint(color bool, style, s string) string {
	if !color {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}
