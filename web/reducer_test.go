//go:build !js

package web_test

import (
	"encoding/json"
	"os"
	"testing"
	"testing/fstest"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/google/go-cmp/cmp"

	"golem/core/ui/view/viewtest"
	"golem/web/webtest"
)

// inside bundles a script, which may import scripts of web/ui, and opens a page that runs it.
func inside(t *testing.T, script string) *webtest.Page {
	t.Helper()
	r := api.Build(api.BuildOptions{
		Stdin:  &api.StdinOptions{ResolveDir: ".", Loader: api.LoaderJSX, Contents: script},
		Bundle: true, Format: api.FormatIIFE, JSX: api.JSXAutomatic, JSXImportSource: "preact",
	})
	if len(r.Errors) > 0 {
		t.Fatal(r.Errors[0].Text)
	}
	site := fstest.MapFS{
		"index.html": {Data: []byte(`<!doctype html><html data-theme="light"><link rel="icon" href="data:,"><script src="inside.js"></script>`)},
		"inside.js":  {Data: r.OutputFiles[0].Contents},
	}
	return browserOf(t).Open(t, webtest.Serve(t, site, "/").URL)
}

// told is a script that describes a run as viewtest.Lines does.
const told = `
	import { apply, emptyRun } from './ui/run.js'
	import { recall } from './ui/transcript.js'
	function told(run) {
		const used = (u) => u.in + '/' + u.out
		const out = [run.status + ', ' + run.usage.in + ' in, ' + run.usage.out + ' out']
		if (run.permission) out.push('permission: ' + run.permission)
		for (const c of run.calls.values()) if (c.asking) out.push('asks: ' + c.asking.tool)
		for (const item of run.transcript) {
			if (item.kind === 'call') out.push('call ' + item.id + ': ' + run.calls.get(item.id).name + ' ' + run.calls.get(item.id).status)
			else if (item.kind === 'notice') out.push(item.level + ': ' + item.text)
			else if (item.kind === 'thought') {
				const s = item.said.spent
				out.push('thought' + (s ? ' (' + s.ms + ' ms, ' + (s.estimated ? '~' : '') + s.tokens + ' tokens)' : '') + (item.said.live ? ' (live)' : '') + ': ' + item.said.text)
			}
			else if (item.kind === 'golem') out.push('golem' + (item.said.live ? ' (live)' : '') + ': ' + item.said.text)
			else out.push(item.kind + ': ' + item.text)
		}
		const tree = (id, indent) => {
			const c = run.calls.get(id)
			if (!c) return
			const decided = c.approvals.findLast((a) => !a.kind)
			out.push(indent + '- ' + c.name + ' ' + c.status + (c.error ? ' ' + c.error.code : '') + (c.ms > 0 && id !== '0' ? ' ' + c.ms + ' ms' : '') + (c.thinking ? ', thinks' : '') +
				(decided ? ', ' + decided.decision + ' by ' + decided.source : '') + (c.kind === 'worker' ? ', ' + c.rounds.length + ' turns, own ' + used(c.alone) + ', all ' + used(c.usage) : ''))
			c.children.forEach((child) => tree(child, indent + '  '))
		}
		tree('0', '')
		return out
	}
	// A person's stop is the store's, not the reducer's: the run goes on until its events say otherwise.
	const played = (steps) => steps.reduce((run, step) => (step.do === 'stop' ? run : apply(run, step.do ? { type: step.do, id: '0' } : step)), emptyRun())
	window.play = (steps) => told(played(steps))
	window.recalled = (said) => told(recall(emptyRun(), said))
`

// TestReducerPlaysTheCases tests that the page's reducer of events makes the same states as
// core/ui/view: of the cases of the terminal, and of events in random order.
func TestReducerPlaysTheCases(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../core/ui/view/testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []viewtest.Case
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(300) {
		c, err := viewtest.Random(seed, 5+int(seed))
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	p := inside(t, told)
	for _, c := range cases {
		steps, err := json.Marshal(c.Steps)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.Want, webtest.Eval[[]string](p, `window.play(`+string(steps)+`)`)); diff != "" {
			t.Fatalf("%s: %s\n%s", c.Name, diff, steps)
		}
	}
}

