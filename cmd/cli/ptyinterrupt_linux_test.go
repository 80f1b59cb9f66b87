package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"golem/cmd/cli/console"
)

// Ctrl+C ends each command that asks with exit code 130, and leaves the terminal as it
// was: after a hidden prompt it shows again what is typed.
func TestTerminalInterruptOutsideARun(t *testing.T) {
	wide := map[string]string{"main.worker": "---\nmodel: script:script.yaml\ntoolsets: {filesystem: {}, shell: {approval: {default: preApproved}}}\n---\nHi.\n"}
	for _, c := range []struct {
		prompt string
		args   []string
	}{
		{"[y]es", []string{"trust", ".", "--plain"}},
		{"Allow", []string{"trust", "."}},
		{"content", []string{"tool", "call", "write_file"}},
		{"Value of TOK", []string{"secret", "set", "TOK"}},
		{"Password for the new key", []string{"pack", "--new-key", "k.key"}},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			t.Parallel()
			r := startPTY(t, ptyProject(t, wide), nil, false, c.args...)
			r.expect(c.prompt)
			hides := c.args[0] == "secret" || c.args[0] == "pack"
			if hides && !waitFor(func() bool { return !echoes(t, r) }) {
				t.Fatal("the prompt shows what is typed")
			}
			r.typeKeys("\x03")
			r.exit(console.ExitInterrupted)
			if !echoes(t, r) {
				t.Error("the terminal does not show what is typed")
			}
		})
	}
}

// echoes reports whether the terminal shows what is typed.
func echoes(t *testing.T, r *ptyRun) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(r.master.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

// SECURITY 9: what golem did not write shows its escape sequences on a terminal and does
// not carry them out: the diff of check --fix, and an exported conversation.
func TestTerminalShowsEscapes(t *testing.T) {
	dir := ptyProject(t, map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\nlocked: true\n---\nhi\x1b[8A\x1b[J\n",
		"s.yaml":      "script: 1\nworkers: {main: [{say: \"before \\e[2J after\"}]}\n",
	})
	raw := func(r *ptyRun) string {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.screen.String()
	}
	r := startPTY(t, dir, nil, false, "check", "--fix", ".")
	r.expect("write this file? [y/N] ")
	if text := raw(r); strings.Contains(text, "\x1b[8A") || !strings.Contains(text, `hi\u{1b}[8A`) {
		t.Errorf("%q", text)
	}
	r.typeKeys("y\n")
	r.exit(0)
	startPTY(t, dir, nil, false, ".", "go", "--plain").exit(0)
	kept, err := filepath.Glob(filepath.Join(dir, ".golem", "conversations", "*.jsonl"))
	if err != nil || len(kept) != 1 {
		t.Fatal(kept, err)
	}
	id := strings.TrimSuffix(filepath.Base(kept[0]), ".jsonl")
	r = startPTY(t, dir, nil, false, "conversations", "export", id)
	r.exit(0)
	if text := raw(r); strings.Contains(text, "\x1b[2J") || !strings.Contains(text, `before \u{1b}[2J after`) {
		t.Errorf("%q", text)
	}
	r = startPTY(t, dir, nil, true, "conversations", "export", id)
	r.exit(0)
	if text := r.stdout.String(); strings.Contains(text, "\x1b") || !strings.Contains(text, `before \u{1b}[2J after`) {
		t.Errorf("a file gets control characters: %q", text)
	}
}

// After golem was suspended and goes on (Ctrl+Z, fg), each prompt is written again, because the
// shell has written to the terminal meanwhile. A hidden prompt hides its answer again.
func TestTerminalPromptsAgainAfterASuspension(t *testing.T) {
	suspend := func(r *ptyRun) {
		t.Helper()
		for _, s := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
			if err := r.cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
		}
	}
	files := map[string]string{"chat.yaml": "script: 1\nworkers:\n  main:\n    - say: first answer\n"}
	r := startPTY(t, ptyProject(t, files), nil, false, "chat", ".", "--plain", "--model", "script:chat.yaml")
	r.expect("> ")
	suspend(r)
	r.expectTimes("> ", 2)
	r.typeKeys("one\n")
	r.expect("Golem: first answer")
	r.expectTimes("> ", 3)
	r.typeKeys("/exit\n")
	r.exit(0)

	r = startPTY(t, ptyProject(t, nil), nil, false, ".", "go", "--plain", "--model", "script:script.yaml")
	r.expect(question)
	suspend(r)
	r.expectTimes(question, 2)
	r.typeKeys("y\n")
	if r.exit(0); !r.written() {
		t.Error(r.text())
	}

	const hidden = "Value of TOK (not shown): "
	r = startPTY(t, ptyProject(t, nil), nil, false, "secret", "set", "TOK")
	r.expect(hidden)
	if !waitFor(func() bool { return !echoes(t, r) }) {
		t.Fatal("the prompt shows what is typed")
	}
	if err := r.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	modes, err := unix.IoctlGetTermios(int(r.master.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	modes.Lflag |= unix.ECHO // as a shell does
	if err := unix.IoctlSetTermios(int(r.master.Fd()), unix.TCSETS, modes); err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	r.expectTimes(hidden, 2)
	r.typeKeys("a-value-of-it\n")
	r.exit(0)
	if strings.Contains(r.text(), "a-value-of-it") {
		t.Error(r.text())
	}
}
