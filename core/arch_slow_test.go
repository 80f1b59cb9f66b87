//go:build !js

package core_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each row of .ci/slow.txt (tests that make quick leaves out), of .ci/norace.txt (tests
// without the race detector), of .ci/nojs.txt (tests that do not run in Node), and of .ci/long.txt
// and .ci/long-native.txt (tests in and outside browsers that make test leaves out) names a test
// that exists and gives the reason.
func TestNothingSlowIsForgotten(t *testing.T) {
	var tests []string
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, f := range moduleFiles(t) {
		if f.test {
			for _, m := range declared.FindAllStringSubmatch(f.src, -1) {
				tests = append(tests, m[1])
			}
		}
	}
	for _, name := range []string{"slow.txt", "norace.txt", "nojs.txt", "long.txt", "long-native.txt"} {
		table, err := os.ReadFile("../.ci/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if rows(t, name, string(table), tests) == 0 {
			t.Errorf(".ci/%s has no row", name)
		}
	}
}

// rows checks the rows of a table and counts them.
func rows(t *testing.T, file, table string, tests []string) int {
	n := 0
	for line := range strings.Lines(table) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		n++
		pattern, why, _ := strings.Cut(line, " ")
		name, _, _ := strings.Cut(pattern, "/")
		re, err := regexp.Compile("^" + name + "$")
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		if !slices.ContainsFunc(tests, re.MatchString) {
			t.Errorf(".ci/%s: there is no test %s", file, name)
		}
		if strings.TrimSpace(why) == "" {
			t.Errorf(".ci/%s: %s has no reason", file, pattern)
		}
	}
	return n
}
