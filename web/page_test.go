//go:build !js

package web_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"golem/web"
	"golem/web/webtest"
)

// TestFirstVisit tests a first visit of a page in a sub-path: it has an example, which runs
// without a key, asks before it writes, and ends (bench/README.md says how soon). Requests go
// only to the page's own server.
func TestFirstVisit(t *testing.T) {
	p, site := visitFirst(t, "/some/where/")
	do(p, `await click("Ada starts on Monday"); await text("Change a file?")`)
	yes(p)
	for _, address := range p.Requests() {
		if !strings.HasPrefix(address, site.URL) && !strings.HasPrefix(address, "blob:"+site.Origin) && !strings.HasPrefix(address, "data:") {
			t.Errorf("the page asked for %s", address)
		}
	}
}

// written is an expression for the number of files named letter.md.
const written = `[...document.querySelectorAll('[aria-label=Files] button')].filter((b) => b.innerText.startsWith('letter.md')).length`

// TestApprovalByKeyboard tests the approval dialog: the focus is on no button, F6 leads to the
// question, Escape in it is no, and the keyboard alone can answer yes.
func TestApprovalByKeyboard(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await click("Ada starts on Monday"); await text("Change a file?")`)
	if got := webtest.Eval[string](p, `document.activeElement.localName`); got == "button" {
		t.Error("a button has the focus")
	}
	while(p, func() { refuse(p) })
	do(p, `await click("Files"); await until("the files", () => button("main.worker")); if (%s !== 0) throw new Error("it was written")`, written)

	p, _ = visit(t, "/")
	do(p, `await click("Ada starts on Monday"); await text("Change a file?"); document.activeElement.blur()`)
	p.Press(webtest.Enter, " ", "y", "yes please ", webtest.Enter) // keys of a text
	settled(p)
	p.Press(webtest.Enter, " ", "y", "yes please ", webtest.Enter)
	do(p, `if (!document.querySelector('dialog[open]')) throw new Error("typing answered")`)
	do(p, `await click("Run")`) // single keys lead to other views
	while(p, func() {
		do(p, `document.activeElement.blur()`)
		p.Press(webtest.Escape) // leads to the question
		do(p, `if (!document.activeElement.closest('dialog[open]')) throw new Error("Escape does not lead to the question")`)
		settled(p)
		for range 9 { // the other answers stand between No and Yes
			p.Press(webtest.Tab)
			if webtest.Eval[string](p, `document.activeElement.innerText`) == "Yes" {
				p.Press(webtest.Enter)
				return
			}
		}
		t.Error("Tab does not lead to Yes")
		refuse(p)
	})
	do(p, `await click("Files"); await until("the file in /output", () => %s === 1)`, written)
}

// TestReload tests that after a reload the projects exist, and the same project is open.
func TestReload(t *testing.T) {
	t.Parallel()
	p, _ := visitFirst(t, "/")
	do(p, `await text("is ready"); document.querySelector('.brand').click(); await click("Use it"); await text("is ready")`)
	before := webtest.Eval[string](p, `document.title`)
	p.Reload()
	do(p, `await text("is ready")`)
	if after := webtest.Eval[string](p, `document.title`); after != before || before == "golem" {
		t.Errorf("%q was open, %q is", before, after)
	}
	do(p, `document.querySelector('.brand').click(); await text("Projects"); if (document.querySelectorAll('[aria-labelledby=mine] .card').length !== 2) throw new Error(document.body.innerText)`)
}

// TestStop stops a run that hangs: its trace has an end.
func TestStop(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready"); await click("Files")`)
	do(p, `
		await until("the script", () => button("script.yaml")); await click("script.yaml")`)
	project(t, p, "hangs", map[string]string{"main.worker": "---\nmodel: script:s.yaml\n---\nHang.\n", "s.yaml": "script: 1\nworkers:\n  main:\n    - hang: true\n"})
	do(p, `await say("go"); await click("Stop")`)
	finished(p, "interrupted")
	do(p, `await click("Trace"); await until("a run", () => button(".jsonl")); await click(".jsonl"); await text("interrupted, exit 130")`)
}

