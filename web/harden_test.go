//go:build !js

package web_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golem/web/webtest"
)

// sorter is a worker with ten tests, and the code that a model writes for it.
func sorter() map[string]string {
	tests, answers := "test: 1\nworker: sort\nmodel: script:answers.yaml\ncases:\n", "script: 1\nworkers:\n  sort:\n"
	for n, word := range []string{"invoice", "refund", "payment", "crash", "error", "freeze", "hello", "thanks", "weather", "receipt"} {
		label := []string{"billing", "billing", "billing", "bug", "bug", "bug", "other", "other", "other", "billing"}[n]
		tests += fmt.Sprintf("  - {name: case %d, input: about the %s, expect: {output: {equals: %s}}}\n", n, word, label)
		answers += fmt.Sprintf("    - {when: {text: about the %s}, say: %s}\n", word, label)
	}
	return map[string]string{
		"main.worker":         "---\ntoolsets: {workers: {allowed_workers: [sort]}}\n---\nMain.\n",
		"workers/sort.worker": "---\ndescription: Sorts.\n---\nSort.\n",
		"tests/sort.yaml":     tests,
		"answers.yaml":        answers,
		"harden.yaml": "script: 1\nworkers:\n  harden:\n    - say: |\n        function answer({input}) {\n          if (/invoice|refund|payment|receipt/.test(input)) return 'billing'\n" +
			"          if (/crash|error|freeze/.test(input)) return 'bug'\n          return /hello|thanks|weather/.test(input) ? 'other' : {unsure: 'no word that tells'}\n        }\n",
	}
}

// hardenables is a project with workers that become code, each with another report: of sort
// nothing speaks against it, wrong guesses, cheat has a table, and of slow the model never
// answers.
func hardenables() map[string]string {
	files := sorter()
	answers := map[string]string{
		"sort": strings.SplitN(files["harden.yaml"], "- say: |\n", 2)[1],
		"wrong": `        function answer({input}) {
          return /crash|error|freeze/.test(input) ? 'bug' : 'billing'
        }
`,
		"cheat": `        const known = {'about the invoice': 'billing', 'about the refund': 'billing', 'about the payment': 'billing', 'about the crash': 'bug',
          'about the error': 'bug', 'about the freeze': 'bug', 'about the hello': 'other', 'about the thanks': 'other', 'about the weather': 'other', 'about the receipt': 'billing'}
        function answer({input}) { return known[input] ?? {unsure: 'not in the table'} }
`,
	}
	script := "script: 1\nworkers:\n  harden:\n    - when: {match: '\"worker\":\\s*\"slow\"'}\n      hang: true\n"
	for _, name := range []string{"sort", "wrong", "cheat", "slow"} {
		files["workers/"+name+".worker"] = "---\ndescription: Sorts.\n---\nSort.\n"
		files["tests/"+name+".yaml"] = strings.Replace(files["tests/sort.yaml"], "worker: sort", "worker: "+name, 1)
		if code := answers[name]; code != "" {
			script += fmt.Sprintf("    - when: {match: '\"worker\":\\s*\"%s\"'}\n      say: |\n%s", name, code)
		}
	}
	files["answers.yaml"] = strings.Replace(files["answers.yaml"], "  sort:", "  \"*\":", 1)
	files["harden.yaml"], files["project.yaml"] = script, "model: script:harden.yaml\n"
	files["main.worker"] = "---\ntoolsets: {workers: {allowed_workers: [sort, wrong, cheat, slow]}}\n---\nMain.\n"
	return files
}

// hardening returns statements that open the view in which a worker of hardenables becomes code.
func hardening(worker string) string {
	path := "workers/" + worker + ".worker"
	if worker == "main" {
		path = "main.worker"
	}
	return fmt.Sprintf(`location.hash = '#/p/hard/files/%s'; await until("the file", () => document.querySelector('h2.mono')?.innerText === %q); await click("Harden"); await until("the button", () => button("the code")); `, path, path)
}

// TestHarden tests that golem.js makes the same code of a worker as the command line, with the
// same report and files, and that the code then answers in the page (scenario 84).
func TestHarden(t *testing.T) {
	t.Parallel()
	dir, project := t.TempDir(), sorter()
	for name, text := range project {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(cli(t), "harden", "sort", "--json", "--model", "script:harden.yaml")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOLEM_HOME="+t.TempDir())
	want, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := json.Marshal(project)
	if err != nil {
		t.Fatal(err)
	}
	e := embedded(t)
	got := webtest.Eval[string](e, `(async () => { const g = await window.golem; await g.create('d', `+string(files)+`)
		const { text, ...report } = await g.harden('d', 'sort', { model: 'script:harden.yaml' })
		if (!/unseen +3\/3/.test(text)) throw new Error(text)
		return JSON.stringify(report) })()`)
	timeless := func(s string) string {
		var v map[string]any
		if err := json.Unmarshal([]byte(regexp.MustCompile(`"ms":\d+`).ReplaceAllString(s, `"ms":0`)), &v); err != nil {
			t.Fatal(err)
		}
		out, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if a, b := timeless(string(want)), timeless(got); a != b {
		t.Errorf("the command line says\n%s\nthe page\n%s", a, b)
	}
	after := webtest.Eval[string](e, `(async () => { const g = await window.golem
		const wrong = await g.applyHardened('d', 'x').catch((e) => e.code)
		const text = async (path) => new TextDecoder().decode(await g.files('d').read(path))
		const before = await text('workers/sort.worker')
		const draft = (await g.harden('d', 'sort', { model: 'script:harden.yaml' })).draft
		const { applied } = await g.applyHardened('d', draft)
		const run = await g.run('d', 'my refund', { entry: 'sort' }).result
		const again = await g.harden('d', 'sort', { again: true })
		return [wrong, before.includes('hardened'), applied, await text('workers/sort.worker'), run.text ?? run.output, again.nothing_new, again.rounds.length].join('|') })()`)
	line := "hardened: {module: workers/sort.wasm, when: always, otherwise: worker, fs: false, calls: []}"
	if wanted := "E_CONFLICT|false|true|" + strings.Replace(project["workers/sort.worker"], "\n---\n", "\n"+line+"\n---\n", 1) + "|billing|true|0"; after != wanted {
		t.Errorf("got %q, want %q", after, wanted)
	}
}
