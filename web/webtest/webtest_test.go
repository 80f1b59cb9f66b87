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

var browser webtest.Browser

func TestMain(m *testing.M) { os.Exit(webtest.Main(m, &browser)) }

var site = fstest.MapFS{"index.html": {Data: []byte(`<!doctype html><link rel="icon" href="data:,"><title>here</title>`)}}

// complaints is a test that only listens.
type complaints struct {
	testing.TB
	heard []string
}

func (c *complaints) Errorf(format string, args ...any) {
	c.heard = append(c.heard, fmt.Sprintf(format, args...))
}

// A page answers, under a sub-path too, and keeps its storage to its origin.
func TestPage(t *testing.T) {
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

// What a page complains of fails its test, unless the test expects it.
func TestComplaints(t *testing.T) {
	address := webtest.Serve(t, site, "/").URL
	heard := &complaints{}
	t.Run("page", func(t *testing.T) {
		heard.TB = t
		p := browser.Open(heard, address)
		p.Expect("expected")
		for _, say := range []string{`console.error("one")`, `console.log("two")`, `console.error("expected")`, `setTimeout(() => { throw new Error("three") })`, `fetch("missing")`} {
			if _, err := webtest.Try[webtestVoid](p, "(async () => {"+say+"; await new Promise(f => setTimeout(f, 50)); return {}})()", webtest.Patience); err != nil {
				t.Fatal(err)
			}
		}
		for !strings.Contains(p.Console(), "404") { // it is told when the browser gets to it
			time.Sleep(10 * time.Millisecond)
		}
	})
	all := strings.Join(heard.heard, "\n")
	for _, want := range []string{"one", "three", "404"} {
		if !strings.Contains(all, want) {
			t.Errorf("nothing was heard of %q:\n%s", want, all)
		}
	}
	if len(heard.heard) != 3 {
		t.Errorf("heard %d complaints:\n%s", len(heard.heard), all)
	}
}

type webtestVoid struct{}

// No page reaches anything but this machine.
func TestNoNetwork(t *testing.T) {
	p := browser.Open(t, webtest.Serve(t, site, "/").URL)
	p.Expect("ERR_NAME_NOT_RESOLVED")
	if _, err := webtest.Try[webtestVoid](p, `fetch("https://example.com/", {mode: "no-cors"}).then(() => ({}))`, webtest.Patience); err == nil {
		t.Error("a page reached example.com")
	}
}
