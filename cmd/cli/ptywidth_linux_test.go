package main

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Help and tables are as wide as the terminal: no line of them is broken within a word,
// and what a flag does stays in its column.
func TestTerminalWidth(t *testing.T) {
	long := strings.Repeat("long-name-", 8)
	dir := ptyProject(t, map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {approval: {default: preApproved}}}\n---\nW.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - calls: [{tool: write_file, args: {path: /" + long + ".md, content: x}}]\n    - say: done\n",
	})
	startPTY(t, dir, nil, false, ".", "go", "--plain").exit(0)
	for _, args := range [][]string{{"--help"}, {"run", "--help"}, {"undo", "--list"}} {
		r := startPTY(t, dir, nil, false, args...)
		r.exit(0)
		text := r.text()
		for l := range strings.Lines(text) {
			if l = strings.TrimRight(l, "\r\n"); utf8.RuneCountInString(l) > 100 {
				t.Errorf("%q: %d columns: %s", args, utf8.RuneCountInString(l), l)
			}
		}
		if args[0] == "run" && !strings.Contains(text, "\n"+strings.Repeat(" ", 35)) {
			t.Error(text)
		}
	}
}
