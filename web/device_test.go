//go:build !js

package web_test

import (
	"os"
	"strings"
	"testing"
)

// standIn defines the Prompt API as a browser with its own model does. The model has to be
// downloaded. asked keeps the requests, and answers has the model's answers.
const standIn = `window.asked = []; window.answers = []; let state = 'downloadable';
	globalThis.LanguageModel = {
		availability: async () => state,
		create: async ({ initialPrompts = [], monitor, signal } = {}) => {
			if (state === 'downloadable') {
				const told = new EventTarget(); monitor(told);
				for (const loaded of [0, 0.5, 1]) told.dispatchEvent(Object.assign(new Event('downloadprogress'), { loaded }));
				state = 'available';
			}
			const next = (last, options) => {
				options.signal?.throwIfAborted();
				asked.push({ prompts: [...initialPrompts, ...last], constraint: options.responseConstraint });
				const a = answers.shift(); if (a instanceof Error) throw a; return a;
			};
			return {
				contextWindow: 4096, destroy() {},
				prompt: async (last, options) => next(last, options),
				promptStreaming: (last, options) => new ReadableStream({ start(c) { try { for (const piece of next(last, options).match(/\S+ ?/g)) c.enqueue(piece); c.close() } catch (e) { c.error(e) } } }),
			};
		},
	};`

// TestDevice tests the browser's own model with a stand-in: its states and download, streamed
// text, tools and typed output with a constraint, and what it refuses.
func TestDevice(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/web/providing.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "```js\nif (await golem.device()")
	example, _, found := strings.Cut(example, "```")
	if !found {
		t.Fatal("docs/web/providing.md does not show golem.device")
	}
	p := embedded(t)
	for _, c := range []struct{ do, want string }{
		{`delete globalThis.LanguageModel; window.files = (more = '') => ({ 'main.worker': '---\nmodel: "device:"\n' + more + '---\nBe brief.\n', 'a.txt': 'forty-two\n' });
			await golem.create('d', files()); return [await golem.device(), (await golem.run('d', 'x').result.catch((e) => e)).error?.code, (await golem.check('d')).map((f) => f.code)]`, "unavailable,E_PLATFORM,E_PLATFORM"},
		{standIn + ` return await golem.device()`, "downloadable"},
		{`const r = await golem.run('d', 'x').result; return r.error.code + ' ' + r.error.message`, "E_PLATFORM the browser has not downloaded its model yet"},
		{`const parts = []; const state = await golem.device({ download: true, progress: (part) => parts.push(part) }); return [state, parts]`, "available,0,0.5,1"},
		{`answers.push('I am on this computer.'); const run = golem.run('d', 'Where are you?'); let n = 0, end; for await (const e of run) { if (e.type === 'delta') n++; if (e.type === 'model.end') end = e } const { text } = await run.result; return [text, n > 1, end.usage.estimated, end.usage.cost_partial ?? false, JSON.stringify(asked.at(-1).prompts)]`,
			`I am on this computer.,true,true,false,[{"role":"system","content":"Be brief.\n"},{"role":"user","content":"Where are you?"}]`},
		// Tools: held to a schema, and results come back as the next message.
		{`await golem.create('tools', files('toolsets: {filesystem: {}}\n')); answers.push('{"calls":[{"tool":"read_file","args":{"path":"/a.txt"}}]}', '{"answer":"It is forty-two."}'); const { text } = await golem.run('tools', 'Read a.txt').result;
			const [one, two] = asked.slice(-2); return [text, one.constraint.anyOf[1].properties.calls.items.anyOf.some((c) => c.properties.tool.const === 'read_file'), one.prompts[0].content.includes('- read_file: '), two.prompts.map((m) => m.role), two.prompts.at(-1).content.includes('forty-two')]`,
			"It is forty-two.,true,true,system,user,assistant,user,true"},
		// Typed output, with tools and without.
		{`await golem.create('typed', files('output_schema: {type: object, properties: {n: {type: integer}}, required: [n], additionalProperties: false}\n')); answers.push('{"n": 7}'); const { output } = await golem.run('typed', 'x').result; return JSON.stringify(output) + asked.at(-1).constraint.properties.n.type`, `{"n":7}integer`},
		// What it refuses.
		{`answers.push(Object.assign(new Error('too long'), { name: 'QuotaExceededError' })); const r = await golem.run('d', 'x').result; return r.error.code + ' ' + r.error.message`, "E_MODEL the conversation is longer than the browser’s model takes (4096 tokens)"},
		{`answers.push('not JSON'); const r = await golem.run('tools', 'x').result; return r.error.code + ' ' + r.error.message`, "E_MODEL the browser’s model did not keep to the form of its answers"},
		{`const r = await golem.run('d', 'x', { attachments: [{ name: 'a.png', data: new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]) }] }).result.catch((e) => e); return r.error?.code ?? r.code`, "E_ATTACHMENT"},
		{`await golem.create("desk", files()); answers.push("as the page says"); if (await golem.device()` + example + `; return text`, "as the page says"},
	} {
		if got := talk(p, "%s", c.do); got != c.want {
			t.Errorf("%s\ngave %s, want %s", c.do, got, c.want)
		}
	}
}

// TestDeviceInThePage tests that the page shows the state of the browser's own model, and that
// a person can download and use it.
func TestDeviceInThePage(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready"); %s answers.push('from this computer');
		%s; const list = document.getElementById('provider'); await text("This browser has a model of its own");
		list.value = 'device'; list.dispatchEvent(new Event('change', {bubbles: true})); await text("nothing that you write leaves the computer");
		await until("the button", () => button("Download it")); await click("Download it"); await text("It is there."); await click("Use it");
		await until("the choice", () => document.querySelector('#model').value === 'device:'); answers.unshift('{"answer":"from this computer"}'); await say("hello"); await text("from this computer")`, standIn, otherModel)
	finished(p, "ok")
}
