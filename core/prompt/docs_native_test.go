//go:build !js

package prompt

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docs/reference/templates.md, which is made from the source, lists exactly the filters and
// tests that a template has.
func TestDocsListFiltersAndTests(t *testing.T) {
	text, err := os.ReadFile("../../docs/reference/templates.md")
	if err != nil {
		t.Fatal(err)
	}
	for what, want := range map[string][]string{
		"Filters": slices.Sorted(maps.Keys(templateFilters)), "Tests": slices.Sorted(maps.Keys(templateTests)),
	} {
		m := regexp.MustCompile(`(?m)^\*\*` + what + `:\*\* (.*)$`).FindSubmatch(text)
		if m == nil {
			t.Fatalf("%s are not listed", what)
		}
		if got := slices.Sorted(slices.Values(strings.Fields(strings.ReplaceAll(string(m[1]), "`", "")))); !slices.Equal(got, want) {
			t.Errorf("%s: docs/reference/templates.md lists\n%v\nthere are\n%v", what, got, want)
		}
	}
}
