//go:build !js

package docs_test

import (
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

// Each promise of control.md names tests, and each of them exists.
func TestControlPageNamesItsTests(t *testing.T) {
	known := map[string]bool{}
	err := filepath.WalkDir("..", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := e.Name(); e.IsDir() && (base == "node_modules" || base == ".git" || base == "dist") {
			return filepath.SkipDir
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
	text, limits, ok := strings.Cut(page(t, "control.md"), "## Limits of these promises")
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
