//go:build !js

package web_test

import (
	"strings"
	"testing"

	"golem/core/mcp/mcptest"
	"golem/web/webtest"
)

// TestAttachedResource attaches a resource of an MCP server with /attach, as on the command
// line, before the message. It can be removed again, and is read when the message is sent.
func TestAttachedResource(t *testing.T) {
	t.Parallel()
	server := &mcptest.Server{Resources: []map[string]any{{"uri": "file:///plan.md", "text": "# The plan"}}}
	at := listen(t, server.ServeHTTP)
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "wiki", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\nsandbox: {network_enabled: true}\ntoolsets: {mcp: {wiki: {url: '" + at + "'}}, filesystem: {}}\n---\nRead.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - calls: [{tool: read_file, args: {path: /attachments/plan.md}}]\n    - when: {match: \"(# The plan)\"}\n      say: read $1\n",
	})
	do(p, `await say("/attach mcp:wiki:file:///other.md"); await click("remove mcp:wiki:file:///other.md");
		await say("/attach mcp:wiki:file:///plan.md"); await until("the attachment", () => document.querySelector('[aria-label=Attachments]')?.innerText.includes('mcp:wiki:file:///plan.md')); await say("Read it.");
		await text("more than its sandbox")`)
	if log := server.Log(); log != "" {
		t.Errorf("before the yes the server was asked: %s", log)
	}
	yes(p)
	do(p, `await text("read # The plan")`)
	if log := server.Log(); strings.Count(log, "resources/read") != 1 || strings.Contains(log, "other.md") {
		t.Errorf("the server was asked: %s", log)
	}
}

// TestAnswerAgain lets a worker answer a message with a file again: with the button in a
// conversation that was resumed, and with /again in the field. The file is sent again, and the
// message is there once.
func TestAnswerAgain(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "again", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\nmode: chat\ntoolsets: {filesystem: {}}\n---\nTalk.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - when: {match: \"notes say (plums)\"}\n      say: I read $1\n    - when: {text: read}\n      calls: [{tool: read_file, args: {path: /attachments/notes.txt}}]\n",
	})
	picked(p, ".composer input[type=file]", map[string]string{"notes.txt": "the notes say plums"})
	do(p, `await text("notes.txt"); await say("read it"); await text("I read plums"); await until("my turn", () => button("Send"));
		await click("new conversation"); await text("main is ready"); await click("History");
		await until("it to be kept", () => document.querySelector('[aria-label=History] .node:not([disabled])')); document.querySelector('[aria-label=History] .node:not([disabled])').click();
		await text("I read plums"); await until("my turn again", () => button("Send") && button("answer again"));
		window.once = () => [...document.querySelectorAll('.bubble.golem')].map((b) => b.innerText).join().split("I read plums").length === 2 && document.querySelectorAll('.bubble.you').length === 1 && !document.body.innerText.includes("does not exist");
		await click("answer again"); await text("your message 1 again"); await until("one answer", () => button("Send") && once());
		await say("/again"); await until("the second time", () => document.body.innerText.split("your message 1 again").length === 3 && button("Send") && once())`)
}

// TestTryAgainAfterAResume resumes a conversation of another worker than the entry, whose run with
// a file failed. It fails again; Try again continues it, with its worker and its file, and so does
// a further answer.
func TestTryAgainAfterAResume(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "helped", map[string]string{
		"main.worker":           "---\nmodel: script:s.yaml\n---\nTalk.\n",
		"workers/helper.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\n---\nHelp.\n",
		"s.yaml":                "script: 1\nworkers:\n  main:\n    - say: this is main\n  helper:\n    - fail: {status: 400}\n",
	})
	other := func(what string) string { // as another tab does it
		return webtest.Eval[string](p, `(async () => { const { createGolem } = await import('./golem.js'), golem = await createGolem(); try { `+what+` } finally { golem.close() } })()`)
	}
	if got := other(`return (await golem.run('helped', 'Summarise', {entry: 'helper', attachments: [{name: 'notes.txt', data: new TextEncoder().encode('the notes say plums')}]}).result).status`); got != "error" {
		t.Fatalf("the first run ended %s", got)
	}
	const free = `await until("nobody to hold the project", async () => !(await navigator.locks.query()).held.some((l) => l.name === 'golem:/projects/helped')); `
	do(p, free+`await click("Projects"); await click("Run"); await click("Summarise"); await until("it to fail again", () => button("Try again"))`)
	do(p, free)
	other(`await golem.files('helped').write('s.yaml', "script: 1\nworkers:\n  main:\n    - say: this is main\n  helper:\n    - when: {match: \"notes say (plums)\"}\n      say: I read $1\n    - calls: [{tool: read_file, args: {path: /attachments/notes.txt}}]\n"); return ''`)
	do(p, free+`await click("Try again"); await text("I read plums")`)
	finished(p, "ok")
	do(p, `await click("answer again"); await text("your message 1 again"); await until("one answer", () => button("Send") && document.body.innerText.split("I read plums").length === 2); await click("End"); `+free)
	if got := other(`const entries = []; for (const r of await golem.runs('helped')) entries.push(JSON.parse(new TextDecoder().decode(await golem.readRun('helped', r.name)).split('\n')[0]).entry); return entries.join()`); got != "helper,helper,helper,helper" {
		t.Errorf("the runs were of %s", got)
	}
}
