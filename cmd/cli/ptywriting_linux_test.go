package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// On a full screen, Up brings back what was sent to an earlier golem, the person's own
// editor gets the message and the terminal, and a backslash at its end continues a
// line.
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

// Several lines that come at once, from a terminal that does not mark what is pasted, are one
// message, which the person sends.
func TestTerminalPasteWithoutMarks(t *testing.T) {
	dir := ptyProject(t, map[string]string{
		"main.worker": "---\nmode: chat\n---\nTalk.\n",
		"script.yaml": "script: 1\nworkers:\n  main:\n    - when: {text: \"first\\nsecond\\nthird\"}\n      say: as one message\n    - say: in pieces\n",
	})
	t.Setenv("TERM", "xterm-256color")
	r := startPTY(t, dir, nil, false, "chat", ".", "--model", "script:script.yaml")
	r.expect("> ")
	r.typeKeys("first\rsecond\rthird")
	r.expect("third")
	r.typeKeys("\x05\r") // End, which is no part of the paste, and Enter
	r.expect("as one message")
	r.typeKeys("/exit\r")
	r.exit(0)
}

// If the person's editor ends at once, here because it cannot be started, the screen is
// drawn again each time.
func TestTerminalEditorEndsAtOnce(t *testing.T) {
	dir := ptyProject(t, map[string]string{
		"main.worker": "---\nmode: chat\n---\nTalk.\n",
		"script.yaml": "script: 1\nworkers:\n  main:\n    - say: heard\n",
	})
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("VISUAL", filepath.Join(dir, "missing"))
	t.Setenv("GOMAXPROCS", "1") // so that other goroutines have not ended when the editor ends
	r := startPTY(t, dir, nil, false, "chat", ".", "--model", "script:script.yaml")
	r.expect("> ")
	for n := range 10 {
		r.expectTimes("\x1b[?1049h", n+1) // golem has the full screen
		r.typeKeys("\x07")
	}
	r.expectTimes("\x1b[?1049h", 11)
	r.expect("the editor failed")
	r.typeKeys("hello\r")
	r.expect("heard")
	r.typeKeys("/exit\r")
	r.exit(0)
}

// golem trace show opens a viewer on a terminal: the tree, a call with its prompt, back,
// and out; --plain prints.
func TestTerminalTraceViewer(t *testing.T) {
	dir := ptyProject(t, map[string]string{
		"main.worker": "---\ndescription: talks\n---\nTalk.\n",
		"script.yaml": "script: 1\nworkers:\n  main:\n    - say: the answer\n",
	})
	t.Setenv("TERM", "xterm-256color")
	run := startPTY(t, dir, nil, false, ".", "go", "--model", "script:script.yaml", "--artifacts", "kept", "--trace", "t.jsonl")
	run.exit(0)
	r := startPTY(t, dir, nil, false, "trace", "show", "t.jsonl", "--artifacts", "kept")
	r.expect("q leave")
	r.typeKeys("\r")
	r.expect("prompt, system")
	r.expect("the answer")
	r.typeKeys("q")
	r.exit(0)
	for answer, written := range map[string]bool{"n\n": false, "y\n": true} { // m makes a test of the run, after a yes
		r = startPTY(t, dir, nil, false, "trace", "show", "t.jsonl")
		r.expect("m make a test")
		r.typeKeys("m")
		r.expect("Keep 1 case")
		r.typeKeys(answer)
		r.exit(map[bool]int{true: 0, false: 1}[written])
		if _, err := os.Stat(filepath.Join(dir, "tests", "go.yaml")); (err == nil) != written {
			t.Errorf("%q: written %v\n%s", answer, err == nil, r.text())
		}
		if err := os.RemoveAll(filepath.Join(dir, "tests")); err != nil {
			t.Fatal(err)
		}
	}
	r = startPTY(t, dir, nil, false, "trace", "show", "t.jsonl", "--plain")
	r.exit(0)
	if text := r.text(); !strings.Contains(text, "main (worker, script:script.yaml)") || strings.Contains(text, "q leave") {
		t.Errorf("%s", text)
	}
}
