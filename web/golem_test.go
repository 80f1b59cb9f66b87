//go:build !js

package web_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golem/core/trace"
	"golem/web/webtest"
)

// talk runs asynchronous statements, which can use the variable golem, and returns their
// result as text.
func talk(p *webtest.Page, format string, args ...any) string {
	p.Helper()
	return webtest.Eval[string](p, "(async () => { const golem = await window.golem; "+fmt.Sprintf(format, args...)+" })().then(String)")
}

const helloFiles = `{'main.worker': '---\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\n---\nHello.\n', 's.yaml': 'script: 1\nworkers:\n  main:\n    - calls: [{tool: write_file, args: {path: /out.txt, content: hi}}]\n    - say: done\n'}`

// TestProjectsAndFiles tests golem.js: projects, files, and their faults.
func TestProjectsAndFiles(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	for _, c := range []struct{ do, want string }{
		{`await golem.create('a', ` + helloFiles + `); return (await golem.list()).map((p) => p.name + p.files)`, "a2"},
		{`return golem.create('a').catch((e) => e.code)`, "E_CONFLICT"},
		{`return golem.create('../a').catch((e) => e.code)`, "E_PATH"},
		{`return golem.create('.golem').catch((e) => e.code)`, "E_PATH"},
		{`return golem.files('none').list().catch((e) => e.code)`, "E_NOT_FOUND"},
		{`const f = golem.files('a'); await f.write('d/e.txt', 'x'); await f.move('d/e.txt', 'd/f.txt'); return (await f.list()).map((e) => e.path)`, "d,d/f.txt,main.worker,s.yaml"},
		{`return golem.files('a').write('.golem/x', 'x').catch((e) => e.code)`, "E_PROTECTED"},
		{`return golem.files('a').move('s.yaml', '.GOLEM/x').catch((e) => e.code)`, "E_PROTECTED"},
		{`return golem.files('a').read('nope').catch((e) => e.code)`, "E_NOT_FOUND"},
		{`return golem.files('a').write('con', 'x').catch((e) => e.code)`, "E_PATH"},
		{`await golem.files('a').remove('d'); return (await golem.files('a').list()).length`, "2"},
		{`return (await golem.check('a')).length`, "0"},
		{`return (await golem.workers('a')).workers.filter((w) => w.source === 'project').map((w) => w.id)`, "main"},
		{`return golem.templates.map((t) => t.name)`, "minimal,pipeline,research-agent"},
		{`await golem.init('m'); return (await golem.files('m').list()).map((e) => e.path)`, "input,main.worker,output,tests,tests/main.yaml"},
		{`await golem.init('q', 'pipeline'); return [(await golem.check('q')).length, (await (golem.run('q', 'Owls hunt at night.')).result).text]`, "0,The result is in output/result.md. A script wrote it, not a language model."},
		{`return new TextDecoder().decode(await golem.files('q').read('output/result.md'))`, "# Result\n\nOwls hunt at night.\n"},
		{`return golem.init('n', 'nope').catch((e) => e.code).then(async (c) => c + (await golem.list()).map((p) => p.name))`, "E_USAGEa,m,q"},
		{`return golem.init('q').catch((e) => e.code)`, "E_CONFLICT"},
		{`await golem.remove('m'); await golem.remove('q'); return (await golem.list()).length`, "1"},
		{`const b = new TextEncoder().encode('xabcx').buffer; await golem.create('bytes', {buffer: b, view: new DataView(b, 1, 3), array: new Uint8Array(b, 4), text: ''}); await golem.files('bytes').write('late', b); return (await golem.files('bytes').list()).map((e) => e.path + e.size)`, "array1,buffer5,late5,text0,view3"},
		{`const codes = []; for (const v of [null, undefined, 7, [1, 2], {}, new Blob(['x']), true]) for (const f of [() => golem.create('none', {'a.txt': v}), () => golem.importZip('none', v), () => golem.files('bytes').write('text', v), () => golem.installLibrary({'a': v}), () => golem.run('bytes', 'x', {attachments: [{name: 'a.txt', data: v}]}).result, () => golem.addTool('bytes', v, {name: 't'})]) codes.push(await f().then(() => 'done', (e) => e.code)); return codes.filter((c) => c !== 'E_USAGE') + (await golem.list()).map((p) => p.name)`, "a,bytes"},
		{`return [await golem.create('none', {'a/b.txt': null}).catch((e) => e.message.startsWith('a/b.txt must be bytes')), await golem.run('bytes', 'x', {attachments: [{name: 'a.txt', data: 'text'}]}).result.catch((e) => e.code + e.message.startsWith('a.txt must'))]`, "true,E_USAGEtrue"},
		{`await golem.remove('bytes'); return Object.keys(golem)`, "version,commit,date,providers,searches,templates,kept,ended"}, // all else is private
		{`await golem.files('a').write('s.yaml', 'script: 1\nworkers:\n  main:\n    - hang: true\n'); const over = new AbortController(); const run = golem.run('a', 'x', {signal: over.signal}); for await (const e of run) if (e.type === 'model.start') over.abort(); return (await run.result).status`, "interrupted"},
		{`return (await golem.run('a', 'x', {signal: AbortSignal.abort()}).result).status`, "interrupted"},
		{`await golem.remove('a'); return (await golem.list()).length`, "0"},
		{`return golem.remove('a').catch((e) => e.code)`, "E_NOT_FOUND"},
	} {
		if got := talk(p, "%s", c.do); got != c.want {
			t.Errorf("%s\ngave %s, want %s", c.do, got, c.want)
		}
	}
}

