//go:build !js

package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"golem/web/webtest"
)

// foreign returns a project that sends the key in ACME_KEY to the endpoint.
func foreign(site webtest.Site) map[string]string {
	return map[string]string{
		"project.yaml": fmt.Sprintf("model: acme:m\nproviders: {acme: {base_url: \"%sv1\", api_key_env: ACME_KEY}}\n", site.URL),
		"main.worker":  "---\ntoolsets: {filesystem: {}}\n---\nAnswer.\n",
	}
}

// answering starts an endpoint, and returns it and the counter of its requests.
func answering(t *testing.T) (webtest.Site, *atomic.Int32) {
	n := new(atomic.Int32)
	return provider(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		n.Add(1)
		w.Header().Set("Content-Type", "text/event-stream")
		say(w, "the answer", "stop")
		fmt.Fprint(w, "data: [DONE]\n\n")
	}), n
}

// TestTrustQuestion plays scenarios 41 and 44: a project's settings of a provider are shown in
// a dialog like that for a tool call: it has each line that a yes covers, No has the focus,
// Escape is no, and no request is sent before a yes. The yes is kept for the project in this
// browser, and is removed with the project.
func TestTrustQuestion(t *testing.T) {
	t.Parallel()
	site, requests := answering(t)
	p, _ := visit(t, "/")
	do(p, `await text("is ready"); localStorage.setItem('golem.keys', JSON.stringify({ACME_KEY: 'sk-the-key-0123'}))`)
	project(t, p, "away", foreign(site))
	do(p, `await say("go"); await text("more than its sandbox")`)
	said := webtest.Eval[string](p, `document.querySelector('dialog[open]').innerText + '|' + document.activeElement.innerText`)
	for _, want := range []string{"providers.acme.base_url", site.URL + "v1", "project.yaml:2", "providers.acme.api_key_env", "high risk"} {
		if !strings.Contains(said, want) {
			t.Errorf("the dialog does not show %q:\n%s", want, said)
		}
	}
	for _, not := range []string{"until this", "Reason", "sk-the-key"} {
		if strings.Contains(said, not) {
			t.Errorf("the dialog shows %q:\n%s", not, said)
		}
	}
	refuse(p)
	finished(p, "error")
	if n := requests.Load(); n != 0 {
		t.Fatalf("%d requests without a yes", n)
	}
	do(p, `await text("E_TRUST"); await say("again"); await text("more than its sandbox")`)
	yes(p)
	do(p, `await text("the answer")`)
	do(p, `await say("once more"); await text("once more"); await text("the answer")`)
	if n := requests.Load(); n != 2 {
		t.Errorf("%d requests after the yes", n)
	}
	do(p, `await click("Settings"); await text("Trust in away"); await text("Forget what was trusted"); await click("Forget what was trusted"); await until("it to be forgotten", () => !button("Forget what was trusted"))`)
	do(p, `await click("Run"); await say("forgotten"); await text("more than its sandbox")`)
	refuse(p)
}

