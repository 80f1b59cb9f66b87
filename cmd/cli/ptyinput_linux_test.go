package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Scenario 29, on a terminal in single mode: what a child asked and the root
// passes on reaches the person, standard input is not read, and the last answer
// alone is the result.
func TestTerminalAnswersWhatTheRootAsks(t *testing.T) {
	project := ptyProject(t, map[string]string{
		"main.worker":            "---\nallow_workers: [planner]\n---\nM.\n",
		"workers/planner.worker": "---\ndescription: Plans.\n---\nP.\n",
		"script.yaml": `script: 1
workers:
  main:
    - calls: [{tool: planner, args: {input: plan}}]
    - when: {tool: planner, match: "which store"}
      say: Which store shall it be?
    - when: {match: "^Redis$"}
      calls: [{tool: planner, args: {input: plan with Redis}}]
    - say: planned with it
  planner:
    - when: {match: "Redis"}
      say: a plan
    - calls: [{tool: request_input, args: {question: "which store?", options: [Redis, SQLite]}}]
`,
	})
	r := startPTY(t, project, nil, false, ".", "Pick a store", "--plain", "--model", "script:script.yaml")
	r.expect("[Question] main asks you")
	r.expect("  main says:\n  │ Which store shall it be?")
	r.expect("  planner asked:\n  │ which store?")
	r.expect("> ")
	r.typeKeys("Redis\n")
	r.exit(0)
	if !strings.Contains(r.text(), "planned with it") {
		t.Error(r.text())
	}
	// If the root works with the answer itself, the question counts as answered all the
	// same.
	r = startPTY(t, project, nil, false, ".", "Pick a store", "--plain", "--model", "script:script.yaml")
	r.expect("the run ends here")
	r.expect("> ")
	r.typeKeys("green\n")
	r.exit(0)
	if !strings.Contains(r.text(), "planned with it") || strings.Count(r.text(), "planner asked") != 1 {
		t.Error(r.text())
	}
	r = startPTY(t, project, nil, false, ".", "Pick a store", "--plain", "--model", "script:script.yaml")
	r.expect("the run ends here")
	r.expect("> ")
	r.typeKeys("\n")
	r.exit(0)
	if strings.Contains(r.text(), "planned with it") {
		t.Error(r.text())
	}

	// What looks like a key is not sent without a second question, which does not show it.
	const key = "sk-proj-4f8a0c2e9b7d4f8a0c2e9b7d"
	r = startPTY(t, project, nil, false, ".", "Pick a store", "--plain", "--model", "script:script.yaml", "--trace", "t.jsonl")
	r.expect("the run ends here")
	r.expect("> ")
	r.typeKeys(key + "\n")
	r.expect("Your answer looks like a key. Send it to main?")
	r.expect("[y]es / [n]o: ")
	r.typeKeys("n\n")
	r.expectTimes("[Question] main asks you", 2)
	r.expectTimes("the run ends here.\n> ", 2) // what is typed before the prompt is not the answer
	r.typeKeys("Redis\n")
	r.exit(0)
	data, err := os.ReadFile(filepath.Join(project, "t.jsonl"))
	if err != nil || !strings.Contains(r.text(), "planned with it") || strings.Contains(string(data), key) || strings.Count(r.text(), key) != 1 {
		t.Errorf("%v\n%s\n%s", err, r.text(), data)
	}
}
