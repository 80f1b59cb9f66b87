//go:build !js

package web_test

import (
	"fmt"
	"strings"
	"testing"

	"golem/web/webtest"
)

// longAnswer has all kinds of blocks, also ones that are longer than a screen.
func longAnswer(size int) string {
	part := "## A heading\n\nSome *emphasised* and **strong** words, `code` and [a link](https://a.example/x) in a paragraph that goes on for a while.\n\n- one *item* with a [link](https://b.example)\n- two\n  - nested\n- [x] done\n\n| a | b |\n|---|---|\n| 1 | **2** |\n| 3 | `4` |\n\n```js\nconst a = 'x' // comment\n```\n\n"
	list := strings.Repeat("- an *item* of a **long** list with `code`\n", 400) + "\n"
	table := "| a | b | c |\n|--|--|--|\n" + strings.Repeat("| one | **two** | `three` |\n", 300) + "\n"
	code := "```json\n" + strings.Repeat("{\"key\": [1, 2, true]}\n", 400) + "```\n\n"
	all := strings.Repeat(part, 20) + list + table + code
	return strings.Repeat(all, size/len(all)+1) + "The *very* end"
}

// TestLongAnswerIsNear tests that of an answer of a megabyte only what is near the view becomes
// elements, wherever the person scrolls, and that the rest is there as text.
func TestLongAnswerIsNear(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "long", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\nmode: chat\n---\nTalk.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - say: " + jsonText(t, longAnswer(1_000_000)) + "\n",
	})
	const beyond = `(() => { const view = document.querySelector('.talk').getBoundingClientRect();
		return [...document.querySelectorAll('.talk *')].filter((e) => { const r = e.getBoundingClientRect(); return r.bottom < view.top || r.top > view.bottom }).length })()`
	do(p, `await say("go"); await until("my turn", () => button("Send")); await until("the end", () => [...document.querySelectorAll('.talk em')].some((e) => e.innerText === 'very'));
		await until("only what is near to be drawn", () => document.querySelectorAll('.piece:not(.far)').length < 8)`)
	seen := func(where string) {
		t.Helper()
		if n := webtest.Eval[int](p, beyond); n >= 1500 {
			t.Errorf("%s: %d elements beyond the view", where, n)
		}
		do(p, `const talk = document.querySelector('.talk'), at = talk.getBoundingClientRect(), on = document.elementFromPoint(at.left + at.width / 2, at.top + at.height / 2);
			if (!on || on.closest('.far')) throw new Error('what is in the view is not drawn')`)
	}
	seen("at the end")
	do(p, `if (document.querySelector('.bubble.golem .md').textContent.length < 600_000) throw new Error('the text is not there')
		const talk = document.querySelector('.talk'); if (talk.scrollHeight - talk.scrollTop - talk.clientHeight > 60) throw new Error('the end is not in the view')`)
	for _, part := range []string{"0.9", "0.5", "0.2", "0"} {
		do(p, `const talk = document.querySelector('.talk'); talk.scrollTop = talk.scrollHeight * %s;
			await until("it to be drawn", () => { const at = talk.getBoundingClientRect(); const on = document.elementFromPoint(at.left + at.width / 2, at.top + at.height / 2); return on && !on.closest('.far') && document.querySelectorAll('.piece:not(.far)').length < 8 })`, part)
		seen(fmt.Sprintf("at %s of its height", part))
	}
}

// TestLongConversationIsNear tests that of a conversation with many entries only what is near the
// view becomes elements, that the words of the rest are there for the browser's search, and that
// what the person opened stays open.
func TestLongConversationIsNear(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	steps := ""
	for n := range 100 {
		steps += fmt.Sprintf("    - say: the **answer** %d\n      calls: [{tool: list_files, args: {path: \"/%s\"}}]\n", n, strings.Repeat("./", n%2))
	}
	project(t, p, "many", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\nmode: chat\nlimits: {turns: 200}\ntoolsets: {filesystem: {}}\n---\nTalk.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n" + steps + "    - say: the end\n",
	})
	const drawn = `document.querySelectorAll('.talk strong').length`
	do(p, `await say("the first words"); await text("the end"); await until("my turn", () => button("Send"));
		await until("only what is near to be drawn", () => document.querySelectorAll('.chunk').length > 2 && `+drawn+` < 65);
		const talk = document.querySelector('.talk'); if (talk.scrollHeight - talk.scrollTop - talk.clientHeight > 60) throw new Error('the end is not in the view');
		if (!talk.textContent.includes('the first words') || !talk.textContent.includes('the **answer** 7')) throw new Error('words are missing');
		talk.scrollTop = 0; await until("the beginning", () => document.querySelector('.bubble.you') && document.querySelectorAll('.chunk.far').length === document.querySelectorAll('.chunk').length - 1);
		document.querySelector('.chunk details.call summary').click(); await until("an open call", () => document.querySelector('.chunk details[open]'));
		document.activeElement.blur(); talk.scrollTop = talk.scrollHeight; await until("the end to be there", () => talk.scrollHeight - talk.scrollTop - talk.clientHeight < 60);
		await new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(f)));
		if (!document.querySelector('.chunk details[open]')) throw new Error('what was open is closed')`)
}

// TestFormulasAndCode tests that formulas become MathML, that what is no formula of TeX stays as
// it was written with a reason, and that code gets the colours of the editor's grammars.
func TestFormulasAndCode(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "maths", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\nmode: chat\n---\nTalk.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - say: " + jsonText(t, strings.ReplaceAll("Let $x^2$ and \\(\\frac{1}{2}\\) and $\\nonsense{x}$ and $\\href{javascript:a}{b}$ be.\n\n$$\n\\sum_{i=1}^n i\n$$\n\n```json\n{\"a\": 1}\n```\n", "$", "$$")) + "\n", // a script writes $$ for a dollar sign
	})
	do(p, `await say("go"); await until("three formulas", () => document.querySelectorAll('.math math').length === 3 && document.querySelector('.math math mfrac') && document.querySelector('.math.block munderover'));
		await until("the reasons", () => [...document.querySelectorAll('.math[title^="TeX that golem cannot draw"]')].map((e) => e.textContent).join('|') === '$\\nonsense{x}$|$\\href{javascript:a}{b}$');
		await until("colours", () => document.querySelector('.code .tok-propertyName')?.textContent === '"a"');
		if (document.querySelector('.talk [style], .talk math a, .talk math [href]')) throw new Error(document.querySelector('.talk').innerHTML)`)
}
