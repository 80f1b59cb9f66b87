//go:build !js

package docs_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golem/docs"
)

// TestCookbook tests that each recipe works when its commands are pasted into a shell, without
// a key and without a network, that its output contains the text that the page shows, and that
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
			out := shell(t, t.TempDir(), "export PATH='"+bin+"':\"$PATH\"\n"+blocks[0][2])
			if says := strings.TrimSpace(blocks[1][2]); !strings.Contains(out, says) {
				t.Errorf("it does not say %q:\n%s", says, out)
			}
		})
	}
}
