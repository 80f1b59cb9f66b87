//go:build !js

package docs_test

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// notForUsers are pages that are generated, or written for people who work on golem, as are
// all pages of the directories in notDirs.
var (
	notForUsers = []string{"design.md", "spec.md", "errors.md", "keys.md", "models/providers.md", "trace/events.md", "trace/shown.md", "trace/values.md", "trace/question.md", "shell/programs.md", "shell/system-calls.md"}
	notDirs     = []string{"internal", "errors", "keys", "reference"}
)

// userPages returns the names of the pages that people wrote for users, relative to docs.
func userPages(t *testing.T) []string {
	t.Helper()
	names := []string{"../README.md"}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name = filepath.ToSlash(name); d.IsDir() && slices.Contains(notDirs, name) {
			return fs.SkipDir
		}
		if filepath.Ext(name) == ".md" && !slices.Contains(notForUsers, name) {
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// generatedPages returns the names of the pages that golem's own texts are made into, except
// those of errors.
func generatedPages(t *testing.T) []string {
	t.Helper()
	names := slices.Clone(notForUsers[3:])
	for _, dir := range []string{"keys", "reference"} {
		files, err := filepath.Glob(dir + "/*.md")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %d pages", dir, err, len(files))
		}
		names = append(names, files...)
	}
	return names
}

// notProse is code, headings and the addresses of links.
var notProse = regexp.MustCompile("(?ms)^```.*?^```|`[^`\n]*`|\\]\\([^)]*\\)|^#.*?$")

// wordPattern returns a pattern of the words and phrases in a cell, which commas part.
func wordPattern(cell string) *regexp.Regexp {
	var words []string
	for w := range strings.SplitSeq(cell, ", ") {
		words = append(words, regexp.QuoteMeta(w))
	}
	return regexp.MustCompile(`(?i)\b(?:` + strings.Join(words, "|") + `)\b`)
}

// TestPagesUsePlainWords tests that no page for users has a phrase that internal/style.md
// refuses, and that all together have no more of the counted words than it says.
func TestPagesUsePlainWords(t *testing.T) {
	const style = "internal/style.md"
	refused, counted := tables(part(t, style, "Refused phrases")), tables(part(t, style, "Counted words"))
	if len(refused) < 5 || len(counted) < 5 {
		t.Fatalf("%s refuses %q and counts %q", style, refused, counted)
	}
	found := make([]int, len(counted))
	for _, name := range userPages(t) {
		text := notProse.ReplaceAllString(page(t, name), "_")
		for _, row := range refused {
			for _, at := range wordPattern(row[0]).FindAllStringIndex(text, -1) {
				t.Errorf("%s: %q: write: %s", name, text[max(0, at[0]-40):min(len(text), at[1]+30)], row[1])
			}
		}
		for i, row := range counted {
			found[i] += len(wordPattern(row[0]).FindAllString(text, -1))
		}
	}
	for _, name := range generatedPages(t) {
		text := notProse.ReplaceAllString(page(t, name), "_")
		for _, row := range refused {
			for _, at := range wordPattern(row[0]).FindAllStringIndex(text, -1) {
				t.Errorf("%s, which is made from golem's own texts: %q: write there: %s", name, text[max(0, at[0]-40):min(len(text), at[1]+30)], row[1])
			}
		}
	}
	for i, row := range counted {
		if most, err := strconv.Atoi(row[1]); err != nil || found[i] > most {
			t.Errorf("the pages for users have %d of %q, and at most %s is allowed: write %s", found[i], row[0], row[1], row[2])
		} else if found[i] < most {
			t.Logf("%s can say %d for %q", style, found[i], row[0])
		}
	}
}
