package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestErrorPagesAreFresh tests that docs/errors.md and docs/errors are what the generator
// writes, and nothing else, and that no page is long.
func TestErrorPagesAreFresh(t *testing.T) {
	want, err := render("../..")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for name, text := range want {
		found += strings.Count(text, "\n| ")
		if len(text) > 8<<10 {
			t.Errorf("%s has %d bytes", name, len(text))
		}
		if got, err := os.ReadFile(filepath.Join("..", name)); err != nil || string(got) != text {
			t.Errorf("docs/%s is stale (%v); run at the repository's root: go run ./docs/messages", name, err)
		}
	}
	if found < 400 {
		t.Errorf("only %d messages were found: the reader of the source is wrong", found)
	}
	files, err := filepath.Glob("../errors/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if _, ok := want["errors/"+filepath.Base(file)]; !ok {
			t.Errorf("%s is not written any more; run at the repository's root: go run ./docs/messages", file)
		}
	}
}

// TestOldPagesAreRemoved tests that write removes the pages of codes that are gone.
func TestOldPagesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	if err := write(dir, map[string]string{"errors.md": "a", "errors/E_A.md": "a", "errors/E_A-2.md": "b"}); err != nil {
		t.Fatal(err)
	}
	if err := write(dir, map[string]string{"errors.md": "c", "errors/E_A.md": "d"}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(files) != 1 || filepath.Base(files[0]) != "E_A.md" {
		t.Errorf("%v, %v", files, err)
	}
}

// TestLongCodesHaveSeveralPages tests that each message is on exactly one of a code's pages,
// and that each page leads to the next.
func TestLongCodesHaveSeveralPages(t *testing.T) {
	var rows []message
	for i := range 200 {
		rows = append(rows, message{"a message " + strings.Repeat("x", 60) + string(rune('A'+i%26)) + string(rune('A'+i/26)), "do"})
	}
	pages := map[string]string{}
	addPages(pages, "E_A", "E_A", "Meaning.\n", rows)
	names := slices.Sorted(maps.Keys(pages))
	if !slices.Equal(names, []string{"errors/E_A-2.md", "errors/E_A-3.md", "errors/E_A.md"}) {
		t.Fatalf("%q", names)
	}
	all := strings.Join(slices.Collect(maps.Values(pages)), "")
	for _, m := range rows {
		if strings.Count(all, "| "+m.text+" |") != 1 {
			t.Errorf("%d times: %s", strings.Count(all, m.text), m.text)
		}
	}
	if !strings.Contains(pages["errors/E_A.md"], "(E_A-2.md)") || !strings.Contains(pages["errors/E_A-2.md"], "(E_A-3.md)") || strings.Contains(pages["errors/E_A-3.md"], "More messages]") {
		t.Error("the pages do not lead to each other")
	}
}
