//go:build !js

package web_test

import (
	"testing"

	"golem/web/webtest"
)

// TestFormsOfAnEditedMessage tests that a message that was changed shows its forms as soon as it is
// answered, and that of the notes about branches only the last one stays.
func TestFormsOfAnEditedMessage(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "forms", writes)
	do(p, `await say("one"); await text("you said one"); await say("two"); await text("you said two"); await until("my turn", () => button("Send"));
		await click("go back to before message 2"); await until("the text", () => document.querySelector('#task').value === 'two' && button("Send")); await say("three"); await text("you said three");
		await until("the forms", () => document.querySelector('[aria-label="message 2 has 2 forms"]')?.innerText.includes("2/2"));
		await click("answer again"); await until("a third form", () => document.querySelector('[aria-label="message 2 has 3 forms"]')?.innerText.includes("3/3"));
		const notes = [...document.querySelectorAll('.talk .note')].filter((e) => e.innerText.includes("show it")); if (notes.length !== 1) throw new Error(notes.map((e) => e.innerText).join());
		await click("End"); await until("the end", () => !button("End")); await click("go back to before message 2"); await until("the text", () => document.querySelector('#task').value === 'three' && button("Send")); await say("four"); await text("you said four");
		await until("a fourth form", () => document.querySelector('[aria-label="message 2 has 4 forms"]'))`)
}

// TestBeginWithACommand tests a conversation that begins with a command that does not exist: the
// text is shown, the model is that of the project, and the command cannot be edited into a new run.
func TestBeginWithACommand(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	files := map[string]string{"a-script.yaml": "script: 1\nworkers: {main: [{say: another model}]}\n"}
	for name, text := range writes {
		files[name] = text
	}
	project(t, p, "begins", files)
	do(p, `await say("/nonsense"); await text("there is no command /nonsense"); await until("my turn", () => button("Send"));
		if (document.querySelector('#model').value !== 'script:s.yaml') throw new Error("the model is " + document.querySelector('#model').value);
		if (document.querySelector('.bubble.you')?.innerText.trim().split("\n").at(-1) !== '/nonsense') throw new Error(document.querySelector('.talk').innerText);
		await say("one"); await text("you said one"); await say("/cost"); await until("the cost", () => document.querySelectorAll('.bubble.you').length === 3); await until("my turn", () => button("Send"));
		if (button("edit this message")) throw new Error("a command can be edited"); await click("go back to before message 1")`)
}

// TestReopenedCalls tests that the calls of a conversation that is opened again look as before: their
// arguments by name, no time that is not known, denied ones as denied, below their worker's name.
func TestReopenedCalls(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "calls", map[string]string{"main.worker": "---\nmode: chat\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\n---\nWrite.\n", "s.yaml": writes["s.yaml"], "a.txt": "old\n"})
	do(p, `await say("write a one"); await text("Change a file?")`)
	refuse(p)
	do(p, `await text("wrote it"); await until("my turn", () => button("Send"))`)
	p.Reload()
	do(p, `await until("the locks of the page before to be free", async () => !(await navigator.locks.query()).held.some((l) => l.name.startsWith('golem:/projects/calls')));
		await text("wrote it"); const line = document.querySelector('.talk .call summary'), root = document.querySelector('.tree .node');
		if (!line.innerText.includes('path: "/a.txt"') || /0 ms/.test(line.innerText) || !line.querySelector('[aria-label=denied]')) throw new Error(line.outerHTML);
		if (root.querySelector('.name').innerText !== 'main' || /0 ms/.test(document.querySelector('.tree').innerText)) throw new Error(document.querySelector('.tree').innerText)`)
}

