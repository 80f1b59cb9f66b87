//go:build !js

package web_test

import (
	"io"
	"net/http"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"golem/web/webtest"
)

var docsAddress = regexp.MustCompile(`(?:href|src)="([^"#]*)`)

// get returns what a server sends for an address.
func get(t *testing.T, url string) (header http.Header, body string) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Errorf("%s: %s, %v", url, r.Status, err)
	}
	return r.Header, string(data)
}

// TestDocsAreServed tests that golem web has the documentation, with the policy that keeps
// the origin of projects and keys safe on every file, and that each address in a page is
// served.
func TestDocsAreServed(t *testing.T) {
	t.Parallel()
	const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	base := serving(t)
	asked := map[string]bool{}
	for next := []string{"docs/index.html"}; len(next) > 0; next = next[1:] {
		header, body := get(t, base+next[0])
		if got := header.Get("Content-Security-Policy"); got != policy || header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s has the policy %q", next[0], got)
		}
		if path.Ext(next[0]) != ".html" {
			continue
		}
		for _, m := range docsAddress.FindAllStringSubmatch(body, -1) {
			if strings.Contains(m[1], ":") || m[1] == "" {
				continue
			}
			if to := path.Join(path.Dir(next[0]), m[1]); !asked[to] && to != "." {
				asked[to] = true
				next = append(next, to)
			}
		}
	}
	if len(asked) < 90 {
		t.Errorf("only %d addresses", len(asked))
	}
	if _, body := get(t, base+"docs/"); !strings.Contains(body, "<h1>golem&#39;s documentation</h1>") {
		t.Errorf("docs/ is %.200s", body)
	}
	if _, body := get(t, base+"docs"); !strings.Contains(body, "<h1>golem&#39;s documentation</h1>") {
		t.Errorf("docs is %.200s", body)
	}
	for _, no := range []string{"docs/none.html", "docs/site.go", "docs/spec.html", "docs/errors/"} {
		if r, err := http.Get(base + no); err != nil || r.StatusCode != http.StatusNotFound || r.Header.Get("Content-Security-Policy") != policy {
			t.Errorf("%s: %v, %v", no, r, err)
		}
	}
}

// TestDocsSearch tests the search of the documentation with the keyboard, that what a person
// types stays text, and that the pages ask only golem web.
func TestDocsSearch(t *testing.T) {
	t.Parallel()
	base := serving(t)
	p := browser.Open(t, base+"docs/errors/E_TRUST.html")
	p.Until("the search", `document.querySelector('.search input').checkVisibility()`)
	p.Press(webtest.Tab)
	if got := webtest.Eval[string](p, `document.activeElement.innerText`); got != "Skip to the text" {
		t.Errorf("the first focus is on %q", got)
	}
	p.Press(webtest.Enter)
	p.Until("the focus on the text", `document.activeElement.id === 'main-text'`)
	p.Press("/")
	p.Until("the focus on the search", `document.activeElement === document.querySelector('.search input')`)
	type query struct{ typed, leads string }
	for _, q := range []query{
		{"resume a batch", "/docs/batches.html"}, {"E_STALE", "/docs/errors/E_STALE.html"},
		{"E_MODEL: there is no key for openai: OPENAI_API_KEY is not set", "/docs/"},
	} {
		webtest.Eval[bool](p, `(() => { const f = document.querySelector('.search input'); f.value = ''; f.focus(); return true })()`)
		for _, r := range q.typed {
			p.Press(string(r))
		}
		p.Until("places of "+q.typed, `/[0-9] place/.test(document.querySelector('.found p').innerText) && document.querySelector('.found a')?.href.includes(`+quote(q.leads)+`)`)
	}
	p.Press(webtest.Escape)
	p.Until("the list to close", `!document.querySelector('.found').checkVisibility()`)
	p.Press("x")
	p.Until("the list again", `document.querySelectorAll('.found a').length > 3`)
	p.Press(webtest.ArrowDown, webtest.ArrowDown)
	p.Until("the focus on the second place", `document.activeElement === document.querySelectorAll('.found a')[1]`)
	p.Press(webtest.ArrowUp, webtest.ArrowUp)
	p.Until("the focus on the search again", `document.activeElement === document.querySelector('.search input')`)

	const hostile = `<img src=zqzq onerror=window.hacked=1><qzqz>`
	webtest.Eval[bool](p, `(() => { const f = document.querySelector('.search input'); f.value = `+quote(hostile)+`; f.dispatchEvent(new Event('input')); return true })()`)
	p.Until("that nothing is found", `document.querySelector('.found p').innerText.includes(`+quote(hostile)+`)`)
	if n := webtest.Eval[int](p, `document.querySelectorAll('.found img, .found script').length + (window.hacked ?? 0)`); n != 0 {
		t.Error("what was typed became part of the page")
	}
	webtest.Eval[bool](p, `(() => { const f = document.querySelector('.search input'); f.value = 'script img onerror'; f.dispatchEvent(new Event('input')); return true })()`)

	// The policy refuses code in the page: the browser says so and does not run it.
	p.Expect("Content Security Policy")
	refused := webtest.Eval[string](p, `new Promise((done) => {
		document.addEventListener('securitypolicyviolation', (e) => done(e.effectiveDirective))
		document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.hacked = 3'}))
	})`)
	if refused != "script-src-elem" || webtest.Eval[bool](p, `Boolean(window.hacked)`) {
		t.Errorf("the policy refused %q", refused)
	}
	for _, url := range p.Requests() {
		if !strings.HasPrefix(url, base) {
			t.Errorf("it asked %s", url)
		}
	}
	webtest.Eval[bool](p, `(() => { const f = document.querySelector('.search input'); f.value = 'staged changes'; f.focus(); f.dispatchEvent(new Event('input')); return true })()`)
	p.Until("the place", `document.querySelector('.found a')?.href.endsWith('/docs/control/staged.html')`)
	p.Press(webtest.Enter)
	p.Until("the page of the place", `location.pathname === '/docs/control/staged.html' && document.querySelector('h1')`)
}

