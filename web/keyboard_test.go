//go:build !js

package web_test

import (
	"slices"
	"strings"
	"testing"

	"golem/core/ui"
	"golem/web/webtest"
)

// focused is an expression for the name of the focused element, as a screen reader reads it.
const focused = `(() => { let e = document.activeElement; while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
	return (e?.getAttribute?.('aria-label') ?? e?.labels?.[0]?.innerText ?? e?.innerText ?? '').trim().replace(/\s+/g, ' ') })()`

// round appends a button to the page or the modal dialog. It is the last element that Tab
// reaches: after it Tab moves to the browser's own controls, from which a test cannot return
// in Firefox.
const round = `(() => { const at = document.querySelector('dialog:modal') ?? document.body;
	if (!at.querySelector(':scope > [aria-label="the end"]')) at.append(Object.assign(document.createElement('button'), { ariaLabel: 'the end' })) })(), `

// tabTo presses Tab until an element whose name begins with name has the focus. In the editor
// Tab indents, so it presses Escape first, as the list of keys says.
func tabTo(t *testing.T, p *webtest.Page, name string) {
	t.Helper()
	var met []string
	at := webtest.Eval[string](p, round+focused)
	for range 250 {
		if strings.HasPrefix(at, "text of ") {
			p.Press(webtest.Escape)
		}
		p.Press(webtest.Tab)
		if at = webtest.Eval[string](p, focused); at == "the end" {
			at = webtest.Eval[string](p, `document.activeElement.parentElement.querySelector('a, button, input, select, textarea, summary').focus(), `+focused)
		}
		if at == name || strings.HasSuffix(name, "…") && strings.HasPrefix(at, strings.TrimSuffix(name, "…")) {
			return
		}
		met = append(met, at)
	}
	t.Fatalf("Tab does not lead to %q, but to %q", name, met)
}

// desk is a project for a conversation that writes a file after a question, and stages it.
var desk = map[string]string{
	"project.yaml": "clearance: {targets: {main: {dir: ./published}}}\n",
	"main.worker":  "---\nmodel: script:s.yaml\nmode: chat\nsandbox: {paths: {desk: {root: ./desk}}}\ntoolsets: {filesystem: {}, clearance: {}}\n---\nWrite.\n",
	"s.yaml": `script: 1
workers:
  main:
    - when: {error: E_DENIED, match: "not on a Sunday"}
      say: then on Monday
    - when: {tool: write_file}
      say: it is written
    - when: {tool: stage}
      say: it is staged
    - when: {match: "^write it so"}
      say: so be it
    - when: {match: "^write"}
      calls: [{tool: write_file, args: {path: /desk/a.md, content: "one\n"}}]
    - when: {match: "^stage"}
      calls: [{tool: stage, args: {paths: [/desk/a.md], message: Report, target: main}}]
`,
}

// TestKeyboardAlone uses every view with the keyboard only: it talks, refuses with a reason
// and allows, goes back, pushes, undoes, compares, exports; runs an example, moves in the
// graph, tries a worker, reads and searches files, looks at a trace, changes a setting, makes
// a project, and uses the menu. It waits for each element before it types.
func TestKeyboardAlone(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	press := func(name string) {
		t.Helper()
		tabTo(t, p, name)
		p.Press(webtest.Enter)
	}
	do(p, `await text("is ready")`)
	project(t, p, "desk", desk)
	talkByKeys(t, p, press)
	decideByKeys(t, p, press)
	walkByKeys(t, p, press)
	readByKeys(t, p, press)
	settleByKeys(t, p, press)
}

// turn waits until the text said is shown and the conversation accepts the next message.
func turn(p *webtest.Page, said string) {
	p.Helper()
	do(p, `await text(%q); await until("the turn", () => [...document.querySelectorAll('.composer button')].some((b) => b.innerText === 'Send' && !b.disabled))`, said)
}

// talkByKeys refuses with a reason, allows, goes back to before a message, stages, and ends
// the conversation. It makes a second one to compare with.
func talkByKeys(t *testing.T, p *webtest.Page, press func(string)) {
	t.Helper()
	say := func(text string) {
		t.Helper()
		tabTo(t, p, "Task")
		p.Press(text, webtest.Enter)
	}
	say("write")
	do(p, `await text("Change a file?")`)
	settled(p)
	tabTo(t, p, "Reason, if you say no…")
	p.Press("not on a Sunday")
	press("No")
	turn(p, "then on Monday")
	say("write")
	do(p, `await text("Change a file?")`)
	settled(p)
	press("Yes")
	turn(p, "it is written")
	press("go back to before message 2")
	do(p, `await until("the message to be in the field", () => document.getElementById('task').value === 'write' && !document.body.innerText.includes("it is written"))`)
	turn(p, "then on Monday")
	say(" it so")
	turn(p, "so be it")
	say("stage")
	turn(p, "it is staged")
	end := func() {
		t.Helper()
		press("End")
		do(p, `await until("the end", () => [...document.querySelectorAll('.composer button')].some((b) => b.innerText === 'Run' && !b.disabled) && button("new conversation"))`)
	}
	end()
	say("write it so again")
	turn(p, "so be it")
	end()
}