// TestCompareShowsFiles tests that a comparison of two runs shows what they wrote into files, at
// once below its button, and says of a run without an end what the list says.
func TestCompareShowsFiles(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "two", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {approval: {default: preApproved}}}\n---\nWrite.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - when: {tool: edit_file}\n      say: wrote it\n    - when: {tool: write_file}\n      calls: [{tool: edit_file, args: {path: /b.txt, old: old, new: new}}]\n    - when: {match: \"(red|blue)\"}\n      calls: [{tool: write_file, args: {path: /a.txt, content: \"it is $1\"}}]\n",
		"b.txt":       "old\n",
	})
	do(p, `await say("red"); await text("wrote it")`)
	finished(p, "ok")
	do(p, `await click("new conversation"); await text("is ready"); await click("Files"); await click("b.txt"); await until("the file", () => document.querySelector('.editor div')?.shadowRoot?.querySelector('.cm-content')?.innerText.includes('new'));
		await click("Run"); await say("blue"); await text("wrote it")`)
	finished(p, "ok")
	do(p, `await click("Trace"); const marks = await until("two runs", () => { const all = document.querySelectorAll('input[aria-label^="mark "]'); return all.length === 2 && all }); for (const m of marks) m.click(); await click("Compare"); await text("Two runs compared");
		const files = await until("the files", () => document.querySelector('[role=group][aria-label="/a.txt"]')); if (!/it is blue[^]*it is red/.test(files.innerText) || files.querySelectorAll('mark').length !== 2) throw new Error(files.innerText);
		if (document.querySelector('table[aria-label^="Runs of"]').checkVisibility()) throw new Error("the list covers the comparison")`)
}

// TestLooks tests what is seen: texts that do not lie over each other, sizes that can be read.
func TestLooks(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "looks", map[string]string{
		"main.worker": "---\nmode: chat\nmodel: script:s.yaml\n---\nTalk.\n", "soft.md": "one\ntwo\n", "deep.json": `{"a":{"b":{"c":{"d":{"e":1}}}}}`,
		"s.yaml": "script: 1\nworkers:\n  main:\n    - when: {match: \"(?s).*\"}\n      say: \"```go\\nfunc f() int { return 1 } // a comment that is so long that it reaches the end of the line\\n```\\n\"\n",
	})
	resized(t, p, 390, 700)
	do(p, `const list = new DataTransfer(); list.items.add(new File(['x'.repeat(1200)], 'a name of a file that is so long that it needs several lines on a phone.txt'));
		document.querySelector('#task').dispatchEvent(new ClipboardEvent('paste', {clipboardData: list, bubbles: true, cancelable: true})); await text("on a phone.txt"); await say("go"); await until("the code", () => document.querySelector('.code[data-lang]'))`)
	if got := webtest.Eval[float64](p, `document.querySelector('.bubble.you .attached .muted').getBoundingClientRect().height`); got > 30 {
		t.Errorf("the size of an attachment is %v pixels high: it is broken", got)
	}
	if got := webtest.Eval[string](p, `getComputedStyle(document.querySelector('.code[data-lang]'), '::before').backgroundColor`); got == "rgba(0, 0, 0, 0)" {
		t.Error("the name of the language lies over the code")
	}
	do(p, `for (let i = 0; i < 12; i++) { await say("more " + i); await until("an answer", () => document.querySelectorAll('.bubble.golem').length === i + 2 && button("Send")) }`)
	resized(t, p, 390, 480)
	do(p, `const box = document.querySelector('.talk'); await until("the last answer", () => box.scrollHeight - box.scrollTop - box.clientHeight < 2)`)
	resized(t, p, 1280, 800)
	do(p, `await click("Files"); await click("soft.md"); await until("the preview", () => document.querySelector('.preview .md p'))`)
	if got := webtest.Eval[float64](p, `document.querySelector('.preview .md p').getBoundingClientRect().height`); got > 40 {
		t.Errorf("two lines of a paragraph are %v pixels high: the line break of the source is shown", got)
	}
	do(p, `await click("deep.json"); await click("Preview"); await until("the values", () => document.querySelector('.json details')); while (document.querySelector('.json details:not([open])')) { document.querySelector('.json details:not([open])').open = true; await new Promise((resolve) => setTimeout(resolve, 50)) }`)
	if got := webtest.Eval[float64](p, `Math.min(...[...document.querySelectorAll('.json li')].map((e) => parseFloat(getComputedStyle(e).fontSize)))`); got < 12 {
		t.Errorf("the deepest value of a JSON file has %v pixels", got)
	}
}
