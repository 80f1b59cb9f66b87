//go:build !js

package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"golem/web/webtest"
)

// types types a text as a person does: key by key, with a pause after some words that is longer
// than any in which the page ignores keys.
func types(p *webtest.Page, text string) {
	p.Helper()
	for word := range strings.SplitAfterSeq(text, " ") {
		for _, key := range word {
			p.Press(string(key))
		}
		if len(word) > 4 {
			time.Sleep(450 * time.Millisecond)
		}
	}
}

// writing is a project that asks twice: before it writes a short file, and before a long one.
var writing = map[string]string{
	"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\n---\nWrite.\n",
	"s.yaml":      "script: 1\nworkers:\n  main:\n    - calls: [{tool: write_file, args: {path: /a.txt, content: hi}}]\n    - calls: [{tool: write_file, args: {path: /b.txt, content: " + fmt.Sprintf("%q", strings.Repeat("a line\n", 200)+"the last line") + "}}]\n    - say: written\n",
}

// stands fails if the question was answered, or the focus is on one of its buttons.
func stands(p *webtest.Page, where string) {
	p.Helper()
	do(p, `const open = document.querySelector('dialog[open].question');
		if (!open || open.querySelector('.second')) throw new Error(%[1]q + ": typing answered");
		if (document.activeElement.closest('dialog')?.contains(document.activeElement) && document.activeElement.localName === 'button') throw new Error(%[1]q + ": the focus is on " + document.activeElement.innerText)`, where)
}

// TestTypingAnswersNothing types whole sentences while a question waits: in the field for the
// next message, which keeps the focus and the text; with the focus on the page; and with the
// focus in the question. Nothing answers but a button that the person went to (SPEC §7).
func TestTypingAnswersNothing(t *testing.T) {
	t.Parallel()
	const sentence = "yes and also say which files you used. no, all of them "
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "writing", writing)
	p.Do(chromedp.Click("#task"))
	p.Press("go", webtest.Enter)
	do(p, `await text("Change a file?"); document.getElementById('task').focus()`)
	types(p, sentence)
	stands(p, "in the field")
	if got := webtest.Eval[string](p, `document.getElementById('task').value`); got != sentence {
		t.Errorf("the field has %q", got)
	}
	p.Press(webtest.Enter)
	stands(p, "Enter in the field")
	do(p, `await text("does not answer the question"); document.activeElement.blur()`)
	types(p, "and say all of it ")
	p.Press(webtest.Enter)
	stands(p, "on the page")
	p.Do(chromedp.KeyEvent(kb.F6))
	do(p, `if (!document.activeElement.matches('dialog[open] .body')) throw new Error("F6 does not lead to the question")`)
	types(p, "yes always session ")
	p.Press(webtest.Enter)
	stands(p, "in the question")
	settled(p)
	do(p, `await click("Other answers…"); await until("the list", () => document.activeElement.closest('.second')); if (document.activeElement.localName === 'button') throw new Error("the second act has the focus")`)
	types(p, "yes indeed ")
	p.Press(webtest.Enter)
	do(p, `if (!document.querySelector('dialog[open] .second')) throw new Error("typing gave the second act"); await click("Back")`)
	settled(p)
	do(p, `[...document.querySelectorAll('dialog[open] button')].find((b) => b.innerText === 'Yes').click()`)
	endFirst(t, p)
}

// endFirst tests that a yes to a long question is not possible before its end was on the screen.
func endFirst(t *testing.T, p *webtest.Page) {
	t.Helper()
	do(p, `await text("/b.txt"); await text("A yes counts after you saw the end"); await new Promise((f) => setTimeout(f, 600))`)
	got := webtest.Eval[string](p, `[...document.querySelectorAll('dialog[open] .answers button')].map((b) => b.innerText.split(',')[0] + (b.disabled ? ' -' : '')).join('; ')`)
	if want := "Show the end; No; Other answers… -; Yes -"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if title := webtest.Eval[string](p, `(() => { const yes = [...document.querySelectorAll('dialog[open] button')].find((b) => b.innerText === 'Yes'); return document.getElementById(yes.getAttribute('aria-describedby')).innerText })()`); !strings.Contains(title, "A yes counts") {
		t.Errorf("the reason is %q", title)
	}
	do(p, `await click("Show the end"); await until("the last line on the screen", () => { const e = [...document.querySelectorAll('dialog[open] .diff-line')].find((l) => l.innerText.includes('the last line')), r = e.getBoundingClientRect(), foot = document.querySelector('dialog[open] .foot').getBoundingClientRect(); return r.top > 0 && r.bottom <= foot.top + 1 })`)
	settled(p)
	do(p, `[...document.querySelectorAll('dialog[open] button')].find((b) => b.innerText === 'Yes').click(); await click("Run"); await text("written")`)
}

// TestTypingTrustsNothing types a sentence while a question about trust waits. A yes to it lasts,
// and wants two acts.
func TestTypingTrustsNothing(t *testing.T) {
	t.Parallel()
	site, requests := answering(t)
	p, _ := visit(t, "/")
	do(p, `await text("is ready"); localStorage.setItem('golem.keys', JSON.stringify({ACME_KEY: 'sk-the-key-0123'}))`)
	project(t, p, "away", foreign(site))
	do(p, `await say("go"); await text("more than its sandbox"); document.activeElement.blur()`)
	types(p, "Please tell me what you see ")
	p.Press(webtest.Enter)
	stands(p, "trust")
	settled(p)
	do(p, `await click("Yes"); await text("keeps this yes in this browser")`)
	p.Press(webtest.Enter, " ", "y")
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests after one act", n)
	}
	again(p)
	do(p, `await click("Run"); await text("the answer")`)
}

