package core_test

import (
	"strings"
	"testing"

	"golem/core"
	"golem/core/fault"
)

// A name of a tool that no worker of a case can have is named with the nearest one: calls.never
// would pass for ever. Names that exist elsewhere are fine.
func TestUnknownToolsInTestsAreNamed(t *testing.T) {
	p, o, _ := testProject(t, map[string]string{
		"main.worker":           "---\nmodel: page:m\ntoolsets: {filesystem: {}, mcp: {far: {url: \"https://a.example/mcp\"}}}\nallow_workers: [helper]\n---\nDo.\n",
		"workers/helper.worker": "---\n---\nHelp.\n", "workers/other.worker": "---\n---\nHelp.\n",
		"s.yaml": "script: 1\nworkers: {main: [{say: ok}]}\n",
		"tests/a.yaml": `test: 1
model: script:s.yaml
cases:
  - name: a
    input: x
    answers: [{tool: writefile, decide: yes}]
    results: [{tool: xyzzy, return: a}]
    expect: {calls: {never: [delete_fle, delete_file, run_command, far__send, helper], at_most: {delet_file: 0}}}
  - name: b
    input: x
    expect: {denied: [], calls: {never: [othr, delete_fle]}}
`,
	})
	want := []string{
		`tests/a.yaml:4:5: E_CONFIG: warning: answers of the case "a" names the tool "writefile", and no worker of the case can have such a tool (did you mean write_file)`,
		`results of the case "a" names the tool "xyzzy", and no worker of the case can have such a tool (golem describe shows the tools of a worker)`,
		`calls.never of the case "a" names the tool "delete_fle", and no worker of the case can have such a tool (did you mean delete_file)`,
		`calls.at_most of the case "a" names the tool "delet_file"`,
		`tests/a.yaml:9:5: E_CONFIG: warning: calls.never of the case "b" names the tool "othr"`,
	}
	tests := testsOf(t, p, o)
	got := tests.Warnings(t.Context(), core.TestRun{})
	for n, f := range got {
		if n >= len(want) || !strings.Contains(f.Error(), want[n]) {
			t.Errorf("%d: %s", n, f)
		}
	}
	inst, err := core.Open(p, o)
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, f := range inst.Check("") {
		if f.Where != nil && f.Where.File == "tests/a.yaml" {
			checked++
		}
	}
	if len(got) != len(want) || checked != len(want) {
		t.Errorf("%d warnings, and %d of golem check, want %d", len(got), checked, len(want))
	}
}

// A file in tests/ that does not say that it is one of golem's is only warned of: it may be
// another program's, as a template is.
func TestCheckIsLenientWithFilesOfOthers(t *testing.T) {
	p, o, _ := testProject(t, map[string]string{
		"main.worker":          "---\nmodel: script:minimal\n---\nDo.\n",
		"tests/template.yaml":  "kind: {{ .Values.kind }}\n{{- if .x }}\na: b: c\n{{- end }}\n",
		"tests/tavern.yaml":    "cases: []\n",
		"tests/sub/empty.yaml": "",
		"tests/data.yaml":      strings.Repeat("- x\n", 2_000_000),
		"tests/own.yaml":       "test: 1\ncase: []\n",
	})
	inst, err := core.Open(p, o)
	if err != nil {
		t.Fatal(err)
	}
	severity := map[string]fault.Severity{}
	for _, f := range inst.Check("") {
		if f.Where != nil && (severity[f.Where.File] == "" || f.Severity != fault.Warning) {
			severity[f.Where.File] = f.Severity
		}
	}
	for file, warned := range map[string]bool{"tests/template.yaml": true, "tests/tavern.yaml": true, "tests/data.yaml": true, "tests/sub/empty.yaml": true, "tests/own.yaml": false} {
		if got, named := severity[file]; !named || (got == fault.Warning) != warned {
			t.Errorf("%s: %q, %t", file, got, named)
		}
	}
}

// golem check judges the files of tests: their form, the workers that they name, and what
// golem test refuses.
func TestCheckJudgesTests(t *testing.T) {
	p, o, _ := testProject(t, map[string]string{
		"main.worker":    scribe,
		"tests/bad.yaml": "test: 1\ncase: []\n", "tests/data.yaml": "owls: 3\n",
		"tests/far.yaml":   "test: 1\nmodel: replay:/etc/passwd\ncases: [{name: a, input: x}]\n",
		"tests/judge.yaml": "test: 1\ncases:\n  - {name: a, input: x, expect: {output: {judge: {worker: jugde, at_least: 1}}}}\n",
		"tests/lost.yaml":  "test: 1\nworker: lost\ncases: [{name: a, input: x}]\n",
	})
	inst, err := core.Open(p, o)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range inst.Check("") {
		if f.Where != nil && strings.HasPrefix(f.Where.File, "tests/") {
			got = append(got, f.Error())
		}
	}
	want := []string{
		`tests/bad.yaml:1:1: E_CONFIG: the file has no cases`,
		`tests/bad.yaml:2:1: E_CONFIG: unknown key "case" (did you mean cases)`,
		`tests/far.yaml:2:8: E_CONFIG: model: a test reads no recording but its own, in tests/recordings (write replay)`,
		`tests/judge.yaml:3:5: E_WORKER_NOT_FOUND`,
		`tests/lost.yaml:2:9: E_WORKER_NOT_FOUND`,
	}
	for n, text := range got {
		if n >= len(want) || !strings.HasPrefix(text, want[n]) {
			t.Errorf("%d: %s", n, text)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d faults, want %d", len(got), len(want))
	}
}
