//go:build !js

package web_test

import (
	"testing"

	"golem/web/webtest"
)

// TestKeptChoicesOfAnEarlierProject tests that what the person chose for a project does not
// hold for another project that gets its name later.
func TestKeptChoicesOfAnEarlierProject(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready"); const kept = JSON.parse(localStorage.getItem('golem.settings')); localStorage.setItem('golem.settings', JSON.stringify({...kept, projects: {...kept.projects, mine: {approval: 'approve_all', model: 'a:b'}}}))`)
	p.Reload()
	do(p, `await text("is ready"); await click("golem: all projects"); await click("New project");
		const name = await until("the name", () => document.querySelector('dialog[open] input.input')); name.value = 'mine'; name.dispatchEvent(new Event('input', {bubbles: true})); await click("Make it"); await text("main.worker");
		const kept = JSON.parse(localStorage.getItem('golem.settings')).projects.mine; if (kept.approval || kept.model) throw new Error(JSON.stringify(kept))`)
}

// TestPackLooksForKeys tests that the export as a packed project refuses a file that holds a
// key of this browser, as golem pack does.
func TestPackLooksForKeys(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready"); localStorage.setItem('golem.keys', JSON.stringify({OPENAI_API_KEY: 'sk-verysecret-0123456789'}))`)
	project(t, p, "leaks", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\n---\nTalk.\n", "notes.txt": "the key is sk-verysecret-0123456789",
		"s.yaml": "script: 1\nworkers:\n  main: [{say: hi}]\n",
	})
	do(p, `await click("golem: all projects"); await click("export leaks with its libraries, as golem pack does"); await text("E_PROTECTED"); await text("notes.txt")`)
}

// TestNamesAreCompared tests that a new or renamed file does not replace another one whose
// name is written in another way.
func TestNamesAreCompared(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "names", map[string]string{"main.worker": "---\nmodel: script:s.yaml\n---\nTalk.\n", "s.yaml": "script: 1\nworkers:\n  main: [{say: hi}]\n", "d/a.md": "keep"})
	do(p, `const write = async (text, button) => { const field = await until("the field", () => document.querySelector('dialog[open] input')); field.value = text; field.dispatchEvent(new Event('input', {bubbles: true})); await click(button) };
		await click("Files"); for (const name of ['./main.worker', 'd//a.md', 'x/../d/a.md']) { await click("new file"); await write(name, "Make it"); await text("a file with this name exists already"); await click("close this notice") }
		await click("new file"); await write("./d/./b.md", "Make it"); await until("the new file", () => button("d/b.md"))`)
	if got := webtest.Eval[string](p, inWorker(`projects/names/main.worker`)); got != "---\nmodel: script:s.yaml\n---\nTalk.\n" {
		t.Errorf("main.worker holds %q", got)
	}
}

// TestConversationOfAnotherWorker continues a kept conversation of another worker than the
// entry, and a conversation in which a message begins with a slash: messages have the numbers
// that golem gives them.
func TestConversationOfAnotherWorker(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "two", map[string]string{
		"main.worker":          "---\nmodel: script:s.yaml\nmode: chat\nallow_workers: [other]\n---\nTalk.\n",
		"workers/other.worker": "---\nmodel: script:s.yaml\ndescription: Other.\nmode: chat\n---\nTalk.\n",
		"s.yaml":               "script: 1\nworkers:\n  main:\n    - when: {match: \"(.+)\"}\n      say: main heard $1\n  other:\n    - when: {match: \"(.+)\"}\n      say: other heard $1\n",
	})
	const turn = `await until("my turn", () => button("Send")); `
	do(p, `await say("/notes.txt: one"); await text("main heard /notes.txt: one"); `+turn+`await say("two"); await text("main heard two"); `+turn+`
		await click("go back to before message 2"); await until("the text to be back", () => document.querySelector('#task').value === 'two' && button("Send"));
		await say("three"); await text("main heard three"); `+turn+` if (!document.body.innerText.includes("main heard /notes.txt: one")) throw new Error(document.body.innerText);
		await click("new conversation"); await text("main is ready")`)
	do(p, `await click("History"); const row = await until("the branch", () => document.querySelector('[aria-label=History] .node:not([disabled])')); row.click(); row.click(); await text("main heard three"); `+turn+`
		await click("go back to before message 2"); await until("the text to be back", () => document.querySelector('#task').value === 'three' && button("Send")); await say("four"); await text("main heard four"); `+turn+`
		if (!document.body.innerText.includes("main heard /notes.txt: one") || document.body.innerText.includes("main heard three")) throw new Error(document.body.innerText); await click("End"); await until("the end", () => [...document.querySelectorAll('[role=status]')].some((e) => e.innerText.startsWith('ok,')))`)
	do(p, `const { createGolem } = await import('./golem.js'); const golem = await createGolem(), free = () => until("nobody to hold the project", async () => !(await navigator.locks.query()).held.some((l) => l.name === 'golem:/projects/two'));
		await free(); await golem.run('two', 'five', {entry: 'other'}).result; await free(); golem.close();
		await click("new conversation"); const five = await until("the other conversation", () => [...document.querySelectorAll('[aria-label=History] .node:not([disabled])')].find((b) => b.innerText.includes("five")));
		five.click(); await text("other heard five"); `+turn+`await say("six"); await text("other heard six")`)
}
