//go:build !js

package web_test

import (
	"fmt"
	"strings"
	"testing"

	"golem/web/webtest"
)

// TestFilesView tests the Files view (scenario 61). A draft never overwrites what a worker
// wrote; a large file is shown in parts; of a thousand files only some rows are drawn; paths
// can be searched; arrow keys move in the tree; dropped files are copied; a fault is shown in
// the gutter, and a click on it goes to its line.
func TestFilesView(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	files := map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {approval: {default: preApproved}}}\n---\nWrite.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - calls: [{tool: write_file, args: {path: /a.txt, content: of the worker}}]\n    - say: written\n",
		"a.txt":       "first\n",
		"big.txt":     strings.Repeat("line of a large file\n", 100_000),
	}
	for i := range 1000 {
		files[fmt.Sprintf("many/%04d.txt", i)] = "x"
	}
	project(t, p, "view", files)
	const editor = `document.querySelector('.editor div')?.shadowRoot?.querySelector('.cm-content')`
	do(p, `await text("main is ready"); await click("Files"); await click("a.txt"); (await until("the editor", () => `+editor+`)).focus()`)
	p.Press(webtest.CtrlEnd, "of the person")
	do(p, `await until("the draft", () => button("a.txt •")); await click("Run"); await say("go"); await text("written")`)
	finished(p, "ok")
	do(p, `await click("Files"); await text("Nothing is saved until you choose"); if (button("Save")) throw new Error("it can be saved");
		await click("Look at it"); await until("the worker's text", () => document.querySelector('pre.part')?.innerText === 'of the worker');
		await click("Keep mine"); await click("Save"); await until("it to be saved", () => !button("a.txt •"))`)
	if got := webtest.Eval[string](p, inWorker(`projects/view/a.txt`)); got != "first\nof the person" {
		t.Errorf("the file holds %q", got)
	}

	do(p, `await click("big.txt"); await text("262 kB so far"); await click("Show more"); await text("524 kB so far");
		if (document.querySelector('.editor')) throw new Error("it is in the editor")`)

	do(p, `if (button("0000.txt")) throw new Error("many files, and all folders are open"); await click("many"); await until("a row", () => button("0000.txt"));
		if (document.querySelectorAll('.pane.side .entry').length > 100) throw new Error("all rows are drawn");
		const field = document.querySelector('input[type=search]'); field.value = '999'; field.dispatchEvent(new Event('input', {bubbles: true}));
		await until("what is sought", () => button("many/0999.txt") && !button("many/0000.txt")); field.value = ''; field.dispatchEvent(new Event('input', {bubbles: true}));
		const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
		await until("the tree", () => button("0000.txt") && !button("many/0999.txt")); button("many").focus(); press('ArrowRight');
		await until("the focus on the first file", () => document.activeElement.innerText.startsWith("0000.txt")); press('End');
		await until("the focus on the last row", () => document.activeElement.innerText.startsWith("s.yaml"))`)

	do(p, `const list = new DataTransfer(); list.items.add(new File(['name: view\ntoolset: {}\n'], 'project.yaml')); const side = document.querySelector('.pane.side');
		side.dispatchEvent(new DragEvent('drop', {dataTransfer: list, bubbles: true, cancelable: true})); await until("the file", () => button("project.yaml"))`)

	do(p, `(await until("the fault", () => [...document.querySelectorAll('[aria-label=Faults] button')].find((b) => b.innerText.includes('toolset')))).click();
		await until("its mark in the gutter", () => document.querySelector('.editor div')?.shadowRoot?.querySelector('.cm-lint-marker-error, .cm-lint-marker-warning'));
		await until("its line", () => document.querySelector('.editor div').shadowRoot.querySelector('.cm-activeLine')?.innerText.startsWith('toolset:'))`)

	// The same from Run.
	do(p, `await click("Run"); await text("This project cannot run now"); await click("Open project.yaml"); await until("its line", () => document.querySelector('.editor div')?.shadowRoot?.querySelector('.cm-activeLine')?.innerText.startsWith('toolset:'))`)

	// Completion by the schema, and by what the project has.
	const offer = `const offered = () => [...document.querySelector('.editor div').shadowRoot.querySelectorAll('.cm-tooltip-autocomplete li')];
		const choose = async (label) => (await until("the offer " + label, () => offered().find((l) => l.querySelector('.cm-completionLabel').innerText === label))).dispatchEvent(new MouseEvent('mousedown', {bubbles: true, cancelable: true}));`
	p.Press(webtest.CtrlEnd, "ent")
	do(p, offer+`await choose("entry"); await until("the key", () => `+editor+`.innerText.includes("entry: "))`)
	p.Press("m")
	do(p, offer+`await choose("main"); await until("the name", () => `+editor+`.innerText.includes("entry: main"))`)

	// What has changed since before the last run; a search in texts leads to a line.
	do(p, `document.querySelector(".side ul.tree").scrollTop = 0; await click("a.txt"); await until("the editor of a.txt", () => `+editor+`?.ariaLabel === "text of a.txt"); await click("Changes");
		await until("what the person added", () => [...document.querySelectorAll('.diff-line.add')].some((l) => l.innerText.includes('of the person'))); await click("Changes");
		await click("In texts"); const search = document.querySelector('input[type=search]'); search.value = 'OF THE person'; search.dispatchEvent(new Event('input', {bubbles: true}));
		await text("1 line found"); await click("a.txt:2"); await until("the line", () => document.querySelector('.editor div')?.shadowRoot.querySelector('.cm-activeLine')?.innerText === 'of the person');
		await click("In texts"); await until("the tree again", () => document.querySelector('.side [data-row]') || document.querySelector('.side [role=status]'))`)
}

