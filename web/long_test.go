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

	"golem/core/trace"
	"golem/web/webtest"
)

// echo is a project that writes its input five times into a file, reads the file, and answers
// with its input eight times (Scenario 46).
var echo = map[string]string{
	"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {approval: {default: preApproved}}}\nlimits: {tool_output: 2MB}\n---\nEcho.\n",
	"s.yaml": `script: 1
workers:
  main:
    - when: {turn: 1, match: "(?s)^(.*)$"}
      calls: [{tool: write_file, args: {path: /big.txt, content: "$1\n$1\n$1\n$1\n$1"}}]
    - when: {tool: write_file}
      calls: [{tool: read_file, args: {path: /big.txt}}]
    - when: {tool: read_file, match: "(?s)^(.*?)(\\[more.*)?$"}
      say: "$1$1 the end"
`,
}

// jsonText returns v as JSON, for a script.
func jsonText(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestLongTextsAreWhole tests that the page never cuts a text: an answer, an input, arguments
// and results of more than 4,096 bytes are complete in the conversation, and in the trace
// after a reload.
func TestLongTextsAreWhole(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "echo", echo)
	input := strings.Repeat("word ", 1800) + "input" // 9,005 bytes
	do(p, `await say(%q)`, input)
	finished(p, "ok")
	const bubbles = `const words = (e) => e.textContent.replace(/\s+/g, ' ');
		const [you] = document.querySelectorAll('.bubble.you'), golem = [...document.querySelectorAll('.bubble.golem')].at(-1);`
	do(p, bubbles+`if (!words(you).endsWith('word input') || words(you).length < 9005) throw new Error('the input: ' + words(you).length + words(you).slice(-80));
		if (!words(golem).endsWith('the end') || words(golem).split('word').length !== 18001) throw new Error('the answer: ' + words(golem).split('word').length + words(golem).slice(-80))`)
	const calls = `for (const d of document.querySelectorAll('details.call:not([open]) > summary, .node[aria-expanded=false]')) d.click();
		await until("arguments and results", () => [...document.querySelectorAll('pre')].filter((e) => e.textContent.split('word').length > 9000).length >= 2);
		for (const e of document.querySelectorAll('pre')) if (/…|bytes; the rest/.test(e.textContent)) throw new Error(e.textContent.slice(-200))`
	do(p, calls)
	p.Reload()
	do(p, `await text("is ready"); await click("Trace"); await until("the run", () => button(".jsonl")); await click(".jsonl"); await text("ok, exit 0");
		await click("Answer"); await until("the answer", () => [...document.querySelectorAll('pre')].some((e) => e.textContent.endsWith('the end')));
		await click("read_file"); await until("its result", () => [...document.querySelectorAll('section.chosen pre')].some((e) => e.textContent.split('word').length > 9000));
		if (/bytes; the rest/.test(document.body.innerText)) throw new Error(document.body.innerText)`)
}

// TestLongTextsBeside tests that a trace in the browser's storage is like one on a disk: lines
// are short, each long text is once in a file beside it, and golem.js returns the whole trace.
func TestLongTextsBeside(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	files := webtest.Eval[string](p, `(async () => {
		const golem = await window.golem; await golem.create('echo', `+jsonText(t, echo)+`);
		const run = golem.run('echo', 'word '.repeat(1800) + 'input'); let whole = '';
		for await (const e of run) if (e.golem || e.seq) whole += JSON.stringify(e.golem ? { ...e, type: undefined } : e) + '\n';
		const r = await run.result; if (r.status !== 'ok') throw new Error(JSON.stringify(r));
		const read = new TextDecoder().decode(await golem.readRun('echo', r.run + '.jsonl'));
		if (read.split('\n').map((l) => l && JSON.stringify(JSON.parse(l)) + '\n').join('') !== whole) throw new Error('readRun is not what was shown');
		const runs = await (await (await (await (await navigator.storage.getDirectory()).getDirectoryHandle('projects')).getDirectoryHandle('echo')).getDirectoryHandle('.golem')).getDirectoryHandle('runs');
		const out = {}
		for await (const [name, h] of runs) if (h.kind === 'file') out[name] = await (await h.getFile()).text(); else for await (const [text, f] of h) out[name + '/' + text] = await (await f.getFile()).text();
		return JSON.stringify(out) })()`)
	var kept map[string]string
	if err := json.Unmarshal([]byte(files), &kept); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := ""
	for name, text := range kept {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".jsonl") {
			run = full
			if len(text) > 20_000 {
				t.Errorf("the trace has %d bytes", len(text))
			}
		}
	}
	if texts, err := os.ReadDir(trace.TextsDir(run)); err != nil || len(texts) != 3 {
		t.Errorf("%d texts, %v", len(texts), err)
	}
	// The command line reads it.
	said, err := exec.Command(cli(t), "trace", "export", "--format", "md", run).CombinedOutput()
	if err != nil || strings.Contains(string(said), "not beside the trace") || strings.Count(string(said), "word") < 40_000 {
		t.Errorf("%v, %d bytes", err, len(said))
	}
}

