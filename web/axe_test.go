//go:build !js

package web_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"golem/web/webtest"
)

// scene is a view of the page as a person comes to it.
type scene struct {
	name string
	way  string // statements that lead there from a page that is ready
}

var scenes = []scene{
	{"run-empty", `await text("is ready")`},
	{"approval", `await text("is ready"); await click("Put the sources in order"); await text("Change a file?"); await new Promise((f) => setTimeout(f, 600))`},
	{"run", `await answered()`},
	{"run-call", `await answered(); const node = await until("a call", () => document.querySelectorAll('.node')[1]); node.click()`},
	{"files", `await text("is ready"); await click("Files"); await click("main.worker"); await until("the editor", () => document.querySelector('.editor div')?.shadowRoot?.querySelector('.cm-content'))`},
	{"trace", `await answered(); await click("Trace"); await click(".jsonl"); await text("Timeline")`},
	{"trace-timeline", `await answered(); await click("Trace"); await click(".jsonl"); await click("Timeline")`},
	{"settings", `await text("is ready"); await click("Settings"); await text("Model providers")`},
	{"projects", `await text("is ready"); document.querySelector('.brand').click(); await text("Examples")`},
}

// answered runs the example, saying yes to everything.
const answered = `
	const answered = async () => {
		await text("is ready"); await click("Put the sources in order");
		for (;;) {
			await until("a question, or the end", () => document.querySelector('dialog[open]') || [...document.querySelectorAll('[role=status]')].some((e) => e.innerText.startsWith('ok,')), 20000)
			if (!document.querySelector('dialog[open]')) return
			await new Promise((f) => setTimeout(f, 500))
			const shown = document.querySelector('dialog[open]').innerText
			;[...document.querySelectorAll('dialog[open] button')].find((b) => b.innerText === 'Yes').click()
			await until("the next moment", () => document.querySelector('dialog[open]')?.innerText !== shown)
		}
	};`

// widths are a phone's and a desktop's.
var widths = []struct {
	name          string
	width, height int64
}{{"phone", 390, 844}, {"desktop", 1280, 800}}

// TestViews looks at every view in light and dark, on a phone and on a desktop: axe-core
// finds no violation, nothing is wider than the window, and a picture goes to
// build/shots for a person to look at.
func TestViews(t *testing.T) {
	axe, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatalf("%v: make web installs it", err)
	}
	site := built(t)
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			site := webtest.Serve(t, site, "/") // storage of its own
			p := browser.Open(t, site.URL)
			if _, err := chromedp.Call(p.Context(), emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 1280, Height: 800, DeviceScaleFactor: 1}); err != nil {
				t.Fatal(err)
			}
			do(p, "%s", answered+s.way)
			if _, err := webtest.Try[map[string]any](p, string(axe)+";({})", time.Minute); err != nil {
				t.Fatal(err)
			}
			for _, theme := range []string{"light", "dark"} {
				webtest.Eval[string](p, fmt.Sprintf(`(document.documentElement.dataset.theme = %q)`, theme))
				for _, w := range widths {
					look(t, p, s.name+"-"+w.name+"-"+theme, w.width, w.height)
				}
			}
		})
	}
}

// look holds one picture of a view against axe-core and keeps it.
func look(t *testing.T, p *webtest.Page, name string, width, height int64) {
	t.Helper()
	size := emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 600}
	if _, err := chromedp.Call(p.Context(), emulation.SetDeviceMetricsOverride, size); err != nil {
		t.Fatal(err)
	}
	time.Sleep(150 * time.Millisecond) // transitions
	found := webtest.Eval[[]string](p, `axe.run(document, {resultTypes: ['violations']}).then((r) => r.violations.flatMap((v) =>
		v.nodes.map((n) => v.id + " (" + v.impact + "): " + n.target.join(" ") + ": " + (n.any[0] ?? n.all[0] ?? n.none[0] ?? {message: v.help}).message)))`)
	for _, f := range found {
		t.Errorf("%s: %s", name, f)
	}
	if over := webtest.Eval[int](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
		t.Errorf("%s: the page is %d pixels wider than the window", name, over)
	}
	picture, err := chromedp.Run(p.Context(), chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	keep(t, "shots/"+name+".png", picture)
}
