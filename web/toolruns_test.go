//go:build !js

package web_test

import (
	"strings"
	"testing"

	"golem/core/coretest"
	"golem/web/webtest"
)

// TestCalculator runs an example with a custom tool as a person does. The tool also reports an
// error.
func TestCalculator(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready"); await click("Projects");
		(await until("the example", () => [...document.querySelectorAll('.card')].find((c) => c.innerText.startsWith('Calculator')))).querySelector('button').click();
		await click("What is 17.5 times 4?"); await text("The result is 70.")`)
	finished(p, "ok")
	do(p, `await say("What is 1 divided by 0?"); await text("That cannot be calculated")`)
	finished(p, "ok")
}

// TestToolParts plays scenario 49: an image that a tool returns is shown, and another file can be
// saved, during the run and in the trace after a reload.
func TestToolParts(t *testing.T) {
	t.Parallel()
	wasm, err := coretest.Fixture("parts", true)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "pictures", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {custom: {approval: {default: preApproved}}}\n---\nDraw.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - calls: [{tool: draw, args: {}}, {tool: draw, args: {what: lie}}]\n    - say: done\n", "tools/p.wasm": string(wasm),
	})
	do(p, `await say("go")`)
	finished(p, "ok")
	const parts = `const seen = await until("the image and the files", () => { const images = [...document.querySelectorAll('img.part')].filter((i) => i.naturalWidth === 1); return images.length && document.body.innerText.includes('audio/ogg, 9 bytes') && images });
		if (!seen.every((i) => i.src.startsWith('blob:') && i.alt === 'draw-1')) throw new Error(seen[0].outerHTML)`
	do(p, `for (const d of document.querySelectorAll('.talk details.call > summary')) d.click();`+parts+`
		await until("what is no image to go", () => document.querySelectorAll('.talk img.part').length === 1);
		let kept; const real = URL.createObjectURL; URL.createObjectURL = (b) => { kept = b; return real(b) };
		await click("download file:///sound.ogg"); if (kept.size !== 9) throw new Error(kept.size)`)
	p.Reload()
	do(p, `await text("is ready"); await click("Trace"); await until("the run", () => button(".jsonl")); await click(".jsonl"); await text("ok, exit 0"); await click("draw");`+parts)
}

// spinning makes a project whose root calls a tool that never ends at the same time as two
// workers, and then goes on.
func spinning(t *testing.T, p *webtest.Page, limits string) {
	t.Helper()
	wasm, err := coretest.Fixture("hostile", true)
	if err != nil {
		t.Fatal(err)
	}
	talk(p, `await golem.create('spins', {
		'main.worker': '---\nmodel: script:s.yaml\ntoolsets: {custom: {approval: {default: preApproved}%s}, workers: {allowed_workers: [helper]}}\n---\nSpin.\n',
		'workers/helper.worker': '---\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\n---\nRead.\n',
		's.yaml': 'script: 1\nworkers:\n  main:\n    - calls: [{tool: loop}, {tool: helper, args: {input: a}}, {tool: helper, args: {input: b}}]\n    - say: survived\n  helper:\n    - calls: [{tool: list_files}]\n    - say: helped\n',
		'tools/hostile.wasm': %s,
		'tools/hostile.tools.yaml': 'tools:\n  - {name: loop, description: Never ends.}\n'}); return 1`, limits, module(wasm))
}

// TestSpinningBesideWorkers tests that a tool in an endless loop ends with its code, because of
// its fuel or its time limit. Meanwhile the window responds and the run's other workers go on;
// afterwards the run continues.
func TestSpinningBesideWorkers(t *testing.T) {
	for name, c := range map[string]struct{ limits, code string }{
		"fuel": {`, modules: {hostile: {fuel: 2000000000, timeout: 5m}}`, "E_TOOL_FUEL"},
		"time": {`, modules: {hostile: {timeout: 10s}}`, "E_TIMEOUT"},
	} {
		t.Run(name, func(t *testing.T) {
			p := embedded(t)
			spinning(t, p, c.limits)
			got := talk(p, watched, `const run = golem.run('spins', 'x'); const order = []; let code = ''
				for await (const e of run) if (note(e), e.type === 'tool.end') { order.push(e.tool); if (e.tool === 'loop') code = e.error?.code }
				const r = await run.result; return [r.status, r.text, code, order.join(' ')].join('|')`)
			rest := someTurns(t, got)
			if want := "ok|survived|" + c.code + "|"; !strings.HasPrefix(rest, want) || !strings.HasSuffix(rest, " loop") {
				t.Errorf("got %s, want %s and loop last", rest, want)
			}
		})
	}
}

// TestSecondVisit tests that guarded modules are kept: a second visit reads them and writes
// nothing.
func TestSecondVisit(t *testing.T) {
	t.Parallel()
	site := webtest.ServeHandler(t, light(t, embedding(t)), "/")
	one := browserOf(t).Open(t, site.URL+"embedded.html")
	const kept = `const dir = await (await navigator.storage.getDirectory()).getDirectoryHandle('cache'); const all = [];
		for await (const [name, h] of dir) if (h.kind === 'file') { const f = await h.getFile(); all.push(name + ' ' + f.size + ' ' + f.lastModified) }
		return all.sort().join('\n')`
	spinning(t, one, `, modules: {hostile: {fuel: 1000000}}`)
	talk(one, `return (await golem.run('spins', 'x').result).status`)
	before := talk(one, kept)
	if before == "" {
		t.Fatal("nothing is kept")
	}
	two := browserOf(t).Open(t, site.URL+"embedded.html")
	if got := talk(two, `return (await golem.run('spins', 'x').result).status`); got != "ok" {
		t.Errorf("the second visit's run ended %s", got)
	}
	if after := talk(two, kept); after != before {
		t.Errorf("kept before:\n%s\nafter:\n%s", before, after)
	}
}
