package fault

import (
	"strconv"
	"strings"
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
