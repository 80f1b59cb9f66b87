//go:build !js

package web_test

import (
	"os"
	"strings"
	"testing"

	"golem/web/webtest"
)

// agent has functions with which a test plays the agent of the browser: it knows only what
// document.modelContext tells.
const agent = `const names = async () => (await document.modelContext.getTools()).map((t) => t.name).sort().join();
	const use = async (name, args) => { const tool = (await document.modelContext.getTools()).find((t) => t.name === name); const out = await document.modelContext.executeTool(tool, args); return typeof out === 'string' ? out : JSON.stringify(out) };
	const thrown = (e) => e.name + ' ' + e.code + ' ' + e.message;
	`

// exporting is a project with two exported workers, one of which has a schema and asks, and one
// that is nobody's business.
const exporting = `{
	'project.yaml': 'name: desk\nexports: [./workers/echo, ./workers/note]\nmodel: script:s.yaml\n',
	'main.worker': '---\ndescription: not exported\n---\nHello.\n',
	'workers/echo.worker': '---\ndescription: Says it again.\n---\nEcho.\n',
	'workers/note.worker': '---\ndescription: Keeps a note.\ninput_schema: {type: object, properties: {name: {type: string}, text: {type: string}}, required: [name, text], additionalProperties: false}\ntoolsets: {filesystem: {}}\n---\nKeep it.\n',
	's.yaml': 'script: 1\nworkers:\n  echo:\n    - when: {match: "^hang$"}\n      hang: true\n    - when: {match: "^fail$"}\n      fail: {status: 400}\n    - when: {match: "(?s)^(?P<all>.*)$"}\n      say: "again: ${all}"\n  note:\n    - when: {tool: write_file, error: E_DENIED}\n      say: it was not kept\n    - when: {tool: write_file}\n      say: kept\n    - when: {match: "name\\\\W+(?P<name>[a-z]+)"}\n      calls: [{tool: write_file, args: {path: "/${name}.txt", content: "noted"}}]\n'
}`

