//go:build !js

package web_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"golem/web/webtest"
)

// TestHiddenCharacters tests that the page draws no character that hides text or changes the
// order of others, wherever it comes from (SECURITY 9): texts and links of models, notices,
// errors, names of tools, files, workers, models and conversations, arguments, diffs, questions,
// traces, titles and labels.
func TestHiddenCharacters(t *testing.T) {
	t.Parallel()
	const bad = "a\u202eb\u2066c\u200bd\u0007e\U000e0041f"
	q := func(s string) string { data, err := json.Marshal(s); return string(data) + fmt.Sprint(err)[:0] }
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "hidden", map[string]string{
		"project.yaml":         "description: " + q(bad) + "\n",
		"main.worker":          "---\nmodel: script:s.yaml\ndescription: " + q(bad) + "\ntoolsets: {filesystem: {}, workers: {allowed_workers: [other]}}\n---\nHi.\n",
		"workers/other.worker": "---\nmodel: script:s.yaml\ndescription: " + q(bad) + "\n---\nHi.\n",
		"s.yaml": "script: 1\nworkers:\n  other: [{say: " + q(bad) + "}]\n  main:\n    - calls: [{tool: other, args: {input: " + q(bad) + "}}, {tool: write_file, args: {path: /out.txt, content: " + q(bad) + "}}]\n" +
			"    - say: " + q(bad+" [https://good.example/"+bad+"](https://evil.example) `"+bad+"`\n\n```\n"+bad+"\n```\n\n# "+bad+"\n\n|"+bad+"|b|\n|-|-|\n|"+bad+"|c|\n\n[x](/"+bad+") ![y"+bad+"](https://e.example)") + "\n",
	})
	const look = `const bad = /[\u202a-\u202e\u2066-\u2069\u200b\u0007\u{e0041}]/u, found = [];
		const walk = (root) => { for (const e of root.querySelectorAll('*')) {
			for (const n of e.childNodes) if (n.nodeType === 3 && bad.test(n.data)) found.push(e.localName + '.' + e.className + ': ' + n.data.slice(0, 60));
			for (const a of e.attributes) if (a.name !== 'value' && bad.test(a.value)) found.push(e.localName + ' ' + a.name + ': ' + a.value.slice(0, 60));
		} };
		walk(document); if (bad.test(document.title)) found.push('the title');
		if (found.length) throw new Error(found.join('\n'));`
	clean := func(where string) {
		t.Helper()
		if _, err := webtest.Try[string](p, handsThen+"(async () => {"+look+" return 'clean' })()", webtest.Patience); err != nil {
			t.Errorf("%s: %v", where, err)
		}
	}
	do(p, `await say(%s); await text("Change a file?")`, q("message "+bad))
	clean("a question")
	yes(p)
	do(p, `await text("good.example")`)
	clean("an answer")
	if shown := webtest.Eval[string](p, `document.querySelector('.talk').innerText`); !strings.Contains(shown, `\u202e`) || !strings.Contains(shown, "(evil.example)") {
		t.Errorf("the page shows %s", shown)
	}
	do(p, `for (const d of document.querySelectorAll('.talk details.call')) d.open = true; for (const b of document.querySelectorAll('.tree .node')) { b.click(); await new Promise((f) => setTimeout(f, 20)) }`)
	clean("the calls")
	do(p, `await click("History"); await until("the list", () => document.querySelector('.pane.side li, .pane.side tr, .pane.side .card'))`)
	clean("the list of conversations")
	for _, view := range []string{"Workers", "Files", "Staged", "Trace", "Settings", "Projects"} {
		do(p, `await click(%q); await new Promise((f) => setTimeout(f, 300))`, view)
		clean(view)
	}
	do(p, `await click("Trace"); await until("a run", () => button(".jsonl")); await click(".jsonl"); await text("ok, exit 0")`)
	clean("a trace")
	// A notice with a text of elsewhere: a trace file with such a name.
	do(p, `const list = new DataTransfer(); list.items.add(new File(['x'], %s));
		const input = document.querySelector('main input[type=file]'); input.files = list.files; input.dispatchEvent(new Event('change', {bubbles: true}));
		await until("the notice", () => document.querySelector('.toast, main [role=alert]'))`, q(bad+".jsonl"))
	clean("a notice")
}