// TestWorkerDies tests that when the web worker dies, all open calls and all later ones fail,
// and none hangs.
func TestWorkerDies(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	if got := talk(p, `const made = []; const Real = window.Worker; window.Worker = class extends Real { constructor(...a) { super(...a); made.push(this) } terminate() { over++; super.terminate() } }; let over = 0;
		const { createGolem } = await import('./golem.js'); const g = await createGolem();
		await g.create('dies', %s); const run = g.run('dies', 'x', {approve: () => new Promise(() => {})}); await until(run, 'ask');
		made[0].onmessage({data: {fatal: 'golem has ended'}}); const codes = [];
		for (const p of [run.result, g.list(), g.run('dies', 'x').result]) codes.push(await p.then(() => 'ok', (e) => e.code));
		try { for await (const e of g.run('dies', 'x')) codes.push(e.type) } catch (e) { codes.push(e.code) }
		codes.push((await g.ended).hint, over);
		golem.close(); codes.push(await golem.list().catch((e) => e.code)); return codes`, helloFiles); got != "E_PLATFORM,E_PLATFORM,E_PLATFORM,E_PLATFORM,reload the page,1,E_INTERRUPTED" {
		t.Error(got)
	}
}

// TestEngineEndsGolem tests the same for a case without an error event of the worker: the
// engine ends golem after a promise.
func TestEngineEndsGolem(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	if got := talk(p, `const made = []; const Real = window.Worker; let over = 0;
		const before = (url) => 'const real = WebAssembly.instantiate; let full = false;' +
			'WebAssembly.instantiate = async (...a) => { const r = await real(...a), i = r.instance ?? r; exports = { ...i.exports, resume() { if (full) throw new RangeError("Maximum call stack size exceeded"); i.exports.resume() } }; return Object.create(WebAssembly.Instance.prototype, { exports: { value: exports } }) };' +
			'addEventListener("message", (m) => { if (m.data.full) { m.stopImmediatePropagation(); full = true; Promise.resolve().then(() => golemReceive({})) } });' +
			'importScripts(' + JSON.stringify(String(url)) + ')';
		window.Worker = class extends Real { constructor(url, o) { super(made.length ? url : URL.createObjectURL(new Blob([before(url)])), o); made.push(this) } terminate() { over++; super.terminate() } };
		const { createGolem } = await import('./golem.js'); const g = await createGolem();
		await g.create('dies', %s); const run = g.run('dies', 'x', {approve: () => new Promise(() => {})}); await until(run, 'ask');
		made[0].postMessage({full: true}); const codes = [];
		for (const p of [() => run.result, () => g.list()]) codes.push(await p().then(() => 'ok', (e) => e.code));
		const ended = await g.ended; return [...codes, ended.message, ended.hint, over]`, helloFiles); got != "E_PLATFORM,E_PLATFORM,RangeError: Maximum call stack size exceeded,reload the page,1" {
		t.Error(got)
	}
}

