//go:build !js

package web_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"golem/web/webtest"
)

// scene is a view of the page, and the statements that open it from the scene before.
type scene struct{ name, way string }

// walks are sequences of scenes, each in a new page.
var walks = map[string][]scene{
	"run": {
		{"run-empty", `await text("is ready")`},
		{"approval", `await click("Ada starts on Monday"); await text("Change a file?"); await until("a possible yes", yes)`},
		{"run", `await answered()`},
		{"run-call", `(await until("a call", () => document.querySelectorAll('.node')[1])).click(); [...document.querySelectorAll('button')].find((b) => b.innerText === 'This run' || b.textContent === 'This run').click()`},
		{"trace-runs", `await click("Trace"); await until("the run", () => button(".jsonl"))`},
		{"trace", `await click(".jsonl"); await text("Timeline"); await click("writer")`},
		{"trace-timeline", `await click("Timeline")`},
		{"trace-turns", `await click("Turns"); await click("main, turn 1")`},
		{"trace-test", `await click("Make a test of this"); await text("Look whether the answers are the right ones.")`},
		{"menu", `await click("Run"); await click("what you can do"); await text("start over")`},
		{"keys", `await click("Close"); await click("keys"); await text("goes to the field for the task")`},
		{"history", `await click("Close"); await click("History"); await until("it", () => document.querySelector('.side .past'))`},
		{"undo", `await click("Undo what this run wrote"); await until("the diff", () => button("Undo this run"))`},
		{"bring", `const make = URL.createObjectURL; URL.createObjectURL = (data) => { window.moved = data; return make.call(URL, data) };
			await click("Run"); await click("This run"); await click("new conversation"); (await until("move", () => document.querySelector('button[aria-label^="move "]'))).click(); await until("the file", () => window.moved)`}, // the test brings it to another project
	},
	"projects": {
		{"projects", `await text("is ready"); await click("Projects"); await text("Examples")`},
		{"project-delete", `await click("delete welcome"); await text("cannot be undone")`},
		{"files-list", `await click("Cancel"); await click("Files"); await until("a file", () => button("main.worker"))`},
		{"files", `await click("main.worker"); await until("the editor", () => document.querySelector('.editor div')?.shadowRoot?.querySelector('.cm-content'))`},
		{"files-find", `document.querySelector('.editor div').shadowRoot.querySelector('.cm-content').dispatchEvent(new KeyboardEvent('keydown', {key: 'f', ctrlKey: true, bubbles: true}));
			await until("the panel", () => document.querySelector('.editor div').shadowRoot.querySelector('.cm-search'))`},
		{"files-changes", `await click("Changes"); await text("No run that can be undone")`},
		{"files-search", `await click("Changes"); location.hash = '#/p/welcome/files'; await text("Pick a file"); await click("In texts");
			const field = document.querySelector('input[type=search]'); field.value = 'model'; field.dispatchEvent(new Event('input', {bubbles: true})); await text("found")`},
		{"settings", `await click("Settings"); await text("Model providers")`},
		{"settings-end", `document.querySelector('.page').scrollTop = 1e6`},
		{"project-new", `await click("Projects"); await click("New project"); await until("the dialog", () => document.querySelector('dialog[open] input'))`},
		{"run-lacks", `await click("Make it"); await until("the file", () => document.querySelector('h2.mono')); await click("Run"); await text("main is ready"); ` + otherModel + `;
			const field = document.querySelector('#model-name'); field.value = 'gpt-5-mini'; field.dispatchEvent(new Event('input', {bubbles: true})); await click("Use it"); await text("needs a key of openai")`},
		{"model", `await click("Choose a model"); await until("the dialog", () => document.querySelector('dialog[open] #model-name'))`},
	},
	"faults": {
		{"faults", `await text("is ready")`}, // the test puts a broken project there
		{"failed", ``},                       // and one whose tools fail
	},
	"asked": {
		{"describe", `await text("is ready")`}, // the test puts a project with every kind of tool there
		{"trust", ``},                          // and one that reaches beyond its sandbox
	},
	"desk": {
		{"staged", `await text("is ready")`}, // the test puts a project there that stages
		{"compare", `await click("Run"); await say("again"); await text("[!] 4 item(s)"); await click("Trace"); const marks = await until("two runs", () => { const all = document.querySelectorAll('input[aria-label^="mark "]'); return all.length === 2 && all });
			for (const m of marks) m.click(); await click("Compare"); await text("Two runs compared")`},
	},
	"batches": {
		{"batches-start", `await text("is ready")`}, // the test puts a project there whose worker takes many inputs
		{"batch-parked", paste + `await text("4 questions of 4 items"); await until("the items", () => document.querySelector('table.items tr'))`},
		{"batch-question", `await click("Answer…"); await until("a possible yes", yes)`},
		{"batch-rule", `await click("Later"); await until("no question", () => !document.querySelector('dialog[open]')); await click("By a rule…"); await click("Show what it covers"); await text("One answer for all these calls?"); await until("a possible yes", yes)`},
		{"batch-goes-on", `yes().click(); await text("stopped: 3 items left"); await until("the button", () => button("Go on"))`},
		{"batch-done", `await click("Go on"); await text("1 item waits for you"); await click("E_MODEL 1"); await until("one item", () => document.querySelectorAll('table.items tbody tr').length === 1)`},
		{"batches", `await click("all batches"); await until("the list", () => document.querySelector('table[aria-label=Batches]'))`},
	},
	"harden": {
		{"harden-begin", `await text("is ready")`}, // the test puts a project there whose workers can be hardened
		{"harden-running", hardening("slow") + `await click("Write the code"); await text("the model writes the code")`},
		{"harden-refused", `await click("Stop"); ` + hardening("main") + `await click("Write the code"); await text("golem has 0 distinct inputs")`},
		{"harden-cheats", hardening("cheat") + `await click("Write the code"); await text("contains a table")`},
		{"harden-sure", `await click("Harden the worker all the same"); await text("The report says")`},
		{"harden-wrong", `await click("Cancel"); ` + hardening("wrong") + `await click("Write the code"); await text("answers otherwise than the worker")`},
		{"harden-good", hardening("sort") + `await click("Write the code"); await text("Nothing found speaks against it")`},
		{"harden-code", `button("Harden the worker with it").scrollIntoView()`},
		{"harden-applied", `await click("Harden the worker with it"); await text("The worker is hardened")`},
		{"harden-again", `await click("Close"); ` + hardening("sort") + `await text("Improve the code")`},
		{"harden-nothing-new", `await click("Improve the code"); await text("No model was asked")`},
	},
	"assistant": {
		{"assistant", `await text("is ready"); await click("Talk with the assistant"); await text("The assistant needs a model")`},
		{"elsewhere", ``}, // the test leaves a project in which something runs
		{"reasoning", ``}, // and one whose model reasons
	},
	"workers": {
		{"workers", `await text("is ready")`}, // the test puts a project of several workers there
		{"workers-chosen", `[...document.querySelectorAll('.box')].find((b) => b.querySelector('b').innerText === 'reader').click(); await until("it", () => button("Try it"))`},
		{"workers-form", `await click("Try it"); await text("Where to look.")`},
	},
}

