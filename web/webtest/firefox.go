package webtest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// origin is the origin that the tests send with their WebSocket connection.
const origin = "http://127.0.0.1"

// prefs has Firefox's settings for tests, without those that its remote agent sets itself.
var prefs = map[string]any{
	"app.normandy.enabled":                       false,
	"app.update.disabledForTesting":              true,
	"browser.cache.disk.enable":                  false,
	"browser.privatebrowsing.autostart":          false,
	"browser.sessionhistory.max_total_viewers":   0, // a page that was left ends, with its workers
	"browser.sessionstore.resume_from_crash":     false,
	"datareporting.policy.dataSubmissionEnabled": false,
	"dom.ipc.processPrelaunch.enabled":           false,
	"dom.min_background_timeout_value":           4, // ms; timers of a window behind another are not slowed down
	"dom.timeout.enable_budget_timer_throttling": false,
	"extensions.getAddons.cache.enabled":         false,
	"network.captive-portal-service.enabled":     false,
	"javascript.options.wasm_optimizingjit":      false,
	"network.connectivity-service.enabled":       false,
	"services.settings.server":                   "data:,#remote-settings-dummy/v1",
	"toolkit.telemetry.enabled":                  false,
	"toolkit.telemetry.unified":                  false,
	"ui.prefersReducedMotion":                    1,
	// Requests to other machines go to a proxy that does not exist, and fail.
	"network.proxy.type":             1,
	"network.proxy.socks":            "127.0.0.1",
	"network.proxy.socks_port":       1,
	"network.proxy.socks_remote_dns": true,
}

// startFirefox starts a Firefox with a new profile in b.dir and connects to it.
func (b *Browser) startFirefox(path string) (*bidi, error) {
	var settings strings.Builder
	for _, name := range slices.Sorted(maps.Keys(prefs)) {
		value := prefs[name]
		if name == "browser.privatebrowsing.autostart" {
			value = b.Private
		}
		data, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&settings, "user_pref(%q, %s);\n", name, data)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "user.js"), []byte(settings.String()), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.Command(path, "--headless", "--no-remote", "--profile", b.dir, "--remote-debugging-port=0", "--remote-allow-origins="+origin, "--remote-allow-system-access")
	cmd.Env = append(os.Environ(), "HOME="+b.dir, "XDG_CACHE_HOME="+b.dir, "XDG_CONFIG_HOME="+b.dir, "MOZ_CRASHREPORTER_DISABLE=1")
	diesWithUs(cmd)
	said, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	address, err := listening(said)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, said) // otherwise Firefox blocks when the pipe is full
	}()
	var c *bidi
	if err == nil {
		c, err = dialBidi(context.Background(), address)
	}
	b.end = append(b.end, func() {
		if c != nil {
			_, _ = call[any](context.Background(), c, "browser.close", object{}) // it may be gone already
		} else {
			_ = cmd.Process.Kill()
		}
		<-drained
		_ = cmd.Wait()
	})
	return c, err
}

// listening reads Firefox's output at its start and returns the address of its remote agent.
func listening(said io.Reader) (string, error) {
	var lines []string
	for in := bufio.NewScanner(said); in.Scan(); {
		if _, address, ok := strings.Cut(in.Text(), "WebDriver BiDi listening on "); ok {
			return address, nil
		}
		lines = append(lines, in.Text())
	}
	return "", errors.New("firefox did not start: " + strings.Join(lines, "\n"))
}

// firefoxTab is a window of Firefox. It is not a tab, because Firefox does not draw a tab
// behind another. A new window takes a second, so pages use the windows of earlier ones.
type firefoxTab struct {
	c    *bidi
	page string // its browsing context
}

func openFirefox(ctx context.Context, c *bidi, p *Page) (*firefoxTab, error) {
	w := &firefoxTab{c: c}
	select {
	case w.page = <-c.left:
	default:
		c.front.Lock()
		made, err := call[struct{ Context string }](ctx, c, "browsingContext.create", object{"type": "window"})
		c.front.Unlock()
		if err == nil {
			w.page = made.Context
			_, err = call[any](ctx, c, "browsingContext.setViewport", object{"context": w.page, "viewport": object{"width": 1280, "height": 800}})
		}
		if err != nil {
			return nil, err
		}
	}
	c.listen(w.page, func(m bidiMessage) { w.hear(p, m) })
	return w, nil
}

