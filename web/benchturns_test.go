//go:build !js

package web_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"

	"golem/web/webtest"
)

// watchMessages makes the page note what a message waits for: golem's web worker, from the page's
// message to it up to its last one, and frames. A frame can be waited for while golem works.
const watchMessages = `(() => {
	const post = Worker.prototype.postMessage, frame = window.requestAnimationFrame
	window.waits = {begun: 0, golem: 0, frames: 0}
	const heard = new WeakSet()
	Worker.prototype.postMessage = function (...m) {
		if (!heard.has(this)) this.addEventListener('message', () => { window.waits.golem = performance.now() - window.waits.begun })
		heard.add(this)
		window.waits.begun ||= performance.now()
		post.apply(this, m)
	}
	window.requestAnimationFrame = (f) => { const asked = performance.now(); return frame((t) => { window.waits.frames += performance.now() - asked; f(t) }) }
})()`

// tenMessages sends ten messages, the first of them with this number, and returns the means in ms:
// from Enter to the end of the answer, golem's part of it, and the waits for frames. It looks at
// texts alone, when the page has changed: to look all the time would take longer than the page does.
const tenMessages = `(async () => {
	const field = document.querySelector('#task'), first = %d, sum = {wall: 0, golem: 0, frames: 0}
	const ended = (i) => document.querySelector('.composer .primary:not(:disabled)')?.textContent !== 'Stop' && [...document.querySelectorAll('.bubble.golem strong')].at(-1)?.textContent === 'message ' + i
	for (let i = first; i < first + 10; i++) {
		field.value = 'message ' + i
		field.dispatchEvent(new Event('input', {bubbles: true}))
		await new Promise((f) => setTimeout(f, 50))
		Object.assign(window.waits, {begun: 0, golem: 0, frames: 0})
		const t = performance.now()
		await new Promise((f) => {
			const seen = new MutationObserver(() => ended(i) && (seen.disconnect(), f()))
			seen.observe(document.body, {subtree: true, childList: true, characterData: true, attributes: true})
			field.form.requestSubmit()
		})
		sum.wall += performance.now() - t
		sum.golem += window.waits.golem
		sum.frames += window.waits.frames
		await new Promise((f) => setTimeout(f, 50))
	}
	return [sum.wall / 10, sum.golem / 10, sum.frames / 10] })()`

// pageWork returns the CPU time in ms that the page's thread has spent on scripts, and on all it does.
func pageWork(b *testing.B, p *webtest.Page) (script, all float64) {
	b.Helper()
	got, err := chromedp.Call(p.Context(), performance.GetMetrics, cdp.Empty{})
	if err != nil {
		b.Fatal(err)
	}
	for _, m := range got.Metrics {
		switch m.Name {
		case "ScriptDuration":
			script = m.Value * 1000
		case "TaskDuration":
			all = m.Value * 1000
		}
	}
	return script, all
}

// BenchmarkLongConversation writes 1,000 messages in the page, to a scripted model that answers
// each. After 10, 100, 300 and 1,000 of them it prints what each of the last ten took from Enter
// to the end of its answer and where, the work of the page's thread for it, with what comes before
// and after, the longest task of that thread while the person types 40 letters, the nodes of the
// page, and the memory of the tab, before and after the garbage of the page is collected.
func BenchmarkLongConversation(b *testing.B) {
	p := browser.Open(b, webtest.Serve(b, built(b), "/").URL)
	do(p, `await text("is ready")`)
	project(b, p, "talk", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\nmode: chat\n---\nTalk.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - when: {match: '(?s)(.*)'}\n      say: \"about **$1**:\\n\\n- one point, with `code`\\n- another one\\n\\n```go\\nfunc main() {}\\n```\\n\"\n",
	})
	if _, err := chromedp.Call(p.Context(), performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks}); err != nil {
		b.Fatal(err)
	}
	webtest.Eval[*int](p, watchMessages)
	n := 0
	for _, upto := range []int{10, 100, 300, 1000} {
		var took []float64
		var script, all, scriptBefore, allBefore float64
		for ; n < upto; n += 10 {
			scriptBefore, allBefore = pageWork(b, p)
			took = webtest.Eval[[]float64](p, fmt.Sprintf(tenMessages, n))
			script, all = pageWork(b, p)
		}
		fmt.Printf("%4d messages  a message %4.1f ms: golem's last word after %4.1f, then %4.1f; %4.1f of it waits for frames. CPU of the page's thread %4.1f, scripts %4.1f of it\n", n, took[0], took[1], took[0]-took[1], took[2], (all-allBefore)/10, (script-scriptBefore)/10)
		typing := longestTask(b, p, `document.querySelector('#task').focus(); for (let i = 0; i < 40; i++) { document.execCommand('insertText', false, 'abcd '[i % 5]); await new Promise((f) => setTimeout(f, 40)) } document.querySelector('#task').select(); document.execCommand('delete')`)
		nodes := webtest.Eval[int](p, `document.querySelectorAll('*').length`)
		time.Sleep(5 * time.Second)
		used := tabMemory(b)
		if _, err := chromedp.Call(p.Context(), heapprofiler.CollectGarbage, struct{}{}); err != nil {
			b.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		fmt.Printf("%4d messages  longest task while typing %3.0f ms of CPU (wanted: 50), %5d nodes, tab %3.0f MB (PSS), %3.0f after a garbage collection (wanted: 200)\n", n, typing, nodes, used, tabMemory(b))
	}
}
