//go:build !js

package web_test

import (
	"testing"

	"golem/web/webtest"
)

// paste pastes the inputs of the project batching into the form of the view Batches, and starts.
const paste = `(await until("the field", () => document.querySelector('#batch-inputs'))); const put = (id, value) => { const field = document.querySelector(id); field.value = value; field.dispatchEvent(new Event('input', {bubbles: true})) };
	put('#batch-inputs', '{"id":"one","text":"write one"}\n{"id":"two","text":"write two"}\n{"id":"three","text":"break"}\n{"id":"four","text":"stage four"}\n{"id":"five","text":"write five"}\n{"id":"six","text":"say"}'); put('#batch-key', 'id'); await click("Start"); `

// TestBatchInThePage tests the view Batches by hand: inputs that are pasted, a question that is
// answered yes and one that is left for later, a rule whose calls are shown before, and the end
// with its results. A reload in the middle is shown, and the batch goes on by a click.
func TestBatchInThePage(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "many", batching)
	do(p, "%s", `await click("Batches"); `+paste+`await text("4 questions of 4 items"); await text("E_MODEL 1");
		const row = (key) => [...document.querySelectorAll('table.items tbody tr')].find((r) => r.innerText.startsWith(key));
		await until("the items", () => row('six')?.innerText.includes('done') && row('one')?.innerText.includes('waits for you') && row('three')?.innerText.includes('E_MODEL'));
		await click("Answer one after the other"); await text("Yes covers this call in 1 item of the batch: one"); await click("Later"); await until("no question", () => !document.querySelector('dialog[open]')); await text("4 questions of 4 items");
		await click("By a rule…"); const field = await until("the rule", () => document.querySelector('dialog[open] #asked')); if (!field.value.startsWith('path=/')) throw new Error(field.value);
		field.value = 'path=/out/**'; field.dispatchEvent(new Event('input', {bubbles: true})); await click("Show what it covers"); await text("It covers 3 questions of 3 items"); await text("/out/five.txt")`)
	if got := webtest.Eval[bool](p, `document.querySelector('dialog[open]').innerText.includes('/notes/four.md')`); got {
		t.Error("the rule shows a call that it does not cover")
	}
	settled(p)
	do(p, `[...document.querySelectorAll('dialog[open] button')].find((b) => b.innerText === 'Yes').click(); await text("1 question of 1 item"); await text("stopped: 3 items left")`)
	p.Reload()
	do(p, `await text("1 question of 1 item"); await text("It goes on where it was"); await click("Answer it")`)
	settled(p)
	do(p, `[...document.querySelectorAll('dialog[open] button')].find((b) => b.innerText === 'Yes').click(); await until("no question", () => !document.querySelector('section[aria-label=Questions]'));
		await click("Go on"); await text("done, 1 failed"); await text("1 item of clearance wait"); const make = URL.createObjectURL; URL.createObjectURL = (data) => { window.saved = data; return make.call(URL, data) };
		await click("results.jsonl"); const lines = (await (await until("the file", () => window.saved)).text()).trim().split('\n').map(JSON.parse);
		const got = lines.map((r) => r.item + ' ' + r.status + ' ' + (r.files ?? '')).join(';'); if (got !== 'one ok out/one.txt;two ok out/two.txt;three error ;four ok ;five ok out/five.txt;six ok ') throw new Error(got);
		(await until("the trace", () => document.querySelector('button[aria-label="trace of one"]'))).click(); await text("write_file"); history.back();
		await until("it again", () => document.querySelector('table.items')); await click("Staged"); await text("notes/four.md"); await click("Files"); await text("results.jsonl")`)
	// Wrong inputs are told in the form; a batch that has ended is removed after a yes.
	do(p, `await click("Batches"); await click("all batches"); await click("Start a batch"); const field = await until("the field", () => document.querySelector('#batch-inputs')); field.value = '{broken'; field.dispatchEvent(new Event('input', {bubbles: true}));
		await click("Start"); await text("line 1 of the inputs: it is not JSON"); await click("Back"); (await until("the batch", () => document.querySelector('table[aria-label=Batches] button'))).click();
		await click("Remove…"); await text("The traces of all items are lost"); await click("Remove it"); await until("the form", () => document.querySelector('#batch-inputs'))`)
}
