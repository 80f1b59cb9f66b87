//go:build !js

package web_test

import (
	"os"
	"strings"
	"testing"
)

// provided is a script that provides functions that work, fail in every way or never end.
const provided = `window.asked = []; window.calls = [];
	const risky = (name) => async (args) => { calls.push(name + JSON.stringify(args)); return 'done ' + name };
	golem.provide({
		toolsets: {
			crm: {
				find: { description: 'Finds a customer.', risk: 'read', input: {type: 'object', properties: {name: {type: 'string'}}, required: ['name'], additionalProperties: false}, run: (args) => ({ id: 7, name: args.name }) },
				rename: { description: 'Renames.', risk: 'write', run: risky('rename') },
				mail: { description: 'Sends a mail.', run: risky('mail') },
			},
			bad: {
				throws: { risk: 'read', run: () => { throw new Error('no such customer') } },
				odd: { risk: 'read', run: () => { throw { toString() { throw 1 } } } },
				circle: { risk: 'read', run: () => { const o = {}; o.o = o; return o } },
				big: { risk: 'read', run: () => 'x'.repeat(2 << 20) },
				fn: { risk: 'read', run: () => () => 1 },
				lone: { risk: 'read', run: () => ({ s: '\ud800' }) },
				shape: { risk: 'read', output: {type: 'object', properties: {n: {type: 'number'}}, required: ['n']}, run: () => ({ n: 'x' }) },
				slow: { risk: 'read', timeout: '50ms', run: () => new Promise(() => {}) },
				hang: { risk: 'read', run: (_, { signal }) => new Promise(() => { signal.addEventListener('abort', () => calls.push('stopped')); window.hung.cancel() }) },
			},
		},
		models: {
			echo: async ({ messages }) => 'you said ' + messages.at(-1).content,
			stream: async function* ({ messages, tools }) { if (messages.at(-1).role === 'tool') { yield 'It is '; yield messages.at(-1).content } else yield { calls: [{ name: tools[0].function.name, args: { name: 'Ada' } }], usage: { in: 5, out: 3 } } },
			raw: async ({ messages }) => ({ choices: [{ index: 0, message: { role: 'assistant', content: 'raw' }, finish_reason: 'stop' }], usage: { prompt_tokens: 2, completion_tokens: 1 } }),
			throws: async () => { throw new Error('the GPU is gone') },
			busy: async () => { if (!window.again) { window.again = 1; throw Object.assign(new Error('slow down'), { status: 503 }) } return 'at last' },
			nothing: async () => ({ oops: 1 }),
			hang: (_, { signal }) => new Promise(() => { signal.addEventListener('abort', () => calls.push('model stopped')); window.hung.cancel() }),
		},
	});
	const script = (...steps) => 'script: 1\nworkers:\n  main:\n' + steps.map((s) => '    - ' + s + '\n').join('') + '    - say: done\n';
	const worker = (more) => '---\nmodel: script:s.yaml\n' + more + '---\nHelp.\n';
	window.play = async (name, files, options) => { await golem.create(name, files); const run = golem.run(name, 'x', options), seen = []; for await (const e of run) if (e.type === 'tool.end' || e.type === 'approval') seen.push(e); return { ...(await run.result), seen } };
	window.files = (set, ...steps) => ({ 'main.worker': worker('toolsets: {page: {names: [' + set + ']}}\n'), 's.yaml': script(...steps) });
	window.ofModel = (name, more = '') => ({ 'main.worker': '---\nmodel: page:' + name + '\n' + more + '---\nHelp.\n' });`

