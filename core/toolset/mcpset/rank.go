package mcpset

import (
	"math"
	"strings"
	"unicode"

	"golem/core/sorting"
	"golem/core/tool"
)

// words returns the words of a text in lower case, without endings, and without words of
// one or two letters. A name is split at its punctuation and where an upper-case letter
// follows a lower-case one.
func words(text string) (out []string) {
	var b strings.Builder
	last := ' '
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			b.WriteByte(' ')
		case unicode.IsUpper(r) && unicode.IsLower(last):
			b.WriteByte(' ')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
		last = r
	}
	for _, w := range strings.Fields(strings.ToLower(b.String())) {
		if len([]rune(w)) > 2 || strings.IndexFunc(w, func(r rune) bool { return r > unicode.MaxASCII }) >= 0 {
			out = append(out, stem(w))
		}
	}
	return out
}

// stem returns an English word without its usual endings, so that list and lists,
// search and searching are one word.
func stem(w string) string {
	for _, end := range []string{"ies", "ing", "ed", "es", "s", "e"} {
		if rest, ok := strings.CutSuffix(w, end); ok && len(rest) >= 3 && !strings.HasSuffix(w, "ss") {
			if end == "ies" {
				return rest + "y"
			}
			return rest
		}
	}
	return w
}

// ranked is a tool that fits a query, and how well.
type ranked struct {
	spec  tool.Spec
	score float64
}

// nameWeight is how much more a word in a name counts than one in a description.
const nameWeight = 3

// rank returns the tools that have a word of the query, the best first. A word counts more
// the fewer tools have it. A part of a word counts half, if it has four letters or more.
func rank(specs []tool.Spec, query string) (out []ranked) {
	type document struct{ name, text map[string]bool }
	all := make([]document, len(specs))
	count := map[string]int{}
	for i, s := range specs {
		all[i] = document{setOf(words(s.Name)), setOf(words(s.Description))}
		for w := range all[i].name {
			count[w]++
		}
		for w := range all[i].text {
			if !all[i].name[w] {
				count[w]++
			}
		}
	}
	asked := setOf(words(query))
	for i, s := range specs {
		score := 0.0
		for w := range asked {
			rare := math.Log(1 + float64(len(specs))/float64(1+count[w]))
			score += rare * max(nameWeight*fits(all[i].name, w), fits(all[i].text, w))
		}
		if score > 0 {
			out = append(out, ranked{s, score / math.Sqrt(3+float64(len(all[i].name)))})
		}
	}
	sorting.By(out, func(a, b ranked) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return strings.Compare(a.spec.Name, b.spec.Name)
	})
	return out
}

func setOf(list []string) map[string]bool {
	out := map[string]bool{}
	for _, w := range list {
		out[w] = true
	}
	return out
}

// fits returns how well a word is among others: 1 for the word itself, a half if it begins
// another one or the other way round.
func fits(have map[string]bool, w string) float64 {
	if have[w] {
		return 1
	}
	if len(w) >= 4 {
		for other := range have {
			if len(other) >= 4 && (strings.HasPrefix(other, w) || strings.HasPrefix(w, other)) {
				return 0.5
			}
		}
	}
	return 0
}
