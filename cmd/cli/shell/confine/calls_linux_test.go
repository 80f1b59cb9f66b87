//go:build linux && (amd64 || arm64)

package confine

import (
	"os"
	"strings"
	"testing"
)

// docs/shell/system-calls.md lists the system calls that a command may make, by purpose, and those that
// are refused.
func TestDocumented(t *testing.T) {
	data, err := os.ReadFile("../../../../docs/shell/system-calls.md")
	if err != nil {
		t.Fatal(err)
	}
	row := func(head string, calls []call) {
		for _, line := range strings.Split(string(data), "\n") {
			if !strings.HasPrefix(line, "| "+head) {
				continue
			}
			for _, c := range calls {
				if !strings.Contains(line, "`"+c.name+"`") {
					t.Errorf("the row %q of docs/shell/system-calls.md has no %s", head, c.name)
				}
			}
			return
		}
		t.Errorf("docs/shell/system-calls.md has no row %q", head)
	}
	for _, p := range append(allowed[:len(allowed):len(allowed)], older...) {
		row(p.name+" |", p.calls)
	}
	row("network, with", networked)
	row("shared memory and queues", shared)
	row("refused", refused)
	row("refused", olderRefused)
}

// No system call has two answers.
func TestOneAnswer(t *testing.T) {
	seen := map[uint32]string{}
	note := func(calls []call) {
		for _, c := range calls {
			if other := seen[c.number]; other != "" {
				t.Errorf("%s and %s have one number", other, c.name)
			}
			seen[c.number] = c.name
		}
	}
	for _, p := range append(allowed[:len(allowed):len(allowed)], older...) {
		note(p.calls)
	}
	for _, calls := range [][]call{networked, shared, refused, olderRefused} {
		note(calls)
	}
}
