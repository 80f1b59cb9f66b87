package core_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"golem/core"
	"golem/core/sandbox"
	"golem/core/worktest"
)

// testProject is a project in memory with the files of a txtar-like list.
func testProject(t *testing.T, files map[string]string) (core.Platform, core.Options, sandbox.FS) {
	t.Helper()
	tree := sandbox.Memory()
	for name, text := range files {
		if err := tree.WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	p := core.Platform{Name: "native", Version: "test", Site: core.Site{TrustKey: "/project", Files: core.Tree{FS: tree}}}
	return p, core.Options{Files: tree, Name: "project"}, tree
}

// testsOf opens a project and returns its tests.
func testsOf(t testing.TB, p core.Platform, o core.Options) *core.Tests {
	t.Helper()
	inst, err := core.Open(p, o)
	if err != nil {
		t.Fatal(err)
	}
	tests, err := inst.Tests()
	if err != nil {
		t.Fatal(err)
	}
	return tests
}

// verdictsOf runs the tests of a project, and returns their verdicts a line each.
func verdictsOf(t *testing.T, files map[string]string, how core.TestRun) (string, []worktest.Verdict) {
	t.Helper()
	p, o, _ := testProject(t, files)
	tests := testsOf(t, p, o)
	for _, f := range tests.Faults {
		t.Log(f)
	}
	verdicts, err := tests.Run(context.Background(), how)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, v := range verdicts {
		fmt.Fprintf(&b, "%s: %s", v.Case, v.Status)
		for _, m := range v.Misses {
			fmt.Fprintf(&b, " | %s: want %s, got %s", m.What, m.Want, m.Got)
		}
		if v.Fault != nil {
			b.WriteString(" | " + v.Fault.Error())
		}
		b.WriteString("\n")
	}
	return b.String(), verdicts
}

const scribe = `---
toolsets: {filesystem: {}}
---
Write what you are told.
`

const scribeScript = `
script: 1
workers:
  main:
    - when: {text: shout}
      say: HELLO
    - when: {text: write, turn: 1}
      calls: [{tool: write_file, args: {path: /out.txt, content: hello}}]
    - when: {tool: write_file, error: E_DENIED}
      say: denied
    - when: {tool: write_file}
      say: written
    - when: {text: json}
      say: '{"total": 12, "list": [1, 2]}'
`

func TestCasesAreJudged(t *testing.T) {
	got, _ := verdictsOf(t, map[string]string{
		"main.worker": scribe, "s.yaml": scribeScript, "out.txt": "old",
		"tests/a.yaml": `
test: 1
model: script:s.yaml
cases:
  - name: says
    input: shout
    expect: {output: {equals: HELLO, contains: [HE, LLO], matches: "^H"}, files: {out.txt: {equals: old}}, limits: {turns: 1, tokens: 100000}}
  - name: says otherwise
    input: shout
    expect: {output: {equals: hello, contains: x, matches: "^h"}}
  - name: writes
    input: write
    answers: [{tool: write_file, decide: yes}]
    expect: {output: {equals: written}, files: {out.txt: {equals: hello}, b.txt: absent}, calls: {must: [write_file], never: [delete_file], at_most: {write_file: 1}}, denied: []}
  - name: nobody answers
    input: write
    expect: {output: {equals: denied}, files: {out.txt: {equals: old}}, denied: [write_file]}
  - name: says no
    input: write
    answers: [{tool: write_file, decide: no, reason: not now}]
    expect: {output: {equals: written}, calls: {must: [write_file]}, denied: [], files: {out.txt: absent}, limits: {turns: 1}}
  - name: json
    input: json
    expect: {output: {equals: {list: [1, 2], total: 12.0}, schema: {type: object, required: [total]}, json: {/total: 12, /list/1: 2}}}
  - name: not json
    input: json
    expect: {output: {schema: {type: object, required: [sum]}, json: {/total: 13, /list/2: 2, /list/x: 1}}}
  - name: no rule
    input: nothing
    expect: {status: E_MODEL}
  - name: laid over
    input: shout
    files: {notes/new.md: text}
    expect: {files: {notes/new.md: {contains: text}, out.txt: {contains: old}}}
`,
	}, core.TestRun{})
	want := `says: passed
says otherwise: failed | output.equals: want hello, got HELLO | output.contains: want x, got HELLO | output.matches: want ^h, got HELLO
writes: passed
nobody answers: passed
says no: failed | output.equals: want written, got denied | files out.txt: want absent, got old | calls.must: want write_file, got none | denied: want none, got write_file | limits.turns: want 1, got 2
json: passed
not json: failed | output.schema: want /sum: is required, got {"total": 12, "list": [1, 2]} | output.json /total: want 13, got 12 | output.json /list/2: want 2, got there is no such value in {"total": 12, "list": [1, 2]} | output.json /list/x: want 1, got there is no such value in {"total": 12, "list": [1, 2]}
no rule: passed
laid over: passed
`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
