package webtest

import (
	"context"
	"encoding/json"
	"os"
	"strings"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// withoutFeatures are features of Chromium's own window and services, which cost processor time for
// each window that a test opens: some parts of a window are pages themselves, and some are
// loaded before they are needed. chromedp leaves out the first two as well.
var withoutFeatures = []string{
	"Translate", "BlinkGenPropertyTrees",
	"InitialWebUI", "WebUIReloadButton", "WebUIToolbarProcessOverheadExperiment", "PreloadTopChromeWebUI", "WebUIOmniboxPopup", "WebUIOmniboxAimPopup",
	"MediaRouter", "DialMediaRouteProvider", "OptimizationHints",
}

// startChromium starts a Chromium with a new profile in b.dir. The flags keep it from
// fetching anything for itself.
func (b *Browser) startChromium(path string) (context.Context, error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.UserDataDir(b.dir), chromedp.WindowSize(1280, 800),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-features", strings.Join(withoutFeatures, ",")),
		chromedp.Flag("disable-domain-reliability", true),
		chromedp.Flag("disable-gpu", true),
		chromedp.Flag("no-pings", true),
		// Without a graphics card each frame of an animation costs a processor's time.
		chromedp.Flag("force-prefers-reduced-motion", true),
		chromedp.Flag("host-resolver-rules", "MAP * "+b.outside()+", EXCLUDE localhost, EXCLUDE 127.0.0.1"),
		chromedp.Flag("ignore-certificate-errors", b.Outside != nil),
	)
	if b.Shell {
		// Without it the headless shell does not catch traps of WebAssembly: the page's process dies.
		options = append(options, chromedp.Flag("enable-crash-reporter", true), chromedp.Flag("crash-dumps-dir", b.dir))
	}
	if len(b.Features) > 0 {
		options = append(options, chromedp.Flag("enable-features", strings.Join(b.Features, ",")))
	}
	if b.Baseline {
		// The sites of a browser, all of 127.0.0.1, are in one process: it compiles golem.wasm once.
		options = append(options, chromedp.Flag("js-flags", "--liftoff-only"), chromedp.Flag("process-per-site", true))
	}
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, end := chromedp.NewExecAllocator(context.Background(), options...)
	b.end = append(b.end, end)
	ctx, end = chromedp.NewContext(ctx)
	b.end = append(b.end, end)
	return ctx, chromedp.Do(ctx)
}

// chromiumTab is a tab of Chromium.
type chromiumTab struct {
	ctx context.Context
	end context.CancelFunc
}

func openChromium(browser context.Context, p *Page, how chromedp.ContextOption) (*chromiumTab, error) {
	c := &chromiumTab{}
	c.ctx, c.end = chromedp.NewContext(browser, how)
	err := chromedp.Listen(c.ctx, func(ev any) { c.hear(p, ev) })
	if err == nil {
		_, err = chromedp.Call(c.ctx, network.Enable, network.EnableParams{})
	}
	return c, err
}

func (c *chromiumTab) close() { c.end() }

// hear passes an event of the tab to its Page: console messages, exceptions and requests.
func (c *chromiumTab) hear(p *Page, ev any) {
	switch e := ev.(type) {
	case *runtime.EventConsoleAPICalled:
		p.said(string(e.Type)+": "+spoken(e.Args), e.Type == "error" || e.Type == "assert")
	case *runtime.EventExceptionThrown:
		text := "exception: " + e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		p.said(text, true)
	case *log.EventEntryAdded:
		p.said(string(e.Entry.Level)+": "+e.Entry.Text+" "+e.Entry.URL, e.Entry.Level == "error")
	case *network.EventRequestWillBeSent:
		p.asked(e.Request.URL)
	}
}

// do runs actions on the tab. They are cancelled when ctx ends, which need not be a context
// of chromedp.
func (c *chromiumTab) do(ctx context.Context, steps ...chromedp.Action[chromedp.Void]) error {
	own, cancel := c.until(ctx)
	defer cancel()
	return chromedp.Do(own, steps...)
}

// until returns a context of the tab that ends when ctx ends.
func (c *chromiumTab) until(ctx context.Context) (context.Context, context.CancelFunc) {
	own, cancel := context.WithCancel(c.ctx)
	stop := context.AfterFunc(ctx, cancel)
	return own, func() { stop(); cancel() }
}

func (c *chromiumTab) navigate(ctx context.Context, url string) error {
	return c.do(ctx, chromedp.Navigate(url))
}

func (c *chromiumTab) reload(ctx context.Context) error { return c.do(ctx, chromedp.Reload()) }

func (c *chromiumTab) eval(ctx context.Context, script string) (json.RawMessage, error) {
	own, cancel := c.until(ctx)
	defer cancel()
	return chromedp.Run(own, chromedp.Evaluate[[]byte](script, chromedp.EvalAwaitPromise))
}

// arrows maps the names of arrow keys in this package to those of chromedp.
var arrows = map[string]string{ArrowLeft: kb.ArrowLeft, ArrowUp: kb.ArrowUp, ArrowRight: kb.ArrowRight, ArrowDown: kb.ArrowDown}

func (c *chromiumTab) press(ctx context.Context, keys string) error {
	if keys == CtrlEnd {
		return c.do(ctx, chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	}
	if keys == Enter {
		return c.enter(ctx)
	}
	if arrow, ok := arrows[keys]; ok {
		keys = arrow
	}
	return c.do(ctx, chromedp.KeyEvent(keys))
}

// enter presses Enter as a keyboard does: if the page prevents the key's default action, it
// gets no character either. chromedp's KeyEvent sends the character as a separate event.
func (c *chromiumTab) enter(ctx context.Context) error {
	own, cancel := c.until(ctx)
	defer cancel()
	key := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: "Enter", Code: "Enter", Text: "\r", UnmodifiedText: "\r", WindowsVirtualKeyCode: 13, NativeVirtualKeyCode: 13}
	_, err := chromedp.Call(own, input.DispatchKeyEvent, key)
	if err == nil {
		key.Type, key.Text, key.UnmodifiedText = input.DispatchKeyEventTypeKeyUp, "", ""
		_, err = chromedp.Call(own, input.DispatchKeyEvent, key)
	}
	return err
}

func (c *chromiumTab) upload(ctx context.Context, selector string, files []string) error {
	return c.do(ctx, chromedp.SetUploadFiles(selector, files))
}
