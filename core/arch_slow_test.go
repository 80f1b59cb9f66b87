//go:build !js

package core_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Each row of .ci/slow.txt, which make quick leaves out, names a test that is
// there and says why it is slow.
func TestNothingSlowIsForgotten(t *testing.T) {
	table, err := os.ReadFile("../.ci/slow.txt")
	if err != nil {
		t.Fatal(err)
	}
	var tests []string
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, f := range moduleFiles(t) {
		if f.test {
			for _, m := range declared.FindAllStringSubmatch(f.src, -1) {
				tests = append(tests, m[1])
			}
		}
	}
	rows := 0
	for line := range strings.Lines(string(table)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		rows++
		pattern, why, _ := strings.Cut(line, " ")
		name, _, _ := strings.Cut(pattern, "/")
		re, err := regexp.Compile("^" + name + "$")
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		found := false
		for _, test := range tests {
			found = found || re.MatchString(test)
		}
		if !found {
			t.Errorf(".ci/slow.txt: there is no test %s", name)
		}
		if strings.TrimSpace(why) == "" {
			t.Errorf(".ci/slow.txt: %s has no reason", pattern)
		}
	}
	if rows == 0 {
		t.Error(".ci/slow.txt has no row")
	}
}
