//go:build !js

package docs_test

import (
	"regexp"
	"strings"
	"testing"
)

// compared are the pages that show what golem prints, in blocks of the kind text, with the tests
// that compare these blocks with what golem prints.
var compared = map[string]string{
	"../README.md": "TestReadmeSession", "start.md": "TestStartPage", "projects.md": "TestProjectsPageProject",
	"hardening.md": "TestHardeningPageShowsTheReport", "tools.md": "TestToolsGuideInJavaScript",
	"tools/go.md": "TestToolsGuideInGo", "tools/rights.md": "TestToolsGuideToRights", "workers/approval.md": "TestDocumentedQuestion",
}

// typedLine matches a line of a block that a person types, or its continuation, a comment or an
// empty line.
var typedLine = regexp.MustCompile(`^(?:(?:[A-Z_]+=\S* )?(?:golem|golem-queue|make|unzip|export|minisign|sha256sum|mkdir|cd|cp|cat|curl|git|npm|ollama|go) .*|#.*|\s.*|)$`)

// TestScreensAreMadeByPrograms tests that each block which shows what golem prints is compared
// with it by a test: it is of the kind text, and its page is in compared. A block without a kind
// has only commands, a file of a worker, or the names of a directory's files.
func TestScreensAreMadeByPrograms(t *testing.T) {
	known, texts := knownTests(t), 0
	for _, name := range userPages(t) {
		for _, b := range block.FindAllStringSubmatch(page(t, name), -1) {
			test := compared[name]
			if strings.HasPrefix(name, "cookbook/") {
				test = "TestCookbook"
			}
			switch first, _, _ := strings.Cut(b[2], "\n"); {
			case b[1] == "text":
				if texts++; !known[test] {
					t.Errorf("no test compares this block of %s with what golem prints:\n%s", name, b[2])
				}
			case b[1] == "console", b[1] == "" && first != "---" && !strings.HasSuffix(first, "/") && !typed(b[2]):
				t.Errorf("%s shows this, and nothing says who made it: make it a block of the kind text, and compare it in a test\n%s", name, b[2])
			}
		}
	}
	if texts < 20 {
		t.Errorf("only %d blocks of text", texts)
	}
	if typed("golem test\n1 passed\n") {
		t.Error("what golem prints counts as typed")
	}
}

func typed(text string) bool {
	for line := range strings.Lines(text) {
		if !typedLine.MatchString(strings.TrimRight(line, "\n")) {
			return false
		}
	}
	return true
}
