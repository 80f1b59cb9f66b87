//go:build !js

package web_test

import (
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golem/web/webtest"
)

// tested is a project whose tests have every verdict.
var tested = map[string]string{
	"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {}, web: {}}\nsandbox: {network_enabled: true}\n---\nDo.\n",
	"s.yaml": `script: 1
workers:
  main:
    - when: {text: fetch, turn: 1}
      calls: [{tool: web_fetch, args: {url: "https://example.com/"}}]
    - when: {tool: web_fetch}
      say: fetched
    - when: {text: write, turn: 1}
      calls: [{tool: write_file, args: {path: /a.txt, content: new}}]
    - when: {tool: write_file}
      say: written
    - when: {text: hi}
      say: hello
`,
	"a.txt": "old",
	"tests/a.yaml": `test: 1
model: script:s.yaml
cases:
  - {name: hi, input: hi, expect: {output: {equals: hello}}}
  - {name: red, input: hi, expect: {output: {equals: bye}}}
  - {name: writes, input: write, answers: [{tool: write_file, decide: yes}], expect: {files: {a.txt: {equals: new}}}}
  - {name: fetch, input: fetch, expect: {output: {equals: fetched}}}
  - {name: fetched, input: fetch, results: [{tool: web_fetch, return: page}], expect: {output: {equals: fetched}, calls: {must: [web_fetch]}}}
`,
	"evals/evals.json": `{"skill_name": "x", "evals": [{"id": 1, "prompt": "hi", "expectations": ["it greets"]}]}`,
	"tests/b.yaml":     "test: 1\ncases: [{name: not recorded, input: x}]\n",
	"tests/c.yaml":     "test: 1\nworke: main\ncases: [{name: x}]\n",
}

var varies = regexp.MustCompile(`"ms":\d+|"p(50|95)_ms":\d+|"platform":"\w+"`)

// TestTestsAreEqual runs the tests of each example, and of a project with every verdict, on the
// command line and in the page: the verdicts are equal (SPEC §17, scenario 82). Then a person
// runs tests in the page.
func TestTestsAreEqual(t *testing.T) {
	t.Parallel()
	projects := map[string]map[string][]byte{"tested": {}}
	for name, text := range tested {
		projects["tested"][name] = []byte(text)
	}
	found, err := filepath.Glob("../examples/*/tests")
	if err != nil || len(found) < 10 {
		t.Fatalf("%d examples with tests: %v", len(found), err)
	}
	for _, tests := range found {
		dir := filepath.Dir(tests)
		files := map[string][]byte{}
		err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			files[name], err = fs.ReadFile(os.DirFS(dir), name)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		projects[filepath.Base(dir)] = files
	}
	e := embedded(t)
	for name, files := range projects {
		dir := t.TempDir()
		packed := map[string]string{}
		for file, data := range files {
			place := filepath.Join(dir, filepath.FromSlash(file))
			if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(place, data, 0o644); err != nil {
				t.Fatal(err)
			}
			packed[file] = base64.StdEncoding.EncodeToString(data)
		}
		want, err := exec.Command(cli(t), "test", dir, "--json").Output()
		if len(want) == 0 {
			t.Fatal(name, err)
		}
		given, err := json.Marshal(packed)
		if err != nil {
			t.Fatal(err)
		}
		got := webtest.Eval[string](e, `(async () => {
			const g = await window.golem, files = {};
			for (const [name, data] of Object.entries(`+string(given)+`)) files[name] = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
			await g.create('t-`+name+`', files);
			return JSON.stringify(await g.test('t-`+name+`')) })()`)
		if native := varies.ReplaceAllString(strings.TrimSpace(string(want)), ""); native != varies.ReplaceAllString(got, "") {
			t.Errorf("%s: the command line says\n%s\nthe page\n%s", name, want, got)
		}
	}

	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "tested", tested)
	do(p, `await click("Workers"); await click("Tests"); await text("7 cases"); await text('unknown key "worke"');
		await click("Run all"); await text("3 passed, 1 failed, 2 stale, 1 not judged"); await text("output.equals: expected"); await text("E_REPLAY");
		await click("Back"); await text("choose one to see what it may do")`)
}
