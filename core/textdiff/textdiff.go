// Package textdiff shows what changes in a text, as a unified diff that git and
// patch apply.
package textdiff

import (
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Unified is the diff from old to next, "" if they are equal. from and to are
// the names in its first two lines.
func Unified(from, to, old, next string) string {
	lines, grown := strings.SplitAfter(udiff.Unified(from, to, old, next), "\n"), 0
	for i, line := range lines[min(2, len(lines)):] {
		switch {
		case line == "":
		case line[0] == '+':
			grown++
		case line[0] == '-':
			grown--
		case line[0] == '@' && i > 0:
			lines[i+2] = moved(line, grown)
		}
	}
	return strings.Join(lines, "")
}

// moved sets the line at which a hunk "@@ -A,B +C,D @@" after the first begins
// in the new text to A and what the hunks before it added. The library's C is
// too small if one of them holds unchanged lines between two changes.
func moved(hunk string, grown int) string {
	parts := strings.SplitN(hunk, " ", 4)
	before, _, _ := strings.Cut(parts[1][1:], ",")
	_, count, many := strings.Cut(parts[2], ",")
	at, _ := strconv.Atoi(before) // the library writes digits only
	parts[2] = "+" + strconv.Itoa(at+grown)
	if many {
		parts[2] += "," + count
	}
	return strings.Join(parts, " ")
}
