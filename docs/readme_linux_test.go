package docs_test

import (
	"strings"
	"testing"
)

// TestReadmeSession tests that the README's commands work when they are pasted, and that the
// terminal then shows what the README shows.
func TestReadmeSession(t *testing.T) {
	const readme = "../README.md"
	dir := checkout(t)
	ran, compared, last := 0, 0, ""
	for _, b := range block.FindAllStringSubmatch(page(t, readme), -1) {
		switch kind, text := b[1], b[2]; kind {
		case "sh":
			last = onTerminal(t, dir, offline(t)+strings.ReplaceAll(text, "make build\n", ""))
			ran++
		case "text":
			sameScreen(t, readme, text, last)
			compared++
		}
	}
	if ran < 8 || compared < 4 {
		t.Errorf("only %d blocks of commands were run, and %d of texts compared", ran, compared)
	}
}

// TestProjectsPageProject tests that the project in projects.md has no faults and runs.
func TestProjectsPageProject(t *testing.T) {
	blocks := guide(t, "projects.md", "Look at one")
	if len(blocks) != 1 {
		t.Fatalf("%d blocks of commands", len(blocks))
	}
	said := runGuide(t, "projects.md", checkout(t), append(blocks, guideBlock{"cat cafe/output/result.md\n", "# Result\n\nOwls hunt at night.\n"}))
	if !strings.Contains(said, "0 errors, 0 warnings") {
		t.Errorf("golem says\n%s", said)
	}
}
