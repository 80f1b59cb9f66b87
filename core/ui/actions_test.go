package ui

import (
	"errors"
	"strings"
	"testing"

	"golem/core/fault"
)

// Every action has a help text of one sentence, and ParseCommand knows every command of the
// list: by its name, and in capitals with an argument if it takes one.
func TestActions(t *testing.T) {
	names := map[string]bool{}
	for _, a := range Actions() {
		if a.Name == "" || names[a.Name] || a.Help == "" || strings.HasSuffix(a.Help, ".") || strings.Contains(a.Help, "\n") {
			t.Errorf("%+v", a)
		}
		names[a.Name] = true
		if a.Command == "" {
			if a.Keys == "" || a.Usage() != "" {
				t.Errorf("%s: neither a key nor a command", a.Name)
			}
			continue
		}
		for _, line := range []string{"/" + string(a.Command), "  /" + strings.ToUpper(string(a.Command)) + "  x y "} {
			cmd, err := ParseCommand(line)
			switch {
			case strings.HasSuffix(line, " ") && a.Args == "":
				if !errors.Is(err, fault.Usage) {
					t.Errorf("%q takes no argument: %+v, %v", line, cmd, err)
				}
			case err != nil || cmd.Name != a.Command || cmd.Arg != "" && cmd.Arg != "x y":
				t.Errorf("%q: %+v, %v", line, cmd, err)
			}
		}
		if !strings.Contains(CommandHelp(true), "/"+string(a.Command)) || strings.Contains(CommandHelp(false), "/"+string(a.Command)) == a.Host {
			t.Errorf("/help and /%s", a.Command)
		}
	}
	for line := range strings.Lines(CommandHelp(true)) {
		if Width(strings.TrimSuffix(line, "\n")) > 112 {
			t.Errorf("too wide: %q", line)
		}
	}
}
