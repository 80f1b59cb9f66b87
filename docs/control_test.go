//go:build !js

package docs_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	proof    = regexp.MustCompile("`(Test[A-Za-z0-9]+|(?:s[0-9]+|undo)[-_][a-z0-9_-]+)`")
	testName = regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9]+)\(`)
)

// knownTests returns the names of all tests, cases and scripts.
func knownTests(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	err := filepath.WalkDir("..", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := e.Name(); e.IsDir() && (base == "node_modules" || base == ".git" || base == "dist" || name == filepath.Join("..", "build")) {
			return filepath.SkipDir // build too: each check writes there, and go test would not keep the result of this package
		} else if strings.HasSuffix(base, ".txtar") {
			known[strings.TrimSuffix(base, ".txtar")] = true
		} else if strings.HasSuffix(base, "_test.go") {
			data, err := os.ReadFile(name)
			for _, m := range testName.FindAllStringSubmatch(string(data), -1) {
				known[m[1]] = true
			}
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return known
}

// TestPromisesNameTheirTests tests that each promise in internal/promises.md names tests that exist.
func TestPromisesNameTheirTests(t *testing.T) {
	known := knownTests(t)
	text, limits, ok := strings.Cut(page(t, "internal/promises.md"), "## Limits of these promises")
	if !ok || limits == "" {
		t.Error("the page does not end with its limits")
	}
	for line := range strings.Lines(text) {
		named := proof.FindAllStringSubmatch(line, -1)
		if strings.HasPrefix(line, "- ") && len(named) == 0 {
			t.Errorf("no test is named: %s", line)
		}
		for _, m := range named {
			if !known[m[1]] {
				t.Errorf("there is no test %s: %s", m[1], line)
			}
		}
	}
}

// TestEventsPageCoversS4 tests that ui-events.md has each requirement of S4 once, with a state
// and with tests that exist.
func TestEventsPageCoversS4(t *testing.T) {
	known := knownTests(t)
	row := regexp.MustCompile(`^\| (S4-\d\d) [^|]+ \| (met|half|not built) \| ([^|]*?) ?\| ([^|]+) \|$`)
	name := regexp.MustCompile("`([A-Za-z0-9_-]+)`")
	var found []string
	for line := range strings.Lines(page(t, "internal/ui-events.md")) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "| S4-") {
			continue
		}
		m := row.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("not a row: %s", line)
			continue
		}
		found = append(found, m[1])
		tests := name.FindAllStringSubmatch(m[4], -1)
		if len(tests) == 0 || m[2] != "met" && strings.TrimSpace(m[3]) == "" {
			t.Errorf("%s names no test, or is not met and does not say why", m[1])
		}
		for _, n := range tests {
			if !known[n[1]] {
				t.Errorf("%s: there is no test %s", m[1], n[1])
			}
		}
	}
	for n := 1; n <= 57; n++ {
		if want := fmt.Sprintf("S4-%02d", n); len(found) < n || found[n-1] != want {
			t.Fatalf("row %d is not %s", n, want)
		}
	}
	if len(found) != 57 {
		t.Errorf("%d rows, want 57", len(found))
	}
}
