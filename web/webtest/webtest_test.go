package webtest_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"golem/web/webtest"
)

var chromium, firefox = webtest.Browser{}, webtest.Browser{Engine: webtest.Firefox}

func TestMain(m *testing.M) { os.Exit(webtest.Main(m, &chromium, &firefox)) }

// each runs a test in every browser.
func each(t *testing.T, test func(t *testing.T, browser *webtest.Browser)) {
	for _, b := range []*webtest.Browser{&chromium, &firefox} {
		t.Run(b.Engine.String(), func(t *testing.T) { test(t, b) })
	}
}

var site = fstest.MapFS{"index.html": {Data: []byte(`<!doctype html><link rel="icon" href="data:,"><title>here</title>`)}}

// complaints is a testing.TB that records errors and does not fail.
type complaints struct {
	testing.TB
	heard []string
}

func (c *complaints) Errorf(format string, args ...any) {
	c.heard = append(c.heard, fmt.Sprintf(format, args...))
}

// TestPage tests that a page can be opened, also in a sub-path, and that each origin has its own
// storage.
func TestPage(t *testing.T) { each(t, testPage) }

func testPage(t *testing.T, browser *webtest.Browser) {
	for _, under := range []string{"/", "/sub/path/"} {
		p := browser.Open(t, webtest.Serve(t, site, under).URL)
		if got := webtest.Eval[string](p, "Promise.resolve(document.title)"); got != "here" {
			t.Errorf("%s: the title is %q", under, got)
		}
		if got := webtest.Eval[int](p, `(localStorage.setItem("a", 1), localStorage.length)`); got != 1 {
			t.Errorf("%s: %d items are stored", under, got)
		}
		if _, err := webtest.Try[int](p, `Promise.reject(new Error("no"))`, webtest.Patience); err == nil || !strings.Contains(err.Error(), "no") {
			t.Errorf("a rejection: %v", err)
		}
	}
}

// TestComplaints tests that errors of a page fail its test, unless the test expects them.
func TestComplaints(t *testing.T) { each(t, testComplaints) }

func testComplaints(t *testing.T, browser *webtest.Browser) {
	address := webtest.Serve(t, site, "/").URL
	heard := &complaints{}
	want := []string{"one", "404", "three"}
	if browser.Engine == webtest.Firefox { // it tells no one of answers that are refusals
		want = []string{"one", "three"}
	}
	t.Run("page", func(t *testing.T) {
		heard.TB = t
		p := browser.Open(heard, address)
		p.Expect("expected")
		for _, say := range []string{`console.error("one")`, `console.log("two")`, `console.error("expected")`, `fetch("missing")`, `setTimeout(() => { throw new Error("three") })`} {
			if _, err := webtest.Try[webtestVoid](p, "(async () => {"+say+"; await new Promise(f => setTimeout(f, 50)); return {}})()", webtest.Patience); err != nil {
				t.Fatal(err)
			}
		}
		for _, w := range want { // the browser reports each when it gets to it, in any order
			for !strings.Contains(p.Console(), w) {
				time.Sleep(10 * time.Millisecond)
			}
		}
	})
	all := strings.Join(heard.heard, "\n")
	for _, w := range want {
		if !strings.Contains(all, w) {
			t.Errorf("nothing was heard of %q:\n%s", w, all)
		}
	}
	if len(heard.heard) != len(want) {
		t.Errorf("heard %d complaints:\n%s", len(heard.heard), all)
	}
}

// TestPress tests that keys from Press reach the page like keys that a person presses.
func TestPress(t *testing.T) { each(t, testPress) }

func testPress(t *testing.T, browser *webtest.Browser) {
	p := browser.Open(t, webtest.Serve(t, site, "/").URL)
	webtest.Eval[int](p, `(document.body.innerHTML = "<form><input id=a><input id=b></form>", window.keys = [],
		addEventListener("keydown", (e) => window.keys.push((e.ctrlKey ? "Control+" : "") + e.key)), document.querySelector("#a").focus(), 1)`)
	p.Press("az", webtest.Tab, "b", webtest.CtrlEnd, webtest.Escape)
	const want = "z b a,z,Tab,b,Control+Control,Control+End,Escape"
	if got := webtest.Eval[string](p, `document.querySelector("#a").value.slice(1) + " " + document.activeElement.value + " " + window.keys`); strings.ReplaceAll(got, "Control+Control,", "") != strings.ReplaceAll(want, "Control+Control,", "") {
		t.Errorf("typed: %s", got)
	}
}

type webtestVoid struct{}

// TestNoNetwork tests that a page cannot reach other machines.
func TestNoNetwork(t *testing.T) {
	each(t, func(t *testing.T, browser *webtest.Browser) {
		p := browser.Open(t, webtest.Serve(t, site, "/").URL)
		p.Expect("ERR_NAME_NOT_RESOLVED")
		if _, err := webtest.Try[webtestVoid](p, `fetch("https://example.com/", {mode: "no-cors"}).then(() => ({}))`, webtest.Patience); err == nil {
			t.Error("a page reached example.com")
		}
	})
}

// TestWorkersStart tests that after a reload all workers start that a worker creates. In Firefox a
// WebDriver session prevents that for some, unless forgetWorkers removes its listener.
func TestWorkersStart(t *testing.T) { each(t, testWorkersStart) }

func testWorkersStart(t *testing.T, browser *webtest.Browser) {
	const start = `new Promise((done) => {
		const inner = 'new Worker(URL.createObjectURL(new Blob(["postMessage(1)"]))).onmessage = () => postMessage(1);'
		let n = 0
		new Worker(URL.createObjectURL(new Blob([inner.repeat(3)]))).onmessage = () => ++n === 3 && done(n)
	})`
	p := browser.Open(t, webtest.Serve(t, site, "/").URL)
	for range 40 {
		webtest.Eval[int](p, start)
		p.Reload()
	}
}