// decideByKeys pushes what is staged, undoes a run, compares two runs and exports the project
// as a zip.
func decideByKeys(t *testing.T, p *webtest.Page, press func(string)) {
	t.Helper()
	press("Staged…")
	do(p, `await until("the item", () => button("Show changes"))`)
	press("Show changes")
	do(p, `await until("the diff", () => button("Push"))`)
	press("Push")
	do(p, `await text("Nothing waits"); await until("what runs wrote", () => button("Show what undoing does"))`)
	press("Show what undoing does")
	do(p, `await until("the diff", () => button("Undo this run"))`)
	press("Undo this run")
	do(p, `await until("it is undone", () => button("Show what writing it again does"))`)

	press("Trace")
	do(p, `await until("two runs, read", () => [...document.querySelectorAll('table.list tbody tr')].filter((r) => r.innerText.includes("write")).length >= 2)`)
	for range 2 {
		tabTo(t, p, "mark 20…")
		p.Press(" ")
	}
	do(p, `await until("Compare to be possible", () => button("Compare"))`)
	press("Compare")
	do(p, `await text("Two runs compared")`)
	press("Leave")
	do(p, `await until("it to go", () => !document.body.innerText.includes("Two runs compared")); const follow = HTMLAnchorElement.prototype.click;
		window.saved = []; HTMLAnchorElement.prototype.click = function () { if (this.download) window.saved.push(this.download); else follow.call(this) }`)
	press("Projects")
	do(p, `await until("the projects", () => button("New project"))`)
	tabTo(t, p, "From a zip")
	tabTo(t, p, "From a folder")
	press("export desk as a zip")
	do(p, `await until("the zip", () => window.saved.includes("desk.zip"))`)
}

// walkByKeys runs an example, and tries a worker of the graph with a form.
func walkByKeys(t *testing.T, p *webtest.Page, press func(string)) {
	t.Helper()
	press("Use it: Welcome letter")
	do(p, `await text("is ready"); await until("its task", () => button("Ada starts on Monday"))`)
	press("Run: “Ada starts on Monday”")
	do(p, `await text("Change a file?")`)
	while(p, func() {
		settled(p)
		press("Yes")
	})

	project(t, p, "team", team)
	press("Workers")
	do(p, `await until("the graph", () => document.querySelectorAll('.box').length === 5)`)
	tabTo(t, p, "main entry…")
	p.Press(webtest.ArrowRight, webtest.ArrowRight, webtest.ArrowRight, webtest.Enter)
	do(p, `await until("the writer", () => document.querySelector('.side h2')?.innerText === 'writer' && button("Try it"))`)
	press("Try it")
	do(p, `await until("the field", () => document.activeElement.id === 'arg-task')`)
	p.Press("a letter")
	press("Run")
	do(p, `await text("the writer has written")`)
	finished(p, "ok")

}

// readByKeys uses the menu, reads a file, searches in texts, and looks at a trace.
func readByKeys(t *testing.T, p *webtest.Page, press func(string)) {
	t.Helper()
	press("what you can do")
	do(p, `await until("the menu", () => document.querySelector('dialog[open] [data-action]'))`)
	var all []string
	for _, a := range ui.Actions() {
		all = append(all, a.Name)
	}
	if got := webtest.Eval[[]string](p, `[...document.querySelectorAll('[data-action]')].map((b) => b.dataset.action)`); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(all))) {
		t.Errorf("the menu has %q, core/ui has %q", got, all)
	}
	press("new…")
	do(p, `await text("main is ready"); await until("no dialog", () => !document.querySelector('dialog[open]'))`)

	press("Files")
	do(p, `await until("the files", () => button("main.worker"))`)
	press("main.worker…")
	do(p, `await until("the file", () => document.querySelector('h2.mono')?.innerText === 'main.worker')`)
	press("Describe")
	do(p, `await text("Files, if a person runs it")`)
	press("In texts")
	tabTo(t, p, "find in files")
	p.Press("calls whom it wants")
	do(p, `await text("1 line found")`)
	press("workers/chief.worker:3…")
	do(p, `await until("its line", () => document.querySelector('.editor div')?.shadowRoot.querySelector('.cm-activeLine')?.innerText.includes('Calls whom'))`)

	p.Press(webtest.Escape) // and then Tab leaves the editor
	do(p, `document.querySelector('.side .hit').focus()`)
	p.Press("t")
	do(p, `await until("the run", () => button(".jsonl"))`)
	tabTo(t, p, "a letter 20…")
	p.Press(webtest.Enter)
	do(p, `await until("the trace", () => button("Turns"))`)
	press("Turns")
	do(p, `await text("writer, turn 1")`)

}

// settleByKeys changes a setting, makes a project, and opens the list of keys.
func settleByKeys(t *testing.T, p *webtest.Page, press func(string)) {
	t.Helper()
	p.Press("s")
	do(p, `await text("Keep the prompts")`)
	tabTo(t, p, "Keep the prompts…")
	p.Press(" ")
	do(p, `await until("it is set", () => JSON.parse(localStorage.getItem('golem.settings')).prompts === true)`)
	p.Press("p")
	do(p, `await until("the projects", () => button("New project"))`)
	press("New project")
	do(p, `await until("the field", () => document.activeElement.id === 'asked')`)
	p.Press("by-keys", webtest.Enter)
	do(p, `await until("the file of the project", () => document.title.startsWith("by-keys") && document.querySelector('h2.mono')?.innerText === 'main.worker' && document.querySelector('.editor div')?.shadowRoot?.querySelector('.cm-content'))`)
	tabTo(t, p, "keys")
	p.Press("?")
	do(p, `await until("the keys", () => document.querySelector('dialog[open]')?.innerText.includes("goes to the field for the task"))`)
	p.Press(webtest.Escape)
	do(p, `await until("the page again", () => !document.querySelector('dialog[open]'))`)
	p.Until("the focus to be on keys again", focused+` === "keys"`)
}