// TestRecalledStop tests that a stop by the person is not an error in a resumed conversation.
func TestRecalledStop(t *testing.T) {
	t.Parallel()
	got := webtest.Eval[[]string](inside(t, told), `window.recalled([{who: 'you', text: 'go'}, {who: 'tool', tool: 'wait', id: '0.1', error: {code: 'E_INTERRUPTED', message: 'interrupted'}}, {who: 'note', error: {code: 'E_INTERRUPTED', message: 'interrupted'}}, {who: 'note', error: {code: 'E_MODEL', message: 'no'}}])`)
	if diff := cmp.Diff([]string{"idle, 0 in, 0 out", "you: go", "call 0.1: wait stopped", "warn: stopped; the conversation goes on", "error: E_MODEL: no", "-  pending", "  - wait stopped E_INTERRUPTED"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestRecalledReasoning tests that what a model reasoned is shown folded again, with its size.
func TestRecalledReasoning(t *testing.T) {
	t.Parallel()
	got := webtest.Eval[[]string](inside(t, told), `window.recalled([{who: 'you', text: 'go'}, {who: 'thought', text: 'because', spent: {ms: 1500, tokens: 7, estimated: true}}, {who: 'golem', text: 'done'}])`)
	if diff := cmp.Diff([]string{"idle, 0 in, 0 out", "you: go", "thought (1500 ms, ~7 tokens): because", "golem: done"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestCommandBeginsAConversation tests that a command has no number of a message, also if a
// conversation begins with it, so that /rewind of the page and golem count alike.
func TestCommandBeginsAConversation(t *testing.T) {
	t.Parallel()
	p := inside(t, `
		import { apply, emptyRun } from './ui/run.js'
		import { type } from './ui/transcript.js'
		window.numbered = (first, input, second) => {
			const run = emptyRun()
			run.sent = { text: first, talks: true }
			const start = () => apply(run, { type: 'run.start', id: '0', worker: 'main', input })
			if (input) start()
			type(run, second)
			if (!input) { input = second; start() }
			else apply(run, { type: 'message', id: '0', role: 'user', text: second })
			return run.transcript.map((item) => item.text + ' ' + (item.n ?? '-')).join(', ')
		}
	`)
	for call, want := range map[string]string{
		`'/tool add {"a":1}', '{"a":1}', 'hello'`:             `/tool add {"a":1} -, hello 1`,
		`'/call add {"a":1}', '{"a":1}', 'hello'`:             `/call add {"a":1} -, hello 1`,
		`'/src/a.go is what?', '/src/a.go is what?', 'hello'`: `/src/a.go is what? 1, hello 2`,
		`'//tool', '/tool', 'hello'`:                          `/tool 1, hello 2`,
		`'/help', '', 'hello'`:                                `hello 1`,
	} {
		if got := webtest.Eval[string](p, `window.numbered(`+call+`)`); got != want {
			t.Errorf("%s: it is %s, want %s", call, got, want)
		}
	}
}

// TestEmptyID tests that an event with an empty id, as a trace of somebody else can have it,
// does not make the page loop for ever.
func TestEmptyID(t *testing.T) {
	t.Parallel()
	got := webtest.Eval[[]string](inside(t, told), `window.play([{type: 'model.end', id: '', usage: {in: 1, out: 2}}])`)
	if diff := cmp.Diff([]string{"idle, 1 in, 2 out"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestPartsThatCompute tests functions of the page that need no elements: completion by the
// schemas, the layers of the graph, a reversed diff, hits of a search, the time that a run
// waited for the person.
func TestPartsThatCompute(t *testing.T) {
	t.Parallel()
	p := inside(t, `
		import { placeIn } from './ui/yamlplace.js'
		import { offers, schemaFor } from './ui/complete.js'
		import { layered } from './ui/layers.js'
		import { counts } from './ui/diff.jsx'
		import { turned } from './ui/since.jsx'
		import { hitsIn } from './ui/search.jsx'
		import { waitedFor } from './ui/traces.jsx'
		const known = { workers: ['main', 'reader'], tools: ['read_file'], modules: ['tools/calc.wasm'], models: ['script:s.yaml'], files: ['./a.json'], folders: ['./out'] }
		// labels of what is offered where the bar stands.
		window.offered = (schema, text) => { const [before, after] = text.split('|'); const at = placeIn(before, after); return at ? at.word + '> ' + offers(schema, at, known).map((o) => o.label).filter((l) => l.startsWith(at.word)).join(' ') : 'nothing' }
		window.parts = { schemaFor, layered: (...a) => JSON.stringify(layered(...a).layers) + [...layered(...a).back].map((b) => b.replace('\n', '>')), counts, turned, hits: (...a) => JSON.stringify(hitsIn(...a)), waitedFor }`)
	worker, err := os.ReadFile("../docs/schemas/worker.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	project, err := os.ReadFile("../docs/schemas/project.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	webtest.Eval[bool](p, `(window.worker = `+string(worker)+`, window.project = `+string(project)+`, true)`)
	for _, c := range []struct{ do, want string }{
		{`offered(worker, "desc|")`, "desc> description"},
		{`offered(worker, "description: x\nmod|\nmodel: y")`, "mod> mode model_settings"}, // model is there already
		{`offered(worker, "mode: |")`, "> single chat"},
		{`offered(worker, "model: s|")`, "s> script:s.yaml"},
		{`offered(worker, "allow_workers: [main, r|")`, "r> reader"},
		{`offered(worker, "allow_workers:\n  - r|")`, "r> reader"},
		{`offered(worker, "toolsets:\n  filesystem:\n    approval:\n      de|")`, "de> default"},
		{`offered(worker, "toolsets: {filesystem: {approval: {default: |")`, "> preApproved pre_approved ask blocked"},
		{`offered(worker, "toolsets: {filesystem: {approval: {tools: {re|")`, "re> read_file"},
		{`offered(worker, "sandbox:\n  paths:\n    out:\n      mode: |")`, "> ro rw staged"},
		{`offered(worker, "sandbox:\n  mounts:\n    - source: ./a\n      t|")`, "t> target"},
		{`offered(worker, "template: t|")`, "t> true"},
		{`offered(worker, "imports:\n  tools:\n    - |")`, "> ./tools/calc"},
		{`offered(worker, "# desc|")`, "nothing"},
		{`offered(worker, "instructions: \"{ not a brace\"\nmode: |")`, "> single chat"},
		{`offered(project, "entry: |").includes("reader")`, "true"},
		{`[parts.schemaFor('a.worker'), parts.schemaFor('project.yaml'), parts.schemaFor('x/project.yaml'), parts.schemaFor('s.yaml', 'script: 1'), parts.schemaFor('tools/a.tools.yaml')]`, "worker,project,,script,tools"},
		{`parts.layered(['a', 'b', 'c', 'd'], [['a', 'b'], ['b', 'c'], ['a', 'c'], ['c', 'a'], ['d', 'd']])`, `[["a","d"],["b"],["c"]]c>a,d>d`},
		{`parts.turned("--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n same\n-now\n+was\n+and was\n")`, "@@ -1,3 +1,2 @@\n same\n-was\n-and was\n+now\n"},
		{`parts.turned("--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- was\n+++ now\n")`, "@@ -1 +1 @@\n-++ now\n+-- was\n"},
		{`JSON.stringify(parts.counts("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- was\n--\n+++ now\n+now\n"))`, `{"plus":2,"minus":2}`},
		{`parts.hits("one\nTWO two\nthree two", "two", 9)`, `[{"line":2,"text":"TWO two","at":0},{"line":3,"text":"three two","at":6}]`},
		{`parts.hits("a\u0000two", "two", 9) + JSON.parse(parts.hits("x\n".repeat(9), "x", 2)).length`, `[]2`},
		{`parts.waitedFor([{begun: 0, waited: 10}, {begun: 5, waited: 10}, {begun: 30, waited: 5}, {begun: 40, waited: 0}])`, "20"},
	} {
		if got := webtest.Eval[string](p, `String(`+c.do+`)`); got != c.want {
			t.Errorf("%s\n\tgives %q, want %q", c.do, got, c.want)
		}
	}
}
