package config

import (
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"golem/core/fault"
	"golem/core/yamltree"
)

func globShape() *yamltree.Shape {
	return yamltree.Text(globProblem)
}

func globProblem(s string) string {
	if p := yamltree.NameProblem(s); p != "" {
		return p
	}
	if strings.Count(s, "{") > maxBraces { // alternatives multiply
		return fmt.Sprintf("%s has more than %d braces {", fault.Quoted(s), maxBraces)
	}
	if !doublestar.ValidatePattern(s) {
		return fault.Quoted(s) + " is not a valid pattern"
	}
	return ""
}

const maxBraces = 3

// dirProblem returns what is wrong with the path of a directory, which must be relative
// and inside the project.
func dirProblem(s string) string {
	if p := yamltree.NameProblem(s); p != "" {
		return p
	}
	if _, ok := Inside(s); !ok {
		return fault.Quoted(s) + " is not inside the project"
	}
	return ""
}

// Inside cleans a slash path relative to the project root; false if it is
// absolute, leaves the root, or is not a path on some platform.
func Inside(s string) (string, bool) {
	if s == "" || s[0] == '/' || strings.ContainsAny(s, "\\\x00") || yamltree.Invisible(s) || len(s) > 4096 || Drive(s) {
		return "", false
	}
	for _, element := range strings.Split(s, "/") {
		if element == ".." {
			return "", false
		}
	}
	return path.Clean(s), true
}

// Drive reports whether a path begins with a drive, as C:/x and C:x, which Windows does
// not read relative to the project.
func Drive(s string) bool {
	return len(s) >= 2 && s[1] == ':' && (s[0]|0x20) >= 'a' && (s[0]|0x20) <= 'z'
}
