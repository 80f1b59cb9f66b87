package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A run on a terminal shows its workers while it goes on and asks in their place. At
// the end only the answer and one line of summary stay.
func TestRunShowsItsTree(t *testing.T) {
	t.Setenv("TERM", "vt100")
	t.Setenv("NO_COLOR", "1")
	dir := ptyProject(t, map[string]string{
		"main.worker":           "---\ntoolsets:\n  filesystem: {}\nallow_workers: [reader]\nsandbox:\n  paths:\n    out: {root: ./out, mode: rw}\n---\nWrite it.\n",
		"workers/reader.worker": "---\ndescription: reads\n---\nRead.\n",
		"project.yaml":          "model: script:script.yaml\n",
		"script.yaml": `script: 1
workers:
  main:
    - when: {text: slow}
      calls: [{tool: reader, args: {input: "hang \u001b[2Jabout"}}, {tool: reader, args: {input: two}}]
    - when: {tool: write_file}
      say: "it is **written**\u001b[2J"
    - calls: [{tool: write_file, args: {path: /out/a.txt, content: hello}}]
  reader:
    - when: {text: hang}
      hang: true
    - say: read
`})
	r := startPTY(t, dir, nil, false, ".", "write it")
	r.sees("> [n] no, this once")
	if r.written() {
		t.Error("written before the answer")
	}
	r.typeKeys("git status and git add the rest")
	r.sees("What you type answers nothing")
	r.takes("\x1b")
	r.press("y")
	r.exit(0)
	left := regexp.MustCompile(`^  it is \*\*written\*\*\\u\{1b\}\[2J\n✓ done in \d+ s · 1 call · \S+ in, \S+ out\n\n*$`)
	if g := r.glass(); !r.written() || g.second || !left.MatchString(g.text()) {
		t.Errorf("written %v, left:\n%s", r.written(), g.text())
	}

	r = startPTY(t, dir, nil, false, ".", "slow")
	r.sees(`● reader: hang \u{1b}[2Jabout`)
	r.sees("✓ reader: two")
	r.sees("3 workers")
	r.typeKeys("\x03")
	r.exit(130)
	if text := r.glass().text(); strings.Contains(text, "reader") || strings.Contains(text, "E_INTERRUPTED") || !strings.Contains(text, "○ stopped in ") {
		t.Errorf("left:\n%s", text)
	}
}

// A rule that is saved (r) for a worker found on GOLEM_PATH holds only for this worker
// and the directory that it works on.
func TestRuleOfAWorkerOnThePath(t *testing.T) {
	dirs := t.TempDir()
	shelf := ptyProject(t, map[string]string{
		"tidy.worker": "---\nmodel: script:script.yaml\ntoolsets: {filesystem: {}}\n---\nWrite it.\n",
		"t2.worker":   "---\nmodel: script:script.yaml\ntoolsets: {filesystem: {}}\n---\nWrite it.\n",
		"script.yaml": "script: 1\nworkers: {'*': [{calls: [{tool: write_file, args: {path: /out/a.txt, content: hello}}]}, {say: done}]}\n",
	})
	t.Setenv("GOLEM_PATH", shelf)
	a, b := filepath.Join(dirs, "a"), filepath.Join(dirs, "b")
	for _, dir := range []string{a, b} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r := startPTY(t, a, nil, false, "tidy", "x", "--plain")
	r.expect("[y]es")
	r.typeKeys("r\n")
	r.expect("Save this rule and run the call? [y]es / [n]o: ")
	r.typeKeys("y\n")
	r.exit(0)
	startPTY(t, a, nil, false, "tidy", "x", "--headless").exit(0)
	startPTY(t, a, nil, false, "t2", "x", "--headless").exit(3)
	if err := os.Rename(homeOf(a), homeOf(b)); err != nil {
		t.Fatal(err)
	}
	startPTY(t, b, nil, false, "tidy", "x", "--headless").exit(3)
	startPTY(t, b, nil, false, "t2", "x", "--headless").exit(3)
}
