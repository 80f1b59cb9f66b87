//go:build !js

package web_test

import (
	"testing"

	"golem/web/webtest"
)

// TestDiffShowsEveryLine tests that a diff shows every changed line, in one column and side by side. This includes a line
// that looks like a diff's header, such as a removed comment of SQL or Lua. A missing line break at the end is shown as a line.
func TestDiffShowsEveryLine(t *testing.T) {
	t.Parallel()
	p := inside(t, `
		import { render } from 'preact'
		import { Diff } from './ui/diff.jsx'
		window.drawn = async (width, patch) => {
			document.body.style.width = width
			render(null, document.body)
			render(<Diff patch={patch} />, document.body)
			for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame)
			const box = document.querySelector('.diff')
			return (box.classList.contains('sides') ? 'sides: ' : 'one: ') + [...box.querySelectorAll('.diff-line')].map((l) => [l.className.replace(/diff-line|both/g, '').trim(), l.innerText.trim()].join(' ')).join(', ')
		}`)
	const patch = `"--- a/q.sql\n+++ b/q.sql\n@@ -1,3 +1,2 @@\n--- drops the table\n+++ adds one\n same\n--- SELECT 1;\n\\ No newline at end of file\n"`
	for width, want := range map[string]string{
		"400px":  "one: hunk @@ -1,3 +1,2 @@, del --- drops the table, add +++ adds one,  same, del --- SELECT 1;, eof \\ No newline at end of file",
		"1000px": "sides: hunk @@ -1,3 +1,2 @@, del --- drops the table, add +++ adds one,  same,  same, del --- SELECT 1;,  , eof \\ No newline at end of file",
	} {
		if got := webtest.Eval[string](p, `drawn("`+width+`", `+patch+`)`); got != want {
			t.Errorf("%s wide:\n%s, want\n%s", width, got, want)
		}
	}
}
