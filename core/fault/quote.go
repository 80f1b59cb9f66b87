package fault

import (
	"strconv"
	"strings"
)

// Brief is a text that a file or a person gave, as it may stand in a message:
// at most 80 characters of it, with what cannot be seen or could end a line
// escaped as Go does it.
func Brief(s string) string {
	const most = 80
	s = strings.ToValidUTF8(s, "\uFFFD")
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	quoted := strconv.Quote(s)
	return quoted[1 : len(quoted)-1]
}

// Quoted is Brief between double quotes.
func Quoted(s string) string { return `"` + Brief(s) + `"` }