// project makes a project from a zip, through the page's own file field, and opens it.
func project(t testing.TB, p *webtest.Page, name string, files map[string]string) {
	t.Helper()
	do(p, `
		const data = Uint8Array.from(atob(%q), (c) => c.charCodeAt(0));
		document.querySelector('.brand').click();
		const input = await until("the zip field", () => document.querySelector('input[accept*=zip]'));
		const list = new DataTransfer(); list.items.add(new File([data], %q)); input.files = list.files;
		input.dispatchEvent(new Event('change', {bubbles: true}));
		await until("the project", () => document.title.replace(/^\(\d+\) /, '').startsWith(%q) && /is ready|cannot run/.test(document.body.innerText))`, packed(t, files), name+".zip", name)
}

// TestOffline tests that after the first load the page opens and runs without a network,
// whether the server sends golem.wasm.gz compressed or decompresses it, as golem web does.
func TestOffline(t *testing.T) {
	t.Parallel()
	asItIs := func(next http.Handler, _ []byte) http.Handler { return next }
	module, err := unpacked()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(module)
	for name, c := range map[string]struct {
		server func(http.Handler, []byte) http.Handler
		site   fs.FS
	}{
		"as it is":               {asItIs, built(t)},
		"unpacked by the server": {servers["unpacked by the server"], built(t)},
		"from the binary":        {asItIs, inBinary(t)},
	} {
		t.Run(name, func(t *testing.T) {
			site := webtest.ServeHandler(t, c.server(http.FileServerFS(c.site), nil), "/")
			p := browserOf(t).Open(t, site.URL)
			do(p, `await text("is ready");
				await navigator.serviceWorker.ready;
				await until("the service worker", () => navigator.serviceWorker.controller)`)
			site.Close()
			p.Expect("ERR_CONNECTION_REFUSED")
			p.Reload()
			do(p, `await click("Ada starts on Monday"); await text("Change a file?")`)
			yes(p)
			got := webtest.Eval[string](p, `performance.getEntriesByType('resource').map((r) => r.name).filter((name) => name.includes('.wasm')).join()`)
			if got != "" {
				t.Errorf("the page did not read the cache itself, but asked the service worker for %s", got)
			}
			got = webtest.Eval[string](p, `fetch('golem.wasm.gz').then(async (r) => [r.headers.get('Content-Type'), r.headers.get('Golem-Unpacked'), String(new Uint8Array(await r.arrayBuffer()).slice(0, 4))].join(' '))`)
			if want := fmt.Sprintf("application/wasm %x 0,97,115,109", sum[:16]); got != want {
				t.Errorf("the service worker keeps golem.wasm as %s, want %s", got, want)
			}
		})
	}
}

