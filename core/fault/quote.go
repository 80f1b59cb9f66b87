package fault

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Brief shortens a text from a file or a person for use in a message: to at
// most 80 characters, with invisible characters and line ends escaped as in Go
// strings.
func Brief(s string) string {
	const most = 80
	s = strings.ToValidUTF8(s, "\uFFFD")
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	quoted := strconv.Quote(s)
	return quoted[1 : len(quoted)-1]
}

// Quoted returns the text of Brief in double quotes.
func Quoted(s string) string { return `"` + Brief(s) + `"` }

// Head returns at most the first most bytes of a text, cut between characters.
func Head(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// Count returns a number with its noun: "1 file", "2 files", "2 entries". noun is the
// singular of a regular English noun.
func Count(n int, noun string) string {
	switch stem, y := strings.CutSuffix(noun, "y"); {
	case n == 1:
	case y && !strings.ContainsAny(stem[max(len(stem)-1, 0):], "aeiou"):
		noun = stem + "ies"
	default:
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
