//go:build !js

package web_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golem/web/webtest"
)

// described is a project with tools that run, ask and are refused, a mount and a
// worker that another one may call.
var described = map[string]string{
	"main.worker": "---\nmodel: script:s.yaml\ndescription: Writes.\nallow_workers: [helper]\ntoolsets: {filesystem: {approval: {tools: {delete_file: blocked}}}}\n" +
		"sandbox: {paths: {out: {root: ./out, mode: rw, suffixes: [.md]}}}\n---\nFor {{ vars.who }}.\n",
	"project.yaml":          "vars: {who: bees}\n",
	"workers/helper.worker": "---\ndescription: Helps.\n---\nHelp.\n",
	"s.yaml":                "script: 1\nworkers: {main: [{say: done}]}\n",
	"out/a.md":              "a\n",
}

// The page describes a worker by the data of golem describe --json, and shows it
// (scenario 55).
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
	got := webtest.Eval[string](embedded(t), `(async () => { const g = await window.golem; await g.create('d', `+string(files)+`); return JSON.stringify(await g.describe('d')) })()`)
	if strings.TrimSpace(string(want)) != got {
		t.Errorf("the command line says\n%s\nthe page\n%s", want, got)
	}

	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "described", described)
	do(p, `await click("Files"); await click("main.worker"); await click("Describe");
		await text("Prompt (main.worker:8, a template, rendered at each call)"); await text("For {{ vars.who }}.");
		const rows = [...document.querySelectorAll('.described tr')].map((r) => [...r.children].map((c) => c.innerText).join('|'));
		for (const row of ['write_file|write|asks|risk write|toolset filesystem', 'helper|read|runs|delegation to an allowed worker|toolset workers', '/out|rw|out|main.worker:6|only .md', 'vars.who|"bees"|project.yaml:1'])
			if (!rows.includes(row)) throw new Error(row + ' is not in\n' + rows.join('\n'));
		await click("Describe"); await until("the editor", () => !document.querySelector('.described'))`)
}
