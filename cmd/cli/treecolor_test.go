package main

import (
	"regexp"
	"strings"
	"testing"
)

// Colours change nothing else in the tree, and each kind of line has its own.
func TestColoredTree(t *testing.T) {
	text := "main (main.worker): Says (something)\n  asks: write_file (write)\n  runs: read_file (read)\n  refused: shell (execute)\n" +
		"  only a person starts: push (write)\n  → reader (workers/reader.worker), asks: main.worker:3\n      runs: x (read)\n  → * (every other worker of the project)\n  → main (cycle: a run refuses it)\n  shadows workers/old.worker\n"
	got := coloredTree(text)
	if plain := regexp.MustCompile("\x1b\\[[0-9]*m").ReplaceAllString(got, ""); plain != text {
		t.Errorf("%q", plain)
	}
	for _, want := range []string{
		"\x1b[1mmain\x1b[0m\x1b[2m (main.worker)\x1b[0m: Says", "\x1b[33masks:\x1b[0m write_file", "\x1b[32mruns:\x1b[0m read", "\x1b[31mrefused:\x1b[0m",
		"\x1b[36monly a person starts:\x1b[0m", "→ \x1b[1mreader\x1b[0m", "\n  shadows workers/old.worker\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%q", want, got)
		}
	}
}
