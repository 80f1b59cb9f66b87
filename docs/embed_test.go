package docs_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golem/docs"
)

// The pages of this directory that are not for people who use golem, beside those of
// internal: golem docs has all others.
var internalPages = []string{"design", "spec"}

// TestDocsHasThePages tests that golem docs has each page that is for people, and that each
// begins with its title.
func TestDocsHasThePages(t *testing.T) {
	files, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	known := slices.Concat(docs.Names, internalPages, docs.ErrorPages())
	for _, f := range append(files, more...) {
		if f = filepath.ToSlash(f); strings.HasPrefix(f, "internal/") {
			continue
		}
		if !slices.Contains(known, strings.TrimSuffix(f, ".md")) {
			t.Errorf("%s is neither in docs.Names nor in internalPages", f)
		}
	}
	for _, name := range docs.Names {
		if text, err := docs.Read(name); err != nil || !strings.HasPrefix(text, "# ") {
			t.Errorf("%s: %v, begins with %.20q", name, err, text)
		}
	}
}