// TestLargeInThePage plays scenario 46 at its full size through golem.js: the result is
// complete, nothing traps, and an input above the limit gives an error with a code.
func TestLargeInThePage(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	got := talk(p, `await golem.create('echo', %s);
		const line = 'a'.repeat(999) + '\n';
		const r = await golem.run('echo', line.repeat(1100)).result;
		const size = (await golem.files('echo').read('big.txt')).length;
		const huge = await golem.run('echo', 'a'.repeat(50_000_000)).result.catch((e) => e);
		const after = await golem.run('echo', 'short').result;
		return [r.status, r.text.length > 3_900_000 && r.text.endsWith('the end'), size, huge.code, huge.message, after.status, (await golem.runs('echo')).length]`, jsonText(t, echo))
	if want := fmt.Sprintf("ok,true,%d,E_LIMIT,the input has more than 16777216 bytes (16 MiB),ok,2", 5*1_100_000+4); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestLongTextsWithoutRoom tests that when the storage is full, long texts are lost, which is
// reported, but the run goes on.
func TestLongTextsWithoutRoom(t *testing.T) {
	t.Parallel()
	p, at := visit(t, "/")
	p.Expect("Quota")
	do(p, `await text("is ready"); await navigator.serviceWorker.ready`)
	project(t, p, "talks", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\n---\nTalk.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - when: {match: \"(?s)^(.*)$\"}\n      say: \"$1$1 the end\"\n",
	})
	leave(p, at.Origin, 6<<20)
	do(p, `await say('word '.repeat(500_000))`)
	finished(p, "ok")
	do(p, `await text("the trace cannot be written: E_QUOTA"); if (!document.querySelector('.bubble.golem').textContent.endsWith('the end')) throw new Error('the answer is cut')`)
	p.Quota(at.Origin, -1)
	do(p, `await say('short'); await until("the next answer", () => document.body.innerText.includes('shortshort the end')); await click("Trace"); await until("two runs", () => document.querySelectorAll('table.list tbody tr').length === 2)`)
}

// TestNoModelLeavesTheSameTrace tests that a run without a model leaves the same trace in the
// page as natively.
func TestNoModelLeavesTheSameTrace(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	here := talk(p, `await golem.create('bare', {'main.worker': '---\ndescription: d\n---\nHello.\n'});
		const r = await golem.run('bare', 'x').result; if (r.exit !== 2 || r.error.code !== 'E_MODEL') throw new Error(JSON.stringify(r));
		return new TextDecoder().decode(await golem.readRun('bare', r.run + '.jsonl'))`)
	dir := filepath.Join(t.TempDir(), "bare")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "main.worker"), []byte("---\ndescription: d\n---\nHello.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "t.jsonl")
	cmd := exec.Command(cli(t), "run", dir, "x", "--trace", file)
	cmd.Env = append(os.Environ(), "GOLEM_HOME="+t.TempDir())
	if said, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(said), "E_MODEL") {
		t.Fatalf("%v\n%s", err, said)
	}
	there, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	hint := regexp.MustCompile(`"hint":"[^"]*"`) // each names its own settings
	if a, b := hint.ReplaceAllString(normal(t, here), ""), hint.ReplaceAllString(normal(t, string(there)), ""); a != b || !strings.Contains(a, "run.end") {
		t.Errorf("in the page:\n%s\nnatively:\n%s", a, b)
	}
}

// TestOpenTraceWithItsTexts opens a trace file together with the files of its folder, and it is
// complete. Opened alone, it says which text is missing and where it is.
func TestOpenTraceWithItsTexts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range echo {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(cli(t), "run", dir, strings.Repeat("word ", 1800)+"input", "--trace", filepath.Join(dir, "t.jsonl"))
	cmd.Env = append(os.Environ(), "GOLEM_HOME="+t.TempDir())
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%.2000s", err, said)
	}
	texts, err := filepath.Glob(filepath.Join(dir, "t.d", "*"))
	if err != nil || len(texts) != 3 {
		t.Fatal(texts, err)
	}
	p, _ := visit(t, "/")
	do(p, `await text("is ready"); await click("Trace"); await until("the field", () => document.querySelector('input[accept*=jsonl]'))`)
	p.Upload(`input[accept*=jsonl]`, filepath.Join(dir, "t.jsonl"))
	do(p, `await text("ok, exit 0"); await click("Answer"); await text("bytes; the rest"); await text("t.d")`)
	p.Upload(`input[accept*=jsonl]`, append(texts, filepath.Join(dir, "t.jsonl"))...)
	do(p, `await until("no note", () => !document.body.innerText.includes("bytes; the rest")); await click("Answer"); await until("the answer", () => [...document.querySelectorAll('pre')].some((e) => e.textContent.endsWith('the end')))`)
}
