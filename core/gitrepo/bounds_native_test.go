//go:build !js

package gitrepo

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// docs/git/limits.md gives the value of each limit.
func TestDocumentNamesTheBounds(t *testing.T) {
	page, err := os.ReadFile("../../docs/git/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	_, bounds, _ := strings.Cut(string(page), "\n## Bounds\n")
	bounds, _, _ = strings.Cut(bounds, "\n## ")
	numbers := strings.FieldsFunc(bounds, func(r rune) bool { return (r < '0' || r > '9') && r != ',' })
	for i, n := range numbers {
		numbers[i] = strings.Trim(n, ",")
	}
	for _, n := range []int64{maxText, maxBlob, maxCommits, maxRead, maxEntries, maxListed, maxBlameLines, maxBlameSteps, maxName, MaxHeader, MaxDepth, MaxTags, maxChain, maxDeltas, maxMade, maxIndex, maxGitFile, maxHistory} {
		want := strconv.FormatInt(n, 10)
		for i := len(want) - 3; i > 0; i -= 3 {
			want = want[:i] + "," + want[i:]
		}
		if !slices.Contains(numbers, want) {
			t.Errorf("docs/git/limits.md has no %s under Bounds", want)
		}
	}
}
