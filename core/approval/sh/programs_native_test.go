//go:build !js

package sh

import (
	"os"
	"strings"
	"testing"
)

// The documentation names every program that a wildcard covers, and the list has no program
// twice.
func TestProgramsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/shell/programs.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, p := range programs {
		for _, n := range strings.Split(p.names, ",") {
			if !strings.Contains(string(text), "`"+n+"`") {
				t.Errorf("docs/shell/programs.md does not name `%s`", n)
			}
			if seen[n] || n != strings.TrimSpace(n) || len(strings.Fields(n)) > 3 {
				t.Errorf("%q stands there twice, or is never found", n)
			}
			seen[n] = true
		}
		short := strings.ReplaceAll(p.short, ":", "")
		for i, r := range short {
			if strings.ContainsRune(short[:i], r) {
				t.Errorf("%s: the letter %c stands there twice", p.names, r)
			}
		}
		for _, w := range strings.Fields(p.words) {
			if w[0] != '-' || strings.Count(" "+p.words+" ", " "+w+" ") > 1 || strings.Contains(strings.TrimSuffix(w, "="), "=") {
				t.Errorf("%s: %s is no option, or stands there twice", p.names, w)
			}
		}
	}
}
