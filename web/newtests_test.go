//go:build !js

package web_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golem/web/webtest"
)

// twoTasks is a project that is asked the same on both platforms.
var twoTasks = map[string]string{
	"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\n---\nAnswer.\n",
	"note.txt":    "one\n",
	"s.yaml": "script: 1\nworkers:\n  main:\n    - when: {text: note, turn: 1}\n      calls: [{tool: read_file, args: {path: /note.txt}}]\n" +
		"    - when: {match: '.*'}\n      say: Paris\n",
}

// TestTestsOfRuns makes tests of runs on the command line and in the page: the files are equal,
// and in the page the cases pass (SPEC §17). Then a person makes one in the trace view.
func TestTestsOfRuns(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), "GOLEM_HOME="+t.TempDir()
	for name, text := range twoTasks {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"run", ".", "capital of France?"}, {"run", ".", "read the note"}, {"run", ".", "read the note"}, {"trace", "export", "--cases", "--yes"}} {
		cmd := exec.Command(cli(t), args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), home)
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, said)
		}
	}
	files, err := json.Marshal(twoTasks)
	if err != nil {
		t.Fatal(err)
	}
	e := embedded(t)
	got := webtest.Eval[string](e, `(async () => { const g = await window.golem; await g.create('n', `+string(files)+`)
		for (const input of ['capital of France?', 'read the note', 'read the note']) await g.run('n', input).result
		const none = await g.keepTests('n', 'x').catch((e) => e.code)
		const made = await g.makeTests('n', { all: true })
		const before = (await g.files('n').list()).some((f) => f.path.startsWith('tests/'))
		await g.keepTests('n', made.draft)
		const twice = await g.keepTests('n', made.draft).catch((e) => e.code)
		const report = await g.test('n')
		const files = {}
		for (const { path } of made.files) files[path] = new TextDecoder().decode(await g.files('n').read(path))
		const left = made.left.map((l) => l.why.startsWith('its input is that of')).join()
		return JSON.stringify({ files, says: [none, before, twice, report.passed, report.exit, left, made.cases.length].join('|') }) })()`)
	var page struct {
		Files map[string]string
		Says  string
	}
	if err := json.Unmarshal([]byte(got), &page); err != nil {
		t.Fatal(err)
	}
	if page.Says != "E_CONFLICT|false|E_CONFLICT|2|0|true|2" || len(page.Files) != 3 {
		t.Errorf("%s, %d files", page.Says, len(page.Files))
	}
	for name, text := range page.Files {
		native, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil || !bytes.Equal(unversioned(native), unversioned([]byte(text))) {
			t.Errorf("%s: %v, the command line wrote\n%s\nthe page\n%s", name, err, native, text)
		}
	}

	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "asked", twoTasks)
	do(p, `await say("capital of France?"); await text("Paris"); await click("Trace"); await click(".jsonl"); await click("Make a test of this"); await text("tests/capital-of-france.yaml"); await text('"equals":"Paris"');
		await click("Keep 1 case"); await text("1 case written"); await click("Workers"); await click("Tests"); await text("1 case"); await click("Run all"); await text("1 passed");
		await click("From runs"); await text("its input is that of"); await text("No case can be made"); await click("Close")`)
	if strings.Contains(page.Files["tests/main.yaml"], "worker:") {
		t.Error("the entry is named")
	}
}
