package webtest

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"
)

// Patience is how long a test waits for something that must happen. It does not measure
// speed and is long enough for a busy machine. It only lets the test say what did not
// happen, before the time limit of the whole package is reached.
const Patience = 5 * time.Minute

// Page is one tab of a browser. If the page has an uncaught exception or an error on its
// console, the test fails at its end, unless Expect named the message.
type Page struct {
	t   testing.TB
	tab tab

	mu       sync.Mutex
	console  []string
	failures []string
	expected []string
	requests []string
}

// tab is a tab of one of the browsers, with the operations that a Page needs.
type tab interface {
	navigate(ctx context.Context, url string) error
	reload(ctx context.Context) error
	eval(ctx context.Context, script string) (json.RawMessage, error) // nil: undefined
	press(ctx context.Context, keys string) error
	upload(ctx context.Context, selector string, files []string) error
	close()
}

// Open opens a tab at an address and waits for its load event. The tab is
// closed when the test ends. Its storage is on the disk, as a person's is, and
// belongs to the address's origin: each Site has its own.
func (b *Browser) Open(t testing.TB, url string) *Page {
	t.Helper()
	return b.open(t, url, chromedp.WithNewWindow(true))
}

// OpenPrivate does what Open does, in a private window of Chromium, whose storage is in
// memory.
func (b *Browser) OpenPrivate(t testing.TB, url string) *Page {
	t.Helper()
	return b.open(t, url, chromedp.WithNewBrowserContext())
}

// open opens a tab. Only Chromium uses how.
func (b *Browser) open(t testing.TB, url string, how chromedp.ContextOption) *Page {
	t.Helper()
	if err := b.start(); err != nil {
		t.Fatal(err)
	}
	p := &Page{t: t}
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	var err error
	switch b.Engine {
	case Firefox:
		p.tab, err = openFirefox(ctx, b.firefox, p)
	case WebKit:
		p.tab, err = b.webkit(ctx)
	default:
		p.tab, err = openChromium(b.chromium, p, how)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.tab.close)
	t.Cleanup(p.judge)
	p.Navigate(url)
	p.Until("the page", "document.readyState === 'complete' && location.href !== 'about:blank'")
	return p
}

// Until waits until a JavaScript expression is true in the page; what names it in the
// message of a failed test. While the page navigates, the expression counts as false.
func (p *Page) Until(what, expression string) {
	p.t.Helper()
	for end := time.Now().Add(Patience); ; time.Sleep(10 * time.Millisecond) {
		ok, err := Try[bool](p, "Boolean("+expression+")", Patience)
		if ok && err == nil {
			return
		}
		if time.Now().After(end) {
			p.t.Fatalf("waited for %s: %v\nthe page said:\n%s", what, err, p.Console())
		}
	}
}

// said keeps a message of the page. It is called on the goroutine that reads events.
func (p *Page) said(text string, failure bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.console = append(p.console, text)
	if failure {
		p.failures = append(p.failures, text)
	}
}

// asked keeps the URL of a request of the page. It is called on the goroutine that reads
// events.
func (p *Page) asked(url string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = append(p.requests, url)
}

// spoken returns the arguments of a console call as text.
func spoken(args []*runtime.RemoteObject) string {
	var out []string
	for _, a := range args {
		text := strings.Trim(string(a.Value), `"`)
		if text == "" {
			text = a.Description
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// judge fails the test for each error of the page that was not expected.
func (p *Page) judge() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.failures {
		if !slices.ContainsFunc(p.expected, func(e string) bool { return strings.Contains(f, e) }) {
			p.t.Errorf("the page complained: %s", f)
		}
	}
}

// Expect says that errors of the page that contain text do not fail the test.
func (p *Page) Expect(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expected = append(p.expected, text)
}

// Console returns all messages of the page so far, one on each line.
func (p *Page) Console() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.console, "\n")
}

