//go:build !js

package web_test

import (
	"testing"

	"golem/web/webtest"
)

// writes is a conversation in which each message that names a file writes it.
var writes = map[string]string{
	"main.worker": "---\nmode: chat\nmodel: script:s.yaml\ntoolsets: {filesystem: {approval: {default: preApproved}}}\n---\nWrite.\n",
	"s.yaml": `script: 1
workers:
  main:
    - when: {text: undid}
      say: I see that you undid it
    - when: {match: "^write (\\w+) (\\w+)$"}
      calls: [{tool: write_file, args: {path: "/$1.txt", content: "$2\n"}}]
    - when: {tool: write_file}
      say: wrote it
    - when: {match: "^(.*)$"}
      say: "you said $1"
`,
	"a.txt": "old\n",
}

// TestUndoOfAnExchangeInThePage tests that the conversation that is shown can undo its last
// exchange, then the one before it, or all of them, with the changes shown first; the model hears
// of it with the next message. What was undone can be written again, in order.
func TestUndoOfAnExchangeInThePage(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "writes", writes)
	const read = `const read = async (name) => { try { return new TextDecoder().decode(await golem.files("writes").read(name)).trim() } catch { return 'none' } };
		const files = async (a, b) => { const now = await read('a.txt') + ' ' + await read('b.txt'); if (now !== a + ' ' + b) throw new Error(now) };
		const card = (words) => until("the changes: " + words, () => { const c = document.querySelector('section[aria-label^="undo of"]'); return c && words.every((w) => c.innerText.includes(w)) && c });
		const golem = await (await import('./golem.js')).createGolem(); `
	do(p, `await say("write a one"); await text("wrote it"); await say("write b two"); await until("the second answer", () => document.body.innerText.split("wrote it").length === 3);
		await say("write a three"); await until("the third answer", () => document.body.innerText.split("wrote it").length === 4); `+read+`await files('three', 'two');
		await click("Undo what the last exchange wrote"); await card(['-three', '+one']); await click("Undo this exchange"); await text("undone: a.txt"); await files('one', 'two');
		await click("Undo what the last exchange wrote"); await card(['-two']); await click("Undo this exchange"); await text("undone: b.txt"); await files('one', 'none');
		await click("Write again what was undone"); await card(['+two']); await click("Write again"); await text("written again: b.txt"); await files('one', 'two');
		await say("/undo all"); await card(['-two', '-one', '+old']); await click("Undo all"); await text("undone: 2 exchanges"); await files('old', 'none');
		await say("what now"); await text("I see that you undid it")`)
	// The menu leads to it, and says so if there is nothing.
	do(p, `await say("write b four"); await until("the answer", () => document.body.innerText.split("wrote it").length === 5 && button("Send") && !button("Stop"));
		await click("what you can do"); (await until("undo", () => document.querySelector('[data-action=undo]'))).click(); `+read+`await card(['-four']); await click("Undo this exchange"); await text("undone: b.txt");
		await click("what you can do"); (await until("undo", () => document.querySelector('[data-action=undo]'))).click(); await text("wrote no files that can be put back")`)
	p.Reload()
	do(p, `await text("write b four"); await text("Write again what was undone")`)
}

// TestRenameAProject tests that a project gets another name with its conversations, its undo, its
// unsaved texts and the person's choices, that a name that is taken is refused, and that one in
// which something runs keeps its name.
func TestRenameAProject(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "before", writes)
	do(p, `await say("write a one"); await text("wrote it"); await click("End"); await type("not sent");
		await click("Files"); await click("s.yaml"); const editor = await until("the editor", () => document.querySelector('.editor div')?.shadowRoot?.querySelector('.cm-content')); editor.focus(); document.execCommand('insertText', false, '# unsaved '); await until("a draft", () => Object.keys(localStorage).some((k) => k.startsWith('golem.unsaved.before')))`)
	const rename = `const rename = async (to) => { const name = await until("the name", () => document.querySelector('dialog[open] input.input')); name.value = to; await click("Rename it") }; `
	do(p, `await click("Projects"); `+rename+`await click("rename before"); await rename("welcome"); await text("a project named \"welcome\" exists already");
		await click("rename before"); await rename("after: it"); await text("before is after- it now"); await until("one card", () => button("rename after- it") && !button("rename before"));
		await until("the address", () => document.title.startsWith("after- it")); await click("Run"); await text("wrote it"); if (document.querySelector('#task').value !== 'not sent') throw new Error(document.querySelector('#task').value);
		await click("Undo what this run wrote"); await until("the changes", () => document.querySelector('section[aria-label^="undo of"]')?.innerText.includes("+old")); await click("Undo this run"); await text("undone: a.txt");
		await click("Files"); await click("s.yaml"); await until("the unsaved text", () => document.querySelector('.editor div')?.shadowRoot?.querySelector('.cm-content')?.innerText.includes('# unsaved'))`)
	p.Reload()
	do(p, `await click("Run"); await text("write a one"); if (document.querySelector('#task').value !== 'not sent') throw new Error(document.querySelector('#task').value);
		await click("Projects"); await until("the card", () => button("rename after- it") && !button("rename before"))`)
}

