//go:build !js

package web_test

import "testing"

// TestRecord tests the option record: it replaces only an empty file or a recording, which is
// checked before anything runs; a run that could record nothing leaves the file as it is; and if
// the recording cannot be written after the run, its result stays.
func TestRecord(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	const begin = `const f = golem.files('r'), read = async (name) => new TextDecoder().decode(await f.read(name));
		const go = async (options) => { const types = []; const run = golem.run('r', 'x', {approve: async () => ({answer: 'yes'}), ...options}); try { for await (const e of run) types.push(e.type) } catch {}
			return { ...await run.result.catch((e) => ({ status: e.code })), types } }; `
	for _, c := range []struct{ do, want string }{
		{`await golem.create('r', ` + helloFiles + `); await f.write('empty.jsonl', ''); return 1`, "1"},
		{`const r = await go({record: './made/r.jsonl'}); return r.status + (await read('made/r.jsonl')).startsWith('{"golem":"recording"')`, "oktrue"},
		{`const r = await go({record: 'empty.jsonl'}); return r.status + (await read('empty.jsonl')).startsWith('{"golem":"recording"')`, "oktrue"},
		{`const r = await go({record: 'empty.jsonl'}); return r.status + (await read('empty.jsonl')).split('"golem":"recording"').length`, "ok2"},
		{`const was = await read('empty.jsonl'); const r = await go({record: 'empty.jsonl', model: 'openai:gpt-5-mini'}); return [r.status, was === await read('empty.jsonl')]`, "error,true"},
		{`const was = await read('main.worker'); const r = await go({record: 'main.worker'}); return [r.status, r.types.length, was === await read('main.worker')]`, "E_CONFLICT,0,true"},
		{`const r = await go({record: 'made'}); return [r.status, r.types.length]`, "E_CONFLICT,0"},
		{`const r = await go({record: '.golem/r.jsonl'}); return [r.status, r.types.length]`, "E_PROTECTED,0"},
		{`const r = await go({record: '.git/r.jsonl'}); return [r.status, r.types.length]`, "E_PROTECTED,0"},
		{`const r = await go({record: 'con'}); return [r.status, r.types.length]`, "E_PATH,0"},
		{`const r = await go({record: '../r.jsonl'}); return [r.status, r.types.length]`, "E_PATH,0"},
		{`const told = []; const run = golem.run('r', 'x', {record: 'late', approve: async () => { await f.write('late/x', 'y'); return {answer: 'yes'} }}); for await (const e of run) if (e.type === 'status') told.push(e.text);
			return [(await run.result).status, told.filter((t) => t.startsWith('the recording cannot be written')).length, await read('late/x')]`, "ok,1,y"},
	} {
		if got := talk(p, "%s", begin+c.do); got != c.want {
			t.Errorf("%s\ngave %s, want %s", c.do, got, c.want)
		}
	}
}
