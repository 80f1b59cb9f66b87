package main

import (
	"os"
	"path/filepath"
	"testing"
)

// On a full screen: what was sent comes back with Up in the next golem, the person's own
// editor gets the message and the terminal, and a line ends with a backslash.
func TestTerminalWriting(t *testing.T) {
	dir := ptyProject(t, map[string]string{
		"main.worker": "---\nmode: chat\n---\nTalk.\n",
		"script.yaml": "script: 1\nworkers:\n  main:\n    - when: {match: '(.+)'}\n      say: heard $1\n",
		"edit.sh":     "printf 'composed elsewhere\\n' > \"$1\"\n",
	})
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("VISUAL", "")
	t.Setenv("EDITOR", "sh "+filepath.Join(dir, "edit.sh"))
	first := startPTY(t, dir, nil, false, "chat", ".", "--model", "script:script.yaml")
	first.expect("> ")
	first.typeKeys("\x07")
	first.expect("composed elsewhere")
	first.typeKeys("\r")
	first.expect("heard composed elsewhere")
	first.typeKeys("/exit\r")
	first.exit(0)

	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "golem-message-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	second := startPTY(t, dir, nil, false, "chat", ".", "--model", "script:script.yaml")
	second.expect("> ")
	second.typeKeys("\x1b[A\x1b[A")
	second.expect("composed elsewhere")
	second.typeKeys(" again\r")
	second.expect("heard composed elsewhere again")
	second.typeKeys("/exit\r")
	second.exit(0)
}