// TestTwoTabs tests that a project that runs in another tab can be read but not changed.
func TestTwoTabs(t *testing.T) {
	t.Parallel()
	site := webtest.ServeHandler(t, light(t, embedding(t)), "/")
	one := browserOf(t).Open(t, site.URL+"embedded.html")
	talk(one, `await golem.create('a', %s);
		window.run = golem.run('a', 'x', {approve: () => new Promise((resolve) => { window.answer = resolve })});
		await until(window.run, 'ask'); return 1`, helloFiles)
	two := browserOf(t).Open(t, site.URL+"embedded.html")
	for do, want := range map[string]string{
		`return golem.files('a').write('x', 'y').catch((e) => e.code + e.message.includes('another tab'))`: "E_BUSYtrue",
		`return golem.run('a', 'x').result.catch((e) => e.code)`:                                           "E_BUSY",
		`return golem.remove('a').catch((e) => e.code)`:                                                    "E_BUSY",
		`return golem.clearance('a').push('1').catch((e) => e.code)`:                                       "E_BUSY",
		`return golem.undo('a').undo('x').catch((e) => e.code)`:                                            "E_BUSY",
		`return golem.undo('a').redo('x').catch((e) => e.code)`:                                            "E_BUSY",
		`return (await golem.files('a').list()).length`:                                                    "2",
	} {
		if got := talk(two, "%s", do); got != want {
			t.Errorf("%s\ngave %s, want %s", do, got, want)
		}
	}
	if got := talk(one, `window.answer({answer: 'yes'}); const r = await window.run.result; return r.status + r.text`); got != "okdone" {
		t.Errorf("the first tab's run ended %s", got)
	}
	if got := talk(two, `for (;;) try { await golem.files('a').write('x', 'y'); return 'written' } catch { await new Promise((f) => setTimeout(f, 20)) }`); got != "written" {
		t.Error(got)
	}
}

// TestDeathWhileRunning ends a tab in the middle of a run: the trace has every line up to
// then, and the project still works.
func TestDeathWhileRunning(t *testing.T) {
	t.Parallel()
	site := webtest.ServeHandler(t, light(t, embedding(t)), "/")
	one := browserOf(t).Open(t, site.URL+"embedded.html")
	talk(one, `await golem.create('a', %s);
		const run = golem.run('a', 'x', {approve: () => new Promise(() => {})});
		await until(run, 'ask');
		golem.close(); return 1`, helloFiles)
	two := browserOf(t).Open(t, site.URL+"embedded.html")
	got := talk(two, `const [r] = await golem.runs('a'); return new TextDecoder().decode(await golem.readRun('a', r.name))`)
	_, events, err := trace.Read(strings.NewReader(got), nil)
	if err != nil || len(events) < 4 {
		t.Fatalf("%d events, %v\n%s", len(events), err, got)
	}
	if got := talk(two, `for (;;) try { return (await golem.run('a', 'x', {approve: () => ({answer: 'yes'})}).result).status } catch (e) { // the browser frees the lock of a dead worker later
		if (e.code !== 'E_BUSY') throw e; await new Promise((f) => setTimeout(f, 50)) }`); got != "ok" {
		t.Errorf("afterwards: %s", got)
	}
}