// TestExpose tests that golem.js offers exported workers to the agent of the browser: the tools
// are listed and called, through the gate; what an agent sends wrongly, what is denied and what
// fails is an answer to it; and the tools are gone when the page withdraws them.
func TestExpose(t *testing.T) {
	t.Parallel()
	p := embeddedIn(t, &agentic)
	talk(p, `await golem.create('desk', `+exporting+`); window.asks = []; window.says = 'no'; return ''`)
	for _, c := range []struct{ do, want string }{
		{`return JSON.stringify((await golem.offers('desk')).map((o) => [o.name, o.worker, o.entry, o.description, !!o.input]))`,
			`[["echo","echo","./workers/echo","Says it again.",false],["note","note","./workers/note","Keeps a note.",true]]`},
		{`return golem.expose('desk', {workers: ['main']}).catch(thrown)`, `GolemError E_USAGE the project does not offer a worker "main"`},
		{`return [await golem.expose('nope').catch((e) => e.code), await golem.expose('desk', {aproval: 'x'}).catch((e) => e.code), await names()].join(' ')`, "E_NOT_FOUND E_USAGE "},

		// Listed, called, and the answers.
		{`window.made = await golem.expose('desk', {approve: async (request) => { window.asks.push(request.tool); return {answer: window.says} }, called: (c) => (window.last = c)}); return made.tools + ' ' + await names()`, "echo,note echo,note"},
		{`const [echo, note] = await document.modelContext.getTools(); return JSON.stringify([echo.description, echo.inputSchema.required, note.inputSchema.required])`, `["Says it again.",["input"],["name","text"]]`},
		{`return [await use('echo', {input: 'hi'}), window.last.worker, (await window.last.run.result).status].join(' | ')`, "again: hi | echo | ok"},
		{`return await use('note', {name: 'a', text: 'b'}) + ' ' + window.asks`, "it was not kept write_file"},
		{`window.says = 'yes'; return [await use('note', {name: 'a', text: 'b'}), new TextDecoder().decode(await golem.files('desk').read('a.txt'))].join(' | ')`, "kept | noted"},
		{`return (await golem.runs('desk')).length`, "3"},

		// What is wrong is an answer with a code, and nothing runs.
		{`return use('echo', [1])`, `{"error":{"code":"E_TOOL_INPUT","message":"the arguments must be an object"}}`},
		{`return use('echo', {input: {deep: 1}})`, `{"error":{"code":"E_TOOL_INPUT","message":"input must be a text"}}`},
		{`return JSON.parse(await use('echo', {input: 'x'.repeat(2000000)})).error.code`, "E_LIMIT"},
		{`return JSON.parse(await use('note', {name: 'a'})).error.code`, "E_TOOL_INPUT"},
		{`return JSON.parse(await use('note', {name: '../../a', text: 'b', __proto__: {x: 1}, constructor: 'x'})).error.code`, "E_TOOL_INPUT"},
		{`return [(await golem.runs('desk')).length, window.asks.length].join()`, "5,2"},
		{`const {error} = JSON.parse(await use('echo', {input: 'fail'})); return error.code + ' ' + (error.message.length > 0)`, "E_MODEL true"},

		// At most four calls at once; what runs ends when the tools are withdrawn.
		{`window.hung = [1, 2, 3, 4].map(() => use('echo', {input: 'hang'}).catch((e) => e.name)); for (let n = 0; n < 4; ) n = (await golem.runs('desk')).length - 6; return JSON.parse(await use('echo', {input: 'hang'})).error.code`, "E_BUSY"},
		{`made.close(); return [(await Promise.all(window.hung)).map((h) => /E_INTERRUPTED|Error/.test(h)).join(), await names()].join(' ')`, "true,true,true,true "},

		// A signal withdraws, too; without approve what asks is denied, and the agent hears of it.
		{`const stop = new AbortController(); await golem.expose('desk', {workers: ['note'], signal: stop.signal}); const out = await use('note', {name: 'c', text: 'd'}); stop.abort(); return [out, await names()].join(' | ')`,
			`{"answer":"it was not kept","denied":"1 calls were denied, because nobody could be asked"} | `},

		// A name that the page has already is a conflict, and nothing stays.
		{`const stop = new AbortController(); await document.modelContext.registerTool({name: 'note', description: 'of the page', inputSchema: {type: 'object', properties: {n: {type: 'number'}}}, execute: async ({n}) => 'page ' + n}, {signal: stop.signal}); window.mine = stop;
			return [await golem.expose('desk').catch((e) => e.code), await names()].join(' ')`, "E_CONFLICT note"},

		// Tools of the page are tools of workers, which ask.
		{`golem.provide({toolsets: {mine: await golem.pageTools()}}); await golem.create('user', {'main.worker': '---\nmodel: script:s.yaml\ntoolsets: {page: {names: [mine]}}\n---\nHi.\n', 's.yaml': 'script: 1\nworkers:\n  main:\n    - when: {tool: note, match: "page 7"}\n      say: it said page 7\n    - when: {tool: note}\n      say: it was refused\n    - calls: [{tool: note, args: {n: 7}}]\n'});
			const asked = []; const r = await golem.run('user', 'go', {approve: async (q) => { asked.push(q.tool); return {answer: 'yes'} }}).result; const no = await golem.run('user', 'go').result; return [r.text, asked, no.text].join(' | ')`, "it said page 7 | note | it was refused"},
		{`window.mine.abort(); const made = await golem.expose('desk'); const all = Object.keys(await golem.pageTools()); made.close(); return all.length`, "0"},
	} {
		if got := talk(p, "%s", agent+c.do); got != c.want {
			t.Errorf("%s\n got %q\nwant %q", c.do, got, c.want)
		}
	}

	// As docs/web/providing.md shows it.
	page, err := os.ReadFile("../docs/web/providing.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "```js\nconst offer = ")
	example, _, _ = strings.Cut(example, "```")
	if got := talk(p, "%s", "const offer = "+example+"; return offer.tools"); got != "echo,note" {
		t.Errorf("the example of docs/web/providing.md offers %q", got)
	}

	// A browser without an agent says so.
	plain := embedded(t)
	if got := talk(plain, `await golem.create('desk', %s); return golem.expose('desk').catch((e) => e.name + ' ' + e.code)`, exporting); got != "GolemError E_PLATFORM" {
		t.Errorf("without an agent: %s", got)
	}
}

// TestOfferInThePage tests that the page offers the workers of the open project after a yes, that
// the yes is remembered for what it covered, that questions of an agent's calls are shown, also to
// a person who approves all calls of their own runs, and that the tools go with the project.
func TestOfferInThePage(t *testing.T) {
	t.Parallel()
	p := agentic.Open(t, webtest.Serve(t, built(t), "/").URL)
	do(p, `await text("is ready")`)
	files := webtest.Eval[map[string]string](p, "("+exporting+")")
	project(t, p, "desk", files)
	names := func() string { return webtest.Eval[string](p, "(async () => {"+agent+" return names() })()") }
	if got := names(); got != "" {
		t.Errorf("before the yes: %s", got)
	}
	do(p, `const all = await until("the approvals", () => document.querySelector('#approval')); all.value = 'approve_all'; all.dispatchEvent(new Event('change', {bubbles: true}));
		await click("Workers"); await click("Offer to the browser’s agent…"); await text("Says it again."); await text("takes name, text"); await click("Not now"); await click("Offer to the browser’s agent…"); await click("Offer them"); await text("The browser’s agent can use echo, note")`)
	if got := names(); got != "echo,note" {
		t.Errorf("after the yes: %s", got)
	}
	webtest.Eval[string](p, "(async () => {"+agent+" window.answer = use('note', {name: 'a', text: 'b'}); return '' })()")
	do(p, `await text("Change a file?"); await text("The browser’s agent runs note")`)
	settled(p)
	do(p, `[...document.querySelectorAll('dialog[open] button')].find((b) => b.innerText === 'Yes').click(); if (await window.answer !== 'kept') throw new Error(await window.answer)`)

	// Another project withdraws them, and coming back offers them again; so does a reload.
	project(t, p, "other", asking)
	p.Until("the tools are gone", `document.modelContext.getTools().then((all) => all.length === 0)`)
	do(p, `await click("golem"); await click("desk")`)
	p.Until("the tools are back", `document.modelContext.getTools().then((all) => all.length === 2)`)
	p.Reload()
	p.Until("the tools are back", `document.modelContext.getTools().then((all) => all.length === 2)`)

	// Other workers than those of the yes are not offered.
	do(p, `await click("Workers"); await text("The browser’s agent can use echo, note"); const kept = JSON.parse(localStorage['golem.settings']), was = kept.projects.desk.offered; kept.projects.desk.offered = was.replace('Says it again', 'Said something else'); if (kept.projects.desk.offered === was) throw new Error(was); localStorage['golem.settings'] = JSON.stringify(kept)`)
	p.Reload()
	do(p, `await text("desk"); await click("Workers"); await text("Offer to the browser’s agent…")`)
	if got := names(); got != "" {
		t.Errorf("after the workers changed: %s", got)
	}

	// What was withdrawn is not offered again.
	do(p, `await click("Offer to the browser’s agent…"); await click("Offer them"); await text("The browser’s agent can use echo, note"); await click("Withdraw"); await text("Offer to the browser’s agent…")`)
	if got := names(); got != "" {
		t.Errorf("after they were withdrawn: %s", got)
	}
	p.Reload()
	do(p, `await text("desk"); await click("Workers"); await text("Offer to the browser’s agent…")`)
	if got := names(); got != "" {
		t.Errorf("after a reload: %s", got)
	}

	// A browser without an agent shows nothing of it.
	plain, _ := visit(t, "/")
	do(plain, `await text("is ready")`)
	project(t, plain, "desk", files)
	if said := do(plain, `await click("Workers"); await text("choose one to see what it may do"); return document.body.innerText`); strings.Contains(said, "agent…") {
		t.Errorf("a browser without an agent shows %s", said)
	}
}
