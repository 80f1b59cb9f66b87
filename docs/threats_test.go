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

var (
	quoted     = regexp.MustCompile("`([^`]+)`")
	runPattern = regexp.MustCompile(`-(?:run|fuzz) '?\^?([A-Za-z0-9_|]+)`)
	fuzzName   = regexp.MustCompile(`(?m)^func (Fuzz[A-Za-z0-9]+)\(`)
)

// tables returns the cells of the rows of all tables in text, without heads.
func tables(text string) [][]string {
	var rows [][]string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			continue
		}
		if strings.HasPrefix(line, "|---") {
			rows = rows[:len(rows)-1] // the head
			continue
		}
		line = strings.ReplaceAll(strings.Trim(line, "|"), `\|`, "\x00")
		var cells []string
		for cell := range strings.SplitSeq(line, "|") {
			cells = append(cells, strings.TrimSpace(strings.ReplaceAll(cell, "\x00", "|")))
		}
		rows = append(rows, cells)
	}
	return rows
}

// part returns the section of a page with this head.
func part(t *testing.T, name, head string) string {
	t.Helper()
	_, text, ok := strings.Cut(page(t, name), "\n## "+head+"\n")
	if !ok {
		t.Fatalf("%s has no section %q", name, head)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// knownAttacks returns what is known to control.md, and fuzz targets.
func knownAttacks(t *testing.T) map[string]bool {
	known := knownTests(t)
	texts(t, func(name, text string) {
		if strings.HasSuffix(name, "_test.go") {
			for _, m := range fuzzName.FindAllStringSubmatch(text, -1) {
				known[m[1]] = true
			}
		}
	})
	return known
}

// named tests that a cell names tests, and only those that exist: of Go, cases, scripts, and
// packages that have tests.
func named(t *testing.T, known map[string]bool, cell string) {
	t.Helper()
	names := quoted.FindAllStringSubmatch(cell, -1)
	if len(names) == 0 {
		t.Errorf("no test is named: %s", cell)
	}
	for _, m := range names {
		tests, _ := filepath.Glob(filepath.Join("..", filepath.FromSlash(m[1]), "*_test.go"))
		if !known[m[1]] && len(tests) == 0 {
			t.Errorf("there is no test %s", m[1])
		}
	}
}

// TestThreatsPageNamesItsTests tests that each promise of threats.md names rules and tests that
// exist, that each rule has a promise, and that the tables of tries and of what golem reads name
// tests that exist.
func TestThreatsPageNamesItsTests(t *testing.T) {
	known, all := knownAttacks(t), rules(t)
	var kept []string
	for _, row := range tables(part(t, "internal/threats.md", "Promises")) {
		if len(row) != 3 {
			t.Errorf("not a promise, its rules and its tests: %q", row)
			continue
		}
		given := number.FindAllString(citedSpec.ReplaceAllString(row[1], ""), -1)
		if len(given) == 0 {
			t.Errorf("no rule is named: %s", row[0])
		}
		for _, n := range given {
			if !slices.Contains(all, n) {
				t.Errorf("there is no rule %s: %s", n, row[0])
			}
		}
		kept = append(kept, given...)
		named(t, known, row[2])
	}
	_, text, _ := strings.Cut(page(t, "internal/threats.md"), "## The numbered rules")
	for line := range strings.Lines(text) {
		m := ruleNo.FindStringSubmatch(line)
		if m != nil && slices.Contains(kept, m[1]) == strings.Contains(line, "*Not in this version.*") {
			t.Errorf("rule %s has no promise, or is said not to be in this version", m[1])
		}
	}
	for _, row := range tables(part(t, "internal/threats.md", "How often each attack was tried")) {
		m := runPattern.FindStringSubmatch(row[len(row)-1])
		if m == nil || len(row) != 3 {
			t.Errorf("not an attack, its tries and a command: %q", row)
			continue
		}
		for name := range strings.SplitSeq(m[1], "|") {
			if !known[name] && name != "" {
				t.Errorf("there is no test %s: %s", name, row[0])
			}
		}
	}
	for _, row := range tables(part(t, "internal/threats.md", "What golem reads that is not a flag")) {
		named(t, known, row[len(row)-1])
	}
}

// TestSecurityPageIsShort tests that people can read the page for users in some minutes.
func TestSecurityPageIsShort(t *testing.T) {
	if n := len(page(t, "security.md")); n > 8<<10 {
		t.Errorf("security.md has %d bytes", n)
	}
}

var (
	toPage  = regexp.MustCompile(`\]\(([^)#\s]*)(?:#([^)\s]+))?\)`)
	inText  = regexp.MustCompile(`\b(docs/[a-z/-]+\.md)(?:#([a-z0-9-]+))?`)
	heading = regexp.MustCompile(`^#{1,6} +(.*?) *$`)
	dropped = regexp.MustCompile(`[^\p{L}\p{N}\p{M}_ -]`)
)

// copies are pages that are copies of documents from elsewhere.
var copies = []string{"spec.md", "requirements.md", "scenarios.md"}

// anchors returns the anchors of a page's headings, as GitHub makes them.
func anchors(text string) map[string]bool {
	out, code := map[string]bool{}, false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		}
		if m := heading.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil && !code {
			out[strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
		}
	}
	return out
}

// TestLinksLeadSomewhere tests that the pages to which pages, comments and messages of golem
// lead exist, with the section that is named.
func TestLinksLeadSomewhere(t *testing.T) {
	seen := map[string]map[string]bool{}
	leads := func(from, to, section string) {
		if to = filepath.ToSlash(filepath.Clean(to)); seen[to] == nil {
			seen[to] = map[string]bool{}
			if data, err := os.ReadFile(filepath.Join("..", to)); err == nil {
				seen[to] = anchors(string(data))
			} else if _, err := os.Stat(filepath.Join("..", to)); err != nil {
				t.Errorf("%s: %v", from, err)
				return
			}
		}
		if section != "" && strings.HasSuffix(to, ".md") && !seen[to][section] {
			t.Errorf("%s: %s has no section #%s", from, to, section)
		}
	}
	texts(t, func(name, text string) {
		dir, base := filepath.Split(name)
		if filepath.Ext(base) == ".md" && (strings.HasPrefix(dir, "docs/") || dir == "") && !slices.Contains(copies, base) {
			for _, m := range toPage.FindAllStringSubmatch(text, -1) {
				if to := dir + m[1]; !strings.Contains(m[1], ":") {
					if m[1] == "" {
						to = name
					}
					leads(name, to, m[2])
				}
			}
		} else if filepath.Ext(base) == ".go" {
			for line := range strings.Lines(text) {
				if strings.HasSuffix(base, "_test.go") && !strings.HasPrefix(strings.TrimSpace(line), "//") {
					continue // files of a test's own project
				}
				for _, m := range inText.FindAllStringSubmatch(line, -1) {
					leads(name, m[1], m[2])
				}
			}
		}
	})
	if len(seen) < 25 {
		t.Errorf("only %d pages have links to them: the patterns are wrong", len(seen))
	}
}
