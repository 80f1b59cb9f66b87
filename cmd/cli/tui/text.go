package tui

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"golem/core/ui"
)

// clean is text that others wrote as the screen may have it: everything that is not
// printable is an escape, tabs are spaces; line breaks stay.
func clean(s string) string {
	return strings.ReplaceAll(ui.Safe(s), "\t", "    ")
}

// line is clean text on one line.
func line(s string) string { return clean(strings.Join(strings.Fields(s), " ")) }

// columns is how many columns a line takes, SGR sequences aside.
func columns(s string) int {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// cut is a line in at most n columns, with an ellipsis where it was cut.
func cut(s string, n int) string {
	if n <= 0 {
		return ""
	}
	if columns(s) <= n {
		return s
	}
	return ansi.Truncate(s, n, "…")
}

// chop breaks a line into pieces of at most n columns, between any two characters.
func chop(s string, n int) []string {
	if columns(s) <= n {
		return []string{s}
	}
	return strings.Split(ansi.Hardwrap(s, n, true), "\n")
}

// single is a text for a terminal that does not take several characters as one glyph: the
// library that draws would leave out families and keycaps, whose first character stands
// for them, with as many columns as all of them have.
func single(s string) string {
	if !strings.ContainsAny(s, "\u200d\u20e3") {
		return s
	}
	var b strings.Builder
	for s != "" {
		glyph, n := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		s = s[len(glyph):]
		if strings.ContainsAny(glyph, "\u200d\u20e3") {
			_, size := utf8.DecodeRuneInString(glyph)
			glyph = glyph[:size] + strings.Repeat(" ", max(n-ansi.StringWidthWc(glyph[:size]), 0))
		}
		b.WriteString(glyph)
	}
	return b.String()
}

// joins tells whether a terminal says that it takes several characters as one glyph.
func joins(msg tea.ModeReportMsg) bool {
	return msg.Mode == ansi.ModeUnicodeCore && (msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet || msg.Value == ansi.ModePermanentlySet)
}

// bound stands for a hyphen while lines are broken. Clean text has no character of
// private use.
const bound = "\ue000"

// wrap breaks text into lines of at most n columns, at blanks where it can: a flag or a
// path that was broken at a hyphen could not be copied.
func wrap(s string, n int) []string {
	n = max(n, 4)
	var out []string
	for _, l := range strings.Split(s, "\n") {
		if columns(l) <= n {
			out = append(out, l)
			continue
		}
		l = ansi.Wrap(strings.ReplaceAll(l, "-", bound), n, "")
		out = append(out, strings.Split(strings.ReplaceAll(l, bound, "-"), "\n")...)
	}
	return out
}

// hang is wrap of one line that keeps a second column together: what follows of a line
// stands below what comes behind its first gap of two blanks.
func hang(l string, n int) []string {
	if columns(l) <= n {
		return []string{l}
	}
	body := strings.TrimLeft(l, " ")
	indent := len(l) - len(body)
	if at := strings.Index(body, "  "); at > 0 {
		rest := strings.TrimLeft(body[at:], " ")
		indent = columns(l[:len(l)-len(rest)])
	}
	if indent > n/2 {
		indent = min(4, n/2)
	}
	first := wrap(l, n)[0]
	out := []string{first}
	for _, more := range wrap(strings.TrimLeft(l[len(first):], " "), n-indent) {
		out = append(out, strings.Repeat(" ", indent)+more)
	}
	return out
}

// Hang is a text in lines of at most n columns, where they can be broken at blanks.
func Hang(text string, n int) string {
	var b strings.Builder
	for l := range strings.Lines(text) {
		l, end := strings.CutSuffix(l, "\n")
		b.WriteString(strings.Join(hang(l, n), "\n"))
		if end {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// fitting joins the first of some parts, as many as have room in a line of n columns.
func fitting(parts []string, between string, n int) string {
	for len(parts) > 1 && columns(strings.Join(parts, between)) > n {
		parts = parts[:len(parts)-1]
	}
	return cut(strings.Join(parts, between), n)
}

// pad is a line of exactly n columns.
func pad(s string, n int) string {
	s = cut(s, n)
	return s + strings.Repeat(" ", max(n-columns(s), 0))
}

// paint puts a style, the numbers of an SGR sequence, around a text.
func paint(on bool, style, s string) string {
	if !on || style == "" || s == "" {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

// Styles: of the sixteen colours that a terminal's own theme defines. paletteOf has
// better ones where the terminal tells its background.
const (
	bold, dim, reverse = "1", "2", "7"
	red, green, yellow = "31", "32", "33"
	blue, magenta      = "34", "35"
	cyan               = "36"
)

// paletteOf are the styles for a terminal whose background is known: the sixteen colours
// of a theme are often hard to read on it, yellow on white and blue on black above all.
func paletteOf(dark bool) *strings.Replacer {
	if dark {
		return strings.NewReplacer("\x1b["+blue+"m", "\x1b[38;5;75m", "\x1b["+magenta+"m", "\x1b[38;5;176m", "\x1b["+red+"m", "\x1b[38;5;203m")
	}
	return strings.NewReplacer(
		"\x1b["+red+"m", "\x1b[38;5;124m", "\x1b["+green+"m", "\x1b[38;5;28m", "\x1b["+yellow+"m", "\x1b[38;5;130m",
		"\x1b["+blue+"m", "\x1b[38;5;25m", "\x1b["+magenta+"m", "\x1b[38;5;90m", "\x1b["+cyan+"m", "\x1b[38;5;30m")
}
