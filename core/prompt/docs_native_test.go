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

// docs/templates.md lists exactly the filters and tests that a template has. The signs
// (==, <) are other names of tests, so they are not listed.
func TestDocsListFiltersAndTests(t *testing.T) {
	text, err := os.ReadFile("../../docs/templates.md")
	if err != nil {
		t.Fatal(err)
	}
	named := func(names []string) []string {
		return slices.DeleteFunc(names, func(s string) bool { return strings.ContainsAny(s, "=<>!") })
	}
	for what, want := range map[string][]string{
		"Filters": slices.Sorted(maps.Keys(templateFilters)), "Tests": named(slices.Sorted(maps.Keys(templateTests))),
	} {
		m := regexp.MustCompile("(?m)^" + what + ": `(.*)`$").FindSubmatch(text)
		if m == nil {
			t.Fatalf("%s are not listed", what)
		}
		if got := slices.Sorted(slices.Values(strings.Fields(string(m[1])))); !slices.Equal(got, want) {
			t.Errorf("%s: docs/templates.md lists\n%v\nthere are\n%v", what, got, want)
		}
	}
}
