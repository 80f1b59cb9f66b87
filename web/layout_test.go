//go:build !js

package web_test

import (
	"encoding/json"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"golem/web/webtest"
)

// resized sets the size of the window, in pixels.
func resized(t *testing.T, p *webtest.Page, width, height int64) {
	t.Helper()
	size := emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1}
	if _, err := chromedp.Call(p.Context(), emulation.SetDeviceMetricsOverride, size); err != nil {
		t.Fatal(err)
	}
}

// prose is a project whose worker writes one long line into a new file.
var prose = map[string]string{
	"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\n---\nWrite.\n",
	"s.yaml":      "script: 1\nworkers:\n  main:\n    - calls: [{tool: write_file, args: {path: /a.md, content: \"A long line of prose that goes on and on, so that it has to be wrapped in whatever window there is, and then it goes on once more until nobody wants to read it.\\n\"}}]\n    - say: done\n",
}

// TestEveryWidth tests windows of many widths: nothing is wider than the window, a long project
// name ends in an ellipsis, and the view Projects has one scroll bar.
func TestEveryWidth(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	const name = "A project with a name of many words and as long as names may"
	project(t, p, name, prose)
	for _, view := range []string{"Run", "Workers", "Files", "Staged", "Batches", "Trace", "Settings", "Projects"} {
		do(p, `const tab = [...document.querySelectorAll('.tab')].find((b) => b.innerText.startsWith(%q)); tab.click(); await until("the view", () => tab.ariaCurrent === 'page')`, view)
		for width := int64(320); width <= 1440; width += 40 {
			resized(t, p, width, 800)
			if over := webtest.Eval[int](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("%s at %d: %d pixels wider than the window", view, width, over)
			}
			if over := webtest.Eval[int](p, `document.documentElement.scrollHeight - innerHeight`); over > 0 {
				t.Errorf("%s at %d: a second scroll bar, for %d pixels below the page", view, width, over)
			}
		}
	}
	resized(t, p, 390, 844)
	if got := webtest.Eval[string](p, `(() => { const b = document.querySelector('.top .project'); return getComputedStyle(b).display + (b.scrollWidth > b.clientWidth) })()`); got != "blocktrue" {
		t.Errorf("the name that is cut: %s", got) // a flex box has no ellipsis
	}
}

// TestQuestionInLowWindows tests that in windows of any height there is room for the content of
// a question, all of it can be reached, long lines are wrapped, and No and Yes are visible.
func TestQuestionInLowWindows(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "prose", prose)
	do(p, `await say("go"); await until("the question", () => document.querySelector('dialog[open] .diff'))`)
	for _, size := range [][2]int64{{1440, 900}, {900, 600}, {844, 390}, {390, 844}, {375, 667}, {320, 568}, {320, 256}} {
		resized(t, p, size[0], size[1])
		var got struct {
			Seen        int  // pixels of the content that are seen at once
			Whole, Both bool // all can be scrolled to; No and Yes are seen at its beginning
			Wraps       bool
		}
		if err := json.Unmarshal([]byte(webtest.Eval[string](p, `(() => {
			const all = document.querySelector('dialog .dialog'), body = all.querySelector('.body'), diff = all.querySelector('.diff');
			all.scrollTop = 0;
			const answers = ['No', 'Yes'].map((a) => [...all.querySelectorAll('button')].find((b) => b.innerText === a).getBoundingClientRect());
			const rolls = (e) => e.scrollHeight <= e.clientHeight || getComputedStyle(e).overflowY === 'auto';
			return JSON.stringify({
				seen: Math.round(Math.min(body.getBoundingClientRect().bottom, answers[0].top) - body.getBoundingClientRect().top),
				whole: rolls(body) && rolls(all) && all.getBoundingClientRect().bottom <= innerHeight, both: answers.every((r) => r.top >= 0 && r.bottom <= innerHeight),
				wraps: diff.scrollWidth <= diff.clientWidth}) })()`)), &got); err != nil {
			t.Fatal(err)
		}
		if got.Seen < 90 || !got.Whole || !got.Both || !got.Wraps {
			t.Errorf("%d x %d: %+v", size[0], size[1], got)
		}
	}
	refuse(p)
	finished(p, "ok")
}

// TestLowWindowsShowTheBeginning tests that a low window, such as one at 200 %, begins with the
// first words of the first screen, and with the title of a question.
func TestLowWindowsShowTheBeginning(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	resized(t, p, 640, 360)
	do(p, `await text("is ready"); const talk = document.querySelector('.talk'); if (talk.scrollHeight <= talk.clientHeight || talk.scrollTop > 0) throw new Error('the first screen is scrolled by ' + talk.scrollTop)`)
	project(t, p, "prose", prose)
	do(p, `await say("go"); await until("the focus in the question", () => document.activeElement?.closest('dialog[open]'));
		const title = document.querySelector('dialog[open] h2').getBoundingClientRect(), all = document.querySelector('dialog[open] .dialog').getBoundingClientRect(); if (title.top < all.top) throw new Error('it is scrolled by ' + (all.top - title.top))`)
	refuse(p)
	finished(p, "ok")
}

// TestForcedColours tests that where the system sets the colours, bars still have one, and what is
// chosen has a line around it.
func TestForcedColours(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "forced-colors", Value: "active"}}}
	if _, err := chromedp.Call(p.Context(), emulation.SetEmulatedMedia, media); err != nil {
		t.Fatal(err)
	}
	do(p, `await text("is ready"); await click("Ada starts on Monday"); await text("Change a file?")`)
	yes(p)
	do(p, `await click("Trace"); await click(".jsonl"); await click("Timeline"); const look = (name) => getComputedStyle(document.querySelector(name)); await until("the bars", () => document.querySelector('.bar'));
		if (look('.bar').backgroundColor === look('body').backgroundColor) throw new Error('the bars have no colour'); for (const name of ['.tab[aria-current]', '.button[aria-pressed=true]']) if (look(name).outlineStyle !== 'solid') throw new Error(name + ' has no line')`)
}