// TestTrustGoesWithTheProject tests that trust belongs to one project in this browser (SPEC
// §3): a new project of the same name is not trusted, and files of an archive that claim trust
// have no effect.
func TestTrustGoesWithTheProject(t *testing.T) {
	t.Parallel()
	site, _ := answering(t)
	p := embedded(t)
	files := foreign(site)
	files[".golem/trust.json"] = `{"golem":"trust","v":1,"projects":{"/k":[{"file":"project.yaml","path":"providers.acme.base_url","value":"x"}]}}`
	files["trust/k.json"] = files[".golem/trust.json"]
	given, err := json.Marshal(files)
	if err != nil {
		t.Fatal(err)
	}
	got := talk(p, `const files = %s, env = {ACME_KEY: 'sk-0123456789'}, out = [];
		let asked = 0;
		const approve = async () => { asked++; return { answer: 'yes' } };
		const go = async () => out.push((await golem.run('k', 'x', {env, approve}).result).status, asked);
		await golem.create('k', files); await go(); await go();
		out.push((await golem.trust('k')).widenings.every((w) => w.trusted));
		await golem.remove('k'); await golem.create('k', files);
		out.push((await golem.trust('k')).widenings.some((w) => w.trusted)); await go();
		await golem.distrust('k'); await go();
		const headless = await golem.run('k', 'x', {env, trust: true}).result; out.push(headless.status);
		const config = 'projects: {/k: {trust: false}}';
		out.push((await golem.checkConfig(config)).length, (await golem.checkConfig('modle: x'))[0].code);
		return out.join()`, given)
	if want := "ok,1,ok,1,true,false,ok,2,ok,3,ok,0,E_CONFIG"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestProjectsHaveIDs tests that the person's files about a project are kept under a random id
// of the project, not under its name (SPEC §3). Files that an earlier version kept by name are
// still used, also if the tab died while they were moved.
func TestProjectsHaveIDs(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	const hands = `const root = await navigator.storage.getDirectory(), out = [], half = 'f'.repeat(32);
		const dir = async (names, create) => { let d = root; for (const n of names) d = await d.getDirectoryHandle(n, {create}); return d };
		const put = async (place, text) => { const names = place.split('/'), last = names.pop(); const w = await (await (await dir(names, true)).getFileHandle(last, {create: true})).createWritable(); await w.write(text); await w.close() };
		const read = async (place) => { try { const names = place.split('/'), last = names.pop(); return await (await (await (await dir(names)).getFileHandle(last)).getFile()).text() } catch { return '' } };
		const rules = (name) => 'projects:\n  /' + name + ':\n    approval:\n      rules:\n        - {tool: write_file, decide: preApproved}\n';
		const files = {'main.worker': '---\nmodel: script:s.yaml\n---\nGo.\n', 's.yaml': 'script: 1\nworkers: {main: [{say: done}]}\n'};
		`
	talk(p, "%s", hands+`for (const name of ['a', 'b', 'c']) await golem.create(name, files);
		await put('rules/a.yaml', rules('a')); await put('trust/a.json', '{"golem":"trust","v":1,"projects":{"/a":[]}}'); await put('state/a.key', 'k'.repeat(32));
		await put('ids/b', half + '?'); await put('own/' + half + '/rules.yaml', rules('b')); await put('state/b.key', 'm'.repeat(32))`)
	p.Reload() // golem has in memory what it read
	got := talk(p, "%s", hands+`out.push((await golem.rules('a')).length);
		const id = await read('ids/a'); out.push(/^[0-9a-f]{32}$/.test(id));
		for (const left of ['rules/a.yaml', 'trust/a.json', 'state/a.key']) out.push(await read(left) === '');
		out.push(await read('own/' + id + '/state.key') === 'k'.repeat(32), (await read('own/' + id + '/trust.json')).length > 0);
		out.push((await golem.rules('b')).length, await read('ids/b') === half, await read('own/' + half + '/state.key') === 'm'.repeat(32));
		await golem.rules('c'); out.push(await read('ids/c') !== id);
		await golem.remove('a'); await golem.create('a', files);
		out.push((await golem.rules('a')).length, await read('own/' + id + '/rules.yaml') === '', await read('ids/a') !== id);
		return out.join()`)
	if want := "1,true,true,true,true,true,true,1,true,true,true,0,true,true"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestStaleAnswersAnswerNothing tests that an answer counts only for the id of its request
// (SECURITY 19): a yes to another question, whenever it comes, answers neither the question
// about a key nor that about a tool.
func TestStaleAnswersAnswerNothing(t *testing.T) {
	t.Parallel()
	site, requests := answering(t)
	p := embedded(t)
	files := foreign(site)
	got := talk(p, `await golem.create('k', {'project.yaml': %q, 'main.worker': %q});
		await golem.create('w', %s);
		const real = Worker.prototype.postMessage;
		let last = 'other-1';
		Worker.prototype.postMessage = function (m, ...rest) {
			if (m?.answer) for (const id of [last, '', m.answer.id + '0', undefined]) real.call(this, { id: m.id, answer: { id, answer: 'yes' } });
			if (m?.method === 'run') for (let i = 0; i < 80; i++) setTimeout(() => real.call(this, { id: m.id, answer: { id: 'early', answer: 'yes' } }));
			last = m?.answer?.id ?? last;
			return real.call(this, m, ...rest);
		};
		const kinds = [];
		const approve = async (r) => { kinds.push(r.kind); await new Promise((done) => setTimeout(done, 100)); return { answer: 'no', reason: r.kind } };
		const k = await golem.run('k', 'x', {env: {ACME_KEY: 'sk-0123456789'}, approve}).result;
		const w = golem.run('w', 'x', {approve}); let denied = 0;
		for await (const e of w) if (e.type === 'approval' && e.decision === 'deny') denied++;
		Worker.prototype.postMessage = real;
		return [kinds, k.error?.code, true, denied, (await golem.files('w').list()).some((f) => f.path === 'out.txt')].join()`,
		files["project.yaml"], files["main.worker"], helloFiles)
	if got != "trust,tool,E_TRUST,true,1,false" || requests.Load() != 0 {
		t.Errorf("%s, %d requests", got, requests.Load())
	}
}

// TestFramed tests that golem in a frame of another page shows no dialog that a stolen click
// could answer (SECURITY 23): what would ask is denied, and the project of a link is not made.
func TestFramed(t *testing.T) {
	t.Parallel()
	framing := &fstest.MapFile{Data: []byte(`<!doctype html><title>framing</title><link rel="icon" href="icon.svg"><iframe src="./" style="width:100%;height:90vh"></iframe>`)}
	site := webtest.ServeHandler(t, light(t, withFile{embedding(t), fstest.MapFS{"framing.html": framing}}), "/")
	own := browserOf(t).Open(t, site.URL)
	do(own, `await text("is ready")`)
	project(t, own, "ask", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\n---\nWrite.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - when: {error: E_DENIED}\n      say: it was refused\n    - calls: [{tool: write_file, args: {path: /out.txt, content: hi}}]\n    - say: it was written\n",
	})
	own.Navigate(site.URL + "framing.html")
	inside := func(js string) {
		t.Helper()
		webtest.Eval[string](own, `(async () => {
			for (let n = 0; n < 2000 && !frames[0]?.document?.body?.innerText.includes("is ready") && !frames[0]?.document?.querySelector('.composer, [aria-label="delete ask"]'); n++) await new Promise((done) => setTimeout(done, 50));
			((document, window) => { `+hands+` })(frames[0].document, frames[0]);
			const { say, text, until } = frames[0].hands, document = frames[0].document, location = frames[0].location;
			`+js+`; return "" })()`)
	}
	inside(`await say("go"); await text("it was refused"); if (document.querySelector('dialog')?.open) throw new Error('a dialog is open')`)
	inside(`document.querySelector('.brand').click(); (await until("the button", () => document.querySelector('[aria-label="delete ask"]'))).click(); await text("asks nothing inside another page");
		if (document.querySelector('dialog')?.open || !document.querySelector('[aria-label="delete ask"]')) throw new Error('it deletes')`)
	inside(`location.hash = 'project=x&zip=UEsDBAAA'; await text("does not open projects inside another page"); if (document.querySelector('dialog')?.open) throw new Error('a dialog is open')`)
}

// TestQuestionsOfTheRoot plays scenarios 29 and 32: a question that a child asks and the root
// passes on is a dialog with a field, also in a single run; at the limit of turns a dialog
// asks whether to go on; a worker that failed is named below the answer.
func TestQuestionsOfTheRoot(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "asks", map[string]string{
		"main.worker":            "---\nmodel: script:s.yaml\nallow_workers: [planner]\nlimits: {turns: 3}\n---\nM.\n",
		"workers/planner.worker": "---\ndescription: Plans.\n---\nP.\n",
		"s.yaml": `script: 1
workers:
  main:
    - calls: [{tool: planner, args: {input: plan}}]
    - when: {tool: planner, match: "which store"}
      say: Which store shall it be?
    - when: {match: "^Redis$"}
      calls: [{tool: planner, args: {input: plan with Redis}}, {tool: planner, args: {input: fail}}]
    - say: planned with it
  planner:
    - when: {match: "Redis"}
      say: a plan
    - when: {match: "fail"}
      fail: {status: 401}
    - calls: [{tool: request_input, args: {question: "which store?", options: [Redis, SQLite]}}]
`,
	})
	do(p, `await say("Pick a store"); await until("the field", () => document.querySelector('dialog[open] #reply'))`)
	said := webtest.Eval[string](p, `document.querySelector('dialog[open]').innerText`)
	for _, want := range []string{"Which store shall it be?", "planner asked", "which store?", "SQLite", "No answer", "Answer"} {
		if !strings.Contains(said, want) {
			t.Errorf("the dialog does not show %q:\n%s", want, said)
		}
	}
	do(p, `
		const field = document.querySelector('#reply'); field.value = 'Redis'; field.dispatchEvent(new Event('input', {bubbles: true}));
		await until("Answer to be possible", () => { const b = [...document.querySelectorAll('dialog[open] button')].find((b) => b.innerText === 'Answer'); return b && !b.disabled && (b.click(), true) });
		await text("Go on?")`)
	yes(p)
	do(p, `await text("planned with it"); await text("A worker failed: planner")`)
}
