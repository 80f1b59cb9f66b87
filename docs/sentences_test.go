//go:build !js

package docs_test

import (
	"regexp"
	"strings"
	"testing"
)

// maxWords is the most words that a sentence of a page for users may have. internal/style.md
// asks for 20.
const maxWords = 30

var (
	tableRow = regexp.MustCompile(`(?m)^\|.*$`)
	begins   = regexp.MustCompile(`\n\s*\n|\n\s*(?:- |\d+\. )`)     // a paragraph, or an item of a list
	endsIn   = regexp.MustCompile(`[.:?!][)*"”]*\s+`)               // a sentence
	oneWord  = regexp.MustCompile(`[\p{L}\p{N}_][\p{L}\p{N}_'’-]*`) // code is the word "_"
)

// TestSentencesAreShort tests that no sentence in the pages for users is longer than a reader
// can follow. Names in code count as one word, tables and blocks are left out.
func TestSentencesAreShort(t *testing.T) {
	sentences := 0
	for _, name := range userPages(t) {
		text := tableRow.ReplaceAllString(page(t, name), "")
		text = notProse.ReplaceAllStringFunc(text, func(s string) string {
			if strings.HasPrefix(s, "`") && !strings.HasPrefix(s, "```") {
				return "_"
			}
			return " "
		})
		for _, part := range begins.Split(text, -1) {
			for _, s := range endsIn.Split(strings.Join(strings.Fields(part), " "), -1) {
				n := len(oneWord.FindAllString(s, -1))
				if n > 2 {
					sentences++
				}
				if n > maxWords {
					t.Errorf("%s: %d words, make it two sentences: %s", name, n, s)
				}
			}
		}
	}
	if sentences < 1000 {
		t.Errorf("only %d sentences were found", sentences)
	}
}
