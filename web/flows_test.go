//go:build !js

package web_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golem/web/webtest"
)

// TestNewProject makes a project in the page, chooses its model with a key and writes its
// worker. After a reload all of it is still there.
func TestNewProject(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready"); await click("Projects"); await click("New project"); await until("the dialog", () => document.querySelector('dialog[open] input'))`)
	if got := webtest.Eval[string](p, `document.activeElement.value`); got != "project" {
		t.Errorf("the focus is on %q", got)
	}
	p.Press("mine", webtest.Enter)
	do(p, `await until("the editor", () => document.querySelector('.editor div')?.shadowRoot?.querySelector('.cm-content')?.innerText.includes('/output'));
		await click("Run"); await text("main is ready"); `+otherModel)
	p.Press("gpt-5-mini", webtest.Tab, "sk-mine", webtest.Enter)
	do(p, `await text("main is ready"); await click("Files"); await click("main.worker");
		(await until("the editor", () => document.querySelector('.editor div')?.shadowRoot?.querySelector('.cm-content'))).focus()`)
	p.Press(webtest.CtrlEnd, "# mine")
	do(p, `await click("Save"); await until("it to be saved", () => [...document.querySelectorAll('header button')].find((b) => b.innerText === 'Save').disabled)`)
	p.Reload() // the address leads back to the file
	do(p, `await until("the file", () => document.querySelector('h2.mono')?.innerText === 'main.worker'); await click("Run"); await text("main is ready"); await text("openai:gpt-5-mini"); await click("Files"); await click("main.worker");
		await until("what was written", () => document.querySelector('.editor div')?.shadowRoot?.querySelector('.cm-content')?.innerText.includes('# mine'))`)
	do(p, `await click("rename main.worker"); const field = await until("the dialog", () => document.querySelector('dialog[open] input')); field.value = 'workers/other.worker'; field.form.requestSubmit();
		await until("the new name", () => button("other.worker")); await click("delete workers/other.worker"); await text("cannot be undone");
		await until("the focus to be on Cancel", () => document.activeElement?.innerText === 'Cancel')`)
	p.Press(webtest.Enter)
	do(p, `await until("the dialog to go", () => !document.querySelector('dialog[open]')); await click("delete workers/other.worker"); await text("cannot be undone"); await click("Delete");
		await until("the file to go", () => !button("other.worker"))`)
	if got := webtest.Eval[string](p, `JSON.parse(localStorage.getItem('golem.keys')).OPENAI_API_KEY`); got != "sk-mine" {
		t.Errorf("the key is %q", got)
	}
	do(p, `await click("Settings"); const form = (await until("the form", () => document.querySelector('[aria-label="name of a secret"]'))).form;
		const keep = (name, value) => { form.elements.name.value = name; form.elements.value.value = value; form.requestSubmit() };
		keep('SHORT', '12345'); keep('a b', 'tok-4711-geheim'); keep('GONE', 'tok-4711-geheim'); keep('ISSUES', 'tok-0815-geheim');
		const remove = await until("the secret", () => document.querySelector('[aria-label="Remove the secret GONE"]')); remove.click();
		await until("one to be kept", () => localStorage.getItem('golem.secrets') === '{"ISSUES":"tok-0815-geheim"}');
		if (document.body.innerHTML.includes('geheim')) throw new Error('the value is shown')`)
	do(p, `await click("Forget all keys"); await until("no key", () => !localStorage.getItem('golem.keys') && !localStorage.getItem('golem.secrets')); await until("no secret", () => !document.querySelector('[aria-label^="Remove the secret"]'))`)
}

