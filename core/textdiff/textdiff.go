// Package textdiff makes unified diffs that git and patch can apply.
package textdiff

import (
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Unified returns the diff from old to next, or "" if they are equal. from and to are
// the file names in its first two lines.
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

// moved corrects C, the first line in the new text, of a hunk "@@ -A,B +C,D @@"
// after the first one: to A plus the lines that the previous hunks added (grown).
// The library's C is too small if a previous hunk has unchanged lines between two
// changes.
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
