//go:build !js

package web_test

import (
	"slices"
	"strings"
	"testing"

	"golem/core/ui"
	"golem/web/webtest"
)

// focused is the name of what has the focus, as a screen reader has it.
const focused = `(() => { let e = document.activeElement; while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
	return (e?.getAttribute?.('aria-label') ?? e?.labels?.[0]?.innerText ?? e?.innerText ?? '').trim().replace(/\s+/g, ' ') })()`

// tabTo presses Tab until what is so called, or begins so, has the focus.
func tabTo(t *testing.T, p *webtest.Page, name string) {
	t.Helper()
	var met []string
	for range 150 {
		p.Press(webtest.Tab)
		at := webtest.Eval[string](p, focused)
		if at == name || strings.HasSuffix(name, "…") && strings.HasPrefix(at, strings.TrimSuffix(name, "…")) {
			return
		}
		met = append(met, at)
	}
	t.Fatalf("Tab does not lead to %q, but to %q", name, met)
}

// A person without a pointer goes through every view: runs an example and answers,
// walks the graph, tries a worker, reads and searches files, looks at a trace, sets a
// setting, makes a project, uses the menu.
func TestKeyboardAlone(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	press := func(name string) {
		t.Helper()
		tabTo(t, p, name)
		p.Press(webtest.Enter)
	}
	do(p, `await text("is ready")`)
	press("Ada starts on Monday")
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

	press("what you can do")
	do(p, `await until("the menu", () => document.querySelector('dialog[open] [data-action]'))`)
	var all []string
	for _, a := range ui.Actions() {
		all = append(all, a.Name)
	}
	if got := webtest.Eval[[]string](p, `[...document.querySelectorAll('[data-action]')].map((b) => b.dataset.action)`); !slices.Equal(got, all) {
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
	tabTo(t, p, "20…")
	p.Press(webtest.Enter)
	do(p, `await until("the trace", () => button("Turns"))`)
	press("Turns")
	do(p, `await text("writer, turn 1")`)

	p.Press("s")
	do(p, `await text("Keep with each trace")`)
	tabTo(t, p, "Keep with each trace…")
	p.Press(" ")
	do(p, `await until("it is set", () => JSON.parse(localStorage.getItem('golem.settings')).prompts === true)`)
	p.Press("p")
	do(p, `await until("the projects", () => button("New project"))`)
	press("New project")
	do(p, `await until("the field", () => document.activeElement.id === 'asked')`)
	p.Press("by-keys", webtest.Enter)
	do(p, `await until("the project", () => document.title.startsWith("by-keys") || location.hash.includes("by-keys"))`)
	tabTo(t, p, "keys")
	p.Press("?")
	do(p, `await until("the keys", () => document.querySelector('dialog[open]')?.innerText.includes("goes to the field for the task"))`)
	p.Press(webtest.Escape)
	do(p, `await until("the page again", () => !document.querySelector('dialog[open]'))`)
	if got := webtest.Eval[string](p, focused); got != "keys" {
		t.Errorf("after the dialog the focus is on %q", got)
	}
}