// TestProjectFromTemplate tests that "New project" offers the templates of golem init
// (scenario 37), with the same files, and that each runs at once on its script.
func TestProjectFromTemplate(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready"); await click("Projects"); await click("New project"); await until("the dialog", () => document.querySelector('dialog[open] input'));
		[...document.querySelectorAll('dialog[open] label')].find((l) => l.innerText.startsWith('research-agent')).click(); await click("Make it");
		await until("the file", () => document.querySelector('h2.mono')); await text("templates"); await click("Run"); await click("What do owls eat?")`)
	finished(p, "ok")
	do(p, `await text("The report is in output/report.md"); await click("Files"); await click("report.md");
		await until("the report", () => document.querySelector('.preview .md')?.innerText.includes('four mice'))`)
}

// TestModelsOfAProvider tests that the model dialog asks the provider for its models, with the
// entered key, and uses the chosen one (SPEC §10).
func TestModelsOfAProvider(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Headers", "authorization")
		switch r.Header.Get("Authorization") {
		case "":
		case "Bearer sk-mine":
			fmt.Fprint(w, `{"data":[{"id":"llama-4","context_window":131072},{"id":"whisper"}]}`)
		default:
			fmt.Fprint(w, `{"error":{"message":"that is no key"}}`)
		}
	}))
	t.Cleanup(server.Close)
	do(p, `await text("is ready"); localStorage.setItem('golem.keys', JSON.stringify({GROQ_BASE_URL: '%s/v1', GROQ_API_KEY: 'sk-old'}));
		const pick = document.querySelector('#model'); pick.value = 'other'; pick.dispatchEvent(new Event('change', {bubbles: true}));
		const provider = await until("the dialog", () => document.querySelector('dialog[open] #provider'));
		provider.value = 'groq'; provider.dispatchEvent(new Event('change', {bubbles: true}));
		await click("list the models of groq"); await text("that is no key");
		const key = document.querySelector('#model-key'); key.value = 'sk-mine'; key.dispatchEvent(new Event('input', {bubbles: true}));
		const name = document.querySelector('#model-name'); name.value = 'lama'; name.dispatchEvent(new Event('input', {bubbles: true}));
		await click("list the models of groq");
		const list = await until("the list", () => document.querySelector('dialog select[aria-label="models of groq"]'));
		if (list.innerText.trim() !== 'llama-4 · 131072 tokens') throw new Error('the list is ' + list.innerText);
		list.value = 'llama-4'; list.dispatchEvent(new Event('change', {bubbles: true}));
		await click("Use it"); await until("the choice", () => document.querySelector('#model').value === 'groq:llama-4')`, server.URL)
	if got := webtest.Eval[string](p, `JSON.parse(localStorage.getItem('golem.keys')).GROQ_API_KEY`); got != "sk-mine" {
		t.Errorf("the key is %q", got)
	}
}

// TestFolder makes a project from a folder, without the files with keys and those of git.
func TestFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "from here")
	for name, text := range map[string]string{"main.worker": "---\nmodel: script:s.yaml\n---\nHello.\n", "s.yaml": "script: 1\nworkers:\n  main:\n    - say: hello\n", "d/e.txt": "x", ".env": "OPENAI_API_KEY=sk-x", ".git/config": "x"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, _ := visit(t, "/")
	do(p, `await text("is ready"); await click("Projects"); await until("the field", () => document.querySelector('input[webkitdirectory]'))`)
	p.Upload(`input[webkitdirectory]`, dir)
	do(p, `await until("the project", () => document.title.startsWith("from here")); await text("main is ready"); await click("Files"); await until("a file", () => button("e.txt"));
		if (button(".env") || button(".git") || button("config")) throw new Error(document.body.innerText)`)
}

// TestLink tests a link that contains a project: who opens it is asked first, also if the page
// is already open.
func TestLink(t *testing.T) {
	t.Parallel()
	p, site := visit(t, "/under/")
	do(p, `await text("is ready"); navigator.clipboard.writeText = async (text) => { window.copied = text };
		await click("Projects"); await click("copy a link that contains welcome"); await until("the link", () => window.copied)`)
	link := webtest.Eval[string](p, `window.copied`)
	if !strings.HasPrefix(link, site.URL+"#project=welcome&zip=") {
		t.Fatalf("the link is %.80s", link)
	}
	two := browserOf(t).Open(t, link)
	do(two, `await text("Take this project?"); await click("Take it"); await until("the copy", () => document.title.startsWith('welcome-2')); await until("its files", () => button("main.worker"));
		if (location.hash.includes('zip')) throw new Error('the address still carries it')`)
	do(two, `location.hash = %q; await text("Take this project?")`, link[strings.Index(link, "#"):])
	two.Press(webtest.Escape)
	do(two, `await until("the dialog to go", () => !document.querySelector('dialog[open]')); location.hash = 'project=x&zip=UEsDBAAA'; await text("Take this project?"); await click("Take it"); await text("E_PATH");
		await click("Projects"); await until("two projects", () => document.querySelectorAll('[aria-labelledby=mine] .card').length === 2)`)
}

// hostileTrace is a file of an attacker. It has the form of a trace, with wrong values.
const hostileTrace = `{"golem":"trace","v":1,"run":"hostile-run","project":{"a":1},"entry":["<img src=x onerror=window.hacked=1>"],"platform":null,"version":5,"started":"never"}
{"type":"run.start","id":7,"seq":"x","ts":"soon","input":{"head":5,"cut":"x"}}
{"type":"worker.start","id":"0","worker":{"x":1},"model":["a"],"ts":null}
{"type":"tool.start","id":"0.1","tool":"<script>window.hacked=2</script>","kind":3,"args":"\u202egnp.exe","ts":"2026-01-01T00:00:00Z"}
{"type":"tool.end","id":"0.1","status":["ok"],"ms":"long","result":{"head":"a","cut":{}},"error":"not a fault","fuel":"much"}
{"type":"diff","id":"0.1","patch":5,"path":["a"]}
{"type":"approval","id":"0.1","source":{},"decision":null,"rule":[1]}
{"type":"tool.start","id":"__proto__.constructor","tool":null,"args":null}
{"type":"tool.start","id":"0.1.a.-1.1e9","tool":"x","args":[[[]]]}
{"type":"model.end","id":"0","turn":{},"text":{"a":1},"usage":"none","ms":null}
{"type":"model.end","id":"0","turn":2,"usage":{"in":{},"out":"x","cost_usd":1e300,"cost_partial":[]}}
{"type":"model.end","id":"0.1","turn":2,"usage":{"in":1,"out":1,"cost_usd":["9"]}}
{"type":"worker.end","id":"0","usage":5,"own":"x"}
{"type":"worker.end","id":"0.2","usage":{"in":1,"out":1,"cost_usd":"1e-9"},"own":{"in":null,"cost_usd":-1}}
{"type":"toString","id":"0"}
{"type":"warning","id":"0","message":{"b":2}}
{"type":"ask","id":"0.1","request":"x"}
{"type":"run.end","status":{"x":1},"exit":"none","error":{"code":5,"message":["a"],"where":7},"denied":4,"output":[1],"usage":null,"ms":{}}
`

// TestTraceFromTheCommandLine tests that the trace view opens a file of the command line, as
// a tree and as a timeline, and says if a file is not a trace.
func TestTraceFromTheCommandLine(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "t.jsonl")
	cmd := exec.Command(cli(t), "run", "../examples/code-analyzer", "Review the code", "--approve-all", "--model", "script:../examples/code-analyzer/script.yaml", "--trace", file)
	cmd.Env = append(os.Environ(), "GOLEM_HOME="+t.TempDir())
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := visit(t, "/")
	const open = `await click("Trace"); const input = await until("the field", () => document.querySelector('input[accept*=jsonl]'));
		const list = new DataTransfer(); list.items.add(new File([Uint8Array.from(atob(%q), (c) => c.charCodeAt(0))], %q)); input.files = list.files; input.dispatchEvent(new Event('change', {bubbles: true}));`
	do(p, `await text("is ready"); `+open+`await text("ok, exit 0"); await click("read_file"); await text("Result"); await click("Timeline"); await until("the bars", () => document.querySelectorAll('.bar').length > 3)`,
		base64.StdEncoding.EncodeToString(data), "t.jsonl")
	do(p, open+`await text("not a golem trace")`, base64.StdEncoding.EncodeToString([]byte("{\"a\":1}\n")), "bad.jsonl")
	do(p, open+`await text("hostile-run"); await until("the calls", () => document.querySelectorAll('.node').length > 3);
		for (const b of document.querySelectorAll('.node')) { b.click(); await new Promise((f) => setTimeout(f, 20)) }
		await click("Timeline"); for (const b of document.querySelectorAll('.lane')) { b.click(); await new Promise((f) => setTimeout(f, 20)) }
		await click("Tree"); if (window.hacked || document.querySelector('main img, main script') || document.body.innerText.includes('cannot be shown')) throw new Error(document.body.innerText)`,
		base64.StdEncoding.EncodeToString([]byte(hostileTrace)), "hostile.jsonl")
	torn := data[:bytes.LastIndex(data[:len(data)-1], []byte("\n"))+20]
	do(p, open+`await text("the run was stopped before its end"); await click("Tree"); if (document.querySelector('.mark.running')) throw new Error("it spins for ever")`, base64.StdEncoding.EncodeToString(torn), "torn.jsonl")
}

// TestApprovalsEndWithThePage tests that approvals for a session end with its page, and that
// files stay (Scenario 40).
func TestApprovalsEndWithThePage(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "writes", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\nmode: chat\ntoolsets: {filesystem: {}}\n---\nWrite.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - calls: [{tool: write_file, args: {path: /a.txt, content: hi}}]\n    - say: written\n    - calls: [{tool: write_file, args: {path: /a.txt, content: hi}}]\n    - say: written again\n",
	})
	const send = `await say("go"); `
	do(p, send+`await text("Change a file?"); await click("Other answers…"); await click("Yes to this call, until this conversation ends"); await text("written")`)
	do(p, `await until("my turn", () => button("Send")); `+send+`await text("written again")`)
	p.Reload()
	do(p, `await until("the locks of the page before to be free", async () => !(await navigator.locks.query()).held.some((l) => l.name.startsWith('golem:/projects/writes'))); 
		await text("written again"); await click("new conversation"); await text("main is ready"); await click("Files"); await until("the file", () => button("a.txt")); await click("Run"); `+send+`await text("Change a file?")`)
	refuse(p)
}

// TestNativeToolset tests that a project with a toolset that a page does not have fails when
// it is loaded, with the fault that golem check reports (Scenario 40).
func TestNativeToolset(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	got := talk(p, `await golem.create('sh', {'main.worker': '---\nmodel: script:s.yaml\ntoolsets: {shell: {}}\n---\nRun.\n', 's.yaml': 'script: 1\nworkers:\n  main:\n    - say: no\n'});
		const run = await golem.run('sh', 'x').result.catch((e) => e.code); return [(await golem.check('sh')).map((f) => f.code), run.error?.code ?? run, (await golem.check('sh', {platform: 'native'})).length].join('|')`)
	if got != "E_PLATFORM|E_PLATFORM|0" {
		t.Errorf("check, run, and check for the command line: %s", got)
	}
}

// TestEmbed tests the example page that embeds golem in thirty lines.
func TestEmbed(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("embed.js")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(source, []byte("\n")); n > 30 {
		t.Errorf("embed.js has %d lines", n)
	}
	p := browserOf(t).Open(t, webtest.Serve(t, built(t), "/").URL+"embed.html")
	do(p, `await text("is ready"); await click("Run"); await text("ok: Hello, golem!")`)
}

// servers has kinds of web servers: one that sends golem.wasm.gz compressed, one that
// decompresses it, and one that has only golem.wasm.
var servers = map[string]func(next http.Handler, packed []byte) http.Handler{
	"unpacked by the server": func(next http.Handler, packed []byte) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, ".gz") {
				w.Header().Set("Content-Encoding", "gzip")
				w.Header().Set("Content-Type", "application/wasm")
			}
			next.ServeHTTP(w, r)
		})
	},
	"golem.wasm alone": func(next http.Handler, packed []byte) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasSuffix(r.URL.Path, ".gz"):
				http.NotFound(w, r)
			case strings.HasSuffix(r.URL.Path, "golem.wasm"):
				z, err := gzip.NewReader(bytes.NewReader(packed))
				if err == nil {
					w.Header().Set("Content-Type", "text/plain")
					_, _ = io.Copy(w, z) // the page says what it lacks
				}
			default:
				next.ServeHTTP(w, r)
			}
		})
	},
}

// TestServers tests that the page starts from each kind of server, under any path.
func TestServers(t *testing.T) {
	t.Parallel()
	site := built(t)
	packed, err := fs.ReadFile(site, "golem.wasm.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		t.Run(name, func(t *testing.T) {
			p := browserOf(t).Open(t, webtest.ServeHandler(t, servers[name](http.FileServerFS(site), packed), "/a/b/").URL)
			p.Expect("404")
			do(p, `await text("is ready")`)
		})
	}
}

// TestPolicies tests that the content security policies allow no inline script or style, no
// eval, and no script of another origin.
func TestPolicies(t *testing.T) {
	for _, name := range []string{"index.html", "embed.html"} {
		page, err := fs.ReadFile(built(t), name)
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindSubmatch(page)
		if m == nil {
			t.Fatalf("%s has no policy", name)
		}
		rules := map[string]string{}
		for _, rule := range strings.Split(string(m[1]), "; ") {
			what, whom, _ := strings.Cut(rule, " ")
			rules[what] = whom
		}
		if rules["default-src"] != "'none'" || rules["script-src"] != "'self' blob: 'wasm-unsafe-eval'" || strings.Contains(string(m[1]), "'unsafe-") {
			t.Errorf("%s: %s", name, m[1])
		}
		if regexp.MustCompile(`(?i)<style|\son\w+=|\sstyle=|<script>`).Match(page) {
			t.Errorf("%s has something inline", name)
		}
	}
}

// TestStorage tests that the settings show what is stored, and can ask the browser to keep
// it.
func TestStorage(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready"); navigator.storage.persist = async () => { window.persisted = true; return true }; await click("Settings"); await text("that the browser lends");
		await click("Ask the browser to keep them"); await text("the browser will keep your projects"); if (!window.persisted) throw new Error("nobody asked")`)
}

