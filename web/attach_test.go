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
		await say("/again"); await until("the second time", () => document.querySelector('[aria-label="message 1 has 3 forms"]') && button("Send") && once())`)
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
	do(p, free+`await click("Projects"); await click("Run"); await click("Summarise"); await text("Nothing is sent again until you say so"); await click("Try again"); await until("it to fail again", () => button("Try again") && document.querySelector('.talk [role=alert]'))`)
	do(p, free)
	other(`await golem.files('helped').write('s.yaml', "script: 1\nworkers:\n  main:\n    - say: this is main\n  helper:\n    - when: {match: \"notes say (plums)\"}\n      say: I read $1\n    - calls: [{tool: read_file, args: {path: /attachments/notes.txt}}]\n"); return ''`)
	do(p, free+`await click("Try again"); await text("I read plums")`)
	finished(p, "ok")
	do(p, `await click("answer again"); await text("your message 1 again"); await until("one answer", () => button("Send") && document.body.innerText.split("I read plums").length === 2); await click("End"); `+free)
	if got := other(`const entries = []; for (const r of await golem.runs('helped')) entries.push(JSON.parse(new TextDecoder().decode(await golem.readRun('helped', r.name)).split('\n')[0]).entry); return entries.join()`); got != "helper,helper,helper,helper" {
		t.Errorf("the runs were of %s", got)
	}
}

// TestAttachLater attaches files to a later message of a conversation: one that is picked, and one
// of the project that @ names. Both are in the bubble of the message, and again after the
// conversation was opened anew.
func TestAttachLater(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "later", map[string]string{
		"main.worker":    "---\nmodel: script:s.yaml\nmode: chat\ntoolsets: {filesystem: {}}\n---\nTalk.\n",
		"notes/plan.txt": "the plan says pears",
		"s.yaml":         "script: 1\nworkers:\n  main:\n    - when: {text: hello}\n      say: hello to you\n    - when: {match: \"(plums)[\\\\s\\\\S]*(pears)\"}\n      say: I read $1 and $2\n",
	})
	do(p, `await say("hello"); await text("hello to you"); await until("my turn", () => button("Send"))`)
	picked(p, ".composer input[type=file]", map[string]string{"notes.txt": "the notes say plums"})
	do(p, `await text("notes.txt"); document.getElementById('task').focus()`)
	p.Press("read @pla")
	do(p, `await until("the list", () => document.querySelector('[role=option][aria-selected=true]')?.innerText === 'notes/plan.txt')`)
	p.Press(webtest.Enter)
	do(p, `await until("the second file", () => document.querySelectorAll('[aria-label=Attachments] li').length === 2 && document.getElementById('task').value === 'read @notes/plan.txt ')`)
	p.Press(webtest.Enter)
	const both = `await until("both files in the bubble", () => { const last = [...document.querySelectorAll('.bubble.you')].at(-1)?.innerText ?? ''; return last.includes('read @notes/plan.txt') && last.includes('notes.txt') && last.includes('plan.txt') }); `
	do(p, `await text("I read plums and pears"); `+both+`await until("my turn again", () => button("Send")); if (document.querySelector('.composer [aria-label=Attachments]')) throw new Error('the files are still there');
		await click("new conversation"); await text("main is ready"); await click("History");
		await until("it to be kept", () => document.querySelector('[aria-label=History] .node:not([disabled])')); document.querySelector('[aria-label=History] .node:not([disabled])').click(); `+both)
}

// TestSendWithFiles sends files with a later message of a conversation in golem.js. What is not
// bytes is E_USAGE, and the conversation goes on.
func TestSendWithFiles(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	got := talk(p, `await golem.create('f', {'main.worker': '---\nmodel: script:s.yaml\nmode: chat\n---\nTalk.\n', 's.yaml': 'script: 1\nworkers:\n  main:\n    - say: first\n    - when: {match: "(say plums)"}\n      say: they $1\n'});
		const run = golem.chat('f', 'one'); const out = []; let asked = 0;
		for await (const e of run) if (e.type === 'prompt' && ++asked === 1) {
			for (const bad of ['text', null]) try { run.send('two', { attachments: [{ name: 'n.txt', data: bad }] }) } catch (e) { out.push(e.code) }
			run.send('two', { attachments: [{ name: 'n.txt', data: new TextEncoder().encode('the notes say plums') }] })
		} else if (e.type === 'prompt') run.end();
		out.push((await run.result).text);
		const { said } = await golem.conversation('f', (await golem.conversations('f'))[0].id);
		return [...out, said.filter((s) => s.who === 'you').map((s) => s.text + ':' + (s.files ?? []))].join()`)
	if want := "E_USAGE,E_USAGE,they say plums,one:,two:n.txt"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
