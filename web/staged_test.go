//go:build !js

package web_test

import (
	"testing"
)

// stagingProject has a worker that stages what it writes, and a definition by the
// tool stage.
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

// Scenario 34 in the page: what is staged outlives a reload, is shown with its diff
// and a badge, and only a person pushes it; a file that defines the project asks once
// more; the root hears of the push.
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
}