// TestYesToAllEndsWithThePage tests that neither a yes to all approvals nor the permission to edit
// survives a reload.
func TestYesToAllEndsWithThePage(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "asks", map[string]string{
		"main.worker": "---\nmode: chat\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\n---\nWrite.\n",
		"s.yaml":      writes["s.yaml"], "a.txt": "old\n",
	})
	const choose = `const choose = (to) => { const list = document.querySelector('#approval'); list.value = to; list.dispatchEvent(new Event('change', {bubbles: true})) }; `
	do(p, choose+`choose('approve_all'); await say("write a one"); await text("wrote it"); await click("End")`)
	p.Reload()
	do(p, `await click("Run"); await text("wrote it"); await click("new conversation"); await text("is ready"); if (document.querySelector('#approval').value === 'approve_all') throw new Error("yes to all was kept");
		await say("write a two"); await text("Change a file?")`)
	do(p, choose+`choose('edits'); await until("the permission", () => document.querySelector('#approval').value === 'edits'); await until("Yes", () => [...document.querySelectorAll('dialog[open] button')].some((b) => b.innerText === 'Yes' && !b.disabled && (b.click(), true))); await text("wrote it");
		await say("write a three"); await until("the second answer", () => document.body.innerText.split("wrote it").length === 3)`)
	p.Reload()
	do(p, `await text("write a three"); await say("write a four"); await text("Change a file?"); if (document.querySelector('#approval').value !== 'ask') throw new Error(document.querySelector('#approval').value)`)
}

// TestAMessageDoesNotWaitForItself tests that only a message that was sent while an exchange ran
// is said to reach the model later.
func TestAMessageDoesNotWaitForItself(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "waits", map[string]string{
		"main.worker": "---\nmode: chat\nmodel: script:s.yaml\n---\nTalk.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - {when: {text: hang}, hang: true}\n    - {when: {match: \"hi|more\"}, say: hello}\n",
	})
	do(p, `await say("hi"); await text("hello"); await say("hang"); await until("the bubble", () => document.querySelectorAll('.bubble.you').length === 2); await text("running");
		await new Promise((resolve) => setTimeout(resolve, 300)); if (document.body.innerText.includes("reaches the model")) throw new Error("it waits for itself");
		await type("more"); await click("Send"); await text("reaches the model before its next request"); await click("Stop"); await until("both answers", () => document.querySelectorAll(".bubble.golem").length === 2);
		const order = [...document.querySelectorAll(".talk > .bubble.you, .talk > .note.warn")].map((e) => e.innerText.split("\n").at(-1)).join("|"); if (!/^hi\|hang\|stopped.*\|more$/.test(order)) throw new Error(order)`)
}

// TestWhatAChildCouldNotDo tests that the line of a worker says which calls below it failed and
// were denied, also if the worker itself ended well.
func TestWhatAChildCouldNotDo(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "below", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\nallow_workers: [child]\n---\nAsk.\n", "workers/child.worker": "---\ndescription: d\ntoolsets: {filesystem: {}}\n---\nWrite.\n",
		"s.yaml": `script: 1
workers:
  main:
    - calls: [{tool: child, args: {input: x}}]
    - say: done
  child:
    - calls: [{tool: write_file, args: {path: /a.txt, content: a}}, {tool: read_file, args: {path: /none.txt}}]
    - say: I could not
`,
	})
	do(p, `await say("go"); await text("Change a file?")`)
	refuse(p)
	finished(p, "ok")
	do(p, `await text("1 denied, 1 failed"); const line = [...document.querySelectorAll('.talk summary')].find((e) => e.innerText.includes('child')); if (!line.querySelector('[aria-label=done]')) throw new Error(line.innerText)`)
}

