package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golem/cmd/cli/console"
)

// TestTerminalBatchQuestions proves that a person can leave a question for later, go back to
// change an answer, and answer many calls by a rule whose list was shown to its end.
func TestTerminalBatchQuestions(t *testing.T) {
	t.Parallel()
	dir := ptyProject(t, map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\n---\nW.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - when: {turn: 1, match: '(\\w+)/(\\w+)'}\n      calls: [{tool: write_file, args: {path: $1/$2.txt, content: $2}}]\n    - say: done\n",
	})
	var inputs strings.Builder
	for n := range 40 {
		fmt.Fprintf(&inputs, "\"out/f%d\"\n", n)
	}
	inputs.WriteString("\"notes/x\"\n")
	if err := os.WriteFile(filepath.Join(dir, "in.jsonl"), []byte(inputs.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	startPTY(t, dir, nil, false, "batch", ".", "--inputs", "in.jsonl", "--name", "b").exit(console.ExitNobody)
	r := startPTY(t, dir, nil, false, "batch", "questions", "b")
	asked := 0
	answer := func(line string) {
		asked++
		r.expectTimes("[q]uit: ", asked)
		r.typeKeys(line + "\n")
	}
	answer("?")
	r.expect("n: no, this once; n and a reason") // Enter alone is another answer here
	answer("")                                   // later
	answer("y")                                  // question 2
	answer("b")                                  // question 3
	r.expect("the answer until now: yes")
	answer("n not this one")
	answer("r") // question 3
	r.expect("Rule for write_file: Enter: path=/out/**")
	r.typeKeys("\n")
	r.expect("Enter: the next page, n: no: ") // 39 calls are more than a screen
	r.typeKeys("\n")
	r.expect("All of them, and those that come later: [y]es / [n]o / Enter: no rule: ")
	r.typeKeys("y\n")
	r.expect("39 questions answered")
	r.expect("question 41 of 41")
	answer("q")
	r.exit(0)
	r = startPTY(t, dir, nil, false, "batch", "retry", "b")
	r.expect("b: 41 items, 40 ok, 1 parked")
	r.exit(console.ExitNobody)
	if _, err := os.Stat(filepath.Join(dir, "b.out")); err != nil {
		t.Fatal(err)
	}
	written, err := filepath.Glob(filepath.Join(dir, "b.out", "*", "out", "f*.txt"))
	if err != nil || len(written) != 39 {
		t.Errorf("%d files were written: %v", len(written), err)
	}
	if strings.Contains(r.text(), "\x1b]") {
		t.Error(r.text())
	}
}
