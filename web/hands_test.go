//go:build !js

package web_test

import (
	"compress/gzip"
	_ "embed" // for the hands
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"golem/web/webtest"
)

//go:embed testdata/hands.js
var hands string

// handsThen is the script of testdata/hands.js, to which an expression can be appended.
var handsThen = strings.TrimSuffix(strings.TrimSpace(hands), ";") + ", "

// do runs asynchronous statements in the page, which can use the functions of
// testdata/hands.js.
func do(p *webtest.Page, format string, args ...any) string {
	p.Helper()
	return webtest.Eval[string](p, handsThen+"(async () => { const {click, text, until, button, type, say} = window.hands; "+fmt.Sprintf(format, args...)+"; return 'done' })()")
}

// otherModel opens the dialog to choose another model than the project's.
const otherModel = `const models = await until("the models", () => document.querySelector('#model')); models.value = 'other'; models.dispatchEvent(new Event('change', {bubbles: true}));
	await until("the dialog", () => document.querySelector('dialog[open] #model-name'))`

// light serves a built page in the way that costs a browser least. golem.wasm comes as the
// page's own service worker answers from the second visit on, decompressed: at a first visit the
// page's scripts decompress it. And the service worker keeps nothing, whereas the page's own reads,
// compares and stores all files. Together they take half of the time of a short test.
func light(t testing.TB, site fs.FS) http.Handler {
	t.Helper()
	files := http.FileServerFS(site)
	if _, measures := t.(*testing.B); measures { // what a person's browser takes
		return files
	}
	module, err := unpacked()
	if err != nil {
		t.Fatal(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch strings.TrimPrefix(r.URL.Path, "/") {
		case "golem.wasm.gz":
			w.Header().Set("Content-Type", "application/wasm")
			w.Header().Set("Golem-Unpacked", "1")
			_, _ = w.Write(module) // an error is the page's, which is gone
		case "sw.js":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = io.WriteString(w, "addEventListener('activate', (event) => event.waitUntil(clients.claim()))")
		default:
			files.ServeHTTP(w, r)
		}
	})
}

// unpacked returns the built golem.wasm.
var unpacked = sync.OnceValues(func() ([]byte, error) {
	packed, err := os.Open("dist/golem.wasm.gz")
	if err != nil {
		return nil, err
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
})

// visit serves the built page at a new origin (see light) and opens it.
func visit(t testing.TB, under string) (*webtest.Page, webtest.Site) {
	t.Helper()
	return visitAt(t, webtest.ServeHandler(t, light(t, built(t)), under))
}

// visitFirst serves the built page as any host does, and opens it: a first visit.
func visitFirst(t testing.TB, under string) (*webtest.Page, webtest.Site) {
	t.Helper()
	return visitAt(t, webtest.Serve(t, built(t), under))
}

func visitAt(t testing.TB, site webtest.Site) (*webtest.Page, webtest.Site) {
	t.Helper()
	p := browserOf(t).Open(t, site.URL)
	p.Expect("beforeunload") // a tab that is closed or loaded anew while a run goes on asks; no test has touched it
	return p, site
}

// leave limits the storage of the page's origin to so many bytes more than it uses now.
func leave(p *webtest.Page, origin string, bytes float64) {
	p.Helper()
	p.Quota(origin, webtest.Eval[float64](p, `navigator.storage.estimate().then((e) => e.usage)`)+bytes)
}

// finished waits until the run that is shown has ended with this status, and another can begin.
func finished(p *webtest.Page, status string) {
	p.Helper()
	do(p, `await until("the end of the run: %s", () => [...document.querySelectorAll('[role=status]')].some((e) => e.innerText.startsWith(%q)) && ![...document.querySelectorAll('.composer button')].some((b) => b.innerText === 'Stop'))`, status, status+",")
}

// while calls answer for every question of the current run, until the run ends well.
func while(p *webtest.Page, answer func()) {
	p.Helper()
	const asks = `(async () => {
		await window.hands.until("a question, or the end", () => document.querySelector('dialog[open]') || [...document.querySelectorAll('[role=status]')].some((e) => /^(ok|error|interrupted),/.test(e.innerText)))
		return document.querySelector('dialog[open] h2')?.closest('dialog').innerText ?? ''
	})()`
	for {
		question := webtest.Eval[string](p, handsThen+asks)
		if question == "" {
			break
		}
		answer()
		webtest.Eval[string](p, fmt.Sprintf(`window.hands.until("the next moment", () => document.querySelector('dialog[open]')?.innerText !== %q).then(() => "")`, question))
	}
	finished(p, "ok")
}

// yes answers every question of the current run by a click on Yes.
func yes(p *webtest.Page) {
	p.Helper()
	while(p, func() {
		settled(p)
		do(p, `[...document.querySelectorAll('dialog[open] button')].find((b) => b.innerText === 'Yes').click()`)
		again(p)
	})
}

// again gives the second act of an answer that lasts, if the question wants one.
func again(p *webtest.Page) {
	p.Helper()
	do(p, `await until("the second act, or the end of the question", () => { const box = document.querySelector('dialog[open] .second'), b = box?.querySelector('.primary'); return !box || (!b.disabled && (b.click(), true)) })`)
}

// refuse answers a question with Escape, with the focus in the question.
func refuse(p *webtest.Page) {
	p.Helper()
	do(p, `(await until("the question", () => document.querySelector('dialog[open] .body'))).focus()`)
	p.Press(webtest.Escape)
}

// settled waits until the dialog accepts a yes: at first it ignores clicks and keys.
func settled(p *webtest.Page) {
	p.Helper()
	do(p, `await until("Yes to be possible", () => (button("Show the end")?.click(), [...document.querySelectorAll('dialog[open] button')].some((b) => b.innerText === 'Yes' && !b.disabled)))`)
}
