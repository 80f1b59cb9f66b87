//go:build !js

package web_test

import (
	"testing"

	"golem/web/webtest"
)

// TestWhatIsNotThere opens addresses of a file and of a project that do not exist: the page says so. It also does for a
// project that another tab has deleted, which is then no longer listed.
func TestWhatIsNotThere(t *testing.T) {
	t.Parallel()
	p, site := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "here", hanging)
	do(p, `location.hash = '#/p/here/files/nope.txt'; await text("There is no such file."); if (button("delete nope.txt") || button("Save") || document.querySelector('.toast')) throw new Error(document.body.innerText);
		await click("main.worker"); await until("what is there", () => button("delete main.worker") && document.querySelector('.editor'));
		location.hash = '#/p/nope/run'; await text("This browser has no project nope."); await until("the projects", () => document.querySelector('[aria-labelledby=mine]') && location.hash === '#/projects')`)
	p.Navigate("about:blank")
	p.Navigate(site.URL + "#/p/none/run")
	do(p, `await text("This browser has no project none."); await until("the projects", () => document.querySelector('[aria-labelledby=mine]'))`)
	other := browserOf(t).Open(t, site.URL+"#/projects")
	do(other, `await click("delete here"); await click("Delete"); await until("it to be gone", () => !button("delete here"))`)
	do(p, `const open = [...document.querySelectorAll('[aria-labelledby=mine] .card')].find((c) => c.innerText.startsWith('here')).querySelector('button'); open.click(); await until("the reason", () => document.querySelector('.toast')?.innerText.includes('opening here'));
		await until("the projects that there are", () => document.querySelector('[aria-labelledby=mine]') && !button("delete here")); if (button("Run")) throw new Error("it is open")`)
	webtest.Eval[string](other, `document.title`)
}
