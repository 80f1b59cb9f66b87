//go:build unix

package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// Scenario 82, SPEC §17: the tests of a clone start nothing and reach nothing: no MCP server, no
// command, no host of a module, no file outside through links. Each case ends with a verdict.
func TestAClonesTestsStartNothing(t *testing.T) {
	var hits atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	defer s.Close()
	base := t.TempDir()
	dir, outside := filepath.Join(base, "clone"), filepath.Join(base, "outside")
	writeFiles(t, outside, map[string]string{"secret.txt": "a text of the person", "dir/x.txt": "another"})
	writeFiles(t, dir, map[string]string{
		"project.yaml": "sandbox: {network_enabled: true}\napproval: {mode: approve_all, default: preApproved}\n",
		"main.worker": `---
model: script:s.yaml
toolsets:
  shell: {approval: {default: preApproved}}
  mcp: {evil: {command: sh, args: [-c, "touch started; cat"]}}
  custom: {modules: {fetch: {allowed_hosts: ["` + strings.TrimPrefix(s.URL, "http://") + `"]}}}
---
Do.
`,
		"s.yaml": `script: 1
workers:
  main:
    - when: {text: command, turn: 1}
      calls: [{tool: run_command, args: {command: "touch started"}}]
    - when: {text: server, turn: 1}
      calls: [{tool: evil__send, args: {text: x}}]
    - when: {text: host, turn: 1}
      calls: [{tool: fetch, args: {url: "` + s.URL + `/x"}}]
    - when: {match: "(?s)(.*)"}
      say: $1
`,
		"tests/a.yaml": `test: 1
model: script:s.yaml
cases:
  - {name: command, input: command, answers: [{tool: run_command, decide: yes}]}
  - {name: server, input: server, answers: [{tool: evil__send, decide: yes}]}
  - {name: host, input: host, answers: [{tool: fetch, decide: yes}]}
  - {name: command with result, input: command, results: [{tool: run_command, return: ok}], expect: {output: {equals: ok}}}
  - {name: server with result, input: server, results: [{tool: evil__send, return: ok}], expect: {output: {equals: ok}}}
  - {name: host with result, input: host, results: [{tool: fetch, return: ok}], expect: {output: {equals: ok}}}
  - {name: linked input, input_file: linked.txt}
  - {name: linked files, input: x, files_from: linked, expect: {files: {x.txt: absent}}}
  - {name: linked file, input: x, expect: {files: {linked.txt: {contains: person}}}}
`,
		"tests/b.yaml": "test: 1\ncases: [{name: one, input: x}]\n",
	})
	if err := os.CopyFS(filepath.Join(dir, "tools"), os.DirFS(filepath.Join("testdata", "modules"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "tools", "count.wasm")); err != nil {
		t.Fatal(err)
	}
	link := func(to, name string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	link(filepath.Join(outside, "secret.txt"), "linked.txt")
	link(filepath.Join(outside, "dir"), "linked")
	recording := filepath.Join("tests", "recordings", "b", "one-7692c3ad.jsonl")
	untouched := func(when string) {
		t.Helper()
		if hits.Load() > 0 {
			t.Errorf("%s: a request was sent", when)
		}
		for _, name := range []string{"started", "../started"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
				t.Errorf("%s: something was started", when)
			}
		}
		if entries, err := os.ReadDir(outside); err != nil || len(entries) != 2 {
			t.Errorf("%s: %v %v", when, entries, err)
		}
	}

	out, bad, exit := golem(t, dir, "test", "--filter", "tests/a.yaml")
	untouched("tests")
	for name, says := range map[string]string{
		"command": "E_REPLAY: run_command does not run", "server": "E_REPLAY: evil__send does not run", "host": "E_REPLAY: fetch does not run",
		"linked input": "E_PATH", "linked file": "failed",
	} {
		after := out
		if at := strings.Index(out, ": "+name+" (script"); at >= 0 {
			after = out[at:]
		}
		if end := strings.Index(after[1:], "tests/a.yaml:"); end >= 0 {
			after = after[:end]
		}
		if !strings.Contains(after, says) {
			t.Errorf("%s: no %s in\n%s", name, says, after)
		}
	}
	if exit != 1 || strings.Contains(out+bad, "of the person") || !strings.Contains(out, "3 passed") {
		t.Errorf("exit %d\n%s%s", exit, out, bad)
	}

	if out, _, _ := golem(t, dir, "test", "--filter", "tests/b.yaml"); !strings.Contains(out, recording) {
		t.Fatalf("the recording is not %s:\n%s", recording, out)
	}
	for what, lay := range map[string]func(){
		"a link to a file":      func() { link(filepath.Join(outside, "secret.txt"), recording) },
		"a link to a directory": func() { link(outside, filepath.Dir(recording)) },
		"a pipe": func() {
			link("x", filepath.Dir(recording))
			if err := os.Remove(filepath.Join(dir, filepath.Dir(recording))); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(dir, filepath.Dir(recording)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(filepath.Join(dir, recording), 0o644); err != nil {
				t.Fatal(err)
			}
		},
	} {
		lay()
		out, bad, exit := golem(t, dir, "test", "--filter", "tests/b.yaml")
		if exit != 2 || !strings.Contains(out, "E_REPLAY") && !strings.Contains(out, "E_STALE") || strings.Contains(out+bad, "of the person") {
			t.Errorf("%s: exit %d\n%s%s", what, exit, out, bad)
		}
		untouched(what)
	}

	// Recording writes through no link.
	writeFiles(t, dir, map[string]string{"main.worker": "---\nmodel: script:s.yaml\n---\nSay.\n"})
	link(outside, filepath.Dir(recording))
	out, bad, exit = golem(t, dir, "test", "--record", "--filter", "tests/b.yaml")
	if exit == 0 || !strings.Contains(out, "E_PATH") {
		t.Errorf("recorded through a link: exit %d\n%s%s", exit, out, bad)
	}
	untouched("recording")
}
