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

// TestStartPage tests that the commands of start.md work in their order, without a key and
// without a network, and say what the page shows.
func TestStartPage(t *testing.T) {
	bin := filepath.Join(checkout(t), "bin")
	dir, script, want := t.TempDir(), "export PATH='"+bin+"':\"$PATH\"\n", []string{}
	for _, b := range block.FindAllStringSubmatch(page(t, "start.md"), -1) {
		if b[1] == "text" {
			want = append(want, strings.TrimSpace(b[2]))
		} else {
			script += b[2]
		}
	}
	out := shell(t, dir, script)
	for _, says := range want {
		_, after, ok := strings.Cut(out, says)
		if !ok {
			t.Fatalf("it does not say %q here:\n%s", says, out)
		}
		out = after
	}
	if len(want) != 3 || !strings.HasSuffix(strings.TrimSpace(out), "\nmain.worker\nscript.yaml") {
		t.Errorf("%d texts, or guests.txt is still there:\n%s", len(want), out)
	}
}
