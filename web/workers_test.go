//go:build !js

package web_test

import (
	"testing"

	"golem/web/webtest"
)

// team is a project of workers that call each other: without a question, after a question, in a
// cycle, and one that may call every other.
var team = map[string]string{
	"main.worker":           "---\nmodel: script:s.yaml\ndescription: Plans the work of the others.\nallow_workers: [reader, writer]\ntoolsets: {workers: {approval: {tools: {writer: ask}}}, filesystem: {approval: {tools: {delete_file: blocked}}}}\n---\nPlan.\n",
	"workers/reader.worker": "---\nmodel: script:s.yaml\ndescription: Reads.\ninput_schema: {type: object, required: [place, loud], properties: {place: {type: string, description: Where to look.}, loud: {type: boolean}}}\ntoolsets: {filesystem: {}}\nallow_workers: [critic]\n---\nRead.\n",
	"workers/writer.worker": "---\nmodel: script:s.yaml\ndescription: Writes.\ntoolsets: {filesystem: {approval: {default: preApproved}}}\nallow_workers: [critic]\n---\nWrite.\n",
	"workers/critic.worker": "---\nmodel: script:s.yaml\ndescription: Judges.\nallow_workers: [writer]\n---\nJudge.\n",
	"workers/chief.worker":  "---\nmodel: script:s.yaml\ndescription: Calls whom it wants.\nallow_workers: '*'\n---\nLead.\n",
	"note.txt":              "a note\n",
	"s.yaml":                "script: 1\nworkers:\n  reader:\n    - say: the reader looked in the cellar\n  writer:\n    - say: the writer has written\n",
}

// TestWorkersView tests the Workers view: arrow keys move in the graph of which worker may call
// which; a worker, and a tool of a worker, can be tried with a form that is made from its schema.
func TestWorkersView(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "team", team)
	do(p, `await click("Workers"); await until("the graph", () => document.querySelectorAll('.box').length === 5);
		const box = (name) => [...document.querySelectorAll('.box')].find((b) => b.querySelector('b').innerText === name);
		const says = (name, wanted) => { if (!box(name).textContent.includes(wanted)) throw new Error(name + ": " + box(name).textContent + " has no " + wanted) };
		says("main", "may call reader; writer, asks"); says("main", "entry"); says("main", "write"); says("chief", "may call every other worker"); says("writer", "may call critic, a circle");
		if (document.querySelectorAll('.graph path.link').length !== 6) throw new Error(document.querySelector('.graph svg').innerHTML);
		if (document.querySelectorAll('.graph path.link.asks').length !== 1) throw new Error("one line asks");
		const left = (name) => box(name).parentElement.offsetLeft;
		if (!(left("main") < left("reader") && left("reader") < left("critic"))) throw new Error("a caller stands before whom it calls");
		box("main").focus()`)
	press := func(key, name string) {
		t.Helper()
		p.Press(key)
		do(p, `await until("the focus on %s", () => document.activeElement.querySelector?.('b')?.innerText === %q)`, name, name)
	}
	press(webtest.ArrowRight, "reader")
	press(webtest.ArrowRight, "critic")
	press(webtest.ArrowLeft, "reader")
	p.Press(webtest.Enter)
	do(p, `await text("Called by"); if (!location.hash.endsWith("/team/workers/workers/reader.worker")) throw new Error(location.hash);
		await click("Try it"); await text("Where to look.");
		const fill = (id, value) => { const f = document.getElementById(id); f.value = value; f.dispatchEvent(new Event(f.localName === 'select' ? 'change' : 'input', {bubbles: true})) };
		fill('arg-place', 'cellar'); document.querySelector('dialog[open] button.primary').click(); await text("loud is missing: choose one");
		fill('arg-loud', '0'); document.querySelector('dialog[open] button.primary').click(); await text("the reader looked in the cellar");
		await until("what it was given", () => [...document.querySelectorAll('.bubble.you')].some((b) => b.innerText.includes('cellar')))`)
	finished(p, "ok")
	do(p, `await click("Workers"); await click("Try it"); await until("the form, empty again", () => document.querySelector('dialog[open] #arg-place')?.value === ''); await click("Cancel");
		await click("try read_file"); await until("its form", () => document.querySelector('dialog[open] #arg-path'));
		const path = document.getElementById('arg-path'); path.value = '/note.txt'; path.dispatchEvent(new Event('input', {bubbles: true}));
		await click("Call"); await until("the call", () => [...document.querySelectorAll('.talk .call')].some((c) => c.innerText.includes('read_file')))`)
	finished(p, "ok")
	// Trying a tool runs no model: its result is shown, and its arguments are not shown as a message.
	do(p, `await until("the result", () => document.querySelector('.talk [aria-label=Result]')?.innerText.includes('a note'));
		if (button("edit this message") || document.body.innerText.includes("played from a script")) throw new Error(document.querySelector('.talk').innerText);
		await click("Workers"); await click("try read_file"); await until("its form", () => document.querySelector('dialog[open] #arg-path')); await click("Call"); await text("path is missing: write it");
		const none = document.getElementById('arg-path'); none.value = '/none.txt'; none.dispatchEvent(new Event('input', {bubbles: true})); await click("Call"); await text("E_NOT_FOUND")`)
	do(p, `const said = () => [...document.querySelectorAll('.bubble.you')].map((b) => b.innerText).join(); await until("the end", () => button("Try again")); const before = said();
		await click("Try again"); await until("the same once more", () => button("Try again") && document.querySelectorAll('.talk .call').length === 1); if (said() !== before || document.body.innerText.includes("the reader looked")) throw new Error(before + " became " + document.querySelector('.talk').innerText)`)
	do(p, `await click("Workers"); (await until("writer", () => [...document.querySelectorAll('.box')].find((b) => b.querySelector('b').innerText === 'writer'))).click(); await until("it", () => document.querySelector('.side h2')?.innerText === 'writer'); await click("Try it"); await until("a field for a task", () => document.querySelector('dialog[open] #arg-task'));
		const f = document.getElementById('arg-task'); f.value = '{"a": 1}'; f.dispatchEvent(new Event('input', {bubbles: true})); document.querySelector('dialog[open] button.primary').click();
		await text("the writer has written")`)
}
