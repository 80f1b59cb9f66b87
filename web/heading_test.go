//go:build !js

package web_test

import (
	"testing"

	"golem/web/webtest"
)

// talking is a project whose model says again what it is told. A message that ends with a question mark has no answer.
var talking = map[string]string{
	"main.worker": "---\ndescription: Says it again\nmodel: script:s.yaml\nmode: chat\n---\nTalk.\n",
	"s.yaml":      "script: 1\nworkers:\n  main:\n    - when: {match: '\\?$'}\n      hang: true\n    - when: {match: '(?s)(.*)'}\n      say: \"about $1\"\n",
}

// headed is a script that waits until the heading of the conversation is a text, with the worker below it.
const headed = `await until("the heading %[1]s", () => document.querySelector('.titles h2')?.innerText === %[1]q && document.querySelector('.titles').innerText.includes('main')); `

// TestHeadingIsTheTitle tests that a conversation's heading is its title: the first line of its
// first message, or the one that the person gives it at the heading, in the menu or with /title,
// while it is open and when it was opened again. Before the first message it says what the worker is for.
func TestHeadingIsTheTitle(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "talk", talking)
	rename := func(button, to string) {
		t.Helper()
		do(p, `await click(%q); const field = await until("the field", () => document.querySelector('dialog[open] input')); field.value = %q; field.dispatchEvent(new Event('input', {bubbles: true})); await click("Keep it")`, button, to)
	}
	do(p, `await until("what it is for", () => document.querySelector('.titles h2').innerText === 'Says it again'); await say("  Plan for\t March \nand more"); await text("about"); `+headed, "Plan for March")
	do(p, `await say("/title Owls"); `+headed, "Owls")
	do(p, `await click("rename this conversation"); const field = await until("the field", () => document.querySelector('dialog[open] input'));
		for (const title of ['', '   ']) { field.value = title; await click("Keep it"); if (field.validity.valid || !field.closest('dialog').open) throw new Error('an empty title closes the dialog') }
		await click("Cancel"); `+headed, "Owls")
	rename("rename this conversation", "Owls at night")
	do(p, `await text("the title is Owls at night"); `+headed, "Owls at night")
	do(p, `await until("my turn", () => button("Send")); await click("what you can do")`)
	rename("title", "Birds")
	do(p, headed+`await until("my turn", () => button("Send"))`, "Birds")
	p.Reload()
	do(p, `await until("the locks of the page before to be free", async () => !(await navigator.locks.query()).held.some((l) => l.name.startsWith('golem:/projects/talk'))); `+headed, "Birds")
	rename("rename this conversation", "Birds of March") // it is shown and not open
	do(p, headed, "Birds of March")
	do(p, `await say("another"); await text("about another"); await until("my turn", () => button("Send")); await click("go back to before message 1"); `+headed, "Birds of March")
	do(p, `await until("my turn", () => button("Send")); await click("new conversation"); await say("something else"); `+headed, "something else")
}

// TestTimeOfAnAnswer tests that the time of a conversation's worker is that of its last answer, and
// does not count from the beginning of the conversation.
func TestTimeOfAnAnswer(t *testing.T) {
	t.Parallel()
	p := inside(t, `
		import { apply, emptyRun } from './ui/run.js'
		import { took } from './ui/call.jsx'
		const at = (ms) => new Date(Date.now() - ms).toISOString()
		const run = emptyRun()
		const times = []
		const play = (e) => { apply(run, e); times.push(took(run.calls.get('0'))) }
		play({ type: 'worker.start', id: '0', worker: 'main', ts: at(90_000) })
		play({ type: 'prompt', ts: at(80_000) })
		play({ type: 'message', role: 'user', text: 'two', id: '0', ts: at(20_000) })
		play({ type: 'model.start', id: '0', turn: 2, ts: at(20_000) })
		play({ type: 'prompt', ts: at(15_000) })
		play({ type: 'worker.end', id: '0', status: 'ok', ms: 90_000, ts: at(0) })
		window.times = times`)
	// Running: the seconds since the message; waiting and ended: what the last answer took.
	if got, want := webtest.Eval[string](p, `window.times.join()`), "1 min 30 s,10.0 s,,20 s,5.0 s,5.0 s"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestFaultsOnAPhone tests that on a phone the faults of a file are below its text, and lead to
// their lines. Beside a wide editor the list of the project has them.
func TestFaultsOnAPhone(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "faults", map[string]string{"main.worker": "---\nmodel: script:s.yaml\nmode: chat\nmodle: x\n---\nTalk.\n", "s.yaml": "script: 1\nworkers: {main: [{say: hi}]}\n"})
	resized(t, p, 390, 844)
	const list = `document.querySelector('[aria-label="Faults of this file"]')`
	do(p, `await click("Files"); await click("main.worker"); const fault = await until("the fault", () => `+list+`?.querySelector('button')); if (!fault.innerText.includes('modle') || fault.getBoundingClientRect().bottom > innerHeight) throw new Error(fault.innerText);
		await until("the editor", () => document.querySelector('.editor div')?.shadowRoot); fault.click(); await until("its line", () => document.querySelector('.editor div').shadowRoot.querySelector('.cm-activeLine')?.innerText.startsWith('modle'))`)
	p.Press("x")
	do(p, `await until("the fault of what is typed", () => `+list+`?.innerText.includes('xmodle'))`)
	resized(t, p, 1280, 800)
	do(p, `if (`+list+`.checkVisibility()) throw new Error('it is there twice')`)
}

// TestPhoneViews tests what a phone's window has no room for: the tab of Batches is there while its
// view is open, and a file with a long name has one line, with the end of its name.
func TestPhoneViews(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	const name = "a-file-with-a-name-that-is-much-too-long-for-a-phone-2026.worker"
	files := map[string]string{name: "---\ndescription: d\n---\nHi.\n"}
	for path, text := range talking {
		files[path] = text
	}
	project(t, p, "phone", files)
	resized(t, p, 390, 844)
	do(p, `await click("Workers"); await click("Batches"); await until("a marked tab", () => document.querySelector('.tab[aria-current]')?.checkVisibility()); if (document.documentElement.scrollWidth > innerWidth) throw new Error('too wide');
		await click("Files"); const row = await until("the file", () => document.querySelector('.entry[title="`+name+`"]')); if (row.getBoundingClientRect().height > 40) throw new Error('several lines');
		const end = row.querySelector('.name > :last-child'); if (!`+`'`+name+`'.endsWith(end.innerText) || !end.innerText.endsWith('2026.worker') || end.scrollWidth > end.clientWidth + 1) throw new Error(end.innerText)`)
}

// TestNewFileAtOnce tests that a new file is shown as soon as it is written, and not the file before
// until golem has read the whole project.
func TestNewFileAtOnce(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "new", talking)
	do(p, `await click("Files"); await click("main.worker"); await until("the editor", () => document.querySelector('.editor div')?.shadowRoot);
		const post = Worker.prototype.postMessage, held = []; Worker.prototype.postMessage = function (m, ...rest) { if (m.method === 'open') held.push([this, m, ...rest]); else post.call(this, m, ...rest) }
		await click("Add a tool"); await click("Write a new one"); await until("golem to be asked about the project", () => held.length);
		await until("the new file", () => document.querySelector('h2.mono').innerText === 'tools/wordcount.js' && document.querySelector('.editor div')?.shadowRoot?.querySelector('.cm-content')?.innerText.includes('wordcount'), 20000);
		Worker.prototype.postMessage = post; for (const [to, ...m] of held) post.call(to, ...m); await text("no faults")`)
}
