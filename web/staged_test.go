//go:build !js

package web_test

import (
	"testing"
)

// stagingProject is a project with a worker that stages what it writes, and stages a file that
// defines the project with the tool stage.
var stagingProject = map[string]string{
	"project.yaml": "clearance: {targets: {main: {dir: prompts}}}\n",
	"main.worker": "---\nmodel: script:s.yaml\nsandbox: {paths: {out: {root: ./out, mode: staged}}}\n" +
		"toolsets: {filesystem: {approval: {default: preApproved}}, clearance: {}}\n---\nWrite.\n",
	"s.yaml": "script: 1\nworkers:\n  main:\n" +
		"    - when: {text: User pushed staged commit to main}\n      say: heard of it\n" +
		"    - calls: [{tool: write_file, args: {path: /out/a.txt, content: \"new\\n\"}}, {tool: write_file, args: {path: /out/b.txt, content: \"b\\n\"}}]\n" +
		"    - calls: [{tool: stage, args: {paths: [/out/b.txt], message: A prompt, target: main}}]\n    - say: staged it\n",
	"out/a.txt": "old\n",
}

// TestStagedChanges plays scenario 34 in the page: staged items survive a reload, are shown with
// their diff and a badge, and only a person pushes them. For a file that defines the project
// the page asks again. The root is told about the push.
func TestStagedChanges(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "staging", stagingProject)
	do(p, `await say("go"); await text("staged it"); await text("[!] 2 item(s) pending clearance")`)
	p.Reload()
	do(p, `await text("main is ready"); await until("the badge", () => document.querySelector('.badge')?.innerText === '2');
		await click("Staged"); const card = (id) => document.querySelector('section[aria-label="item ' + id + '"]');
		await until("the items", () => card(1) && card(2));
		const press = (id, name) => until(name + " of " + id, () => { const b = [...card(id).querySelectorAll('button')].find((b) => b.innerText === name); return b && (b.click(), true) });
		if ([...card(2).querySelectorAll('button')].some((b) => b.innerText === 'Push')) throw new Error("a push before the diff was shown");
		await press(2, "Show changes"); await press(1, "Show changes"); await until("the diffs", () => card(1).querySelector('.diff') && card(2).innerText.includes('defines the project'));
		if (!card(1).innerText.includes('+new') && !card(2).innerText.includes('+new')) throw new Error(card(1).innerText + card(2).innerText);
		const commit = card(1).innerText.includes('staged commit') ? 1 : 2, other = 3 - commit;
		await press(commit, "Push"); await text("Push files that define the project?"); await click("Push them"); await text("pushed: item " + commit);
		await until("one item", () => !card(commit)); await press(other, "Push"); await text("pushed: item " + other);
		await text("Nothing waits"); await until("no badge", () => !document.querySelector('.badge'))`)
	do(p, `await click("Run"); await say("again"); await text("heard of it")`)
	do(p, `await click("Files"); await text("prompts");`)
	// A discarded item is lost, so the page asks first.
	project(t, p, "again", stagingProject)
	do(p, `await say("go"); await until("the badge", () => document.querySelector('.badge'));
		await click("Staged"); await click("Discard"); await text("Discard item"); await click("Cancel"); await until("no dialog", () => !document.querySelector('dialog[open]'));
		const items = () => document.querySelectorAll('section[aria-label^="item "]').length, before = items(); if (before === 0) throw new Error("it was discarded without a yes");
		await click("Discard"); await click("Discard it"); await until("one less", () => items() === before - 1)`)
}

// TestTabsThatPush tests tabs of one browser. If two decide on one item at the same time, one
// succeeds. If a tab is closed while it pushes, another tab then finds either all old files and
// the item, or all new files (S4-51, SECURITY 14). The test ends a tab's golem with close(),
// which ends the worker as closing the tab does.
func TestTabsThatPush(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	got := talk(p, `
		const { createGolem } = await import('./golem.js')
		const many = 24
		const names = [...Array(many).keys()].map((n) => 'out/' + n)
		const script = 'script: 1\nworkers:\n  main:\n    - when: {text: go}\n      calls: [' +
			names.map((n) => '{tool: write_file, args: {path: /' + n + ', content: "new"}}').join(', ') + ']\n    - when: {tool: write_file}\n      say: staged\n'
		const files = { 's.yaml': script, 'main.worker': '---\nmodel: script:s.yaml\nsandbox: {paths: {out: {root: ./out, mode: staged}}}\ntoolsets: {filesystem: {approval: {default: preApproved}}}\n---\nX.\n' }
		for (const n of names) files[n] = 'old'
		const staged = async () => {
			await golem.remove('tabs').catch(() => {})
			await golem.create('tabs', files)
			await golem.run('tabs', 'go').result
			const items = await golem.clearance('tabs').list()
			if (items.length !== 1) throw new Error(JSON.stringify(items))
			return items[0]
		}
		const state = async () => {
			const left = await golem.clearance('tabs').list() // settles
			let fresh = 0
			for (const n of names) {
				const text = new TextDecoder().decode(await golem.files('tabs').read(n))
				if (text !== 'old' && text !== 'new') throw new Error(n + ' has ' + text)
				if (text === 'new') fresh++
			}
			if (fresh !== 0 && fresh !== many || left.length !== (fresh ? 0 : 1)) throw new Error(fresh + ' new files, ' + JSON.stringify(left))
			return fresh > 0
		}
		for (const second of ['push', 'discard']) {
			const { item, digest } = await staged()
			const other = await createGolem()
			const both = await Promise.allSettled([golem.clearance('tabs').push(item.id, { digest }), other.clearance('tabs')[second](item.id, { digest })])
			other.close()
			if (both.filter((r) => r.status === 'fulfilled').length !== 1) throw new Error(second + ': ' + JSON.stringify(both))
			const fresh = [...names].length && new TextDecoder().decode(await golem.files('tabs').read(names[0])) === 'new'
			if (fresh !== (second === 'push' || both[0].status === 'fulfilled')) throw new Error(second + ' and ' + fresh)
		}
		let { item, digest } = await staged()
		for (const wait of [0, 2, 5, 10, 20, 40]) {
			const tab = await createGolem()
			const pushing = tab.clearance('tabs').push(item.id, { digest }).catch(() => {})
			await new Promise((resolve) => setTimeout(resolve, wait)) // any moment will do
			tab.close()
			await pushing
			if (await state()) ({ item, digest } = await staged())
		}
		await golem.clearance('tabs').push(item.id, { digest })
		return await state()`)
	if got != "true" {
		t.Error(got)
	}
}