// inBinary returns the files of the page that golem web serves.
func inBinary(t *testing.T) fs.FS {
	t.Helper()
	page, ok := web.Page()
	if !ok {
		t.Fatal("the page is not in the binary: make web")
	}
	files := fstest.MapFS{}
	err := fs.WalkDir(page, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(page, name)
		files[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestPolicyHoldsInWorkers tests that the page's content security policy also applies in a web
// worker that is started like golem's.
func TestPolicyHoldsInWorkers(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	p.Expect("Content Security Policy")
	p.Expect("violates")
	got := webtest.Eval[map[string]string](p, `new Promise((resolve) => {
		const source = `+"`"+`
			const out = {};
			const violated = new Promise((resolve) => addEventListener('securitypolicyviolation', (e) => { if (e.effectiveDirective === 'connect-src') resolve('connect-src') }));
			try { out.eval = String(eval('1')) } catch (e) { out.eval = e.name }
			try { out.function = String(new Function('return 1')()) } catch (e) { out.function = e.name }
			try { importScripts('https://example.com/x.js'); out.import = 'loaded' } catch (e) { out.import = e.name }
			fetch('http://example.com/').then(() => 'answered', (e) => e.name).then(async (r) => { out.fetch = r; out.violated = await violated; postMessage(out) });
		`+"`"+`;
		const worker = new Worker(URL.createObjectURL(new Blob([source])));
		worker.onmessage = (e) => resolve(e.data);
	})`)
	for name, want := range map[string]string{"eval": "EvalError", "function": "EvalError", "import": "NetworkError", "fetch": "TypeError", "violated": "connect-src"} {
		if got[name] != want {
			t.Errorf("%s in the worker: %s, want %s (all: %v)", name, got[name], want, got)
		}
	}
}

// hostile is a text of an attacker, for an answer of a model or the name of a project.
const hostile = `<img src=x onerror="window.hacked=1"><script>window.hacked=2</script>` +
	`<svg onload="window.hacked=3"><a href="javascript:window.hacked=4">click</a> [run](javascript:window.hacked=5) ` +
	`![pixel](https://collect.example/x.png) [home](https://evil.example/) <iframe src="https://evil.example/"></iframe>` +
	`<style>body{display:none}</style><form action="https://evil.example"><button>Yes</button></form>`

// TestHostileText tests that text of models and names of files never become markup, and cause
// no requests by themselves.
func TestHostileText(t *testing.T) {
	t.Parallel()
	p, site := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "hostile", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\ndescription: '<img src=x onerror=window.hacked=6>'\ntoolsets: {filesystem: {}}\n---\nTalk.\n",
		"s.yaml": "script: 1\nworkers:\n  main:\n    - say: '" + hostile + "'\n      calls: [{tool: write_file, args: {path: '/&lt;b&gt; onmouseover=x.md', content: '" + hostile + "'}}]\n" +
			"    - say: '" + hostile + "'\n",
		"notes/' onclick='window.hacked=7.md": hostile,
	})
	do(p, `await say(%q); await text("Change a file?")`, hostile)
	yes(p)
	do(p, `await click("Files"); await until("the file", () => button("onclick")); await click("onclick");
		await until("the text", () => document.querySelector('.preview .md')?.innerText.includes("onerror")); await click("Preview");
		await until("the text", () => document.querySelector('.editor div')?.shadowRoot?.querySelector('.cm-content')?.innerText.includes("onerror"))`)
	do(p, `await click("Trace"); await click(".jsonl"); await click("Timeline")`)
	if got := webtest.Eval[string](p, `String(window.hacked) + document.querySelectorAll('main img, main iframe, main svg[onload], main script, main style, dialog img').length + document.querySelectorAll('a[href^=javascript]').length`); got != "undefined00" {
		t.Errorf("the page holds %s", got)
	}
	for _, address := range p.Requests() {
		if !strings.HasPrefix(address, site.URL) && !strings.HasPrefix(address, "blob:") && !strings.HasPrefix(address, "data:") {
			t.Errorf("the page asked for %s", address)
		}
	}
}

// TestApprovalShowsAll tests that the approval dialog shows every argument completely, whatever
// its form, each number with all its digits, and invisible characters as escapes.
func TestApprovalShowsAll(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "asks", map[string]string{
		"main.worker":           "---\nmodel: script:s.yaml\ntoolsets: {workers: {allowed_workers: [helper], approval: {default: ask}}}\n---\nAsk.\n",
		"workers/helper.worker": "---\nmodel: script:s.yaml\ninput_schema: {type: object, properties: {x: {type: object}, id: {type: integer}, y: {type: string}}}\n---\nHelp.\n",
		"s.yaml":                "script: 1\nworkers:\n  main:\n    - calls: [{tool: helper, args: {x: {head: harmless, cut: 5, sha256: \"0\", more: \"and evil\", ids: [9007199254740995]}, id: 9007199254740993, y: \"abc\\u202egnp\\u200b\\u00a0x\\u3164\"}}]\n    - say: done\n  helper:\n    - say: helped\n",
	})
	do(p, `await say("go"); await until("the question", () => document.querySelector('dialog[open]'))`)
	said := webtest.Eval[string](p, `document.querySelector('dialog[open]').innerText`)
	for _, want := range []string{"harmless", "and evil", "9007199254740993", "9007199254740995", `abc\u202egnp\u200b\u00a0x\u3164`, "main", "helper", "risk"} {
		if !strings.Contains(said, want) {
			t.Errorf("the dialog does not show %q:\n%s", want, said)
		}
	}
	refuse(p)
	finished(p, "ok")
}
