//go:build !js

package web_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"golem/web/webtest"
)

// TestTypingAfterAQuestion tests that the composer has the focus again, and gets what is typed, after a question in which
// the person wrote something: one answered by a click on No, and a dialog of the page itself.
func TestTypingAfterAQuestion(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "asks", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\n---\nWrite.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - calls: [{tool: write_file, args: {path: /y.txt, content: x}}]\n    - say: well then\n",
	})
	p.Do(chromedp.Click("#task"))
	p.Press("write y.txt 1", webtest.Enter)
	do(p, `await text("Change a file?")`)
	settled(p)
	p.Do(chromedp.Click("#reason"))
	p.Press("not now")
	do(p, `await until("the reason", () => document.querySelector('#reason').value === 'not now')`)
	p.Do(chromedp.Click("dialog[open] [data-first]"))
	do(p, `await text("well then")`)
	finished(p, "ok")
	do(p, `await until("the focus", () => document.activeElement.id === 'task')`)
	p.Press("hello")
	if got := webtest.Eval[string](p, `document.querySelector('#task').value`); got != "hello" {
		t.Errorf("after a question the composer holds %q", got)
	}
	do(p, `document.querySelector('#task').focus(); button("Tools").click(); await until("the form", () => document.querySelector('dialog[open] #tool')); [...document.querySelectorAll('dialog[open] textarea')].at(-1).focus()`)
	p.Press("some", webtest.Escape)
	do(p, `await until("the end of the form", () => !document.querySelector('dialog[open]') && document.activeElement.id === 'task')`)
	p.Press(" again")
	if got := webtest.Eval[string](p, `document.querySelector('#task').value`); len(got) != len("hello again") {
		t.Errorf("after a dialog the composer holds %q", got)
	}
}
