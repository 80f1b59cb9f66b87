//go:build !js

package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// notForUsers are pages that are generated, or written for people who work on golem.
var notForUsers = []string{
	"compatibility.md", "design.md", "extending.md", "keys.md", "messages.md", "minijinja.md", "requirements.md", "scenarios.md", "spec.md", "threats.md", "ui-events.md", "why.md",
}

// TestPagesUsePlainWords tests that no page for users has a phrase that the table of
// CONTRIBUTING.md refuses. Code, headings and the addresses of links are left out.
func TestPagesUsePlainWords(t *testing.T) {
	_, words, _ := strings.Cut(page(t, "../CONTRIBUTING.md"), "A test refuses these phrases")
	var phrases []string
	for _, row := range tables(words) {
		for phrase := range strings.SplitSeq(row[0], ", ") {
			phrases = append(phrases, regexp.QuoteMeta(phrase))
		}
	}
	if len(phrases) < 8 {
		t.Fatalf("CONTRIBUTING.md refuses only %q", phrases)
	}
	refused := regexp.MustCompile(`(?i)\b(?:` + strings.Join(phrases, "|") + `)\b`)
	code := regexp.MustCompile("(?ms)^```.*?^```|`[^`\n]*`|\\]\\([^)]*\\)|^#.*?$")
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(pages, "../README.md") {
		if slices.Contains(notForUsers, name) {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := code.ReplaceAllString(string(data), "_")
		for _, at := range refused.FindAllStringIndex(text, -1) {
			t.Errorf("%s: %q", name, text[max(0, at[0]-40):min(len(text), at[1]+30)])
		}
	}
}
