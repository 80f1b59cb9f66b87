// Package columns measures text in the columns of a terminal, as what a person sees as one
// character is drawn: families and flags are one. core/ui measures single code points, with a
// short table of its own, because the page links it; it counts no character as narrower.
package columns

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Of returns how many columns a line takes, without its SGR sequences.
func Of(s string) int {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// Cut returns a line of at most n columns. Where it cuts, it adds an ellipsis.
func Cut(s string, n int) string {
	if Of(s) <= n {
		return s
	}
	return ansi.Truncate(s, n, "…")
}

// First returns the length of the first character of a plain text in bytes, and its
// columns. The length is 0 only if the text is empty.
func First(s string) (length, width int) {
	if s == "" {
		return 0, 0
	}
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return 1, 1
	}
	first, n := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	return max(len(first), 1), n
}
