//go:build !js

package web_test

import (
	"testing"
)

// TestUndoInThePage tests that what a run wrote directly is shown with its diff and can be undone,
// beside the run and, after a reload, in the list. A file that changed since prevents it. An
// undo can be undone. A conversation can be removed.
func TestUndoInThePage(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "undoing", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {approval: {default: preApproved}}}\n---\nWrite.\n",
		"s.yaml": "script: 1\nworkers:\n  main:\n    - calls: [{tool: write_file, args: {path: /a.txt, content: \"new\\n\"}}, {tool: write_file, args: {path: /n/b.txt, content: \"b\\n\"}}, {tool: delete_file, args: {path: /c.txt}}]\n" +
			"    - say: wrote it\n",
		"a.txt": "old\n", "c.txt": "gone\n",
	})
	const card = `const card = () => document.querySelector('section[aria-label^="undo of"]'); const read = async (name) => new TextDecoder().decode(await golem.files("undoing").read(name));
		const diffs = () => until("the diffs", () => card()?.innerText.includes('+old') && card().innerText.includes('+gone') && card().innerText.includes('Directory n is removed')); `
	do(p, `await say("go"); await text("wrote it"); await click("Undo what this run wrote"); `+card+`await diffs();
		await click("Undo this run"); await text("undone: a.txt"); await text("Write again what was undone");
		await click("Files"); await text("c.txt"); await until("n to be gone", () => !document.body.innerText.includes("b.txt")); await click("Staged"); await text("What runs wrote")`)
	p.Reload()
	do(p, `await text("What runs wrote"); await click("Show what writing it again does"); `+card+`await until("the diff", () => card()?.innerText.includes('+new'));
		await click("Write again"); await text("written again: run"); await click("Show what undoing does"); await diffs()`)
	do(p, `await click("Files"); await text("b.txt"); await until("c to be gone", () => !document.body.innerText.includes("c.txt")); await click("Run"); await text("main is ready")`)
	p.Reload()
	do(p, `await text("main is ready"); await click("remove go"); await text("Remove this conversation?"); await click("Remove it");
		await until("no conversation", () => !document.querySelector('section[aria-label=Conversations]'))`)
}

// TestUndoByAPageThatEmbeds tests the same in a page that embeds golem, and what is refused.
func TestUndoByAPageThatEmbeds(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	got := talk(p, `await golem.create('u', {'main.worker': '---\nmodel: script:s.yaml\ntoolsets: {filesystem: {approval: {default: preApproved}}}\n---\nW.\n', 'a.txt': 'old', 's.yaml': 'script: 1\nworkers:\n  main:\n    - calls: [{tool: write_file, args: {path: /a.txt, content: new}}]\n    - say: done\n'});
		const here = golem.undo('u'), files = golem.files('u'), out = [];
		const code = (p) => p.then(() => 'ok', (e) => e.code);
		out.push(await code(here.diff('')));
		const run = golem.run('u', 'go'); await run.result;
		const [r] = await here.list(); out.push(r.item.state, r.item.changes.length);
		const shown = await here.diff(r.item.run); out.push(shown.digest === r.digest, shown.files[0].to);
		await files.write('a.txt', 'mine'); out.push(await code(here.undo(r.item.run, {digest: shown.digest})));
		await files.write('a.txt', 'new'); out.push(await code(here.undo(r.item.run, {digest: 'x'})), await code(here.redo(r.item.run)));
		out.push(await code(here.undo(r.item.run, {digest: shown.digest})), new TextDecoder().decode(await files.read('a.txt')), await code(here.undo(r.item.run)));
		out.push(await code(here.redo(r.item.run)), new TextDecoder().decode(await files.read('a.txt')));
		const [c] = await golem.conversations('u'); out.push(await code(golem.removeConversation('u', c.id)), await code(golem.removeConversation('u', c.id)), (await golem.conversations('u')).length);
		return out.join('|')`)
	if want := "E_NOT_FOUND|pending|1|true|a.txt|E_CONFLICT|E_CONFLICT|E_CONFLICT|ok|old|E_CONFLICT|ok|new|ok|E_NOT_FOUND|0"; got != want {
		t.Errorf("it is %s, want %s", got, want)
	}
}