// beyond is a project with settings that reach beyond its sandbox, one of each kind that a
// page can show.
var beyond = map[string]string{
	"project.yaml": "model: acme:m\nproviders:\n  acme:\n    base_url: https://models.example.com/a/rather/long/path/to/the/models/v1\n    api_key_env: ACME_KEY\n    headers: {X-Team: blue}\n",
	"main.worker":  "---\nmodel_settings: {extra: {search: true}}\ntoolsets: {filesystem: {}}\n---\nAnswer.\n",
}

// broken is a project that cannot run; failing is one whose call fails.
var (
	broken  = map[string]string{"main.worker": "---\nmodle: openai:gpt-5-mini\ntoolsets: {filesystem: {readonly: maybe}}\n---\nHello.\n"}
	failing = map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\n---\nTry.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - say: \"I **look** at `missing.txt` first:\\n\\n1. read it\\n2. [tell](https://example.com/) what is in it\"\n      calls: [{tool: read_file, args: {path: /missing.txt}}, {tool: nope, args: {a: b}}]\n    - fail: {status: 401}\n",
	}
)

// answered defines a function that answers every question with yes until the run ends.
const answered = `
	const yes = () => [...document.querySelectorAll('dialog[open] button')].find((b) => b.innerText === 'Yes' && !b.disabled);
	const answered = async () => {
		for (;;) {
			await until("a question, or the end", () => document.querySelector('dialog[open]') || [...document.querySelectorAll('[role=status]')].some((e) => e.innerText.startsWith('ok,')))
			if (!document.querySelector('dialog[open]')) return
			const shown = document.querySelector('dialog[open]').innerText
			;(await until("a possible yes", yes)).click()
			await until("the next moment", () => document.querySelector('dialog[open]')?.innerText !== shown)
		}
	};`

// widths are the window sizes of a phone and a desktop, in pixels.
var widths = []struct {
	name          string
	width, height int64
}{{"phone", 390, 844}, {"desktop", 1280, 800}}

