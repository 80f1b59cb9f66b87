package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var provedBy = regexp.MustCompile("`(Test\\w+)` in `([\\w/]+)`")

// Each row of compatibility.md is complete: the cases that agree and those that differ for a
// reason are all cases, and its test exists.
func TestCompatibility(t *testing.T) {
	text := page(t, "internal/compatibility.md")
	rows := 0
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.ReplaceAll(strings.TrimSpace(line), `\|`, ""), " | ")
		if len(cells) != 7 || !strings.HasPrefix(line, "| ") || cells[1] == "cases" {
			continue
		}
		rows++
		sum := 0
		for reason := range strings.SplitSeq(cells[4], "; ") {
			count, why, ok := strings.Cut(reason, ": ")
			n, err := strconv.Atoi(count)
			if reason != "none" && (!ok || err != nil || why == "") {
				t.Errorf("%s: no number before the reason %q", cells[0], reason)
			}
			sum += n
		}
		numbers := make([]int, 3)
		for i := range numbers {
			n, err := strconv.Atoi(cells[1+i])
			if err != nil {
				t.Errorf("%s: %v", cells[0], err)
			}
			numbers[i] = n
		}
		if numbers[0] != numbers[1]+numbers[2] || numbers[2] != sum {
			t.Errorf("%s: %d agree, %d differ, the reasons explain %d, and there are %d cases", cells[0], numbers[1], numbers[2], sum, numbers[0])
		}
		if !provedBy.MatchString(cells[6]) {
			t.Errorf("%s names no test", cells[0])
		}
	}
	if rows < 8 {
		t.Errorf("%d rows", rows)
	}
	for _, m := range provedBy.FindAllStringSubmatch(text, -1) {
		if !hasTest(t, filepath.Join("..", filepath.FromSlash(m[2])), m[1]) {
			t.Errorf("there is no %s in %s", m[1], m[2])
		}
	}
}

func hasTest(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