// TestAViewThatFails tests that a view that throws an error is replaced by a message, and that the
// other views still work.
func TestAViewThatFails(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready"); const real = Date.prototype.toLocaleDateString; Date.prototype.toLocaleDateString = () => { throw new RangeError("no dates here") };
		await click("Projects"); await text("This cannot be shown"); await text("no dates here");
		await click("Run"); await text("is ready"); Date.prototype.toLocaleDateString = real;
		await click("Projects"); await text("Workers that run in this tab")`)
}

// TestTablesKeepTheirSides tests that the columns of a table in an answer have the sides that its
// source says.
func TestTablesKeepTheirSides(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "table", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\n---\nTalk.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - say: \"| a | b | c |\\n|---|--:|:-:|\\n| 1 | 2 | 3 |\\n\"\n",
	})
	do(p, `await say("go"); await until("the table", () => document.querySelector('.md td'))`)
	got := webtest.Eval[string](p, `[...document.querySelectorAll('.md td, .md th')].map((e) => getComputedStyle(e).textAlign).join()`)
	if want := "left,right,center,left,right,center"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestRenameByAPageThatEmbeds tests that a project that was renamed keeps its conversations, which
// go on, and its undo; which names are refused; that a new project of the old name has nothing of
// it; and that a renaming that a tab did not end is ended by the next list of projects.
func TestRenameByAPageThatEmbeds(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	got := talk(p, `const files = %s; await golem.create('one', files); await golem.create('two', files); const out = [];
		const code = (p) => p.then(() => 'ok', (e) => e.code);
		const first = golem.chat('one', 'write a new'); for await (const e of first) if (e.type === 'prompt') first.end(); await first.result;
		const held = golem.chat('one', 'hello'); for await (const e of held) if (e.type === 'prompt') break;
		out.push(await code(golem.rename('one', 'free'))); held.end(); await held.result;
		out.push(await code(golem.rename('one', 'two')), await code(golem.rename('one', 'a/b')), await code(golem.rename('none', 'other')), await code(golem.rename('one', 'three')), await code(golem.rename('three', 'four')));
		out.push((await golem.list()).map((p) => p.name).sort());
		const kept = (await golem.conversations('four')).find((c) => c.title === 'write a new'); out.push(kept.status, kept.error?.code ?? 'own');
		const again = golem.chat('four', null, {resume: kept.id}); again.send('who'); let n = 0; for await (const e of again) if (e.type === 'prompt' && ++n === 2) again.end(); out.push((await again.result).text);
		const shown = await golem.undo('four').diff(kept.id); await golem.undo('four').undo(kept.id, {item: shown.item.id, digest: shown.digest}); out.push(new TextDecoder().decode(await golem.files('four').read('a.txt')).trim());
		out.push(await code(golem.undo('four').diff(kept.id, {item: '99'})));
		await golem.create('one', files); out.push((await golem.conversations('one')).length);
		const root = await navigator.storage.getDirectory(); // a tab that died has moved one of the files
		const dir = async (name) => (await root.getDirectoryHandle('projects')).getDirectoryHandle(name, {create: true});
		const half = await (await dir('two')).getFileHandle('a.txt'); await half.move(await dir('whole'), 'a.txt');
		const note = await (await root.getDirectoryHandle('renaming', {create: true})).getFileHandle('whole', {create: true}); const w = await note.createWritable(); await w.write('two'); await w.close();
		return out.join('|')`, jsonText(t, writes))
	if want := "E_BUSY|E_CONFLICT|E_PATH|E_NOT_FOUND|ok|ok|four,two|ok|own|you said who|old|E_NOT_FOUND|0"; got != want {
		t.Errorf("it is %s, want %s", got, want)
	}
	p.Reload()
	if got, want := talk(p, `return (await golem.list()).map((p) => p.name + p.files).sort().join()`), "four3,one3,whole3"; got != want {
		t.Errorf("after the reload there is %s, want %s", got, want)
	}
}
