//go:build !js

package web_test

import (
	"testing"
)

// thinking is a project whose model reasons before each answer and call.
var thinking = map[string]string{
	"main.worker": "---\nmodel: script:s.yaml\nmode: chat\ntoolsets: {filesystem: {}}\n---\nThink.\n",
	"s.yaml": "script: 1\nworkers:\n  main:\n    - when: {text: short}\n      say: \"<think>why it is so</think>the plain answer\"\n" +
		"    - {say: \"<think>first</think>\", calls: [{tool: list_files, args: {path: /}}, {tool: list_files, args: {path: /}}]}\n" +
		"    - {say: \"<think>second</think>\", calls: [{tool: list_files, args: {path: /}}, {tool: list_files, args: {path: /}}]}\n" +
		"    - say: \"<think>last</think>looked\"\n",
}

// TestReasoningIsFolded tests that what a model thought before its answer is one line with
// its time and tokens, which opens the text, in a conversation and in the view Trace; that it
// is no part of the answer; that it is there after a reload; and that it does not break a group of calls.
func TestReasoningIsFolded(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "thinks", thinking)
	do(p, `await say("short"); await text("the plain answer"); await until("my turn", () => button("Send")); const line = await until("the line", () => { const line = document.querySelector('.thought summary'); return /^thought\b.* tokens?$/.test(line?.innerText.trim()) && line });
		if (document.body.innerText.includes("why it is so")) throw new Error("it is not folded");
		if (document.querySelector('.bubble.golem').innerText.includes("think")) throw new Error(document.querySelector('.bubble.golem').innerText);
		line.click(); await text("why it is so")`)
	p.Reload()
	do(p, `await until("the locks of the page before to be free", async () => !(await navigator.locks.query()).held.some((l) => l.name.startsWith('golem:/projects/thinks')));
		await text("the plain answer"); const line = await until("the line", () => document.querySelector('.thought summary'));
		if (!/^thought\b.* tokens?$/.test(line.innerText.trim()) || document.body.innerText.includes("why it is so")) throw new Error(line.innerText);
		line.click(); await text("why it is so"); line.click()`)
	do(p, `await say("look"); await text("looked"); await until("my turn", () => button("Send")); await until("one group", () => button("4 calls")); await click("4 calls");
		await until("what was thought between them", () => document.querySelectorAll('.calls .thought').length === 1); await click("End"); await click("Trace"); await click(".jsonl"); await click("Turns"); await text("main, turn 2");
		if (!/turn 2[^]*\d tokens?/.test(document.querySelector('.turns summary').innerText)) throw new Error(document.querySelector('.turns').innerText)`)
}
