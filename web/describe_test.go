//go:build !js

package web_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golem/web/webtest"
)

// described is a project with tools that run, tools that ask, tools that are refused, a
// mount, and a worker that another worker may call.
var described = map[string]string{
	"main.worker": "---\nmodel: script:s.yaml\ndescription: Writes.\nallow_workers: [helper]\ntoolsets: {filesystem: {approval: {tools: {delete_file: blocked}}}}\n" +
		"sandbox: {paths: {out: {root: ./out, mode: rw, suffixes: [.md]}}}\n---\nFor {{ vars.who }}.\n",
	"project.yaml":          "vars: {who: bees}\n",
	"workers/helper.worker": "---\ndescription: Helps.\n---\nHelp.\n",
	"s.yaml":                "script: 1\nworkers: {main: [{say: done}]}\n",
	"out/a.md":              "a\n",
}

// TestDescribe tests that the page gets the data of golem describe --json for a worker, and
// shows it (scenario 55).
func TestDescribe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range described {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := exec.Command(cli(t), "describe", "main", dir, "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := json.Marshal(described)
	if err != nil {
		t.Fatal(err)
	}
	e := embedded(t)
	got := webtest.Eval[string](e, `(async () => { const g = await window.golem; await g.create('d', `+string(files)+`); return JSON.stringify(await g.describe('d')) })()`)
	if strings.TrimSpace(string(want)) != got {
		t.Errorf("the command line says\n%s\nthe page\n%s", want, got)
	}

	want, err = exec.Command(cli(t), "workers", dir, "--tree", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	got = webtest.Eval[string](e, `(async () => { const g = await window.golem; return JSON.stringify(await g.tree('d')) })()`)
	if strings.TrimSpace(string(want)) != got {
		t.Errorf("the command line says\n%s\nthe page\n%s", want, got)
	}

	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "described", described)
	do(p, `await click("What would happen?"); await text("Who may call whom");
		const tree = document.querySelector('[aria-label="Who may call whom"]').innerText;
		for (const want of ['main (main.worker)', 'helper (workers/helper.worker)', 'refused: delete_file (destructive)'])
			if (!tree.includes(want)) throw new Error(want + ' is not in ' + tree);`)
	do(p, `await click("Files"); await click("main.worker"); await click("Describe");
		await text("Prompt (main.worker:8, a template, rendered at each call)"); await text("For {{ vars.who }}.");
		const rows = [...document.querySelectorAll('.described tr')].map((r) => [...r.children].map((c) => c.innerText).join('|'));
		for (const row of ['write_file|write|asks|risk write|toolset filesystem', 'helper|read|runs|delegation to an allowed worker|toolset workers', '/out|rw|out|main.worker:6|only .md', 'vars.who|"bees"|project.yaml:1'])
			if (!rows.includes(row)) throw new Error(row + ' is not in\n' + rows.join('\n'));
		await click("Describe"); await until("the editor", () => !document.querySelector('.described'))`)
}

// TestInputForm runs a worker with an input schema from the form that is made from it.
func TestInputForm(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "typed", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\ninput_schema: {type: object, required: [place, days], properties: {place: {type: string, description: Where to.}, days: {type: integer}}}\n---\nPlan.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - when: {match: 'Lisbon.*|.*\"days\": *3.*'}\n      say: three days in Lisbon\n",
	})
	do(p, `await click("Form"); await text("Where to.");
		const submit = () => document.querySelector('dialog[open] button.primary').click();
		const fill = async (id, value) => {
			const f = document.getElementById(id); f.value = value; f.dispatchEvent(new Event('input', { bubbles: true }));
			await new Promise((done) => setTimeout(done)) };
		await fill('arg-place', 'Lisbon'); await fill('arg-days', 'three'); submit(); await text("days is not JSON");
		await fill('arg-days', '3'); submit(); await text("three days in Lisbon")`)
}

// TestInputKeepsDigits tests that a run gets the number that the person wrote, with all its
// digits, from the field, from the form and once more; and that an object in which a key is there
// twice is refused, as on the command line.
func TestInputKeepsDigits(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "digits", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\ninput_schema: {type: object, required: [user_id], properties: {user_id: {type: integer}, name: {type: string}}}\n---\nFind.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - say: found\n",
	})
	fill := func(id, value string) string {
		return fmt.Sprintf(`{ const f = await until(%[1]q, () => document.getElementById(%[1]q)); f.value = %[2]q; f.dispatchEvent(new Event('input', { bubbles: true })); await new Promise((done) => setTimeout(done)) }`, id, value)
	}
	do(p, `await say('{"user_id": 1, "user_id": 2}'); await until("an end", () => document.querySelector('.talk .note.error, .bubble.golem')); if (document.querySelector('.bubble.golem')) throw new Error("it ran")`)
	do(p, `await say('{"user_id": 1234567890123456789}'); await text("found")`)
	finished(p, "ok")
	do(p, `await click("new conversation"); await text("main is ready"); await click("Form"); %s %s document.querySelector('dialog[open] button.primary').click(); await text("found")`, fill("arg-user_id", "1234567890123456789"), fill("arg-name", "1"))
	finished(p, "ok")
	do(p, `const { createGolem } = await import('./golem.js'), other = await createGolem(), runs = async () => (await other.runs('digits')).length, before = await runs();
		await click("answer again"); await until("another run", async () => (await runs()) > before); other.close()`)
	finished(p, "ok")
	got := webtest.Eval[string](p, `(async () => { const { createGolem } = await import('./golem.js'), golem = await createGolem(), found = [];
		for (const r of await golem.runs('digits')) found.push(/"type":"run.start".*?"input":(.*?)[,}]*\n/.exec(new TextDecoder().decode(await golem.readRun('digits', r.name)))?.[1]);
		golem.close(); return found.join('\n') + '\n' + document.querySelector('.bubble.you').innerText })()`)
	if n := strings.Count(got, `"user_id":1234567890123456789`); n != 4 || strings.Count(got, `"name":"1"`) != 3 {
		t.Errorf("the runs and the page have\n%s", got)
	}
}