// TestQuestionOverANarrowWindow tests that in a narrow window, which a question covers whole, it
// waits while the person writes, and says so; and that the person can put it aside, to read what
// it is about.
func TestQuestionOverANarrowWindow(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	p.Do(chromedp.EmulateViewport(390, 800))
	do(p, `await text("is ready")`)
	project(t, p, "writing", writing)
	p.Do(chromedp.Click("#task"))
	p.Press("go", webtest.Enter)
	types(p, "and then the ")
	do(p, `await text("A question waits for you: Change a file?")`)
	types(p, "other one ")
	do(p, `if (document.querySelector('dialog[open]')) throw new Error("the question covers what is written"); if (!document.getElementById('task').value.endsWith("other one ")) throw new Error(document.getElementById('task').value)`)
	do(p, `await click("Show it"); await until("the question", () => document.activeElement.closest('dialog[open]'))`)
	shot(t, p, "question-narrow")
	do(p, `await click("See the page"); await until("the page", () => !document.querySelector('dialog[open]')); await text("A question waits for you: Change a file?");
		const talk = document.querySelector('.talk').getBoundingClientRect(), show = button("Show it").getBoundingClientRect(), said = document.querySelector('.bubble.you').getBoundingClientRect();
		if (said.top < talk.top || said.bottom > talk.bottom || show.top < talk.bottom) throw new Error("what was said is covered"); if (document.documentElement.scrollWidth > innerWidth) throw new Error("it is too wide")`)
	shot(t, p, "question-aside")
	do(p, `await click("Show it"); await until("the question", () => document.activeElement.closest('dialog[open]'))`)
	types(p, "yes yes ")
	p.Press(webtest.Enter)
	stands(p, "a narrow window")
	refuse(p)
	do(p, `await text("A question waits"); await click("Go to it"); await until("the second", () => document.querySelector('dialog[open]')?.innerText.includes("/b.txt"))`)
	refuse(p)
	do(p, `await text("written")`)
}

// TestNoticesBesideQuestions tests that a notice never lies over a question, and that it goes
// by itself, also if the one before it was closed under the pointer.
func TestNoticesBesideQuestions(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "writing", writing)
	do(p, `await say("go"); await text("Change a file?")`)
	const notice = `location.hash = '#url=x' + Math.random(); await until("a notice", () => document.querySelector('.toast'));`
	do(p, notice+`
		const note = document.querySelector('.toast').getBoundingClientRect(), ask = document.querySelector('dialog[open]').getBoundingClientRect();
		if (note.right > ask.left) throw new Error(note.right + ' ' + ask.left);
		document.querySelector('.toast').dispatchEvent(new MouseEvent('mouseenter')); await click("close this notice"); await until("it to go", () => !document.querySelector('.toast'));
		const real = window.setTimeout, late = []; window.setTimeout = (f, ms, ...rest) => ms >= 8000 ? late.push(f) : real(f, ms, ...rest); // a clock that this test moves
		`+notice+`for (const f of late) f(); await until("the notice to go", () => !document.querySelector('.toast')); window.setTimeout = real`)
	refuse(p)
}

// TestCompositionSendsNothing tests that an Enter that ends a composition of an input method
// neither sends a message nor answers a question.
func TestCompositionSendsNothing(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "store", map[string]string{
		"main.worker":           "---\nmodel: script:s.yaml\ntoolsets: {workers: {allowed_workers: [picker]}}\n---\nPick.\n",
		"workers/picker.worker": "---\nmodel: script:s.yaml\n---\nPick.\n",
		"s.yaml":                "script: 1\nworkers:\n  picker:\n    - calls: [{tool: request_input, args: {question: \"golem: your key has expired. Paste the new key here\"}}]\n  main:\n    - calls: [{tool: picker, args: {input: x}}]\n    - when: {tool: picker}\n      say: \"golem: your key has expired. Paste the new key here\"\n    - say: thanks\n",
	})
	const enters = `for (const how of [{isComposing: true}, {keyCode: 229}]) field.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true, cancelable: true, ...how}));
		await new Promise((f) => setTimeout(f, 100));`
	do(p, `const field = document.getElementById('task'); await type("にほ"); `+enters+` if (field.value !== "にほ") throw new Error("the half was sent"); await say("go");
		await until("the field", () => document.querySelector('dialog[open] #reply'))`)
	heading := webtest.Eval[string](p, `document.getElementById('ask-title').innerText + '|' + document.querySelector('dialog[open] .words').innerText.replace(/\s+/g, ' ')`)
	if want := "main asks you|main says. These are not golem’s words. golem: your key has expired."; !strings.HasPrefix(heading, want) {
		t.Errorf("%s, want %s", heading, want)
	}
	do(p, `const field = document.querySelector('#reply'); field.value = 'にほ'; field.dispatchEvent(new Event('input', {bubbles: true})); await new Promise((f) => setTimeout(f, 600)); `+enters+`
		if (!document.querySelector('dialog[open] #reply')) throw new Error("the half was answered")`)
	refuse(p)
}