// Requests returns the URLs of the page's requests so far.
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// Context returns the tab's context, for actions of chromedp. In another browser than
// Chromium it ends the test.
func (p *Page) Context() context.Context {
	p.t.Helper()
	c, ok := p.tab.(*chromiumTab)
	if !ok {
		p.t.Fatal("this step is for Chromium only")
	}
	return c.ctx
}

// Do runs actions of chromedp, in Chromium only. An error ends the test.
func (p *Page) Do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	page := p.Context()
	p.act(func(ctx context.Context) error { return chromedp.Do(page, steps...) })
}

func (p *Page) act(step func(ctx context.Context) error) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	if err := step(ctx); err != nil {
		p.t.Fatalf("%v\nthe page said:\n%s", err, p.Console())
	}
}

// Navigate goes to an address and waits for its load event.
func (p *Page) Navigate(url string) {
	p.t.Helper()
	p.act(func(ctx context.Context) error { return p.tab.navigate(ctx, url) })
}

// Reload reloads the page and waits until the new document is loaded. A load event alone does
// not say so: it may be that of the document before.
func (p *Page) Reload() {
	p.t.Helper()
	p.act(func(ctx context.Context) error {
		if _, err := p.tab.eval(ctx, `window.beforeReload = true`); err != nil {
			return err
		}
		if err := p.tab.reload(ctx); err != nil {
			return err
		}
		for ctx.Err() == nil {
			loaded, err := p.tab.eval(ctx, `!window.beforeReload && document.readyState === "complete"`)
			if err == nil && string(loaded) == "true" {
				return nil
			}
			time.Sleep(20 * time.Millisecond)
		}
		return ctx.Err()
	})
}

// Keys without a character, for Press.
const (
	Enter   = "\r"
	Tab     = "\t"
	Escape  = "\x1b"
	CtrlEnd = "Control+End"

	// The codes of WebDriver.
	ArrowLeft  = "\uE012"
	ArrowUp    = "\uE013"
	ArrowRight = "\uE014"
	ArrowDown  = "\uE015"
)

// Press types each of keys, a text or one of the keys above.
func (p *Page) Press(keys ...string) {
	p.t.Helper()
	for _, k := range keys {
		p.act(func(ctx context.Context) error { return p.tab.press(ctx, k) })
	}
}

// Upload chooses files, or one folder, in the input element that the CSS selector finds.
func (p *Page) Upload(selector string, files ...string) {
	p.t.Helper()
	p.act(func(ctx context.Context) error { return p.tab.upload(ctx, selector, files) })
}

// Eval runs a script and returns its value. In WebKit the script must be an expression. If
// the value is a promise, Eval waits for it. An error or a rejection ends the test.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	v, err := Try[T](p, expression, Patience)
	if err != nil {
		p.t.Fatalf("%s: %v\nthe page said:\n%s", brief(expression), err, p.Console())
	}
	return v
}

// Try does what Eval does, but returns the error and waits at most d.
func Try[T any](p *Page, expression string, d time.Duration) (T, error) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	var v T
	data, err := p.tab.eval(ctx, expression)
	if err != nil {
		return v, err
	}
	if s := string(data); s == "" || s == "null" {
		switch reflect.TypeFor[T]().Kind() {
		case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface:
			return v, nil
		}
		return v, errors.New("the script has no value")
	}
	return v, json.Unmarshal(data, &v)
}

func brief(s string) string {
	if len(s) > 200 {
		return s[:200] + "…"
	}
	return s
}

// Quota limits how many bytes the page's origin may store. A negative number removes the
// limit. Only Chromium can change this while it runs.
func (p *Page) Quota(origin string, bytes float64) {
	p.t.Helper()
	params := storage.OverrideQuotaForOriginParams{Origin: origin}
	if bytes >= 0 {
		params.QuotaSize = &bytes
	}
	if _, err := chromedp.Call(p.Context(), storage.OverrideQuotaForOrigin, params); err != nil {
		p.t.Fatal(err)
	}
}

// Helper marks the caller as a helper of the page's test.
func (p *Page) Helper() { p.t.Helper() }