// quote returns a JavaScript string.
func quote(s string) string { return "`" + strings.ReplaceAll(s, "`", "\\`") + "`" }

// TestDocsWithoutScripts tests that the documentation can be read where no script runs.
func TestDocsWithoutScripts(t *testing.T) {
	t.Parallel()
	base := serving(t)
	p := browser.Open(t, base+"docs/")
	off := emulation.SetScriptExecutionDisabledParams{Value: true}
	if _, err := chromedp.Call(p.Context(), emulation.SetScriptExecutionDisabled, off); err != nil {
		t.Fatal(err)
	}
	p.Navigate(base + "docs/tools.html")
	p.Until("the page", `document.querySelector('h1')?.checkVisibility()`)
	if webtest.Eval[bool](p, `document.querySelector('.search').checkVisibility()`) {
		t.Error("it shows a search that does not work")
	}
	if n := webtest.Eval[int](p, `[...document.querySelectorAll('nav[aria-label=Pages] a')].filter((a) => a.checkVisibility({contentVisibilityAuto: true})).length`); n < 20 {
		t.Errorf("the list of pages shows %d of them", n)
	}
	links := 0
	tree, err := chromedp.Call(p.Context(), accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range tree.Nodes {
		if !n.Ignored && n.Role != nil && string(n.Role.Value) == `"link"` {
			links++
		}
	}
	if links < 30 {
		t.Errorf("a screen reader finds %d links", links)
	}
}

// TestDocsLook tests the documentation in light and dark, on a phone and on a desktop, with
// axe-core, and keeps pictures for a person to look at.
func TestDocsLook(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatalf("%v: make web installs it", err)
	}
	p := browser.Open(t, serving(t)+"docs/")
	for _, page := range []string{"index", "tools", "keys", "errors/E_TRUST"} {
		p.Navigate(strings.Split(webtest.Eval[string](p, `location.href`), "/docs/")[0] + "/docs/" + page + ".html")
		if _, err := webtest.Try[map[string]any](p, string(axe)+";({})", webtest.Patience); err != nil {
			t.Fatal(err)
		}
		for _, theme := range []string{"light", "dark"} {
			media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}}
			if _, err := chromedp.Call(p.Context(), emulation.SetEmulatedMedia, media); err != nil {
				t.Fatal(err)
			}
			for _, w := range widths {
				look(t, p, "docs-"+path.Base(page)+"-"+w.name+"-"+theme, w.width, w.height)
			}
		}
	}
	webtest.Eval[bool](p, `(() => { const f = document.querySelector('.search input'); f.focus(); f.value = 'trust'; f.dispatchEvent(new Event('input')); return true })()`)
	p.Until("places", `document.querySelectorAll('.found a').length > 3`)
	for _, w := range widths {
		look(t, p, "docs-found-"+w.name+"-dark", w.width, w.height)
	}
}
