//go:build !js

package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"golem/web/webtest"
)

// picked puts files into a file field, as if a person had picked them.
func picked(p *webtest.Page, field string, files map[string]string) {
	p.Helper()
	var list strings.Builder
	for name, text := range files {
		fmt.Fprintf(&list, "list.items.add(new File([%s], %s));", quoted(text), quoted(name))
	}
	do(p, `const input = await until("the field", () => document.querySelector(%q)); const list = new DataTransfer(); %s input.files = list.files; input.dispatchEvent(new Event('change', {bubbles: true}))`, field, list.String())
}

// hanging is a project that gives a short answer, or waits for ever.
var hanging = map[string]string{
	"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\n---\nHang.\n",
	"s.yaml":      "script: 1\nworkers:\n  main:\n    - when: {text: short}\n      say: a short answer\n    - hang: true\n",
}

// TestFirstMinute tests what a person sees first: what golem is, the simplest example with a
// tree and one question, and the way to use another model. The theme follows the system until
// the person chooses one. The focused element is marked.
func TestFirstMinute(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("golem runs workers: text files"); await text("no key and no network"); await click("Ada starts on Monday"); await text("Change a file?")`)
	yes(p)
	do(p, `await text("played from a script"); await until("the tree", () => [...document.querySelectorAll('.tree .node')].some((n) => n.innerText.includes('writer')));
		await click("Use your own model"); await until("the dialog", () => document.querySelector('dialog[open] #provider'))`)
	for _, system := range []string{"dark", "light"} {
		media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: system}}}
		if _, err := chromedp.Call(p.Context(), emulation.SetEmulatedMedia, media); err != nil {
			t.Fatal(err)
		}
		do(p, `await until("the colours of the system: %s", () => document.documentElement.dataset.theme === %q)`, system, system)
	}
	do(p, `await click("Cancel"); await click("use dark colours"); await until("dark", () => document.documentElement.dataset.theme === 'dark');
		await click("Settings"); await click("system"); await until("light", () => document.documentElement.dataset.theme === 'light')`)
	// A button that opens files shows that it has the focus.
	do(p, `await click("Projects"); [...document.querySelectorAll('.hero button')][0].focus()`)
	p.Press(webtest.Tab)
	if got := webtest.Eval[string](p, `document.activeElement.type + getComputedStyle(document.activeElement.closest('label')).outlineStyle`); got != "filesolid" {
		t.Errorf("the focused button: %s", got)
	}
}

// TestModelByItsAddress tests that the model dialog accepts an address without a scheme, says
// which addresses the page cannot reach and how to start a model server on this computer, and
// keeps a provider that the person adds.
func TestModelByItsAddress(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Headers", "*")
		if strings.HasSuffix(r.URL.Path, "/models") {
			fmt.Fprint(w, `{"data":[{"id":"own-1"}]}`)
			return
		}
		if r.Method == http.MethodPost {
			w.Header().Set("Content-Type", "text/event-stream")
			say(w, "my own answer", "stop")
			fmt.Fprint(w, "data: [DONE]\n\n")
		}
	}))
	t.Cleanup(server.Close)
	address := strings.TrimPrefix(server.URL, "http://") + "/v1"
	p, site := visit(t, "/")
	do(p, `await text("is ready"); localStorage.setItem('golem.keys', JSON.stringify({OPENAI_BASE_URL: %q})); %s;
		const fill = (id, value) => { const f = document.getElementById(id); f.value = value; f.dispatchEvent(new Event(f.localName === 'select' ? 'change' : 'input', {bubbles: true})) };
		fill('provider', 'openai'); await text("for %s"); fill('model-base', 'http://192.168.1.7:8080/v1'); await text("http addresses on this computer only");
		fill('provider', 'ollama'); await text("OLLAMA_ORIGINS=%s"); fill('provider', 'lmstudio'); await text("--cors");
		fill('provider', ''); await until("the name", () => document.getElementById('provider-name')); fill('provider-name', 'my models'); await text("A name begins with a letter"); fill('provider-name', 'acme'); await until("no fault", () => !document.body.innerText.includes("A name begins")); fill('model-base', %q);
		await until("the test to be possible", () => button("list the models of acme")); await click("list the models of acme"); await text("acme answers: it has 1 model.");
		fill('model-name', 'own-1'); await click("Use it"); await until("the choice", () => document.querySelector('#model').value === 'acme:own-1');
		await say("hello"); await text("my own answer")`, address, otherModel, strings.Split(address, "/")[0], site.Origin, address)
	finished(p, "ok")
	p.Reload()
	do(p, `await until("the page", () => /main is ready|my own answer/.test(document.body.innerText)); await say("hello again");
		await until("an answer", () => document.body.innerText.split("hello again").at(-1).includes("my own answer")); await click("Settings"); await until("it", () => document.querySelector('[aria-label^="address of acme"]')?.value.endsWith('/v1'))`)
}

// TestNothingIsLost tests what people noticed in an hour of use: no run is stopped without a
// question, a stop is not shown as an error, what was shown and written stays, and a broken
// project says why it cannot run.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "hangs", hanging)
	do(p, `await say("short"); await text("a short answer"); await say("wait for ever"); await until("it to run", () => button("Stop"));
		const leaving = new Event('beforeunload', {cancelable: true}); dispatchEvent(leaving); if (!leaving.defaultPrevented) throw new Error("the tab closes without a question");
		await click("Projects"); const other = [...document.querySelectorAll('[aria-labelledby=mine] .card')].find((c) => c.innerText.startsWith('welcome')).querySelector('button'); other.click();
		await text("main is ready"); await click("hangs runs"); await until("it still runs", () => button("Stop"));
		await click("Projects"); [...document.querySelectorAll('[aria-labelledby=mine] .card')].find((c) => c.innerText.startsWith('hangs')).querySelector('button').click();
		await until("it is as it was", () => button("Stop") && document.querySelector('.bubble.you')?.innerText.includes('wait for ever'));
		await click("Stop"); await text("You stopped it"); if (document.querySelector('.talk [role=alert], .talk .error')) throw new Error(document.querySelector('.talk').innerHTML)`)
	do(p, `await click("Projects"); [...document.querySelectorAll('[aria-labelledby=mine] .card')].find((c) => c.innerText.startsWith('welcome')).querySelector('button').click(); await text("main is ready"); await click("Trace"); await text("No run of welcome yet");
		await click("Projects"); [...document.querySelectorAll('[aria-labelledby=mine] .card')].find((c) => c.innerText.startsWith('hangs')).querySelector('button').click(); await text("You stopped it"); await text("wait for ever");
		await click("Trace"); const stopped = await until("the run", () => [...document.querySelectorAll('table.list tbody tr')].find((r) => r.innerText.includes('interrupted'))); stopped.querySelector('button').click(); await text("exit 130");
		await click("Projects"); [...document.querySelectorAll('[aria-labelledby=mine] .card')].find((c) => c.innerText.startsWith('welcome')).querySelector('button').click(); await click("Trace"); await text("No run of welcome yet"); if (document.body.innerText.includes('exit 130')) throw new Error("the trace of another project")`)
	// What is written and not sent stays, with its files, also when the message is refused.
	do(p, `await click("Projects"); [...document.querySelectorAll('[aria-labelledby=mine] .card')].find((c) => c.innerText.startsWith('hangs')).querySelector('button').click(); await type("not sent yet")`)
	picked(p, ".composer input[type=file]", map[string]string{"note.txt": "a note"})
	do(p, `await text("note.txt"); await click("Files"); await until("the files", () => button("s.yaml")); await click("Run"); await text("note.txt"); await until("the text", () => document.querySelector('#task')?.value === 'not sent yet')`)
	one := webtest.Eval[string](p, `location.href`)
	two := browserOf(t).Open(t, one)
	do(two, `await text("main is ready"); await say("wait here"); await text("thinks")`) // it has the project
	do(p, `await say("not sent yet"); await text("E_BUSY"); await until("the text to be back", () => document.querySelector('#task').value === 'not sent yet'); await text("note.txt");
		if (document.body.innerText.split("E_BUSY").length !== 2) throw new Error("it is told twice: " + document.body.innerText); if (!document.body.innerText.includes("wait for ever")) throw new Error("the conversation is gone")`)
	do(two, `await click("Stop"); await text("You stopped it")`)
	// A project that breaks after a run.
	do(p, `await click("Files")`)
	picked(p, ".pane.side input[type=file]", map[string]string{"main.worker": "---\nmodle: x\n---\nBroken.\n"})
	do(p, `await click("Replace"); await text("unknown key"); await click("Run"); await text("This project cannot run now"); await click("Open main.worker"); await until("the editor", () => document.querySelector('h2.mono'))`)
	// A notice goes by itself.
	do(p, `await click("Settings"); await click("Forget all keys"); await text("are forgotten"); await until("the notice to go", () => !document.querySelector('.toast'))`)
}

// TestTurnsOfAConversation tests that answers can be copied, and messages sent again and
// changed, and that calls in a row are grouped.
func TestTurnsOfAConversation(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready"); window.copied = []; navigator.clipboard.writeText = async (text) => { window.copied.push(text) }`)
	project(t, p, "turns", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\nmode: chat\ntoolsets: {filesystem: {}}\n---\nTalk.\n",
		"s.yaml": "script: 1\nworkers:\n  main:\n    - when: {text: one}\n      say: \"the **first** answer\\n\\n```\\nsome code\\n```\"\n" +
			"    - when: {tool: list_files}\n      say: five lists\n    - when: {text: two}\n      calls: [" + strings.Repeat("{tool: list_files, args: {path: /}}, ", 5) + "]\n    - when: {text: three}\n      fail: {status: 400}\n",
	})
	do(p, `await say("one"); await text("the first answer"); await until("my turn", () => button("Send")); await click("copy this answer"); await click("copy this code");
		if (JSON.stringify(window.copied) !== JSON.stringify(["the **first** answer\n\n`+"```\\nsome code\\n```"+`", "some code"])) throw new Error(JSON.stringify(window.copied));
		await click("answer again"); await until("one answer, anew", () => button("Send") && document.querySelectorAll('.bubble.golem').length === 1 && document.querySelectorAll('.bubble.you').length === 1);
		await say("two"); await text("five lists"); await until("the calls to fold", () => button("5 calls")); if (document.querySelectorAll('.talk > .call').length !== 1) throw new Error("they are there besides");
		await click("5 calls"); await until("the calls", () => document.querySelectorAll('.calls .call').length === 5)`)
	do(p, `await click("History"); await until("the history", () => document.querySelectorAll('[aria-label=History] .node').length > 0); await click("new conversation"); await text("main is ready");
		await until("it to be kept", () => [...document.querySelectorAll('[aria-label=History] .node')].find((n) => !n.disabled)); [...document.querySelectorAll('[aria-label=History] .node')].find((n) => !n.disabled).click(); await text("the first answer")`)
}