// inWorker returns an expression that reads a file of OPFS directly, without golem.
func inWorker(path string) string {
	return `(async () => { let at = await navigator.storage.getDirectory(); const names = '` + path + `'.split('/');
		for (const n of names.slice(0, -1)) at = await at.getDirectoryHandle(n); return (await (await at.getFileHandle(names.at(-1))).getFile()).text() })()`
}

// TestFilesOfALibrary tests golem.js: create reports its progress and can be cancelled, and
// then leaves nothing; a write with base is refused if the file has another text; a part of a
// file can be read.
func TestFilesOfALibrary(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	for _, c := range []struct{ do, want string }{
		{`const files = {}; for (let i = 0; i < 100; i++) files['d/' + i + '.txt'] = new Uint8Array([65]); const told = [];
			await golem.create('a', files, {progress: (n) => told.push(n)}); return told.join() + ' ' + (await golem.list())[0].files`, "0,20,40,60,80 100"},
		{`const stop = new AbortController(); const files = {}; for (let i = 0; i < 500; i++) files['d/' + i + '.txt'] = 'x';
			const code = await golem.create('b', files, {signal: stop.signal, progress: (n) => n && stop.abort()}).catch((e) => e.code); return code + (await golem.list()).map((p) => p.name)`, "E_INTERRUPTEDa"},
		{`const stop = AbortSignal.abort(); const code = await golem.create('c', {'x': 'y'}, {signal: stop}).catch((e) => e.code); return code + (await golem.list()).map((p) => p.name)`, "E_INTERRUPTEDa"},
		{`const f = golem.files('a'); await f.write('t', 'one'); await f.write('t', 'two', {base: 'one'}); const code = await f.write('t', 'three', {base: 'one'}).catch((e) => e.code); return code + new TextDecoder().decode(await f.read('t'))`, "E_CONFLICTtwo"},
		{`return golem.files('a').write('none', 'x', {base: 'one'}).catch((e) => e.code)`, "E_NOT_FOUND"},
		{`const f = golem.files('a'); await f.write('big', 'ab'.repeat(400000)); const d = new TextDecoder(); return d.decode(await f.read('big', {from: 799997, size: 10})) + d.decode(await f.read('big', {size: 3})) + (await f.read('big', {from: 800000, size: 9})).length`, "bababa0"},
	} {
		if got := talk(p, "%s", c.do); got != c.want {
			t.Errorf("%s\n\tgot %q, want %q", c.do, got, c.want)
		}
	}
}
