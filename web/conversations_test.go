//go:build !js

package web_test

import (
	"testing"

	"golem/web/webtest"
)

// TestConversationsOutliveAReload plays scenarios 57, 58 in the page: a reload in the middle
// of an exchange loses nothing. The conversation is listed, asks the question again when it
// continues, and can be rewound. A text that was not sent is still in the field.
func TestConversationsOutliveAReload(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "talk", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\nmode: chat\ntoolsets: {filesystem: {}}\n---\nWrite.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - say: the first answer\n    - calls: [{tool: write_file, args: {path: /a.txt, content: hi}}]\n    - say: the second answer\n    - say: the third answer\n",
	})
	const yes = `await text("Change a file?"); await until("a yes", () => { const b = [...document.querySelectorAll('dialog[open] button')].find((b) => b.innerText === 'Yes'); return b && !b.disabled && (b.click(), true) }); `
	do(p, `await say("first message"); await text("the first answer"); await until("my turn", () => button("Send")); await say("second message"); await text("Change a file?")`)
	p.Reload()
	do(p, `await until("the locks of the page before to be free", async () => !(await navigator.locks.query()).held.some((l) => l.name.startsWith('golem:/projects/talk'))); 
		await text("“second message” was interrupted before its answer was complete"); await text("the first answer"); await text("second message"); if (!/^#\/p\/talk\/run\/./.test(location.hash)) throw new Error(location.hash);
		if (button("Stop") || document.querySelector('dialog[open]')) throw new Error("it goes on by itself");
		await click("new conversation"); await text("main is ready"); await text("not finished"); await click("first message"); await text("was interrupted"); await click("Go on"); `+yes+`await text("the second answer");
		await until("my turn", () => button("Send")); if (document.body.innerText.split("the first answer").length !== 2) throw new Error("twice: " + document.body.innerText);
		await say("third message"); await text("the third answer"); await until("my turn", () => button("Send")); await click("go back to before message 2")`)
	do(p, `await until("the text to be back", () => document.querySelector('#task').value === 'second message' && button("Send") && !button("Stop"));
		if (document.body.innerText.includes("the second answer")) throw new Error("it is still there: " + document.body.innerText); document.querySelector('#task').value = 'another message'; document.querySelector('#task').dispatchEvent(new Event('input', {bubbles: true}))`)
	p.Reload()
	do(p, `await until("the locks of the page before to be free", async () => !(await navigator.locks.query()).held.some((l) => l.name.startsWith('golem:/projects/talk'))); 
		await text("the first answer"); await until("the draft", () => document.querySelector('#task').value === 'another message');
		if (button("Stop")) throw new Error("it goes on by itself"); await click("new conversation"); await text("main is ready"); await text("branch, before message 2");
		const rows = [...document.querySelectorAll('section[aria-label=Conversations] tbody tr')]; if (rows.length !== 2) throw new Error(rows.length + " conversations");
		rows[0].querySelector('button').click(); await text("the first answer"); await until("my turn", () => button("Send")); await say("another message"); `+yes+`await text("the second answer"); await until("my turn", () => button("Send"))`)
	p.Reload()
	do(p, `await text("the second answer"); await say("a message after the reload"); await text("You go on with"); await until("my turn", () => button("Send"));
		if (document.body.innerText.split("a message after the reload").length !== 2) throw new Error("twice: " + document.body.innerText)`)
}

// TestStoppingAnExchange tests that stop ends an exchange and that the conversation goes on.
// A page that embeds golem lists and resumes conversations as the command line does.
func TestStoppingAnExchange(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	got := talk(p, `await golem.create('c', {'main.worker': '---\nmodel: script:s.yaml\n---\nTalk.\n', 's.yaml': 'script: 1\nworkers:\n  main:\n    - when: {text: one}\n      say: first\n    - when: {text: two}\n      hang: true\n    - when: {text: three}\n      say: third\n'});
		const said = []; const run = golem.chat('c', 'one'); let prompts = 0;
		for await (const e of run) {
			if (e.type === 'model.end') said.push(e.text);
			if (e.type === 'model.start' && prompts === 1) run.stop();
			if (e.type === 'prompt' && ++prompts === 1) run.send('two');
			else if (e.type === 'prompt' && prompts === 2) run.send('three');
			else if (e.type === 'prompt') run.end();
		}
		await run.result;
		const [c] = await golem.conversations('c'); const again = golem.chat('c', null, {resume: c.id}); again.end(); const r = await again.result;
		const md = await golem.exportConversation('c', c.id);
		return [said.join(','), c.title, c.messages, c.turns, c.status, r.status, r.text, (await golem.conversation('c', c.id)).said.length, md.includes('## You (3)')].join('|')`)
	if want := "first,third|one|3|2|ok|ok|third|6|true"; got != want {
		t.Errorf("it is %s, want %s", got, want)
	}
}

// TestConversationOfAnotherTab tests that a tab that shows a conversation, with which another tab
// went on, shows what was said there when the person comes back to it.
func TestConversationOfAnotherTab(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "talk", talking)
	do(p, `await say("one"); await text("about one"); await until("my turn", () => button("Send")); await click("End"); await until("its end", () => !button("End"))`)
	p.Reload()
	do(p, `await text("about one")`)
	two := browserOf(t).Open(t, webtest.Eval[string](p, `location.href`))
	do(two, `await text("about one"); await say("two"); await text("about two"); await until("my turn", () => button("Send"))`)
	do(p, `if (document.body.innerText.includes('about two')) throw new Error('it is there'); document.dispatchEvent(new Event('visibilitychange')); await text("about two")`)
}

// A chat that ends before its first message leaves no trace.
func TestChatWithoutAMessageLeavesNoTrace(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	if got := talk(p, `await golem.create('quiet', %s); const chat = golem.chat('quiet'); chat.end(); await chat.result;
		return JSON.stringify([(await golem.runs('quiet')).length, (await golem.files('quiet').list()).filter((f) => f.path.includes('runs/')).length])`, helloFiles); got != "[0,0]" {
		t.Error(got)
	}
}