// TestNothingKept tests a browser that keeps no files, as in some private windows: the page
// works in memory, says so and offers the zip.
func TestNothingKept(t *testing.T) {
	t.Parallel()
	site := built(t)
	p := browserOf(t).Open(t, webtest.ServeHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "golem-worker.js") {
			http.FileServerFS(site).ServeHTTP(w, r)
			return
		}
		script, err := fs.ReadFile(site, "golem-worker.js")
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprintf(w, "navigator.storage.getDirectory = () => Promise.reject(new DOMException('not here', 'SecurityError'));\n%s", script)
	}), "/").URL)
	p.Expect("beforeunload")
	inMemory(p)
	p.Reload()
	do(p, `await text("keeps no files for this page"); await click("Ada starts on Monday"); await text("Change a file?")`)
	refuse(p)
}

// inMemory runs the first example in a browser that keeps no files, and saves the project as
// a zip.
func inMemory(p *webtest.Page) {
	p.Helper()
	do(p, `await text("keeps no files for this page"); await text("are lost when the tab closes"); await click("Ada starts on Monday"); await text("Change a file?")`)
	yes(p)
	do(p, `const made = []; const link = HTMLAnchorElement.prototype; link.click = function () { made.push(this.download) };
		await click("Save welcome as a zip"); await until("the zip", () => made.includes("welcome.zip"))`)
}