// close leaves the page, which ends its golem, and keeps the window for the next page.
func (w *firefoxTab) close() {
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	err := w.navigate(ctx, "about:blank")
	w.c.listen(w.page, nil)
	if err != nil {
		return
	}
	select {
	case w.c.left <- w.page:
	default:
		_, _ = call[any](ctx, w.c, "browsingContext.close", object{"context": w.page}) // it may be gone already
	}
}

// cutOff is the end of the message that Firefox logs for each request that a service worker
// answers while the page is reloaded. It is not an error of the page: if a request fails for
// another reason, the page lacks what it requested, which a test notices.
const cutOff = "A ServiceWorker intercepted the request and encountered an unexpected error."

// hear passes an event of the window to its Page: console messages, exceptions and requests.
func (w *firefoxTab) hear(p *Page, m bidiMessage) {
	var e struct {
		Type, Level, Text, Method string
		Request                   struct{ URL string }
	}
	if json.Unmarshal(m.Params, &e) != nil {
		return
	}
	switch {
	case m.Method == "network.beforeRequestSent":
		p.asked(e.Request.URL)
	case e.Type == "javascript":
		p.said("exception: "+e.Text, e.Level == "error" && !strings.HasSuffix(e.Text, cutOff))
	default:
		p.said(e.Method+": "+e.Text, e.Level == "error")
	}
}

func (w *firefoxTab) navigate(ctx context.Context, url string) error {
	_, err := call[any](ctx, w.c, "browsingContext.navigate", object{"context": w.page, "url": url, "wait": "complete"})
	return err
}

func (w *firefoxTab) reload(ctx context.Context) error {
	_, err := call[any](ctx, w.c, "browsingContext.reload", object{"context": w.page, "wait": "complete"})
	return err
}

func (w *firefoxTab) eval(ctx context.Context, script string) (json.RawMessage, error) {
	got, err := call[struct {
		Type             string
		Result           remote
		ExceptionDetails struct{ Text string }
	}](ctx, w.c, "script.evaluate", object{
		"expression": script, "target": object{"context": w.page}, "awaitPromise": true, "resultOwnership": "none", "userActivation": true,
	})
	if err == nil && got.Type == "exception" {
		err = errors.New(got.ExceptionDetails.Text)
	}
	if err != nil {
		return nil, err
	}
	value, err := got.Result.plain()
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// webdriverKeys has WebDriver's codes for keys that have no character.
var webdriverKeys = map[rune]string{'\r': "\uE007", '\t': "\uE004", '\x1b': "\uE00C"}

func (w *firefoxTab) press(ctx context.Context, keys string) error {
	var steps []object
	down := func(key string) { steps = append(steps, object{"type": "keyDown", "value": key}) }
	up := func(key string) { steps = append(steps, object{"type": "keyUp", "value": key}) }
	if keys == CtrlEnd {
		const ctrl, end = "\uE009", "\uE010"
		down(ctrl)
		down(end)
		up(end)
		up(ctrl)
	} else {
		for _, r := range keys {
			key, ok := webdriverKeys[r]
			if !ok {
				key = string(r)
			}
			down(key)
			up(key)
		}
	}
	w.c.front.Lock()
	defer w.c.front.Unlock()
	err := w.toFront(ctx)
	if err == nil {
		_, err = call[any](ctx, w.c, "input.performActions", object{"context": w.page, "actions": []object{{"type": "key", "id": "keyboard", "actions": steps}}})
	}
	return err
}

// toFront brings the window to the front and returns when the page gets keys. The caller
// holds front.
func (w *firefoxTab) toFront(ctx context.Context) error {
	for {
		_, err := call[any](ctx, w.c, "browsingContext.activate", object{"context": w.page})
		if err != nil {
			return err
		}
		got, err := w.eval(ctx, `new Promise((resolve) => { const look = (n) => document.hasFocus() || n === 0 ? resolve(document.hasFocus()) : setTimeout(look, 20, n - 1); look(50) })`)
		if err != nil || string(got) == "true" {
			return err
		}
	}
}

func (w *firefoxTab) upload(ctx context.Context, selector string, files []string) error {
	found, err := call[struct{ Nodes []struct{ SharedID string } }](ctx, w.c, "browsingContext.locateNodes",
		object{"context": w.page, "locator": object{"type": "css", "value": selector}})
	if err == nil && len(found.Nodes) == 0 {
		err = fmt.Errorf("there is no %s", selector)
	}
	if err == nil {
		_, err = call[any](ctx, w.c, "input.setFiles", object{"context": w.page, "element": object{"sharedId": found.Nodes[0].SharedID}, "files": files})
	}
	return err
}
