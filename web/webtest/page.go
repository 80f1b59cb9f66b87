package webtest

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"
)

// Patience is how long a test waits for what must come. It does not measure
// anything: it names what did not come, on a machine however busy, before the
// whole package's time is over.
const Patience = 5 * time.Minute

// Page is one tab. An exception that nothing caught,
// and an error on the console, fail the test when it ends, unless expected.
type Page struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	console  []string
	failures []string
	expected []string
	requests []string
}

// Open opens a tab at an address and waits for its load event. The tab is
// closed when the test ends. Its storage is on the disk, as a person's is, and
// belongs to the address's origin: each Site has its own.
func (b *Browser) Open(t testing.TB, url string) *Page {
	t.Helper()
	return b.open(t, url, chromedp.WithNewWindow(true))
}

// OpenPrivate is Open in a private window, whose storage is in memory.
func (b *Browser) OpenPrivate(t testing.TB, url string) *Page {
	t.Helper()
	return b.open(t, url, chromedp.WithNewBrowserContext())
}

func (b *Browser) open(t testing.TB, url string, how chromedp.ContextOption) *Page {
	t.Helper()
	browser, err := b.start()
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := chromedp.NewContext(browser, how)
	t.Cleanup(end)
	return newPage(t, ctx, url)
}

func newPage(t testing.TB, ctx context.Context, url string) *Page {
	t.Helper()
	p := &Page{t: t, ctx: ctx}
	err := chromedp.Listen(ctx, p.hear)
	if err == nil {
		_, err = chromedp.Call(ctx, network.Enable, network.EnableParams{})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.judge)
	if err := p.within(Patience, chromedp.Navigate(url)); err != nil {
		t.Fatalf("open %s: %v\n%s", url, err, p.Console())
	}
	p.Until("the page", "document.readyState === 'complete' && location.href !== 'about:blank'")
	return p
}

// Until waits until an expression is true in the page. While the page goes
// elsewhere it is not.
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

// hear keeps what the page says. It is called on the reader's goroutine.
func (p *Page) hear(ev any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := ev.(type) {
	case *runtime.EventConsoleAPICalled:
		text := string(e.Type) + ": " + spoken(e.Args)
		p.console = append(p.console, text)
		if e.Type == "error" || e.Type == "assert" {
			p.failures = append(p.failures, text)
		}
	case *runtime.EventExceptionThrown:
		text := "exception: " + e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		p.console = append(p.console, text)
		p.failures = append(p.failures, text)
	case *log.EventEntryAdded:
		text := string(e.Entry.Level) + ": " + e.Entry.Text + " " + e.Entry.URL
		p.console = append(p.console, text)
		if e.Entry.Level == "error" {
			p.failures = append(p.failures, text)
		}
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	}
}

// spoken is what a console call was given.
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

// judge fails the test for what the page complained of.
func (p *Page) judge() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.failures {
		if !slices.ContainsFunc(p.expected, func(e string) bool { return strings.Contains(f, e) }) {
			p.t.Errorf("the page complained: %s", f)
		}
	}
}

// Expect says that complaints that contain text are part of the test.
func (p *Page) Expect(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expected = append(p.expected, text)
}

// Console is all the page said so far, one message a line.
func (p *Page) Console() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.console, "\n")
}

// Requests are the addresses the page has asked for, its first one excepted.
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// Context is the tab's, for chromedp's own actions.
func (p *Page) Context() context.Context { return p.ctx }

// Do runs actions of chromedp's.
func (p *Page) Do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := p.within(Patience, steps...); err != nil {
		p.t.Fatalf("%v\nthe page said:\n%s", err, p.Console())
	}
}

func (p *Page) within(d time.Duration, steps ...chromedp.Action[chromedp.Void]) error {
	ctx, cancel := context.WithTimeout(p.ctx, d)
	defer cancel()
	return chromedp.Do(ctx, steps...)
}

// Eval evaluates an expression, waits for the promise it may be, and decodes
// its value. A rejection ends the test.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	v, err := Try[T](p, expression, Patience)
	if err != nil {
		p.t.Fatalf("%s: %v\nthe page said:\n%s", brief(expression), err, p.Console())
	}
	return v
}

// Try is Eval that returns the error, and waits for d at most.
func Try[T any](p *Page, expression string, d time.Duration) (T, error) {
	ctx, cancel := context.WithTimeout(p.ctx, d)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

func brief(s string) string {
	if len(s) > 200 {
		return s[:200] + "…"
	}
	return s
}

// Quota bounds what the page's origin may store, in bytes; negative: as before.
func (p *Page) Quota(origin string, bytes float64) {
	p.t.Helper()
	params := storage.OverrideQuotaForOriginParams{Origin: origin}
	if bytes >= 0 {
		params.QuotaSize = &bytes
	}
	if _, err := chromedp.Call(p.ctx, storage.OverrideQuotaForOrigin, params); err != nil {
		p.t.Fatal(err)
	}
}

// Helper marks the caller as a helper of the page's test.
func (p *Page) Helper() { p.t.Helper() }
