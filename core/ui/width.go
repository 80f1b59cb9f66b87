package ui

import (
	"strings"
	"unicode"
)

// wide has the characters that a terminal may draw two columns wide: the wide ones of
// Unicode 16, and rare characters between them, so that the table is short. If a character
// were counted as narrow but drawn wide, the end of a line would move past the edge of the
// screen or to the left edge, where golem's own lines begin (SECURITY 9). If it is counted
// as wide but drawn narrow, only a column stays empty.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115f, 1}, {0x231a, 0x231b, 1}, {0x2329, 0x232a, 1}, {0x23e9, 0x23f3, 1}, {0x25fd, 0x25fe, 1},
		{0x2614, 0x2615, 1}, {0x2630, 0x2637, 1}, {0x2648, 0x2653, 1}, {0x267f, 0x267f, 1}, {0x268a, 0x2693, 1},
		{0x26a1, 0x26a1, 1}, {0x26aa, 0x26ab, 1}, {0x26bd, 0x26fd, 1}, {0x2705, 0x270b, 1}, {0x2728, 0x2728, 1},
		{0x274c, 0x2757, 1}, {0x2795, 0x2797, 1}, {0x27b0, 0x27bf, 1}, {0x2b1b, 0x2b1c, 1}, {0x2b50, 0x2b55, 1},
		{0x2e80, 0xa4cf, 1}, {0xa960, 0xa97f, 1}, {0xac00, 0xd7af, 1}, {0xf900, 0xfaff, 1}, {0xfe10, 0xfe6f, 1},
		{0xff00, 0xff60, 1}, {0xffe0, 0xffe7, 1},
	},
	R32: []unicode.Range32{{0x16fe0, 0x1bbff, 1}, {0x1d300, 0x1d37f, 1}, {0x1f000, unicode.MaxRune, 1}},
}

// Columns returns how many Columns a terminal needs for r.
func Columns(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case r == 0xfe0f: // it turns the narrow character before it into a wide emoji
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// Width returns how many columns a terminal needs for a text without escape sequences.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += Columns(r)
	}
	return n
}

// Clip shortens s to at most n columns (but at least 5) and ends it with "…" if it is cut.
func Clip(s string, n int) string {
	if Width(s) <= n {
		return s
	}
	return s[:fitting(s, max(n-1, 4))] + "…"
}

// Wrap splits s into pieces of at most n columns, without the spaces at which it breaks.
// It breaks at a space if one is in the second half of a piece, else within a word.
func Wrap(s string, n int) []string {
	out := breakWords(s, n)
	for i := range out {
		if i < len(out)-1 {
			out[i] = strings.TrimRight(out[i], " ")
		}
		if i > 0 {
			out[i] = strings.TrimLeft(out[i], " ")
		}
	}
	return out
}

// breakWords splits s like Wrap, but keeps every character: joined, the pieces are s.
func breakWords(s string, n int) []string {
	n = max(n, 4)
	var out []string
	for {
		fits := fitting(s, n)
		if fits == len(s) {
			return append(out, s)
		}
		if i := strings.LastIndexByte(s[:fits], ' ') + 1; s[fits] != ' ' && i > 0 && Width(s[:i]) >= n/2 {
			fits = i
		}
		out = append(out, s[:fits])
		s = s[fits:]
	}
}

// Fit breaks the lines of a text that are wider than n columns, between words.
// The rest of a broken line is indented by two columns more than its beginning. A word
// that is too wide is not broken, so that a path or a digest can be copied. If n is 0,
// Fit returns the text unchanged.
func Fit(text string, n int) string {
	if n <= 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, end := strings.CutSuffix(line, "\n")
		body := strings.TrimLeft(line, " ")
		indent := strings.Repeat(" ", min(len(line)-len(body)+2, n/2))
		b.WriteString(line[:len(line)-len(body)])
		room := n - (len(line) - len(body))
		for Width(body) > room {
			at := lastBlank(body, room)
			if at < 0 {
				break
			}
			b.WriteString(strings.TrimRight(body[:at], " ") + "\n" + indent)
			body, room = strings.TrimLeft(body[at:], " "), n-len(indent)
		}
		b.WriteString(body)
		if end {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// lastBlank returns the index of the space at which to break s, which is wider than n
// columns: the last space that fits, else the first one, or -1 if there is none.
func lastBlank(s string, n int) int {
	if at := strings.LastIndexByte(s[:min(fitting(s, n)+1, len(s))], ' '); at > 0 {
		return at
	}
	return strings.IndexByte(s, ' ')
}

// fitting returns how many bytes of s fit in n columns.
func fitting(s string, n int) int {
	col := 0
	for i, r := range s {
		if col += Columns(r); col > n {
			return i
		}
	}
	return len(s)
}