// TestDeathWhileMaking ends a tab while a project is made: the project does not exist, and
// can be made again.
func TestDeathWhileMaking(t *testing.T) {
	t.Parallel()
	site := webtest.ServeHandler(t, light(t, embedding(t)), "/")
	two := browserOf(t).Open(t, site.URL+"embedded.html")
	for _, ms := range []int{0, 2, 5, 20, 60, 150} {
		one := browserOf(t).Open(t, site.URL+"embedded.html")
		talk(one, `const files = {}; for (let i = 0; i < 300; i++) files['d/f' + i] = 'x'.repeat(100);
			golem.create('many', files).catch(() => {}); await new Promise((f) => setTimeout(f, %d)); golem.close(); return 1`, ms)
		got := talk(two, `const before = (await golem.list()).map((p) => p.name + p.files);
			for (;;) try { await golem.create('many', {a: 'x'}); break } catch { await new Promise((f) => setTimeout(f, 50)) }
			const after = (await golem.list()).map((p) => p.name + p.files); await golem.remove('many'); return before + '|' + after`)
		if got != "|many1" {
			t.Errorf("killed after %d ms: %s", ms, got)
		}
	}
}

// TestResponsive tests that the window responds during a run, and that a busy run is cancelled
// soon. It counts steps instead of measuring time, because machines differ in speed.
func TestResponsive(t *testing.T) {
	p := embedded(t)
	talk(p, `await golem.create('reads', %s); return 1`, hundredReads().script())
	ticks := webtest.Eval[int](p, `(async () => {
		const golem = await window.golem; let ticks = 0, on = true
		const tick = () => { ticks++; if (on) setTimeout(tick, 5) }; tick()
		await golem.run('reads', 'x').result; on = false; return ticks })()`)
	if ticks < 10 { // in the time of a hundred turns; a window that cannot do anything has one or two
		t.Errorf("the window could do something only %d times during a run", ticks)
	}
	turns := webtest.Eval[int](p, `(async () => {
		const golem = await window.golem; const run = golem.run('reads', 'x'); let n = 0, turns = 0
		for await (const e of run) {
			if (e.type === 'model.start' && n > 20) turns++
			if (++n === 20) { run.cancel(); golem.list().then(() => { turns = 0 }) } // turns before golem heard of it do not count
		}
		const r = await run.result; if (r.status !== 'interrupted') throw new Error(r.status); return turns })()`)
	if turns > 20 { // of a hundred: what was on its way comes still
		t.Errorf("a run went on for %d turns after it was cancelled", turns)
	}
	t.Logf("%d ticks of the window in a run, %d turns after it was cancelled", ticks, turns)
}

// TestZipGoesHome exports a project as a zip: the command line runs it with the same trace.
func TestZipGoesHome(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	talk(p, `await golem.create('hello', %s); await golem.files('hello').write('.env', 'OPENAI_API_KEY=sk-secret'); return 1`, helloFiles)
	zipped := talk(p, `const blob = await golem.exportZip('hello');
		return btoa(String.fromCharCode(...new Uint8Array(await blob.arrayBuffer())))`)
	here := talk(p, `await golem.run('hello', 'x', {approval: 'approve_all'}).result;
		const [r] = await golem.runs('hello'); return new TextDecoder().decode(await golem.readRun('hello', r.name))`)
	dir := filepath.Join(t.TempDir(), "hello")
	unzip(t, zipped, dir)
	if _, err := os.Stat(filepath.Join(dir, ".env")); err == nil {
		t.Error("the keys went along")
	}
	file := filepath.Join(t.TempDir(), "t.jsonl")
	cmd := exec.Command(cli(t), "run", dir, "x", "--approve-all", "--trace", file)
	cmd.Env = append(os.Environ(), "GOLEM_HOME="+t.TempDir())
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	there, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := normal(t, here), normal(t, string(there)); a != b {
		t.Errorf("in the page:\n%s\nat home:\n%s", a, b)
	}
	if got := talk(p, `await golem.importZip('again', Uint8Array.from(atob('%s'), (c) => c.charCodeAt(0)));
		return (await golem.files('again').list()).map((f) => f.path)`, zipped); got != "main.worker,s.yaml" {
		t.Errorf("taken in again: %s", got)
	}
	if got := talk(p, `const code = await golem.importZip('bad', new Uint8Array([80, 75, 3, 4, 0])).catch((e) => e.code);
		return code + ' ' + (await golem.list()).map((p) => p.name)`); got != "E_PATH again,hello" {
		t.Errorf("a broken zip: %s", got)
	}
}

