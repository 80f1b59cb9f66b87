package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeShowsTheScreen tests that the README's first command, on a terminal, shows the
// question that is below it there, that y and Enter let the call run, and that golem undo takes
// it back.
func TestReadmeShowsTheScreen(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(readme), "```console\n$ golem ")
	block, _, _ := strings.Cut(rest, "\n```")
	line, screen, _ := strings.Cut(block, "\n\n")
	if !found || screen == "" {
		t.Fatal("the README shows no screen")
	}
	args := regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(line, -1)
	for i := range args {
		args[i] = strings.Trim(args[i], `"`)
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "build", "note-taker"), os.DirFS("../../examples/note-taker")); err != nil {
		t.Fatal(err)
	}
	garden := func() string {
		data, err := os.ReadFile(filepath.Join(dir, "build", "note-taker", "notes", "garden.md"))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	before := garden()
	r := startPTY(t, dir, nil, false, args...)
	r.sees("A letter, then Enter, answers")
	if got := untrailing(r.glass().text()); got != screen {
		t.Errorf("the README shows\n%s\nthe terminal\n%s", screen, got)
	}
	r.press("y")
	r.sees("> [y]") // keys that come at once count as typed text
	r.press("\r")
	r.exit(0)
	if garden() == before {
		t.Error("y and Enter changed nothing")
	}
	r = startPTY(t, dir, nil, false, "undo", "--project", "build/note-taker")
	r.expect("[y/N]")
	r.typeKeys("y\n")
	r.exit(0)
	if garden() != before {
		t.Error("golem undo did not take back what the run wrote")
	}
}

// untrailing returns a text without blanks at the ends of its lines, and without empty lines at
// its ends.
func untrailing(text string) string {
	return strings.Trim(regexp.MustCompile(`(?m)[ \t]+$`).ReplaceAllString(text, ""), "\n")
}
