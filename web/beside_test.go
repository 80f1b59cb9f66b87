//go:build !js

package web_test

import (
	"os"
	"testing"
)

// TestOneTabAtOnce makes calls in one tab that change a project at the same time. The project
// is made once and stays, a run prevents that it is deleted, and each module is pinned.
func TestOneTabAtOnce(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../examples/calculator/tools/calculator.wasm")
	if err != nil {
		t.Fatal(err)
	}
	got := talk(embedded(t), `const files = %s;
		const made = (await Promise.allSettled([golem.create('a', files), golem.create('a', files)])).map((r) => r.reason?.code ?? r.status).sort();
		const there = (await golem.files('a').list()).length;
		let answer; const run = golem.run('a', 'x', {approve: () => new Promise((resolve) => { answer = resolve })}); await until(run, 'ask');
		const removed = await golem.remove('a').catch((e) => e.code);
		answer({answer: 'yes'}); const { status } = await run.result;
		const tool = %s;
		await Promise.all(['one', 'two'].map((name) => golem.addTool('a', tool, {name})));
		const lock = new TextDecoder().decode(await golem.files('a').read('tools.lock'));
		await golem.remove('a');
		return [made, there, removed, status, ['one', 'two'].every((name) => lock.includes(name + '.wasm')), (await golem.list()).length].join('; ')`, helloFiles, module(data))
	if want := "E_BUSY,fulfilled; 2; E_BUSY; ok; true; 0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestDeleteWhatRuns deletes a project in the page while it runs: after a yes the run is
// stopped first.
func TestDeleteWhatRuns(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "hangs", hanging)
	do(p, `await say("short"); await text("a short answer"); await say("wait for ever"); await until("it to run", () => button("Stop"));
		await click("Projects"); await click("delete hangs"); await text("cannot be undone"); await click("Delete");
		await until("it to go", () => !button("delete hangs") && !document.querySelector('dialog[open]')); if (document.querySelector('.toast')) throw new Error(document.querySelector('.toast').innerText)`)
}
