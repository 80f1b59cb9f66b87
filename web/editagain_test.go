//go:build !js

package web_test

import "testing"

// TestEditAfterTheEnd edits messages after a conversation, and a run, have ended. In a
// conversation the message goes back into the field with its files, and what was said before it
// stays, in a branch. A run begins anew, which the page says beside the field.
func TestEditAfterTheEnd(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "ended", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\nmode: chat\n---\nTalk.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - when: {match: \"(one|two|three)\"}\n      say: heard $1\n",
	})
	do(p, `await say("one"); await text("heard one"); await until("my turn", () => button("Send"))`)
	picked(p, ".composer input[type=file]", map[string]string{"notes.txt": "the notes"})
	do(p, `await say("two"); await text("heard two"); await until("my turn again", () => button("Send")); await click("End");
		await until("the end", () => !button("End")); await click("go back to before message 2");
		await until("the message", () => document.querySelector('#task').value === 'two' && document.querySelector('.composer [aria-label=Attachments]')?.innerText.includes('notes.txt') && button("Send"));
		if (!document.body.innerText.includes("heard one") || document.body.innerText.includes("heard two")) throw new Error(document.querySelector('.talk').innerText);
		await say("three"); await text("heard three"); await until("my turn at last", () => button("Send")); await click("History"); await text("branch, before message 2")`)
	project(t, p, "once", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\n---\nTalk.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - when: {match: \"(one|two)\"}\n      say: heard $1\n",
	})
	const note = "You are changing your message: it begins a new run."
	do(p, `await say("one"); await text("heard one")`)
	finished(p, "ok")
	do(p, `await click("edit this message"); await text("`+note+`"); if (document.querySelector('#task').value !== 'one' || document.activeElement.id !== 'task') throw new Error("the field has " + document.querySelector('#task').value);
		await click("Leave it as it was"); await until("an empty field", () => document.querySelector('#task').value === '' && !document.body.innerText.includes("`+note+`"));
		await click("edit this message"); await text("`+note+`"); await say("two"); await text("heard two"); if (document.body.innerText.includes("`+note+`") || document.body.innerText.includes("heard one")) throw new Error(document.body.innerText)`)
	finished(p, "ok")
}
