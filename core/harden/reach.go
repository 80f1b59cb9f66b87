package harden

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// reaches are the ways out of the engine that a source can name, each with what it needs.
var reaches = []struct {
	what  string
	found *regexp.Regexp
	may   string // files, calls or nothing
}{
	{"golem.http", regexp.MustCompile(`\bgolem\s*(\?\.)?\.?\s*http\b`), ""},
	{"golem.files", regexp.MustCompile(`\bgolem\s*(\?\.)?\.?\s*files\b`), "files"},
	{"golem.files.write", regexp.MustCompile(`\bfiles\s*(\?\.)?\.?\s*(write|makeDirectory|remove)\b`), ""},
	{"golem.call", regexp.MustCompile(`\bgolem\s*(\?\.)?\.?\s*call\b`), "calls"},
	{"golem[…]", regexp.MustCompile(`(?m)\bgolem\s*(\?\.)?\s*\[|\bglobalThis\b|=\s*golem\s*([;,)]|$)`), ""},
	{"eval", regexp.MustCompile(`\beval\s*\(|\bFunction\s*\(`), ""},
}

// ReachOf returns what a source names of golem's ways to files, tools and hosts that code of
// this worker may not use. The engine refuses it in any case, but code that answers has no use
// for it.
func ReachOf(source string, w Worker) (out []string) {
	for _, r := range reaches {
		if may := r.may == "files" && w.Files || r.may == "calls" && len(w.Calls) > 0; !may && r.found.MatchString(source) {
			out = append(out, r.what)
		}
	}
	return out
}

// triedText returns what code tried, with how often.
func triedText(tried map[string]int) string {
	var out []string
	for _, what := range slices.Sorted(maps.Keys(tried)) {
		out = append(out, fmt.Sprintf("%s (%d times)", safe(what), tried[what]))
	}
	return strings.Join(out, ", ")
}

// addTried adds what code tried in one call.
func addTried(to *map[string]int, what []string) {
	for _, one := range what {
		if *to == nil {
			*to = map[string]int{}
		}
		(*to)[one]++
	}
}