// TestProvided tests what a page provides: functions as tools and as models, with the same
// approval, trace, limits and cancelling as other tools and models.
func TestProvided(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/web/providing.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, found := strings.Cut(string(page), "```js\ngolem.provide(")
	example, _, ended := strings.Cut(example, "```")
	if !found || !ended {
		t.Fatal("docs/web/providing.md does not show golem.provide")
	}
	p := embedded(t)
	if got := talk(p, "const customers = []; golem.provide(%s; return answer", example); got != "You said: Hello" {
		t.Errorf("the example of docs/web/providing.md gave %s", got)
	}
	if got := talk(p, "%s return 'lent'", provided); got != "lent" {
		t.Fatal(got)
	}
	for _, c := range []struct{ do, want string }{
		// Tools: what they give is data; the gate asks by risk; unknown risk asks as a command does.
		{`const r = await play('find', files('crm', 'calls: [{tool: find, args: {name: Ada}}]')); return [r.status, r.text, r.seen.map((e) => e.type + ' ' + e.tool + ' ' + (e.source ?? JSON.stringify(e.result)))].join()`,
			`ok,done,approval find setting,tool.end find {"id":7,"name":"Ada"}`},
		{`const r = await play('args', files('crm', 'calls: [{tool: find, args: {nam: Ada}}]')); return r.seen.at(-1).error.code`, "E_TOOL_INPUT"},
		{`const r = await play('ask', files('crm', 'calls: [{tool: rename, args: {a: 1}}, {tool: mail, args: {}}]'), { approve: (q) => { asked.push(q.tool + ' ' + q.risk); return { answer: q.tool === 'rename' ? 'yes' : 'no' } } }); return [asked, calls, r.seen.filter((e) => e.type === 'tool.end').map((e) => e.status)].join(' | ')`,
			`rename medium,mail high | rename{"a":1} | ok,denied`},
		{`const r = await play('nobody', files('crm', 'calls: [{tool: rename, args: {}}]')); return [r.exit, r.denied, calls.length]`, "3,0.1,1"},
		// What a project says of itself opens no function that changes something.
		{`const f = files('crm', 'calls: [{tool: rename, args: {}}]'); f['main.worker'] = f['main.worker'].replace('names: [crm]', 'names: [crm], approval: {default: preApproved}'); const r = await play('claims', f); return [r.exit, r.denied, calls.length]`, "3,0.1,1"},

		// Functions that fail, in every way.
		{`const names = ['throws', 'odd', 'circle', 'big', 'fn', 'lone', 'shape', 'slow']; const r = await play('bad', files('bad', ...names.map((n) => 'calls: [{tool: ' + n + ', args: {}}]'))); return [r.status, ...r.seen.filter((e) => e.type === 'tool.end').map((e) => e.tool + ' ' + (e.error?.code ?? e.status))].join()`,
			"ok,throws E_TOOL,odd E_TOOL,circle E_TOOL_OUTPUT,big E_TOOL_OUTPUT,fn ok,lone E_TOOL_OUTPUT,shape E_TOOL_OUTPUT,slow E_TIMEOUT"},
		{`const all = await golem.readRun('bad', (await golem.runs('bad'))[0].name); return new TextDecoder().decode(all).includes('throws failed in the page: no such customer')`, "true"},
		{`await golem.create('hang', files('bad', 'calls: [{tool: hang, args: {}}]')); window.hung = golem.run('hang', 'x'); const { status } = await hung.result; return [status, calls.at(-1)]`, "interrupted,stopped"},

		// A toolset that the page does not provide, no name of a toolset, and a wrong description.
		{`const r = await play('none', files('shop', 'say: x')).catch((e) => e); return r.error?.code ?? r.code`, "E_PLATFORM"},
		{`const f = files('crm', 'say: x'); f['main.worker'] = f['main.worker'].replace('{names: [crm]}', '{}'); const r = await play('unnamed', f).catch((e) => e); return r.error?.code ?? r.code`, "E_CONFIG"},
		{`return (await golem.check('none')).concat(await golem.check('find')).map((f) => f.code)`, "E_PLATFORM"},
		{`return (await golem.describe('find')).tools.map((t) => t.name + ' ' + t.from + ' ' + t.risk)`, "find toolset page read,rename toolset page write,mail toolset page unknown"},
		{`try { golem.provide({ models: { x: 5 } }) } catch (e) { return e.name + e.code }`, "GolemErrorE_USAGE"},
		{`return [{ tools: {} }, { models: { 'a b': () => '' } }].map((what) => { try { golem.provide(what); return 'taken' } catch (e) { return e.code } })`, "E_USAGE,E_USAGE"},

		// Models: a text, an asynchronous iterator with calls, what chat completions give.
		{`const r = await play('echo', ofModel('echo')); return r.status + ' ' + r.text`, "ok you said x"},
		{`const r = await play('stream', ofModel('stream', 'toolsets: {page: {names: [crm]}}\n')); return r.text`, `It is {"id":7,"name":"Ada"}`},
		{`await golem.create('raw', ofModel('raw')); const run = golem.run('raw', 'x'); let end; for await (const e of run) if (e.type === 'model.end') end = e; return [end.text, end.model, end.usage.in, end.usage.out, end.usage.cost_partial]`, "raw,page:raw,2,1,true"},
		{`const r = await play('gpu', ofModel('throws')); return [r.status, r.error.code, r.error.message]`, "error,E_MODEL,page:throws failed in the page: the GPU is gone"},
		{`const r = await play('busy', ofModel('busy', 'retry: {attempts: 2}\n')); return r.text`, "at last"},
		{`const r = await play('nothing', ofModel('nothing')); return r.error.code`, "E_MODEL"},
		{`await golem.create('mhang', ofModel('hang')); window.hung = golem.run('mhang', 'x'); return [(await hung.result).status, await new Promise((f) => { const look = () => calls.at(-1) === 'model stopped' ? f('told') : setTimeout(look, 10); look() })]`, "interrupted,told"},
		{`const r = await play('nomodel', ofModel('ecko')).catch((e) => e); const f = r.error ?? r; return f.code + ' ' + f.hint`, "E_PLATFORM did you mean page:echo; a page provides models with golem.provide"},

		// A run keeps what was lent when it began.
		{`await golem.create('keeps', files('crm', 'calls: [{tool: mail, args: {}}]')); const run = golem.run('keeps', 'x', { approve: () => { golem.provide({}); return { answer: 'yes' } } }); await run.result; return calls.at(-1)`, "mail{}"},
		{`return (await golem.check('find')).map((f) => f.code)`, "E_PLATFORM"},
	} {
		if got := talk(p, "%s", c.do); got != c.want {
			t.Errorf("%s\ngave %s, want %s", c.do, got, c.want)
		}
	}
}
