package docs_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golem/docs"
)

// TestCookbook tests that each recipe works when its commands are pasted into a shell, without
// a key and without a network, that the terminal then shows what the page shows, and that
// the table of contents has it.
func TestCookbook(t *testing.T) {
	recipes, err := filepath.Glob("cookbook/*.md")
	if err != nil || len(recipes) < 12 {
		t.Fatalf("%d recipes, %v", len(recipes), err)
	}
	bin := filepath.Join(checkout(t), "bin")
	for _, recipe := range recipes {
		t.Run(filepath.Base(recipe), func(t *testing.T) {
			name, text := strings.TrimSuffix(filepath.ToSlash(recipe), ".md"), page(t, recipe)
			if !slices.Contains(docs.Names, name) {
				t.Errorf("the table of contents does not have it")
			}
			blocks := block.FindAllStringSubmatch(text, -1)
			if len(blocks) != 2 || blocks[0][1] != "sh" || blocks[1][1] != "text" {
				t.Fatalf("not a block of commands and a block of text: %d blocks", len(blocks))
			}
			if n := strings.Count(blocks[0][2], "\n"); n > 30 {
				t.Errorf("%d lines", n)
			}
			out := onTerminal(t, t.TempDir(), "export PATH='"+bin+"':\"$PATH\"\n"+blocks[0][2])
			sameScreen(t, recipe, blocks[1][2], out)
		})
	}
}

// TestStartPage tests that the commands of start.md work in their order, without a key and
// without a network, and that the terminal then shows what the page shows.
func TestStartPage(t *testing.T) {
	dir := checkout(t)
	blocks := block.FindAllStringSubmatch(page(t, "start.md"), -1)
	var all []guideBlock
	for _, b := range blocks {
		if n := len(all); b[1] == "sh" {
			all = append(all, guideBlock{commands: b[2]})
		} else if b[1] == "text" && n > 0 {
			all[n-1].says = b[2]
		}
	}
	if len(all) != 3 || len(blocks) != 6 {
		t.Errorf("%d blocks, %d of them commands", len(blocks), len(all))
	}
	runGuide(t, "start.md", dir, all)
	if _, err := os.Stat(filepath.Join(dir, "hello", "guests.txt")); err == nil {
		t.Error("golem undo has not removed guests.txt")
	}
}
