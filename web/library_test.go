//go:build !js

package web_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golem/web/webtest"
)

// typedFields returns the names of the fields and methods that golem.d.ts declares for a class
// or interface.
func typedFields(t *testing.T, source, name string) []string {
	t.Helper()
	_, body, found := strings.Cut(source, " "+name+" ")
	body, _, ended := strings.Cut(body, "\n}\n")
	if !found || !ended {
		t.Fatalf("golem.d.ts does not declare %s", name)
	}
	var out []string
	for _, m := range regexp.MustCompile(`(?m)^  (?:readonly )?(\w+)\??[:(]`).FindAllStringSubmatch(body, -1) {
		out = append(out, m[1])
	}
	slices.Sort(out)
	return slices.Compact(out) // a method can have several forms
}

// TestLibraryOfThePage tests golem.js as a library: its members are exactly those of
// golem.d.ts; every method that waits can be cancelled; leaving the loop over a run cancels
// it; a run can be resumed by its result; all errors are GolemErrors; a web worker of another
// version is refused.
func TestLibraryOfThePage(t *testing.T) {
	t.Parallel()
	_, types := typed(t)
	page, err := os.ReadFile("../docs/web/embedding.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "```js\nconst stop = ")
	example, _, _ = strings.Cut(example, "```")
	for _, line := range regexp.MustCompile(`(?m)^.*await golem\.create\(.*$`).FindAllString(string(page), -1) {
		if !strings.Contains(line, "golem.list()") {
			t.Errorf("docs/web/embedding.md makes a project that is there at the second load: %s", line)
		}
	}
	p := embedded(t)
	for _, c := range []struct{ do, want string }{
		{`const lib = await import('./golem.js'); return Object.keys(lib).sort()`, "Batch,Golem,GolemError,Run,createGolem"},
		{`return [...Object.getOwnPropertyNames(golem), ...Object.getOwnPropertyNames(golem.constructor.prototype), ...Object.getOwnPropertyNames(Object.getPrototypeOf(golem.constructor.prototype))].filter((n) => n !== 'constructor').sort()`, strings.Join(typedFields(t, types, "class Golem"), ",")},
		{`return Object.keys(golem.files('a')).sort()`, strings.Join(typedFields(t, types, "interface Files"), ",")},
		{`return Object.keys(golem.clearance('a')).sort()`, strings.Join(typedFields(t, types, "interface Clearance"), ",")},
		{`return Object.keys(golem.undo('a')).sort()`, strings.Join(typedFields(t, types, "interface Undo"), ",")},
		{`await golem.create('talk', {'main.worker': '---\nmodel: script:s.yaml\n---\nTalk.\n', 's.yaml': 'script: 1\nworkers:\n  main:\n    - when: {text: hang}\n      hang: true\n    - when: {text: one}\n      say: first\n    - when: {text: two}\n      say: second\n'}); return 'made'`, "made"},
		{`window.first = golem.run('talk', 'one'); const keys = new Set(); for await (const e of first) for (const k in e) keys.add((e.type ?? 'Header') + ' ' + k); window.keys = keys; return (await first.result).text`, "first"},
		{`return Object.getOwnPropertyNames(first).concat(Object.getOwnPropertyNames(first.constructor.prototype)).filter((n) => n !== 'constructor').sort()`, strings.Join(typedFields(t, types, "class Run"), ",")},

		// A run goes on by the name in its result.
		{`const again = golem.resume('talk', (await first.result).run, 'two'); again.end(); return (await again.result).text`, "second"},
		{`const stop = ` + example + `; return [text, next.text, missing]`, "first,second,E_NOT_FOUND"}, // as docs/web/embedding.md shows it

		// Leaving the loop cancels; so does a signal.
		{`const run = golem.run('talk', 'hang'); for await (const e of run) if (e.type === 'model.start') break; return (await run.result).status`, "interrupted"},
		{`const stop = new AbortController(), run = golem.run('talk', 'hang', {signal: stop.signal}); for await (const e of run) if (e.type === 'model.start') stop.abort(); return (await run.result).status`, "interrupted"},
		{`return golem.run('talk', 'hang', {signal: AbortSignal.abort()}).result.then((r) => r.status)`, "interrupted"},
		{`const signal = AbortSignal.abort(), f = golem.files('talk'), c = golem.clearance('talk'), none = new Uint8Array(), all = {
			list: () => golem.list({signal}), create: () => golem.create('n', {}, {signal}), init: () => golem.init('n', '', {signal}), remove: () => golem.remove('talk', {signal}),
			importZip: () => golem.importZip('n', none, {signal}), exportZip: () => golem.exportZip('talk', {signal}), inspectPack: () => golem.inspectPack(none, {signal}), importPack: () => golem.importPack('n', none, {signal}),
			exportPack: () => golem.exportPack('talk', {signal}), libraries: () => golem.libraries({signal}), installLibrary: () => golem.installLibrary(none, '', {signal}), updateLibrary: () => golem.updateLibrary(none, '', {signal}), removeLibrary: () => golem.removeLibrary('x', {signal}), lockLibraries: () => golem.lockLibraries('talk', {signal}), addTool: () => golem.addTool('talk', none, {name: 'x', signal}),
			runs: () => golem.runs('talk', {signal}), readRun: () => golem.readRun('talk', 'x', {signal}), wholeTrace: () => golem.wholeTrace(none, [], {signal}), otlp: () => golem.otlp(none, {signal}), conversations: () => golem.conversations('talk', {signal}),
			conversation: () => golem.conversation('talk', 'x', {signal}), removeConversation: () => golem.removeConversation('talk', 'x', {signal}), undone: () => golem.undo('talk').list({signal}), undo: () => golem.undo('talk').undo('x', {signal}), exportConversation: () => golem.exportConversation('talk', 'x', {signal}), distrust: () => golem.distrust('talk', {signal}), rules: () => golem.rules('talk', {signal}),
			removeRule: () => golem.removeRule('talk', 1, '', {signal}), checkConfig: () => golem.checkConfig('', {signal}), describe: () => golem.describe('talk', '', {signal}), models: () => golem.models('talk', 'openai', {signal}),
			start: () => import('./golem.js').then((m) => m.createGolem({signal})), read: () => f.read('s.yaml', {signal}), write: () => f.write('x', 'x', {signal}), delete: () => f.remove('s.yaml', {signal}), move: () => f.move('s.yaml', 'x', {signal}), files: () => f.list({signal}),
			staged: () => c.list({signal}), diff: () => c.diff('1', {signal}), push: () => c.push('1', {signal}), discard: () => c.discard('1', {signal}), defer: () => c.defer('1', {signal}) };
			for (const name of ['open', 'check', 'trust', 'workers', 'plan', 'tree']) all[name] = () => golem[name]('talk', {signal});
			const out = []; for (const [name, f] of Object.entries(all)) { const code = await f().then(() => 'done', (e) => e.name + e.code); if (code !== 'GolemErrorE_INTERRUPTED') out.push(name + ' ' + code) }
			return [...out, (await golem.files('talk').list()).length]`, "2"},
		{`const stop = new AbortController(), asked = golem.list({signal: stop.signal}).catch((e) => e.code); stop.abort(); return [await asked, (await golem.list()).length]`, "E_INTERRUPTED,1"},

		// Two loops over one run share its events, and both end. One that cannot begin ends its loop with the reason.
		{`const run = golem.run('talk', 'one'), seen = [[], []]; await Promise.all(seen.map(async (mine) => { for await (const e of run) mine.push(e.type) })); return [...seen[0], ...seen[1]].filter((t) => t === 'run.start' || t === 'run.end').sort()`, "run.end,run.start"},
		{`const out = []; for (const loop of [1, 2]) try { for await (const e of golem.run('nope', 'x')) out.push(e.type); out.push('ended') } catch (e) { out.push(e.name + e.code) } return out`, "GolemErrorE_NOT_FOUND,GolemErrorE_NOT_FOUND"},

		// An option that does not exist is refused.
		{`const hint = (e) => e.code + ' ' + e.message + ' ' + e.hint; return [await golem.run('talk', 'one', {modle: 'x'}).result.catch(hint), await golem.open('talk', {aproval: 'x'}).catch(hint), await golem.call('talk', 'x', {}, {tool: 'y'}).result.catch((e) => e.code), await golem.describe('talk', '', {attachment: 1}).catch(hint)]`,
			"E_USAGE there is no option \"modle\" did you mean model,E_USAGE there is no option \"aproval\" did you mean approval,E_USAGE,E_USAGE there is no option \"attachment\" did you mean attachments"},

		// All errors are GolemErrors.
		{`return golem.list({signal: 5}).catch((e) => e.name + e.code)`, "GolemErrorE_USAGE"},
		{`return golem.open('talk', {model: () => 1}).catch((e) => e.name + e.code)`, "GolemErrorE_USAGE"},
		{`return Promise.all([golem.installLibrary(null), golem.updateLibrary(null), golem.importZip('z', 'no zip')].map((p) => p.catch((e) => e.name + e.code)))`, "GolemErrorE_USAGE,GolemErrorE_USAGE,GolemErrorE_USAGE"},
		{`return golem.run('talk', () => 1).result.catch((e) => e.name + e.code)`, "GolemErrorE_USAGE"},
		{`const real = fetch; window.fetch = () => Promise.reject(new TypeError('no network')); const said = await import('./golem.js').then((m) => m.createGolem()).catch((e) => e.name + e.code + !!e.hint); window.fetch = real; return said`, "GolemErrorE_PLATFORMtrue"},

		// An older worker, and an older page.
		{`const real = fetch; window.fetch = async (url, ...rest) => String(url).endsWith('golem-worker.js') ? new Response('onmessage = () => postMessage({ready: true, version: "old"})') : real(url, ...rest);
			const said = await import('./golem.js').then((m) => m.createGolem()).catch((e) => e.name + e.code + ': ' + e.message); window.fetch = real; return said`, "GolemErrorE_PLATFORM: golem.js, golem-worker.js and golem.wasm are not of one version"},
		{`const worker = new Worker('golem-worker.js'); worker.postMessage({wasm: 1, base: ''}); const said = await new Promise((resolve) => { worker.onmessage = (m) => resolve(m.data.fatal) }); worker.terminate(); return said`, "golem.js and golem-worker.js are not of one version"},
	} {
		if got := talk(p, "%s", c.do); got != c.want {
			t.Errorf("%s\ngave %s, want %s", c.do, got, c.want)
		}
	}
	placed := typedFields(t, types, "interface Placed")
	for _, key := range strings.Split(webtest.Eval[string](p, `[...window.keys].sort().join()`), ",") {
		kind, field, _ := strings.Cut(key, " ")
		declared := append(slices.Clone(placed), "type")
		if kind == "trace" {
			declared = typedFields(t, types, "interface Header")
		} else {
			_, at, _ := strings.Cut(types, "  type: '"+kind+"'\n")
			declared = append(declared, typedFields(t, " x "+at, "x")...)
		}
		if !slices.Contains(declared, field) {
			t.Errorf("the event %s has %s, which golem.d.ts does not declare", kind, field)
		}
	}
}
