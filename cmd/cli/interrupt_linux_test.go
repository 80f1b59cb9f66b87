package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golem/cmd/cli/console"
)

// SPEC §5: the first Ctrl+C ends the run properly; where that takes too long,
// here because nobody reads the answer, the second one exits at once.
func TestSecondInterruptExits(t *testing.T) {
	t.Parallel()
	dir := ptyProject(t, map[string]string{
		"script.yaml": "script: 1\nworkers:\n  main: [{say: " + strings.Repeat("many-words-", 40_000) + "}]\n",
	})
	unread, full, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer unread.Close()
	defer full.Close()
	r := startPTYTo(t, dir, nil, full, ".", "go", "--quiet", "--model", "script:script.yaml")
	first := make([]byte, 1)
	if _, err := unread.Read(first); err != nil { // the answer has begun, and gets no further
		t.Fatal(err)
	}
	r.typeKeys("\x03")
	r.expect("again to exit at once")
	select {
	case <-r.done:
		t.Fatal("the first Ctrl+C ended it")
	case <-time.After(300 * time.Millisecond):
	}
	r.typeKeys("\x03")
	r.exit(console.ExitInterrupted) // still nobody reads the answer
}

// SPEC §5: Ctrl+\ ends a run as a polite kill does, and shows nothing of the program.
func TestQuitEndsTheRun(t *testing.T) {
	dir := ptyProject(t, map[string]string{
		"script.yaml": "script: 1\nworkers:\n  main: [{hang: true}]\n",
	})
	r := startPTY(t, dir, nil, false, ".", "go", "--trace", "t.jsonl", "--model", "script:script.yaml")
	waitFor(func() bool { return strings.Contains(r.traced(dir), `"type":"model.start"`) })
	r.typeKeys("\x1c")
	r.exit(console.ExitInterrupted)
	if !strings.Contains(r.traced(dir), `"status":"interrupted","exit":130`) || strings.Contains(r.text(), "goroutine") {
		t.Errorf("%s\n%s", r.traced(dir), r.text())
	}
}

// traced returns the content of t.jsonl so far.
func (r *ptyRun) traced(dir string) string {
	data, err := os.ReadFile(filepath.Join(dir, "t.jsonl"))
	if err != nil {
		return ""
	}
	return string(data)
}
