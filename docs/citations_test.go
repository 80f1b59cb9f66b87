package docs_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// Patterns of the numbered items that citations refer to. spec.md and scenarios.md are copies
// of the documents that decide; requirements.md numbers the requirements of their sources.
var (
	specSection = regexp.MustCompile(`(?m)^## ([0-9]+)\. `)
	scenarioNo  = regexp.MustCompile(`(?m)^([0-9]+)\. `)
	ruleNo      = regexp.MustCompile(`(?m)^([0-9]+)\. \*\*`)
	requirement = regexp.MustCompile(`\bS([0-4])-([0-9]+)\b`)
	sourcePart  = regexp.MustCompile(`(?m)^- S([0-4])-[0-9]+ (§[0-9]+(?:\.[0-9]+)*)`)
)

// A list may follow the first number: "scenarios 23 and 24", "SPEC §12, §13".
const more = `((?:(?:, | and |, and |–|-)§?[0-9]+\b)*)`

var (
	citedSpec     = regexp.MustCompile(`SPEC(?:\.md)?,?\s+(?://\s|#\s)?§([0-9]+)` + more)
	citedRule     = regexp.MustCompile(`SECURITY(?:\.md)?\s+(?://\s|#\s)?([0-9]+)` + more)
	citedScenario = regexp.MustCompile(`[Ss]cenarios?:?\s+(?://\s|#\s)?([0-9]+)` + more)
	citedNeed     = regexp.MustCompile(`\bS([0-4])-([0-9]+)(?:\.\.([0-9]+))?`)
	citedSource   = regexp.MustCompile(`\bS([0-4]) (§[0-9]+(?:\.[0-9]+)*)`)
	caseName      = regexp.MustCompile(`\bs([0-9]{2})[-_][a-z]`)
	anySection    = regexp.MustCompile(`§+ ?[0-9]`)
	number        = regexp.MustCompile(`[0-9]+`)
	elsewhere     = regexp.MustCompile(`\b[Rr]eview [SB][0-9]|\b[Ii]ssue [0-9]|\b(?:SPEC|DESIGN|FACTS)\.md`)
)

// numbered returns the numbers of a page's items, which pattern finds at their beginnings.
func numbered(t *testing.T, name string, pattern *regexp.Regexp) []string {
	t.Helper()
	var out []string
	for _, m := range pattern.FindAllStringSubmatch(page(t, name), -1) {
		out = append(out, strings.Join(m[1:], " "))
	}
	if len(out) == 0 {
		t.Fatalf("%s has no numbered items", name)
	}
	return out
}

// rules returns the numbers of the rules in threats.md.
func rules(t *testing.T) []string {
	t.Helper()
	_, part, ok := strings.Cut(page(t, "internal/threats.md"), "## The numbered rules")
	if !ok {
		t.Fatal("threats.md has no section of numbered rules")
	}
	var out []string
	for _, m := range ruleNo.FindAllStringSubmatch(part, -1) {
		out = append(out, m[1])
	}
	return out
}

// texts calls use with the path and the text of each file of the repository that people write.
// Paths are relative to the root, with slashes.
func texts(t *testing.T, use func(name, text string)) {
	t.Helper()
	skipped := []string{".git", "node_modules", "build", "dist", ".golem", "seeds"}
	kinds := []string{".go", ".js", ".mjs", ".ts", ".txtar", ".md", ".yaml", ".yml", ".worker", ".html", ".css", ".sh", ".tmpl"}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
		if d.IsDir() {
			if slices.Contains(skipped, d.Name()) && name != "web/build" {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || !slices.Contains(kinds, filepath.Ext(path)) {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if utf8.Valid(data) && !bytes.Contains(data, []byte{0}) {
			use(name, string(data))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCitationsResolve tests that everything that a comment, a test's name or a page cites
// exists in docs/: SPEC §n in spec.md, SECURITY n in threats.md, "scenario n" and test cases
// named snn-… in scenarios.md, Sx-nn and "Sx §n" in requirements.md.
func TestCitationsResolve(t *testing.T) {
	specs, scenarios, rules := numbered(t, "spec.md", specSection), numbered(t, "internal/scenarios.md", scenarioNo), rules(t)
	needs, parts := numbered(t, "internal/requirements.md", requirement), numbered(t, "internal/requirements.md", sourcePart)
	highest := map[string]int{}
	for _, n := range needs {
		source, no, _ := strings.Cut(n, " ")
		v, _ := strconv.Atoi(no)
		highest[source] = max(highest[source], v)
	}
	cited := 0
	texts(t, func(name, text string) {
		line := func(at int) int { return 1 + strings.Count(text[:at], "\n") }
		// expect looks up every number of text[from:to].
		expect := func(kind, page string, from, to int, known []string) {
			for _, n := range number.FindAllString(text[from:to], -1) {
				cited++
				if !slices.Contains(known, n) {
					t.Errorf("%s:%d: cites %s %s, which docs/%s does not have", name, line(from), kind, n, page)
				}
			}
		}
		for _, kind := range []struct {
			pattern    *regexp.Regexp
			name, page string
			known      []string
		}{
			{citedSpec, "SPEC §", "spec.md", specs}, {citedRule, "SECURITY", "internal/threats.md", rules}, {citedScenario, "scenario", "internal/scenarios.md", scenarios},
		} {
			for _, m := range kind.pattern.FindAllStringSubmatchIndex(text, -1) {
				expect(kind.name, kind.page, m[2], m[5], kind.known)
			}
		}
		for _, m := range citedNeed.FindAllStringSubmatchIndex(text, -1) {
			source := text[m[2]:m[3]]
			no, _ := strconv.Atoi(text[m[4]:m[5]])
			if m[6] >= 0 {
				last, _ := strconv.Atoi(text[m[6]:m[7]])
				no = max(no, last)
			}
			cited++
			if no < 1 || no > highest[source] {
				t.Errorf("%s:%d: cites %s, which docs/internal/requirements.md does not have", name, line(m[0]), text[m[0]:m[1]])
			}
		}
		for _, m := range citedSource.FindAllStringSubmatch(text, -1) {
			if cited++; !slices.ContainsFunc(parts, func(p string) bool { return p == m[1]+" "+m[2] || strings.HasPrefix(p, m[1]+" "+m[2]+".") }) {
				t.Errorf("%s: cites S%s %s, of which docs/internal/requirements.md has nothing", name, m[1], m[2])
			}
		}
		for _, m := range caseName.FindAllStringSubmatchIndex(text+" "+name, -1) {
			n := strings.TrimPrefix((text + " " + name)[m[2]:m[3]], "0")
			if !slices.Contains(scenarios, n) {
				t.Errorf("%s: a test is named after scenario %s, which docs/internal/scenarios.md does not have", name, n)
			}
		}
		if slices.Contains([]string{"docs/spec.md", "docs/internal/scenarios.md", "docs/internal/requirements.md", "docs/citations_test.go"}, name) {
			return // in these a bare § is their own section
		}
		rest := citedSource.ReplaceAllString(citedSpec.ReplaceAllString(text, ""), "")
		if m := anySection.FindStringIndex(rest); m != nil {
			t.Errorf("%s: %q says no document: write SPEC §n", name, strings.TrimSpace(rest[max(0, m[0]-20):m[1]]))
		}
		if m := elsewhere.FindString(text); m != "" {
			t.Errorf("%s: %q is not in the repository", name, m)
		}
	})
	if cited < 500 {
		t.Errorf("only %d citations were found: the patterns are wrong", cited)
	}
}