// TestNoRoom tests that the page says what to do if the storage is full, or if only a part of
// a program was loaded.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	site := built(t)
	t.Run("cut off", func(t *testing.T) {
		cut := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, ".gz") {
				w.Header().Set("Content-Length", "1000000")
				_, _ = w.Write([]byte("\x1f\x8b\x08 and no more")) // the connection ends here
				return
			}
			http.FileServerFS(site).ServeHTTP(w, r)
		})
		p := browserOf(t).Open(t, webtest.ServeHandler(t, cut, "/").URL)
		p.Expect("ERR_CONTENT_LENGTH_MISMATCH")
		do(p, `await text("golem cannot start here"); await text("reload the page")`)
	})
	t.Run("full", func(t *testing.T) {
		p, at := visitFirst(t, "/")
		p.Expect("Quota")
		do(p, `await text("is ready"); await navigator.serviceWorker.ready; await click("Files"); await until("the field", () => document.querySelector('.pane.side input[type=file]'))`)
		leave(p, at.Origin, 6<<20)
		do(p, `const list = new DataTransfer(); list.items.add(new File([new Uint8Array(40e6)], 'big.bin')); const input = document.querySelector('.pane.side input[type=file]'); input.files = list.files;
			input.dispatchEvent(new Event('change', {bubbles: true})); await text("E_QUOTA"); await click("Projects"); await text("welcome")`)
		p.Quota(at.Origin, -1)
		do(p, `await click("close this notice"); document.querySelector('.brand').click(); await click("Use it"); await text("is ready")`)
		// A project that was never opened can be opened, and read, while there is no room at all.
		do(p, `await (await import('./golem.js')).createGolem().then(async (g) => { await g.create('unopened', {'main.worker': '---\nmodel: script:minimal\n---\nHi.\n'}); g.close() })`)
		p.Reload()
		do(p, `await text("is ready")`)
		leave(p, at.Origin, 0)
		do(p, `await click("Projects"); [...document.querySelectorAll('.card')].find((c) => c.querySelector('h3').innerText === 'unopened').querySelector('.primary').click();
			await until("the project", () => document.title.startsWith('unopened')); await text("main is ready"); await click("Files"); await click("main.worker"); if (document.querySelector('.toast')) throw new Error(document.querySelector('.toast').innerText)`)
		p.Quota(at.Origin, -1)
	})
}
