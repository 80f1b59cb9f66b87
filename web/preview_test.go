//go:build !js

package web_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golem/web/webtest"
)

// onePixel is a PNG of one pixel.
const onePixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\x0f\x04\x00\t\xfb\x03\xfd\xfb^kK\x00\x00\x00\x00IEND\xaeB`\x82"

// TestPreviews tests that files are shown as what they are: Markdown, an image, a table, JSON, and
// what a module declares. Hostile ones run nothing, and a broken one says so.
func TestPreviews(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	module, err := os.ReadFile(filepath.Join("..", "examples", "calculator", "tools", "calculator.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	project(t, p, "shown", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\n---\nTalk.\n", "s.yaml": "script: 1\nworkers:\n  main:\n    - say: hello\n",
		"read.md": "# Read *me*\n\n<script>window.hacked = 1</script>\n", "dot.png": onePixel, "bad.png": "no image",
		"evil.svg":  `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><script>parent.hacked = 1; window.hacked = 1</script></svg>`,
		"table.csv": "name,says\r\n\"Doe, J\",\"a \"\"b\"\"\nc\"\r\nx,\r\n", "data.json": `{"a": {"b": {"c": [12345678901234567890]}}}`, "calc.wasm": string(module),
	})
	do(p, `await click("Files"); await click("read.md"); await until("a heading", () => document.querySelector('.preview .md-heading em')?.innerText === 'me' && document.querySelector('.preview').innerText.includes('<script>'));
		await click("Preview"); await until("the editor", () => document.querySelector('.editor div')?.shadowRoot?.querySelector('.cm-content')?.innerText.includes('# Read'));
		await click("dot.png"); await until("the image", () => document.querySelector('.preview img')?.naturalWidth === 1); await text("1 × 1"); await click("evil.svg"); await text("20 × 10"); await click("bad.png"); await text("cannot read this image");
		await click("table.csv"); await until("the table", () => [...document.querySelectorAll('.csv tbody tr')].map((r) => [...r.cells].slice(1).map((c) => c.textContent).join('|')).join('/') === 'Doe, J|a "b"\nc/x|'); await text("2 rows");
		await click("calc.wasm"); await text("What the module declares"); await until("its exports", () => [...document.querySelectorAll('.preview dt')].some((d) => d.innerText === 'exports'));
		await click("data.json"); await click("Preview"); await until("it folded", () => document.querySelector('.preview')?.innerText.includes('b:')); if (document.querySelector('.preview').innerText.includes('123')) throw new Error('all is open');
		for (const name of ['b', 'c']) [...document.querySelectorAll('.preview summary')].find((s) => s.innerText.startsWith(name + ':')).click(), await new Promise((r) => setTimeout(r, 100));
		await text("12345678901234567890"); if (window.hacked) throw new Error('a script ran')`)
}

// TestUnsavedTextSurvives tests that a text that was not saved is still in the editor after a
// reload, that nothing asks before the tab is closed, and that it goes when it is saved.
func TestUnsavedTextSurvives(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready"); await click("Files"); await click("main.worker"); (await until("the editor", () => document.querySelector('.editor div')?.shadowRoot?.querySelector('.cm-content'))).focus()`)
	p.Press(webtest.CtrlEnd, "# not saved yet")
	do(p, `await until("it to be kept", () => Object.keys(localStorage).some((k) => k.startsWith('golem.unsaved.') && localStorage.getItem(k).includes('not saved yet')));
		const leaving = new Event('beforeunload', {cancelable: true}); dispatchEvent(leaving); if (leaving.defaultPrevented) throw new Error('it asks')`)
	p.Reload()
	do(p, `await until("the text", () => document.querySelector('.editor div')?.shadowRoot?.querySelector('.cm-content')?.innerText.includes('# not saved yet'));
		await click("Save"); await until("it to be saved", () => [...document.querySelectorAll('header button')].find((b) => b.innerText === 'Save').disabled && !Object.keys(localStorage).some((k) => k.startsWith('golem.unsaved.')))`)
}

// TestCompareWordByWord compares two runs: their answers are side by side, with the words marked
// that differ, however long the answers are.
func TestCompareWordByWord(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	long := strings.Repeat("the same words ", 300)
	project(t, p, "both", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\n---\nTalk.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - when: {text: one}\n      say: \"" + long + "a quick end\"\n    - when: {text: two}\n      say: \"" + long + "a slow end\"\n",
	})
	do(p, `await say("one"); await text("a quick end"); await until("it to end", () => button("Run")); await say("two"); await text("a slow end"); await until("it to end", () => button("Run")); await click("Trace");
		await until("both", () => document.querySelectorAll('table.list input[type=checkbox]').length === 2); for (const box of document.querySelectorAll('table.list input[type=checkbox]')) { box.click(); await until("the mark", () => box.checked) }
		await click("Compare"); await until("the words", () => [...document.querySelectorAll('[aria-label=Answer] mark')].map((m) => m.className + ':' + m.innerText).sort().join() === 'came:quick,gone:slow' || [...document.querySelectorAll('[aria-label=Answer] mark')].map((m) => m.className + ':' + m.innerText).sort().join() === 'came:slow,gone:quick');
		await text("characters alike")`)
}
