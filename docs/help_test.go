//go:build !js

package docs_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// errorPages returns the text of all pages of error codes.
func errorPages(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("errors/*.md")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d pages of errors: %v", len(files), err)
	}
	var b strings.Builder
	for _, file := range files {
		b.WriteString(page(t, file))
	}
	return b.String()
}

// commandsExist tests that the golem commands that a text has in code marks, and their flags,
// exist. It returns how many it found.
func commandsExist(t *testing.T, text string) int {
	t.Helper()
	dir, commands, known := checkout(t), 0, map[string]string{}
	for _, m := range quoted.FindAllStringSubmatch(text, -1) {
		words := strings.Fields(m[1])
		if len(words) < 2 || words[0] != "golem" {
			continue
		}
		commands++
		var names, flags []string
		for _, w := range words[1:] {
			if name := flagName.FindString(w); name != "" {
				flags = append(flags, name)
			} else if len(flags) == 0 && len(names) < 2 && (len(names) == 0 || slices.Contains(groups, names[0])) {
				names = append(names, w)
			}
		}
		command := "golem " + strings.Join(names, " ") + " --help"
		if known[command] == "" {
			known[command] = shell(t, dir, command)
		}
		for _, f := range flags {
			if !strings.Contains(known[command], f) {
				t.Errorf("%s: there is no flag %s", m[1], f)
			}
		}
		if len(names) == 2 && !strings.Contains(known[command], "golem "+names[0]+" "+names[1]) {
			t.Errorf("%s: there is no such command", m[1])
		}
	}
	return commands
}

// groups are the commands whose second word is a command, too.
var groups = []string{"tool", "lib", "trace", "batch", "mcp", "secret"}

// TestHelpPage tests that the commands and flags in help.md exist, that the
// messages which it quotes are messages of golem, and that the page stays below 8 KB.
func TestHelpPage(t *testing.T) {
	text := page(t, "help.md")
	if len(text) > 8<<10 {
		t.Errorf("%d bytes", len(text))
	}
	messages := errorPages(t)
	for _, m := range quoted.FindAllStringSubmatch(text, -1) {
		if code, what, found := strings.Cut(m[1], ": "); found && strings.HasPrefix(code, "E_") {
			fixed := strings.Fields(regexp.MustCompile(`^(?:[a-z]+ )+`).FindString(what + " "))
			last := max(0, len(fixed)-1) // the last word may be a name
			if !strings.Contains(messages, strings.Join(fixed, " ")) && !strings.Contains(messages, strings.Join(fixed[:last], " ")) {
				t.Errorf("no message begins as %q", m[1])
			}
		}
	}
	if n := commandsExist(t, text); n < 15 {
		t.Errorf("only %d commands", n)
	}
}

// TestErrorPagesNameCommands tests that the commands and flags in the usual causes of errors
// exist.
func TestErrorPagesNameCommands(t *testing.T) {
	if n := commandsExist(t, errorPages(t)); n < 25 {
		t.Errorf("only %d commands", n)
	}
}

// TestHelpOfDocsRuns tests that the commands which golem docs --help shows find a page.
func TestHelpOfDocsRuns(t *testing.T) {
	dir, tried := checkout(t), 0
	for _, m := range regexp.MustCompile(`(?m)^  (golem docs \S.*?)  `).FindAllStringSubmatch(shell(t, dir, "golem docs --help"), -1) {
		tried++
		if out := shell(t, dir, m[1]); len(out) < 200 {
			t.Errorf("%s says %s", m[1], out)
		}
	}
	if tried < 4 {
		t.Errorf("only %d commands", tried)
	}
}
