//go:build !js

package approval

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentedPatterns tests what the table in docs/workers/commands.md says that patterns
// allow, and do not allow.
func TestDocumentedPatterns(t *testing.T) {
	text, err := os.ReadFile("../../docs/workers/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	quoted, tried := regexp.MustCompile("`([^`]+)`"), 0
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]*) \\| ([^|]*) \\|$").FindAllStringSubmatch(string(text), -1) {
		patterns, before := []string{row[1]}, ""
		if strings.HasPrefix(row[1], ">") { // a redirection is a part of a command
			patterns, before = append(patterns, "echo *"), "echo hi "
		}
		for i, want := range []bool{true, false} {
			for _, m := range quoted.FindAllStringSubmatch(row[2+i], -1) {
				tried++
				if got := settled(t, "sh", before+m[1], commandRules(PreApproved, patterns...)...); (got == PreApproved) != want {
					t.Errorf("%s is %q with the pattern %s", m[1], got, row[1])
				}
			}
		}
	}
	if tried < 12 {
		t.Errorf("only %d commands were tried", tried)
	}
}
