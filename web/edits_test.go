//go:build !js

package web_test

import (
	"strings"
	"testing"

	"golem/web/webtest"
)

// TestEditsBesideOthers tests that the page loses nothing of what others have: a file with CRLF
// keeps it when the person types into it; a file that a worker wrote in a conversation that goes
// on is listed, and a new file of the name of a file that the page does not know yet is refused;
// a form that is open when another project is opened is closed.
func TestEditsBesideOthers(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "other", team)
	project(t, p, "lines", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\nmode: chat\ntoolsets: {filesystem: {approval: {default: preApproved}}}\n---\nWrite.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - calls: [{tool: write_file, args: {path: /notes.md, content: of the worker}}]\n    - say: written\n",
		"dos.txt":     "one\r\ntwo\r\n",
		"mixed.txt":   "one\r\ntwo\nthree\n",
	})
	for name, want := range map[string]string{"dos.txt": "one\r\ntwo\r\nmine", "mixed.txt": "one\r\ntwo\nthree\nmine"} {
		do(p, `await click("Files"); await click(%[1]q); (await until("the editor", () => { const c = document.querySelector('.editor div')?.shadowRoot?.querySelector('.cm-content'); return c?.ariaLabel === 'text of ' + %[1]q && c })).focus()`, name)
		p.Press(webtest.CtrlEnd, "mine")
		do(p, `await until("the draft", () => button(%[1]q + " •")); await click("Save"); await until("it to be saved", () => !button(%[1]q + " •"))`, name)
		if got := webtest.Eval[string](p, inWorker(`projects/lines/`+name)); got != want {
			t.Errorf("%s holds %q", name, got)
		}
	}

	do(p, `await click("Run"); await say("go"); await text("written"); await until("my turn", () => button("Send")); await click("Files"); await until("the worker's file", () => button("notes.md"))`)
	do(p, `await click("Run"); await click("End"); await until("the end", () => [...document.querySelectorAll('[role=status]')].some((e) => e.innerText.startsWith('ok,'))); await click("Files")`)
	do(p, `const { createGolem } = await import('./golem.js'); const other = await createGolem(); // as another tab has it
		await until("nobody to hold the project", async () => !(await navigator.locks.query()).held.some((l) => l.name === 'golem:/projects/lines'));
		await other.files('lines').write('theirs.md', 'of another tab'); other.close();
		document.querySelector('[aria-label="new file"]').click(); const field = await until("the field", () => document.querySelector('dialog[open] input'));
		field.value = 'theirs.md'; field.dispatchEvent(new Event('input', {bubbles: true})); await click("Make it"); await text("a file with this name exists already")`)
	if got := webtest.Eval[string](p, inWorker(`projects/lines/theirs.md`)); got != "of another tab" {
		t.Errorf("the file of the other tab holds %q", got)
	}

	project(t, p, "third", team)
	do(p, `await click("Workers"); [...(await until("the graph", () => document.querySelectorAll('.box').length && document.querySelectorAll('.box')))].find((b) => b.innerText.includes('writer')).click();
		await click("Try it"); await until("the form", () => document.querySelector('dialog[open] #arg-task')); location.hash = location.hash.replace('third', 'other');
		await until("the other project", () => document.title.startsWith("other")); await until("no form", () => !document.querySelector('dialog[open]'))`)
	if errs := webtest.Eval[string](p, `document.body.innerText`); strings.Contains(errs, "has stopped") {
		t.Error(errs)
	}
}

// TestDraftOfAChangedFile tests that an unsaved text stays within reach if its file meanwhile
// becomes too large for the editor, or stops being text.
func TestDraftOfAChangedFile(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "grown", map[string]string{"main.worker": "---\nmodel: script:s.yaml\n---\nGo.\n", "log.txt": "one\n", "data.txt": "one\n"})
	for name, become := range map[string]string{"log.txt": `'x\n'.repeat(600000)`, "data.txt": `new Uint8Array([0, 255])`} {
		do(p, `await click("Files"); await click(%[1]q); (await until("the editor", () => { const c = document.querySelector('.editor div')?.shadowRoot?.querySelector('.cm-content'); return c?.ariaLabel === 'text of ' + %[1]q && c })).focus()`, name)
		p.Press(webtest.CtrlEnd, "mine")
		do(p, `await until("the draft", () => button(%[1]q + " •")); const { createGolem } = await import('./golem.js'); const other = await createGolem(); // as another tab has it
			await other.files('grown').write(%[1]q, %[2]s); other.close(); document.dispatchEvent(new Event('visibilitychange'));
			await text("changed after you began"); await click("Look at it"); await until("no editor", () => !document.querySelector('.editor')); await click("Look at it");
			await until("my text", () => document.querySelector('.editor div')?.shadowRoot?.querySelector('.cm-content')?.innerText.includes("mine"));
			await click("Keep mine"); await click("Save"); await until("it to be saved", () => !button(%[1]q + " •") && !document.body.innerText.includes("changed after you began"))`, name, become)
		if got := webtest.Eval[string](p, inWorker(`projects/grown/`+name)); got != "one\nmine" {
			t.Errorf("%s holds %d bytes, %.20q", name, len(got), got)
		}
		do(p, `await until("the editor", () => document.querySelector('.editor div')?.shadowRoot?.querySelector('.cm-content')?.innerText.includes("mine"))`)
	}
}
