package approval

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks is how many combining marks in a row are shown; the rest become
// escapes, because stacked marks can draw over other lines.
const maxMarks = 4

// unseen are characters that Unicode counts as printable although they are not
// visible: fillers, joiners, variation selectors and blank symbols.
var unseen = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034f, Hi: 0x034f, Stride: 1}, // combining grapheme joiner
		{Lo: 0x115f, Hi: 0x1160, Stride: 1}, // Hangul fillers
		{Lo: 0x17b4, Hi: 0x17b5, Stride: 1}, // Khmer inherent vowels
		{Lo: 0x180b, Hi: 0x180f, Stride: 1}, // Mongolian selectors
		{Lo: 0x2800, Hi: 0x2800, Stride: 1}, // blank Braille
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, // Hangul filler
		{Lo: 0xfe00, Hi: 0xfe0f, Stride: 1}, // variation selectors
		{Lo: 0xffa0, Hi: 0xffa0, Stride: 1}, // half-width Hangul filler
		{Lo: 0xfffc, Hi: 0xfffc, Stride: 1}, // object replacement
	},
	R32: []unicode.Range32{
		{Lo: 0x16fe4, Hi: 0x16fe4, Stride: 1}, // Khitan filler
		{Lo: 0x1d159, Hi: 0x1d159, Stride: 1}, // null notehead
		{Lo: 0xe0100, Hi: 0xe01ef, Stride: 1}, // variation selectors
	},
}

// Visible makes text safe to show on one line. Control characters (including
// ANSI escapes, line breaks and tabs), bidirectional and invisible characters,
// unusual spaces and bytes that are not UTF-8 become escapes such as
// \u{202e}, \n or \x{ff}. changed reports whether anything was escaped, so that
// the caller can say so (SECURITY 9). A safe text stays as it is.
func Visible(s string) (safe string, changed bool) {
	return visible(s, false)
}

// Lines splits text at its line breaks (\n, \r\n) and makes each line safe as
// Visible does, but keeps tabs. The \r of a \r\n is shown but does not count as
// a change. A caller must put a mark before each line that it prints, so that no
// line can look like a part of the prompt. A line break at the end of the text
// does not add a line.
func Lines(s string) (lines []string, changed bool) {
	s = strings.TrimSuffix(s, "\n")
	for line := range strings.SplitSeq(s, "\n") {
		body, cr := strings.CutSuffix(line, "\r")
		safe, c := visible(body, true)
		if cr {
			safe += `\r`
		}
		lines = append(lines, safe)
		changed = changed || c
	}
	return lines, changed
}

func visible(s string, tabs bool) (string, bool) {
	if plain(s) {
		return s, false
	}
	var b strings.Builder
	changed := false
	marks := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.In(r, unicode.Mn, unicode.Me) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x{%02x}`, s[i])
			changed = true
		case r == '\t' && tabs:
			b.WriteByte('\t')
		case isVisible(r) && marks <= maxMarks:
			b.WriteString(s[i : i+n])
		default:
			b.WriteString(escape(r))
			changed = true
		}
		i += n
	}
	return b.String(), changed
}

// plain reports whether text is only printable ASCII, as most text is.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// isVisible reports whether a character is visible by itself on a screen.
func isVisible(r rune) bool {
	return unicode.IsPrint(r) && !unicode.Is(unseen, r)
}

func escape(r rune) string {
	switch r {
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	return fmt.Sprintf(`\u{%02x}`, r)
}
