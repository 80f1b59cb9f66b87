package markdown

import (
	"strings"

	"golem/cmd/cli/columns"
	"golem/core/ui"
)

// Styles, as parameters of SGR sequences. Only the basic colours are used, which the
// terminal's theme defines.
const (
	bold, dim, italic, under, strike = "1", "2", "3", "4", "9"
	red, green, magenta, cyan        = "31", "32", "35", "36"

	codeStyle    = cyan
	wordStyle    = magenta
	stringStyle  = green
	commentStyle = dim
	numberStyle  = cyan
)

// span is a piece of text in one style.
type span struct{ text, style string }

// cell is one character as a person sees it: a grapheme cluster, such as a letter with its
// accents or an emoji of several characters.
type cell struct {
	text  string
	width int
	style string
}

// leaf returns text that a model or a tool wrote, escaped and on one line, so that it
// is safe to draw.
func leaf(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(ui.Safe(s), "\t", "    "), "\n", " ")
}

func paint(on bool, style, s string) string {
	if !on || style == "" || s == "" {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

// styled returns one line of spans as text with SGR sequences, if colours are on.
func styled(o Options, line []span) string {
	var b strings.Builder
	for i := 0; i < len(line); {
		text := line[i].text
		j := i + 1
		for ; j < len(line) && line[j].style == line[i].style; j++ {
			text += line[j].text
		}
		b.WriteString(paint(o.Color, line[i].style, text))
		i = j
	}
	return b.String()
}

func cells(spans []span) []cell {
	n := 0
	for _, s := range spans {
		n += len(s.text)
	}
	out := make([]cell, 0, n)
	for _, s := range spans {
		for rest := s.text; rest != ""; {
			size, w := columns.First(rest)
			out = append(out, cell{rest[:size], w, s.style})
			rest = rest[size:]
		}
	}
	return out
}

func join(line []cell) []span {
	var out []span
	for i := 0; i < len(line); {
		var b strings.Builder
		j := i
		for ; j < len(line) && line[j].style == line[i].style; j++ {
			b.WriteString(line[j].text)
		}
		out = append(out, span{b.String(), line[i].style})
		i = j
	}
	return out
}

// width returns how many columns spans take.
func width(spans []span) int {
	n := 0
	for _, s := range spans {
		n += columns.Of(s.text)
	}
	return n
}

// chop breaks spans into lines of at most n columns, between any two characters.
func chop(spans []span, n int) [][]span {
	if width(spans) <= n {
		return [][]span{spans}
	}
	var out [][]span
	all := cells(spans)
	begin, w := 0, 0
	for i, c := range all {
		if w+c.width > n && i > begin {
			out = append(out, join(all[begin:i]))
			begin, w = i, 0
		}
		w += c.width
	}
	return append(out, join(all[begin:]))
}

// wrap breaks spans into lines of at most n columns: at line breaks, and between words.
// A word longer than a line is broken, and scripts without spaces break between any two
// characters.
func wrap(spans []span, n int) [][]span {
	n = max(n, 4)
	var out [][]span
	all := cells(spans)
	begin, w, space := 0, 0, -1 // space: the index after the last place to break
	flush := func(end, next int) {
		line := all[begin:end]
		for len(line) > 0 && line[len(line)-1].text == " " {
			line = line[:len(line)-1]
		}
		out = append(out, join(line))
		begin, w, space = next, 0, -1
	}
	for i := 0; i < len(all); i++ {
		c := all[i]
		if c.text == "\n" {
			flush(i, i+1)
			continue
		}
		if w+c.width > n && i > begin {
			switch {
			case c.text == " ":
				flush(i, i+1)
				continue
			case space > begin:
				flush(space, space)
				i = begin - 1
				continue
			}
			flush(i, i)
		}
		w += c.width
		if c.text == " " || c.width == 2 {
			space = i + 1
		}
	}
	if begin < len(all) || len(out) == 0 {
		flush(len(all), len(all))
	}
	return out
}
