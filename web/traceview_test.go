//go:build !js

package web_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golem/core/otlp/otlptest"
)

// asking is a project whose run asks once.
var asking = map[string]string{
	"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {approval: {default: ask}}}\n---\nWrite with care.\n",
	"s.yaml":      "script: 1\nworkers:\n  main:\n    - say: I write it now\n      calls: [{tool: write_file, args: {path: /a.txt, content: kept}}]\n    - say: written\n",
}

// TestTraceTurnByTurn tests the Trace view: a run turn by turn, with its prompts if they were
// kept, the time that it waited for the person, and a run of the command line that is dropped
// there with the prompts of its --artifacts.
func TestTraceTurnByTurn(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "asking", asking)
	do(p, `await click("Settings"); await until("the switch", () => document.querySelector('input[type=checkbox]')); [...document.querySelectorAll('label')].find((l) => l.innerText.startsWith('Keep the prompts')).querySelector('input').click();
		await click("Run"); await say("do it"); await text("Change a file?")`)
	yes(p)
	const turns = `await click("Turns"); const turn = async (n) => { const s = await until("turn " + n, () => [...document.querySelectorAll('.turns summary')].find((s) => s.innerText.includes('main, turn ' + n))); s.click(); return s.parentElement };
		const has = (d, ...all) => until(all.join(), () => all.every((w) => d.innerText.includes(w)));
		await has(await turn(1), "Write with care.", "do it", "I write it now", "Calls write_file");
		const second = await turn(2); await has(second, "tool write_file", "written"); if (second.innerText.includes("Write with care.")) throw new Error("what was there before is shown again");
		await click("With the"); await has(second, "Write with care.", "write_file {")`
	do(p, `await click("Trace"); await click(".jsonl"); await text("for your answers"); `+turns+`; await click("Timeline"); await until("the bar of waiting", () => document.querySelector('.bar.waits')?.getBoundingClientRect().width > 0)`)

	dir := t.TempDir()
	for name, text := range asking {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept := filepath.Join(t.TempDir(), "kept")
	if said, err := exec.Command(cli(t), dir, "from the command line, do it", "--approve-all", "--trace", filepath.Join(dir, "t.jsonl"), "--artifacts", kept).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	var drop strings.Builder
	for i, name := range []string{filepath.Join(dir, "t.jsonl"), filepath.Join(kept, "0.prompt.json")} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 { // alone it has no prompts, whatever the run before it had
			do(p, `const list = new DataTransfer(); list.items.add(new File([%s], 'alone.jsonl')); document.querySelector('.page').dispatchEvent(new DragEvent('drop', {dataTransfer: list, bubbles: true, cancelable: true}));
				await text("native, golem"); await click("Turns"); await text("The prompts of this run were not kept."); if (document.querySelector('.turns').innerText.includes("Write with care.")) throw new Error("another run's prompts")`, quoted(string(data)))
		}
		drop.WriteString("list.items.add(new File([" + quoted(string(data)) + "], " + quoted(filepath.Base(name)) + "));")
	}
	do(p, `const list = new DataTransfer(); %s document.querySelector('.page').dispatchEvent(new DragEvent('drop', {dataTransfer: list, bubbles: true, cancelable: true})); await until("the prompts", () => !document.body.innerText.includes("The prompts of this run were not kept.") && document.body.innerText.includes("native, golem")); %s`, drop.String(), turns)
}

// TestTraceOfWhatGoesOn tests that a run in progress in this tab is not listed as a run without
// an end, and that its trace shows the input.
func TestTraceOfWhatGoesOn(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "hangs", hanging)
	do(p, `await say("wait for ever"); await text("thinks"); await click("Trace"); const row = () => document.querySelector('table.list tbody tr'), facts = () => document.querySelector('dl.facts')?.innerText ?? '';
		await until("the run", () => row()?.innerText.includes('wait for ever') && row().innerText.includes('goes on')); row().querySelector('button').click();
		await until("what it is", () => /Input\s+wait for ever/.test(facts()) && facts().includes('it goes on'));
		await click("Run"); await click("Stop"); await text("You stopped it"); await click("Trace"); await click("Runs of hangs"); await until("its end", () => row().innerText.includes('interrupted'))`)
}

// TestTraceForOpenTelemetry tests that the view exports the trace that it shows as spans: the
// lines of golem trace export, which a strict reader takes, with what was said only if the
// person wants that.
func TestTraceForOpenTelemetry(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	dir := t.TempDir()
	for name, text := range asking {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "t.jsonl")
	if said, err := exec.Command(cli(t), dir, "from the command line", "--approve-all", "--trace", file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	do(p, `await text("is ready"); await click("Trace"); await text("Open a trace file"); const make = URL.createObjectURL; URL.createObjectURL = (data) => { window.saved = data; return make.call(URL, data) };
		const list = new DataTransfer(); list.items.add(new File([%s], 't.jsonl')); document.querySelector('.page').dispatchEvent(new DragEvent('drop', {dataTransfer: list, bubbles: true, cancelable: true})); await text("native, golem")`, quoted(string(data)))
	for _, contents := range []bool{false, true} {
		args := []string{"trace", "export", "--format", "otlp", file}
		if contents {
			args = append(args, "--otlp-contents")
			do(p, `[...document.querySelectorAll('label')].find((l) => l.innerText.includes('with what was said')).querySelector('input').click()`)
		}
		want, err := exec.Command(cli(t), args...).Output()
		if err != nil {
			t.Fatal(err)
		}
		got := do(p, `window.saved = null; await click("Export for OpenTelemetry"); await until("the file", () => window.saved); return window.saved.text()`)
		if got != string(want) {
			t.Errorf("the page exports %s\nthe command line %s", got, want)
		}
		if _, err := otlptest.Read([]byte(got)); err != nil {
			t.Error(err)
		}
		if strings.Contains(got, "I write it now") != contents {
			t.Errorf("contents: %v, in %s", contents, got)
		}
	}
}