// normal returns a trace without the parts that differ between two runs (SPEC §16).
func normal(t *testing.T, text string) string {
	t.Helper()
	_, events, err := trace.Read(strings.NewReader(text), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var out strings.Builder
	for _, e := range trace.Normalise(events) {
		line, err := trace.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(line, '\n'))
	}
	return out.String()
}

func unzip(t *testing.T, coded, dir string) {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(coded)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err == nil {
		err = os.CopyFS(dir, z)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// provider starts a model's endpoint on another origin. Like some providers it is strict about
// cross-origin requests: it accepts only the headers that it knows.
func provider(t *testing.T, stream func(w http.ResponseWriter, r *http.Request, body string)) webtest.Site {
	t.Helper()
	return webtest.ServeHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
		w.Header().Set("Access-Control-Allow-Headers", "authorization, content-type")
		if r.Method == http.MethodOptions {
			for _, h := range strings.Split(r.Header.Get("Access-Control-Request-Headers"), ",") {
				if h = strings.TrimSpace(h); h != "" && h != "authorization" && h != "content-type" {
					t.Errorf("the page wants to send %s", h)
				}
			}
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		stream(w, r, string(body))
	}), "/")
}

func say(w http.ResponseWriter, text, finish string) {
	chunk := map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{"content": text}, "finish_reason": nil}}}
	if finish != "" {
		chunk["choices"].([]any)[0].(map[string]any)["finish_reason"] = finish
	}
	data, err := json.Marshal(chunk)
	if err == nil {
		fmt.Fprintf(w, "data: %s\n\n", data)
		w.(http.Flusher).Flush()
	}
}

// TestMisuse tests that golem.js answers wrong options, wrong answers and calls after the end
// with coded errors, and tells the page what its own functions did wrong.
func TestMisuse(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	p.Expect("the approver broke")
	p.Expect("approve must give")
	p.Expect("the artifact broke")
	talk(p, `await golem.create('a', %s); window.complaints = []; addEventListener('error', (e) => complaints.push(e.message))`, helloFiles)
	for _, c := range []struct{ do, want string }{
		{`const out = []; for (const o of [{attachments: 'x'}, {attachments: [null]}, {attachments: [{data: 'x'}]}, {signal: {}}, {signal: 'x'}, {artifact: 'x'}, {approve: 1}]) out.push(await golem.run('a', 'x', o).result.catch((e) => e.name + e.code)); return out`, strings.TrimSuffix(strings.Repeat("GolemErrorE_USAGE,", 7), ",")},
		{`return (await golem.run('a', 'x', null).result).status`, "ok"},
		{`return golem.files('a').list({signal: {}}).catch((e) => e.code)`, "E_USAGE"},
		{`await golem.files('a').write('n.txt', '0123456789'); const f = golem.files('a'), text = async (part) => new TextDecoder().decode(await f.read('n.txt', part));
			return [await text({from: 4}), await text({from: 4, size: 2}), await text({size: 3}), await text({from: 99}), await f.read('n.txt', {from: -1}).catch((e) => e.code)]`, "456789,45,012,,E_USAGE"},
		{`const run = golem.run('a', 'x'); for await (const e of run) return e.type + e.golem`, "tracetrace"},
		{`const run = golem.chat('a', 'x'); run.end(); const early = (() => { try { run.send('y') } catch (e) { return e.code } })(); await run.result; try { run.send('y') } catch (e) { return early + e.code }`, "E_USAGEE_USAGE"},
		{`const reasons = []; for (const approve of [() => { throw new Error('the approver broke') }, () => ({answer: 'maybe'}), () => 'yes', () => ({answer: 'no', reason: {}})]) {
			const run = golem.run('a', 'x', {approve}); for await (const e of run) if (e.type === 'approval') reasons.push(e.decision + ': ' + e.reason?.slice(0, 60)) }
			return reasons.join('; ') + ' ' + complaints.length`, strings.TrimSuffix(strings.Repeat("deny: the question could not be shown; ", 4), "; ") + " 4"},
		{`const before = complaints.length, r = await golem.run('a', 'x', {artifact: () => { throw new Error('the artifact broke') }}).result; return r.status + (complaints.length > before)`, "oktrue"},
		{`const out = []; for (const toolsets of [{s: {'bad name': {run: () => 1}}}, {s: {'': {run: () => 1}}}, {s: {['x'.repeat(65)]: {run: () => 1}}}, {s: {good: {run: () => 1}}}]) try { golem.provide({toolsets}); out.push('ok') } catch (e) { out.push(e.code) } golem.provide({}); return out`, "E_USAGE,E_USAGE,E_USAGE,ok"},
	} {
		if got := talk(p, "%s", c.do); got != c.want {
			t.Errorf("%s:\n%s\nwant %s", c.do, got, c.want)
		}
	}
}

