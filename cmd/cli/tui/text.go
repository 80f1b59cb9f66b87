package tui

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"golem/cmd/cli/columns"
	"golem/core/ui"
)

// clean returns text that models or tools wrote, made safe for the screen: characters
// that are not printable are escaped, tabs become spaces, line breaks stay.
func clean(s string) string {
	return strings.ReplaceAll(ui.Safe(s), "\t", "    ")
}

// line returns clean text on one line.
func line(s string) string { return clean(strings.Join(strings.Fields(s), " ")) }

// cut returns a line of at most n columns. Where it cuts, it adds an ellipsis.
func cut(s string, n int) string {
	if n <= 0 {
		return ""
	}
	return columns.Cut(s, n)
}

// chop breaks a line into pieces of at most n columns, between any two characters.
func chop(s string, n int) []string {
	if columns.Of(s) <= n {
		return []string{s}
	}
	return strings.Split(ansi.Hardwrap(s, n, true), "\n")
}

// singleGlyphs prepares text for a terminal that does not draw several code points as one
// glyph. The drawing library would leave out such glyphs (families, keycaps); it
// replaces each by its first character, padded to the same width.
func singleGlyphs(s string) string {
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

// joins reports whether the terminal says that it draws several code points as one
// glyph.
func joins(msg tea.ModeReportMsg) bool {
	return msg.Mode == ansi.ModeUnicodeCore && (msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet || msg.Value == ansi.ModePermanentlySet)
}

// bound replaces hyphens while lines are broken. Clean text contains no character of
// private use.
const bound = "\ue000"

// wrap breaks text into lines of at most n columns, at spaces where possible. It does
// not break at hyphens, because a flag or a path broken there could not be copied.
func wrap(s string, n int) []string {
	n = max(n, 4)
	var out []string
	for _, l := range strings.Split(s, "\n") {
		if columns.Of(l) <= n {
			out = append(out, l)
			continue
		}
		l = ansi.Wrap(strings.ReplaceAll(l, "-", bound), n, "")
		out = append(out, strings.Split(strings.ReplaceAll(l, bound, "-"), "\n")...)
	}
	return out
}

// hang wraps one line that may have two columns, separated by two spaces or more: the
// continuation lines are indented to the second column, or else like the line itself.
func hang(l string, n int) []string {
	if columns.Of(l) <= n {
		return []string{l}
	}
	body := strings.TrimLeft(l, " ")
	indent := len(l) - len(body)
	if at := strings.Index(body, "  "); at > 0 {
		rest := strings.TrimLeft(body[at:], " ")
		indent = columns.Of(l[:len(l)-len(rest)])
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

// Hang wraps a text into lines of at most n columns, at spaces where possible, and
// indents continuation lines to the second column of a line, such as in a list of
// flags.
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

// fitting joins the first parts, as many as fit in a line of n columns.
func fitting(parts []string, between string, n int) string {
	for len(parts) > 1 && columns.Of(strings.Join(parts, between)) > n {
		parts = parts[:len(parts)-1]
	}
	return cut(strings.Join(parts, between), n)
}

// pad returns a line of exactly n columns.
func pad(s string, n int) string {
	s = cut(s, n)
	return s + strings.Repeat(" ", max(n-columns.Of(s), 0))
}

// paint gives a text its role, if the terminal has colours.
func paint(on bool, role ui.Role, s string) string { return role.Paint(on, s) }

// Roles, in the sixteen colours that the terminal's theme defines. paletteOf replaces some
// of them if the terminal tells its background.
const (
	bold, dim, reverse               = ui.Strong, ui.Faint, ui.Role("7")
	red, green, yellow, cyan         = ui.Bad, ui.Good, ui.Warn, ui.Info
	blue, magenta            ui.Role = "34", "35"
)

// paletteOf returns a replacer of styles for a terminal whose background is known. The
// sixteen colours of a theme are often hard to read, above all yellow on white and blue
// on black.
func paletteOf(dark bool) *strings.Replacer {
	if dark {
		return strings.NewReplacer(begins(blue), "\x1b[38;5;75m", begins(magenta), "\x1b[38;5;176m", begins(red), "\x1b[38;5;203m")
	}
	return strings.NewReplacer(
		begins(red), "\x1b[38;5;124m", begins(green), "\x1b[38;5;28m", begins(yellow), "\x1b[38;5;130m",
		begins(blue), "\x1b[38;5;25m", begins(magenta), "\x1b[38;5;90m", begins(cyan), "\x1b[38;5;30m")
}

// begins returns the sequence that begins a text of a role.
func begins(role ui.Role) string { return "\x1b[" + string(role) + "m" }