// TestWaysThroughThePage tests that views have addresses and that Back works; a question is
// beside the page, so that the person can look at files; in the background the title and a
// notification report events; keys open views; runs are listed with their input, and two can
// be compared.
func TestWaysThroughThePage(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready"); await until("its address", () => location.hash === '#/p/welcome/run'); window.told = []; window.Notification = class { static permission = 'granted'; static requestPermission = async () => 'granted'; constructor(title) { window.told.push(title) } };
		await click("Settings"); await text("Notify me"); const wish = [...document.querySelectorAll('label')].find((l) => l.innerText.startsWith('Notify me')).querySelector('input'); wish.click(); await until("the wish", () => wish.checked); await click("Files"); await click("main.worker");
		await until("its address", () => location.hash === '#/p/welcome/files/main.worker'); history.back(); await until("no file", () => location.hash === '#/p/welcome/files' && !document.querySelector('h2.mono'));
		history.back(); await text("Model providers"); history.back(); await text("main is ready"); if (location.hash !== '#/p/welcome/run') throw new Error(location.hash)`)
	do(p, `Object.defineProperty(document, 'hidden', {value: true, configurable: true}); await click("Ada starts on Monday"); await text("Change a file?"); await until("the title", () => document.title.startsWith('(1) welcome'));
		if (window.told.join() !== 'welcome asks') throw new Error(window.told);
		await click("Files"); await click("main.worker"); await until("the editor", () => document.querySelector('.editor div')?.shadowRoot?.querySelector('.cm-content')?.innerText.includes('letter.md'));
		const main = document.querySelector('main').getBoundingClientRect(), ask = document.querySelector('dialog.beside[open]').getBoundingClientRect(); if (main.right > ask.left + 1) throw new Error('the question covers ' + (main.right - ask.left));
		await until("a yes", () => { const b = [...document.querySelectorAll('dialog[open] button')].find((b) => b.innerText === 'Yes'); return b && !b.disabled && (b.click(), true) });
		await until("the end", () => window.told.join() === 'welcome asks,welcome is done' && document.title.startsWith('✓')); Object.defineProperty(document, 'hidden', {value: false}); document.dispatchEvent(new Event('visibilitychange'));
		await until("the title", () => document.title === 'welcome · golem'); await click("Run"); await click("answer again"); await text("Change a file?"); await until("the answer", () => { const b = [...document.querySelectorAll('dialog[open] button')].find((b) => b.innerText === 'No'); return b && (b.click(), true) }); await text("Then nothing was written");
		await click("Trace"); await until("what they were", () => [...document.querySelectorAll('table.list tbody tr')].filter((r) => r.innerText.includes('Ada starts on Monday') && r.innerText.includes('tokens')).length === 2);
		for (const box of document.querySelectorAll('table.list input[type=checkbox]')) { box.click(); await until("the mark", () => box.checked) }
		await click("Compare"); await text("Two runs compared"); await until("what differs", () => document.querySelector('[aria-label="What differs"]')?.innerText.includes('differs in status, '));
		await click("Leave"); await click(".jsonl"); await click("Timeline"); await until("the wait for a person", () => document.querySelector('.bar.waits')); await click("Tree"); await click("main");
		await until("the turns", () => document.querySelector('[aria-label^="turns of"] summary')?.innerText.includes('turn 1')); document.activeElement.blur()`)
	p.Press("?")
	do(p, `await text("begins a new conversation"); await click("Close"); await until("it to go", () => !document.querySelector('dialog[open]')); document.activeElement.blur()`)
	p.Press("f")
	do(p, `await until("the files", () => location.hash.startsWith('#/p/welcome/files'))`)
}

// TestRefusedNotifications tests that a browser that lets the page not notify leaves the choice
// off, and that the page says so.
func TestRefusedNotifications(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready"); window.Notification = class { static permission = 'denied'; static requestPermission = async () => 'denied' }; await click("Settings"); await text("Notify me");
		const wish = [...document.querySelectorAll('label')].find((l) => l.innerText.startsWith('Notify me')).querySelector('input'); wish.click(); await text("does not let this page notify you"); if (wish.checked) throw new Error('it is on')`)
}
