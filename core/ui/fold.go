package ui

import (
	"encoding/json"
	"fmt"
	"strings"

	"golem/core/fault"
)

// Marks are printed before every line of content in a request, so that content
// cannot look like golem's own lines (SECURITY 9).
const (
	mark     = "  │ "
	markMore = "  ┆ " // the same line, broken by golem
)

// How many lines of the screen a label, or one line of a question, may take
// before it is shortened.
const (
	labelRows  = 2
	headRows   = 3
	lineRows   = 12
	lesserRows = 1 // for labels that help to understand but are not needed to decide
)

// section has the lines of the screen for one argument, diff or setting.
type section struct{ rows []row }

// row is one line of the screen. line is the number of the line of content that it shows,
// from 1; 0 means that it is a title.
type row struct {
	parts Line
	line  int
}

func (s *section) add(texts []string) {
	for _, t := range texts {
		s.rows = append(s.rows, row{parts: Line{{Text: t}}})
	}
}

// label writes a line with a name and a value. A long line is broken between words, and
// cut after most rows unless the whole request is shown.
func (v *requestView) label(name, value string, most int) {
	rows := v.broken(name, v.visible(value))
	if len(rows) > most && !v.whole && v.width >= cutWidth {
		rows = rows[:most]
		rows[most-1] = Clip(rows[most-1], v.width-Width(cutLabel)-1) + cutLabel
		v.partial = v.partial || most != lesserRows
	}
	color := Body
	switch {
	case name == v.prefix():
		color = Strong
	case name == meansPrefix && v.titled:
		color = Warn
	}
	for _, r := range rows {
		v.b.WriteString(color.Paint(v.color, r) + "\n")
	}
}

// cutLabel ends a label that is cut. On a screen narrower than cutWidth there is no room
// for it, so labels are not cut there.
const (
	cutLabel = " … (v: all)"
	cutWidth = 20
)

// broken returns name and value as lines of the screen. If the name leaves little room
// for the value, it is broken, too.
func (v *requestView) broken(name, value string) []string {
	if v.width-Width(name) < 8 {
		name, value = "", name+value
	}
	pieces := Wrap(value, v.width-max(Width(name), Width(markMore)))
	out := []string{name + pieces[0]}
	for _, p := range pieces[1:] {
		out = append(out, markMore+p)
	}
	return out
}

// argument returns the section for one argument of a call. With alone, a text has no
// title, because the headline says already what it is.
func (v *requestView) argument(f field, alone bool) section {
	name := f.name
	if name == "" {
		name = "arguments"
	}
	var text string
	isText := json.Unmarshal(f.value, &text) == nil && strings.HasPrefix(strings.TrimSpace(string(f.value)), `"`)
	if !isText {
		return v.value(name, pretty(f.value), true)
	}
	if alone {
		return section{rows: v.content(text, nil)}
	}
	if !strings.Contains(text, "\n") {
		return v.value(name, `"`+text+`"`, true)
	}
	return v.value(name, text, false)
}

// value returns the section for a text with a name. With inline, a short text is on the
// line of its name; any other text is below a title.
func (v *requestView) value(name, text string, inline bool) section {
	name = "  " + v.visible(name)
	if inline && !strings.Contains(text, "\n") {
		shown := v.visible(text)
		if Width(name)+2+Width(shown) <= v.width {
			return section{rows: []row{{parts: Line{{Text: name + ": "}, {Text: shown}}}}}
		}
	}
	body := v.content(text, nil)
	title := fmt.Sprintf("%s (%s, %d bytes):", name, fault.Count(body[len(body)-1].line, "line"), len(text))
	var s section
	titles := []string{title}
	if Width(title) > v.width {
		titles = breakWords(title, v.width-Width(markMore))
	}
	s.add(titles)
	for i := 1; i < len(titles); i++ {
		s.rows[i].parts = Line{{Text: markMore + titles[i]}}
	}
	s.rows = append(s.rows, body...)
	return s
}

// diff returns the section for a unified diff in colours, below a title unless it is "".
func (v *requestView) diff(title, text string) section {
	var s section
	if title != "" {
		s.add([]string{title})
	}
	style := DiffStyle
	if !strings.HasPrefix(text, "--- ") { // the diff has no lines that name the file
		style = changeStyle
	}
	s.rows = append(s.rows, v.content(text, style)...)
	return s
}

// content returns the rows for a text, at least one, each with a mark before it.
func (v *requestView) content(text string, roleOf func(string) Role) []row {
	var out []row
	for i, l := range v.lines(text) {
		role := Body
		if roleOf != nil {
			role = roleOf(l)
		}
		m := mark
		for _, p := range breakWords(strings.ReplaceAll(l, "\t", "    "), v.width-Width(mark)) {
			out = append(out, row{Line{{Text: m}, {Text: p, Role: role}}, i + 1})
			m = markMore
		}
	}
	return out
}

// leastRows is the smallest number of rows that a section is cut to.
const leastRows = 3

// fold writes the sections in at most room lines, and says what it left out.
func (v *requestView) fold(all []section, room int) {
	room = max(room, leastRows+1)
	total := 0
	for _, s := range all {
		total += len(s.rows)
	}
	if v.whole || total <= room {
		for _, s := range all {
			v.rows(s.rows)
		}
		return
	}
	least := func(s section) int { return min(len(s.rows), leastRows) }
	n, used := 0, 0
	for n < len(all) && used+least(all[n]) <= room-1 {
		used += least(all[n])
		n++
	}
	if n == len(all) {
		room++ // no line is needed for the number of sections left out
	}
	spare := room - 1 - used
	for _, s := range all[:n] {
		more := min(len(s.rows)-least(s), spare)
		spare -= more
		v.writeSome(s, least(s)+more)
	}
	if left := len(all) - n; left > 0 {
		v.b.WriteString(v.hidden(fault.Count(left, "more value")))
	}
}

// writeSome writes a section in n lines; if it has more, the last of them says how much is
// missing.
func (v *requestView) writeSome(s section, n int) {
	if n >= len(s.rows) {
		v.rows(s.rows)
		return
	}
	shown := s.rows[:n-1]
	v.rows(shown)
	last, next, end := shown[n-2].line, s.rows[n-1].line, s.rows[len(s.rows)-1].line
	what := fault.Count(end-last, "more line")
	if last == next && last > 0 {
		if what = "the rest of this line"; end > last {
			what += " and " + fault.Count(end-last, "more line")
		}
	}
	v.b.WriteString(v.hidden(what))
}

func (v *requestView) hidden(what string) string {
	v.partial = true
	return strings.Join(v.broken("  … ", what+" not shown; v shows all"), "\n") + "\n"
}

func (v *requestView) rows(all []row) {
	for _, r := range all {
		v.b.WriteString(r.parts.Paint(v.color) + "\n")
	}
}
