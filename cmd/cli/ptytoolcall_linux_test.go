package main

import (
	"strings"
	"testing"
)

// Scenario 17 on a terminal: without JSON golem tool call asks for each argument, then
// the gate asks, and no leaves the item alone.
func TestTerminalToolForm(t *testing.T) {
	project := ptyProject(t, map[string]string{
		"main.worker": "---\nmodel: script:script.yaml\ntoolsets: {clearance: {approval: {tools: {push: ask}}}}\n---\nM.\n",
	})
	for keys, want := range map[string]string{"n\n": "the user said no", "y\n": "there is no item 7"} {
		r := startPTY(t, project, nil, false, "tool", "call", "push")
		r.expect("item")
		r.expect(": ")
		r.typeKeys("7\n")
		r.expect("as JSON, or - for none: ")
		r.typeKeys("-\n")
		r.expect("own), or - for none: ")
		r.typeKeys("-\n")
		r.expect("[y]es / [n]o")
		r.typeKeys(keys)
		r.exit(1)
		if !strings.Contains(r.text(), want) {
			t.Errorf("no %q in\n%s", want, r.text())
		}
	}
}
