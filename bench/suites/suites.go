// Package suites compares golem with the test suites of other projects. Nothing of those
// suites is part of this repository: they are files of Go modules, which the go command
// downloads and checks. docs/internal/compatibility.md has the results, one row for each suite, and
// the tests of this package fail if a row is out of date.
package suites

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Dir returns the directory of a module's source, which golem itself or modules/go.mod
// requires. It ends the test if there is none.
func Dir(t testing.TB, module string) string {
	t.Helper()
	for _, from := range []string{"..", "modules"} {
		cmd := exec.Command("go", "mod", "download", "-json", module)
		cmd.Dir = filepath.Join(here(t), from)
		out, err := cmd.Output()
		var found struct{ Dir, Error string }
		if json.Unmarshal(out, &found) == nil && found.Dir != "" {
			return found.Dir
		}
		if !strings.Contains(found.Error, "not a known dependency") {
			t.Fatalf("go mod download %s: %v %s", module, err, found.Error)
		}
	}
	t.Fatalf("neither go.mod nor bench/suites/modules/go.mod requires %s", module)
	return ""
}

// here returns the directory of this package's source. Tests run in directories of the module.
func here(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "bench", "suites")
		}
	}
	t.Fatal("no go.mod above the working directory")
	return ""
}

// Tally counts the cases of one suite.
type Tally struct {
	Suite   string // as the first column of docs/internal/compatibility.md names it
	agreed  int
	differs map[string]int // by reason
}

// Agree counts a case in which golem does what the suite expects.
func (c *Tally) Agree() { c.agreed++ }

// Differ counts a case in which golem does something else, with the reason.
func (c *Tally) Differ(reason string) {
	if c.differs == nil {
		c.differs = map[string]int{}
	}
	c.differs[reason]++
}

// cells returns the columns of the row that follow the suite's name: cases, those that
// agree, those that differ, and the reasons.
func (c *Tally) cells() string {
	total, reasons := 0, []string{}
	for _, reason := range slices.Sorted(maps.Keys(c.differs)) {
		total += c.differs[reason]
		reasons = append(reasons, fmt.Sprintf("%d: %s", c.differs[reason], reason))
	}
	if total == 0 {
		reasons = append(reasons, "none")
	}
	return fmt.Sprintf(" | %d | %d | %d | %s |", c.agreed+total, c.agreed, total, strings.ReplaceAll(strings.Join(reasons, "; "), "|", `\|`))
}

// Compare fails the test if the row of the suite in docs/internal/compatibility.md does not say what
// was counted.
func (c *Tally) Compare(t testing.TB) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(here(t), "..", "..", "docs", "internal", "compatibility.md"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "| "+c.Suite+" |") {
			if !strings.HasPrefix(strings.TrimPrefix(line, "| "+c.Suite), c.cells()) {
				t.Errorf("docs/internal/compatibility.md has %s\nand these cells are right:%s", line, c.cells())
			}
			return
		}
	}
	t.Errorf("docs/internal/compatibility.md has no row for %s; its cells are%s", c.Suite, c.cells())
}
