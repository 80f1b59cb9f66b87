package harden

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
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
	{"eval", regexp.MustCompile(`\beval\s*\(|[=,(]\s*eval\b|\bFunction\s*\(|\.\s*constructor\b`), ""},
	{"the time", regexp.MustCompile(`\bDate\s*\.\s*now\b|\bDate\s*\(\s*\)|\bnew\s+Date\b\s*([^(\s]|$)|\bperformance\b`), ""},
	{"chance", regexp.MustCompile(`\bMath\s*\.\s*random\b`), ""},
}

// escapes are characters of names that are written as numbers.
var escapes = regexp.MustCompile(`\\u([0-9a-fA-F]{4}|\{[0-9a-fA-F]+\})`)

// reachOf returns what a source names of golem's ways to files, tools and hosts that code of
// this worker may not use, and of what changes its answer from one call to the next. The engine
// refuses the former in any case, but code that answers has no use for it.
func reachOf(source string, w Worker) (out []string) {
	source = escapes.ReplaceAllStringFunc(source, func(e string) string {
		n, err := strconv.ParseUint(strings.Trim(e, `\u{}`), 16, 32)
		if err != nil { // a number that is too large is no character
			return e
		}
		return string(rune(n))
	})
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
