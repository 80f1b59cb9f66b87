//go:build !js

package docs_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestHelpPage tests that the commands and flags in help.md exist, that the
// messages which it quotes are messages of golem, and that the page stays below 8 KB.
func TestHelpPage(t *testing.T) {
	text, dir := page(t, "help.md"), checkout(t)
	if len(text) > 8<<10 {
		t.Errorf("%d bytes", len(text))
	}
	messages := page(t, "messages.md")
	commands := 0
	for _, m := range quoted.FindAllStringSubmatch(text, -1) {
		said := m[1]
		if code, what, found := strings.Cut(said, ": "); found && strings.HasPrefix(code, "E_") {
			fixed := strings.Fields(regexp.MustCompile(`^(?:[a-z]+ )+`).FindString(what + " "))
			last := max(0, len(fixed)-1) // the last word may be a name
			if !strings.Contains(messages, strings.Join(fixed, " ")) && !strings.Contains(messages, strings.Join(fixed[:last], " ")) {
				t.Errorf("no message begins as %q", said)
			}
		}
		if words := strings.Fields(said); len(words) > 1 && words[0] == "golem" {
			commands++
			var names, flags []string
			for _, w := range words[1:] {
				if name := flagName.FindString(w); name != "" {
					flags = append(flags, name)
				} else if len(flags) == 0 && len(names) < 2 && (len(names) == 0 || slices.Contains([]string{"show", "call"}, w)) {
					names = append(names, w)
				}
			}
			help := shell(t, dir, "golem "+strings.Join(names, " ")+" --help")
			for _, f := range flags {
				if !strings.Contains(help, f) {
					t.Errorf("%s: there is no flag %s", said, f)
				}
			}
		}
	}
	if commands < 15 {
		t.Errorf("only %d commands", commands)
	}
}