// TestFetch tests requests to a provider: the stream arrives piece by piece; the key is in its
// header, and no header is sent that a strict endpoint refuses; cancelling ends the request; a
// redirect is not followed; no key is stored anywhere.
func TestFetch(t *testing.T) {
	t.Parallel()
	gone := make(chan bool, 1)
	wait := make(chan bool)
	var redirected atomic.Int32
	site := provider(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if r.Header.Get("Authorization") != "Bearer sk-very-secret-key" {
			t.Errorf("the key came as %q", r.Header.Get("Authorization"))
		}
		w.Header().Set("Content-Type", "text/event-stream")
		switch {
		case strings.Contains(body, "redirect me"):
			redirected.Add(1)
			w.Header().Set("Location", "http://localhost:1/v1/chat/completions")
			w.WriteHeader(http.StatusTemporaryRedirect)
		case strings.Contains(body, "hang"):
			say(w, "one", "")
			<-r.Context().Done()
			gone <- true
		default:
			say(w, "one ", "")
			<-wait // until the page has shown the first piece
			say(w, "two sk-very-secret-key", "stop")
			fmt.Fprint(w, "data: [DONE]\n\n")
		}
	})
	p := embedded(t)
	talk(p, `await golem.create('m', {'main.worker': '---\nmodel: openai:gpt-5-mini\n---\nHello.\n'});
		window.env = {OPENAI_API_KEY: 'sk-very-secret-key', OPENAI_BASE_URL: '%sv1'};
		window.run = golem.run('m', 'x', {env});
		window.first = (await until(window.run, 'delta')).text;
		return 1`, site.URL)
	close(wait)
	if got := talk(p, `const r = await window.run.result; return window.first + '|' + r.status + '|' + r.text`); !strings.HasPrefix(got, "one |ok|one two ") || strings.Contains(got, "secret") {
		t.Errorf("the answer is %q", got)
	}
	if got := talk(p, `const run = golem.run('m', 'hang', {env});
		for await (const e of run) if (e.type === 'delta') run.cancel();
		const r = await run.result; return r.status + r.exit`); got != "interrupted130" {
		t.Errorf("cancelled: %s", got)
	}
	<-gone // if cancelling did not end the request, the test hangs here
	got := talk(p, `const r = await golem.run('m', 'redirect me', {env}).result; return r.status + ' ' + r.error.code + ' ' + r.error.message`)
	if !strings.HasPrefix(got, "error E_MODEL ") || !strings.Contains(got, "golem follows no redirect (307)") || redirected.Load() != 1 {
		t.Errorf("redirected after %d requests: %s", redirected.Load(), got)
	}
	for _, r := range strings.Split(talk(p, `let all = ''; for (const r of await golem.runs('m')) all += new TextDecoder().decode(await golem.readRun('m', r.name)); return all`), "\n") {
		if strings.Contains(r, "very-secret") {
			t.Errorf("a trace holds the key: %s", r)
		}
	}
}
