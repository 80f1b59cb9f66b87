package reference

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golem/docs"
)

// allPages returns the page that lists all pages of the documentation by their parts. made has
// the pages that this program makes; the others are in docs below root.
func allPages(root string, made map[string]string) (string, error) {
	out := "# All pages\n\n`golem docs` lists them in a terminal, and `golem docs WORDS` searches them.\n"
	for _, part := range docs.Contents {
		out += "\n## " + part.Title + "\n\n" + part.About + "\n\n"
		for _, name := range part.Pages {
			text := made[name+".md"]
			if name == "reference/pages" {
				text = out
			} else if text == "" {
				data, err := os.ReadFile(filepath.Join(root, "docs", filepath.FromSlash(name)+".md"))
				if err != nil {
					return "", fmt.Errorf("a page of docs.Contents: %w", err)
				}
				text = string(data)
			}
			title, _, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
			out += "- [" + title + "](../" + name + ".md)\n"
		}
	}
	return out, nil
}