// TestViews tests every view in light and dark, on a phone and on a desktop: axe-core finds
// no violation, nothing is wider than the window, and no table breaks short words. It writes pictures to build/shots for
// a person to look at.
func TestViews(t *testing.T) {
	axe, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatalf("%v: make web installs it", err)
	}
	for name, walk := range walks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _ := visit(t, "/")
			if _, err := webtest.Try[map[string]any](p, string(axe)+";({})", webtest.Patience); err != nil {
				t.Fatal(err)
			}
			for _, s := range walk {
				do(p, "%s", answered+s.way)
				switch s.name {
				case "faults":
					project(t, p, "broken", broken)
				case "describe":
					project(t, p, "described", described)
					do(p, `await click("Files"); await click("main.worker"); await click("Describe"); await text("a template, rendered at each call")`)
				case "workers":
					project(t, p, "team", team)
					do(p, `await click("Workers"); await until("the graph", () => document.querySelectorAll('.box').length === 5)`)
				case "batches-start":
					project(t, p, "many", batching)
					do(p, `location.hash = '#/p/many/batches'; await until("the form", () => document.querySelector('#batch-inputs'))`)
				case "harden-begin":
					project(t, p, "hard", hardenables())
					do(p, "%s", hardening("sort")+`await text("Write the code")`)
				case "staged":
					project(t, p, "staging", stagingProject)
					do(p, `await say("go"); await text("staged it"); await text("[!] 2 item(s)"); await click("Staged"); await click("Show changes"); await until("the diff", () => button("Push"))`)
				case "trust":
					project(t, p, "beyond", beyond)
					do(p, `await click("Run"); await say("go"); await text("more than its sandbox"); await until("a possible yes", () => [...document.querySelectorAll('dialog[open] button')].some((b) => b.innerText === 'Yes' && !b.disabled))`)
				case "elsewhere":
					project(t, p, "hangs", hanging)
					do(p, "%s", `await say("wait for ever"); await until("it to run", () => button("Stop")); `+card("assistant")+`await until("the note", () => button("hangs runs")); await text("The assistant needs a model")`)
				case "reasoning":
					project(t, p, "thinks", thinking)
					do(p, `await say("short"); await text("the plain answer"); await until("my turn", () => button("Send")); (await until("the line", () => document.querySelector('.thought summary'))).click(); await text("why it is so")`)
				case "bring":
					project(t, p, "other", failing)
					do(p, `await click("Run"); const field = await until("the field", () => document.querySelector("label.button input[accept='.json']")); const files = new DataTransfer(); files.items.add(new File([window.moved], 'moved.json'));
						field.files = files.files; field.dispatchEvent(new Event('change', {bubbles: true})); await text("Bring this conversation here?")`)
				case "failed":
					project(t, p, "failing", failing)
					do(p, `await say("go"); await text("E_MODEL"); await click("read_file"); await text("E_NOT_FOUND")`)
				}
				for _, theme := range []string{"light", "dark"} {
					webtest.Eval[string](p, fmt.Sprintf(`(document.documentElement.dataset.theme = %q)`, theme))
					for _, w := range widths {
						look(t, p, s.name+"-"+w.name+"-"+theme, w.width, w.height)
					}
				}
			}
		})
	}
}

// look checks one view with axe-core, in a window of this size, and keeps a picture of it.
func look(t *testing.T, p *webtest.Page, name string, width, height int64) {
	t.Helper()
	size := emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 600}
	if _, err := chromedp.Call(p.Context(), emulation.SetDeviceMetricsOverride, size); err != nil {
		t.Fatal(err)
	}
	found := webtest.Eval[[]string](p, `axe.run(document, {resultTypes: ['violations']}).then((r) => r.violations.flatMap((v) =>
		v.nodes.map((n) => v.id + " (" + v.impact + "): " + n.target.join(" ") + ": " + (n.any[0] ?? n.all[0] ?? n.none[0] ?? {message: v.help}).message)))`)
	for _, f := range found {
		t.Errorf("%s: %s", name, f)
	}
	if over := webtest.Eval[int](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
		t.Errorf("%s: the page is %d pixels wider than the window", name, over)
	}
	broken := webtest.Eval[[]string](p, `[...document.querySelectorAll('td, th')].filter((e) => {
		const word = e.innerText.trim(), range = document.createRange(); range.selectNodeContents(e);
		return word && word.length <= 12 && !/\s/.test(word) && range.getBoundingClientRect().height > 2.5 * parseFloat(getComputedStyle(e).fontSize) }).map((e) => e.innerText.trim())`)
	if len(broken) > 0 {
		t.Errorf("%s: short words of tables are broken over lines: %q", name, broken)
	}
	shot(t, p, name)
}

// shot keeps a picture of what the window shows, for a person to look at.
func shot(t *testing.T, p *webtest.Page, name string) {
	t.Helper()
	picture, err := chromedp.Run(p.Context(), chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	keep(t, "shots/"+name+".png", picture)
}
