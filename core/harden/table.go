package harden

import (
	"encoding/json"
	"strings"

	"golem/core/worktest"
)

// shortestShown is the length from which a text of an input counts as one that a source would
// contain only if it had it from the case, in bytes.
const shortestShown = 12

// Table says which shown cases a source contains: code that looks answers up instead of
// computing them is right on what it was shown and nowhere else.
type Table struct {
	Found int      `json:"found"` // shown cases of which a text is in the source
	Of    int      `json:"of"`    // shown cases with a text that is long enough to tell
	First []string `json:"first,omitempty"`
}

// isTable reports whether so many cases are in the source that it has to be called a table.
func (t Table) isTable() bool { return t.Found >= 3 && t.Found*5 >= t.Of }

// tableOf looks for the inputs of the shown cases in a source.
func tableOf(source string, shown []worktest.Example) (t Table) {
	text := plainSource(source)
	for _, c := range shown {
		longest := longestText(c.Input)
		if len(longest) < shortestShown {
			continue
		}
		t.Of++
		if strings.Contains(text, plainSource(longest)) {
			if t.Found++; len(t.First) < 3 {
				t.First = append(t.First, longest[:min(len(longest), 80)])
			}
		}
	}
	return t
}

// plainSource returns a text without what may be written in several ways: case, blanks, quotes
// and escapes.
func plainSource(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\n', '\r', '\t', '"', '\'', '`', '\\', '+':
			return -1
		}
		return r
	}, strings.ToLower(strings.NewReplacer(`\n`, "", `\t`, "", `\r`, "").Replace(s)))
}

// longestText returns the longest text in an input; without texts the input itself.
func longestText(input json.RawMessage) string {
	var value any
	if json.Unmarshal(input, &value) != nil {
		return ""
	}
	longest := ""
	var visit func(any)
	visit = func(value any) {
		switch v := value.(type) {
		case string:
			if len(v) > len(longest) {
				longest = v
			}
		case []any:
			for _, e := range v {
				visit(e)
			}
		case map[string]any:
			for _, e := range v {
				visit(e)
			}
		}
	}
	if visit(value); longest == "" {
		return string(input)
	}
	return longest
}
