package config

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"golem/core/fault"
	"golem/core/yamltree"
)

// Early reports whether a version is a pre-release, as 2.0-rc.1.
func Early(version string) bool {
	numbers, _, _ := strings.Cut(version, "+")
	return strings.Contains(numbers, "-")
}

// SameVersion reports whether two versions are one: 1.0 is 1.0.0. What follows + must be
// the same.
func SameVersion(a, b string) bool {
	_, build, _ := strings.Cut(a, "+")
	_, other, _ := strings.Cut(b, "+")
	return build == other && CompareVersions(a, b) == 0
}

// CompareVersions orders semantic versions. Numbers that are left out at the end are 0,
// and a pre-release (with -) comes before its release.
func CompareVersions(a, b string) int {
	a, _, _ = strings.Cut(a, "+")
	b, _, _ = strings.Cut(b, "+")
	a, before, isBefore := strings.Cut(a, "-")
	b, other, isOther := strings.Cut(b, "-")
	if c := compareParts(filled(a), filled(b)); c != 0 || !isBefore && !isOther {
		return c
	}
	if isBefore != isOther {
		return map[bool]int{true: -1, false: 1}[isBefore]
	}
	return compareParts(before, other)
}

// filled adds the numbers that a version leaves out.
func filled(numbers string) string { return numbers + ".0.0"[min(4, 2*strings.Count(numbers, ".")):] }

// compareParts compares the parts between dots: numbers by value, and before words.
func compareParts(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		if i == len(as) || i == len(bs) {
			return len(as) - len(bs)
		}
		x, errX := strconv.Atoi(as[i])
		y, errY := strconv.Atoi(bs[i])
		c := strings.Compare(as[i], bs[i])
		switch {
		case errX == nil && errY == nil:
			c = x - y
		case errX == nil:
			c = -1
		case errY == nil:
			c = 1
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

var semantic = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\d{1,9}(\.\d{1,9}){0,2}(-[0-9A-Za-z.-]{1,64})?(\+[0-9A-Za-z.-]{1,64})?$`)
})

// Semantic reports whether text is a version number, the last numbers of which may be left out.
func Semantic(text string) bool { return semantic().MatchString(text) }

// versionNumber returns what is wrong with a project's own version (S1-19). It must be
// a semantic version; the last numbers may be left out.
func versionNumber(text string) (problem, hint string) {
	if p := yamltree.NameProblem(text); p != "" {
		return p, ""
	}
	if !Semantic(text) {
		return fault.Quoted(path.Clean(text)) + " is not a version number", `for example "1.0.0"`
	}
	return "", ""
}
