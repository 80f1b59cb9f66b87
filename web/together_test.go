//go:build !js

package web_test

import (
	"fmt"
	"strings"
	"testing"

	"golem/web/webtest"
)

// card opens a project from the view Projects.
func card(name string) string {
	return fmt.Sprintf(`await click("Projects"); (await until("the project", () => [...document.querySelectorAll('[aria-labelledby=mine] .card')].find((c) => c.querySelector('h3').innerText === %q))).querySelector('.primary').click(); await until("it to be open", () => location.hash.startsWith('#/p/%s/run')); `, name, name)
}

// answersYes says yes to the question that is shown.
func answersYes(p *webtest.Page) {
	p.Helper()
	settled(p)
	do(p, `[...document.querySelectorAll('dialog[open] button')].find((b) => b.innerText === 'Yes').click(); await until("the question to go", () => !document.querySelector('dialog[open]'))`)
}

// TestProjectsAtOnce tests runs in several projects at the same time: both go on when the
// person changes between them, questions wait in their project and are announced, a
// conversation goes on after its project was left, nothing of one is shown in another, and
// the limit is stated.
func TestProjectsAtOnce(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	writes := func(mode, text string) map[string]string {
		return map[string]string{
			"main.worker": "---\nmodel: script:s.yaml\nmode: " + mode + "\ntoolsets: {filesystem: {}}\n---\nWrite.\n",
			"s.yaml":      "script: 1\nworkers:\n  main:\n    - when: {tool: write_file}\n      say: " + text + " is done\n    - when: {text: again}\n      say: " + text + " remembers\n    - calls: [{tool: list_files, args: {path: /}}, {tool: write_file, args: {path: /a.txt, content: " + text + "}}]\n",
		}
	}
	project(t, p, "one", writes("single", "red"))
	project(t, p, "two", writes("chat", "blue"))
	project(t, p, "idle", hanging)
	do(p, "%s", card("one")+`await say("go"); await text("Change a file?"); `+card("two")+`await until("the note", () => button("one asks you"));
		if (document.querySelector('dialog[open]')) throw new Error("a question of another project"); if (document.body.innerText.includes("red")) throw new Error(document.body.innerText);
		await until("the title", () => document.title === '(1) two · golem');
		await say("hello"); await text("Change a file?"); await until("its own change", () => document.querySelector('dialog[open]').innerText.includes("blue"));
		await click("one asks you"); await until("the other question", () => document.querySelector('dialog[open]')?.innerText.includes("red")); await until("the note", () => button("two asks you"))`)
	answersYes(p)
	finished(p, "ok")
	do(p, `await text("red is done"); await click("two asks you"); await until("the question", () => document.querySelector('dialog[open]')?.innerText.includes("blue"));
		if (document.body.innerText.includes("red is done")) throw new Error(document.body.innerText)`)
	answersYes(p)
	do(p, "%s", `await text("blue is done"); await until("my turn", () => button("Send")); await until("no other project", () => !document.querySelector('.elsewhere')); `+
		card("one")+`await text("red is done"); `+card("two")+`await text("blue is done"); await say("again"); await text("blue remembers"); await until("my turn", () => button("Send"));
		if (document.querySelectorAll('.bubble.you').length !== 2) throw new Error(document.body.innerText)`)
	// An exchange that ends while another project is open; then its conversation goes on.
	do(p, "%s", `await click("new conversation"); await text("main is ready"); await say("hello"); await text("Change a file?"); `+card("one")+`await click("two asks you"); await until("the question", () => document.querySelector('dialog[open]'))`)
	// The limit: what runs in four projects leaves no room for a fifth, and the text stays.
	for i := range 4 {
		name := fmt.Sprintf("wait-%d", i)
		project(t, p, name, hanging)
		if i < 3 {
			do(p, `await say("wait for ever"); await until("it to run", () => button("Stop"))`)
		}
	}
	do(p, "%s", `await until("the notes", () => document.querySelectorAll('.elsewhere button').length === 4); await say("one too many"); await text("golem runs in up to 4 projects at the same time");
		await until("the text to be back", () => document.querySelector('#task').value === 'one too many'); if (button("Stop")) throw new Error("it runs");
		await click("wait-1 runs"); await click("Stop"); await text("You stopped it"); `+card("wait-3")+`await until("the text", () => document.querySelector('#task').value === 'one too many'); await say("short"); await text("a short answer");
		const leaving = new Event('beforeunload', {cancelable: true}); dispatchEvent(leaving); if (!leaving.defaultPrevented) throw new Error("the tab closes without a question")`)
	finished(p, "ok")
	// A project in which something runs is not renamed; to delete it stops what runs.
	do(p, `await click("Projects"); await click("delete wait-0"); await text("cannot be undone"); await click("Delete"); await until("it to go", () => !button("delete wait-0") && !button("wait-0 runs")); await click("rename two"); const field = await until("the dialog", () => document.querySelector('dialog[open] input'));
		field.value = 'three'; field.form.requestSubmit(); await text("something runs in it: stop it first")`)
	runs := strings.Split(webtest.Eval[string](p, `(async () => { const g = await (await import('./golem.js')).createGolem(); const out = []; for (const name of ['one', 'two']) out.push((await g.runs(name)).length); g.close(); return out.join() })()`), ",")
	if runs[0] != "1" {
		t.Errorf("project one has %s runs", runs[0])
	}
}
