//go:build !js

package web_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/chromedp"

	"golem/web/webtest"
)

// tenMessages sends ten messages, the first of them with this number, and returns the mean time in
// ms from Enter to the end of the answer. It looks at texts alone: what the functions of
// testdata/hands.js ask of each button would take longer than the page does.
const tenMessages = `(async () => {
	const field = document.querySelector('#task'), first = %d
	const sends = () => document.querySelector('.composer .primary:not(:disabled)')?.textContent !== 'Stop'
	let took = 0
	for (let i = first; i < first + 10; i++) {
		field.value = 'message ' + i
		field.dispatchEvent(new Event('input', {bubbles: true}))
		await new Promise((f) => setTimeout(f, 50))
		const t = performance.now()
		field.form.requestSubmit()
		while (!sends() || [...document.querySelectorAll('.bubble.golem strong')].at(-1)?.textContent !== 'message ' + i) await new Promise((f) => setTimeout(f))
		took += performance.now() - t
		await new Promise((f) => setTimeout(f, 50))
	}
	return took / 10 })()`

// BenchmarkLongConversation writes 1,000 messages in the page, to a scripted model that answers
// each. After 10, 100, 300 and 1,000 of them it prints what each of the last ten took from Enter
// to the end of its answer, the longest task of the page's thread while the person types 40 letters, the
// nodes of the page, and the memory of the tab, before and after the garbage of the page is collected.
func BenchmarkLongConversation(b *testing.B) {
	p := browser.Open(b, webtest.Serve(b, built(b), "/").URL)
	do(p, `await text("is ready")`)
	project(b, p, "talk", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\nmode: chat\n---\nTalk.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - when: {match: '(?s)(.*)'}\n      say: \"about **$1**:\\n\\n- one point, with `code`\\n- another one\\n\\n```go\\nfunc main() {}\\n```\\n\"\n",
	})
	n := 0
	for _, upto := range []int{10, 100, 300, 1000} {
		var took float64
		for ; n < upto; n += 10 {
			took = webtest.Eval[float64](p, fmt.Sprintf(tenMessages, n))
		}
		typing := longestTask(b, p, `document.querySelector('#task').focus(); for (let i = 0; i < 40; i++) { document.execCommand('insertText', false, 'abcd '[i % 5]); await new Promise((f) => setTimeout(f, 40)) } document.querySelector('#task').select(); document.execCommand('delete')`)
		nodes := webtest.Eval[int](p, `document.querySelectorAll('*').length`)
		time.Sleep(5 * time.Second)
		used := tabMemory(b)
		if _, err := chromedp.Call(p.Context(), heapprofiler.CollectGarbage, struct{}{}); err != nil {
			b.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		fmt.Printf("%4d messages  a message %4.0f ms, longest task while typing %3.0f ms of CPU (wanted: 50), %5d nodes, tab %3.0f MB (PSS), %3.0f after a garbage collection (wanted: 200)\n", n, took, typing, nodes, used, tabMemory(b))
	}
}
