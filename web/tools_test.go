//go:build !js

package web_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golem/core/coretest"
	"golem/web/webtest"
)

// module returns a JavaScript expression for a file's content.
func module(data []byte) string {
	return fmt.Sprintf("Uint8Array.fromBase64(%q)", base64.StdEncoding.EncodeToString(data))
}

// spinner returns a project whose script calls tools of a hostile module.
func spinner(t *testing.T, options string, tools ...string) string {
	t.Helper()
	wasm, err := coretest.Fixture("hostile", true)
	if err != nil {
		t.Fatal(err)
	}
	var steps strings.Builder
	for _, tool := range tools {
		fmt.Fprintf(&steps, "    - calls: [{tool: %s}]\n", tool)
	}
	files := texts{
		"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {custom: {modules: {hostile: " + options + "}}}\n---\nTry.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n" + steps.String() + "    - say: survived\n",
	}
	return strings.TrimSuffix(files.script(), "}") + `, "tools/hostile.wasm": ` + module(wasm) + "}"
}

// yesToAll has the options of a run that answer every question with yes.
const yesToAll = `{approve: () => ({answer: 'yes'})}`

// watched runs statements that call note for each event of a run. It returns how many turns the
// window's event loop had while the tool loop ran, and then the result of the statements.
const watched = `let turns = 0, from = 0, had = 0, on = true
	const tick = () => { turns++; if (on) setTimeout(tick, 5) }; tick()
	const note = (e) => { if (e.tool !== 'loop') return; if (e.type === 'tool.start') from = turns; if (e.type === 'tool.end') had = turns - from }
	const told = await (async () => { %s })(); on = false; return had + ' ' + told`

// someTurns fails if the result of watched says that the window had no turns, and returns the
// rest of the result.
func someTurns(t *testing.T, said string) string {
	t.Helper()
	had, rest, _ := strings.Cut(said, " ")
	if n, err := strconv.Atoi(had); err != nil || n < 3 {
		t.Errorf("while the tool ran the window had %s turns", had)
	}
	return rest
}

// TestSpinningTool plays scenario 15 in the page: a module with an endless loop or recursion ends
// with its code, and the same run goes on. Meanwhile the window and other runs respond.
func TestSpinningTool(t *testing.T) {
	p := embedded(t)
	talk(p, `await golem.create('spin', %s); await golem.create('other', %s); return 1`, spinner(t, "{timeout: 12s}", "loop", "recurse"), helloFiles)
	got := talk(p, watched, `const spin = golem.run('spin', 'x', `+yesToAll+`); const codes = []; let others = '', at = 0
		for await (const e of spin) {
			note(e)
			if (e.type === 'tool.start' && e.tool === 'loop') {
				const r = await golem.run('other', 'x', `+yesToAll+`).result
				others = r.status; at = Date.now()
			}
			if (e.type === 'tool.end' && !codes.length) others += at < Date.parse(e.ts) ? ' meanwhile' : ' afterwards'
			if (e.type === 'tool.end') codes.push(e.error?.code)
		}
		return codes.join() + ' ' + others + ' ' + (await spin.result).text`)
	rest := someTurns(t, got)
	if want := "E_TIMEOUT,E_TOOL_STACK ok meanwhile survived"; rest != want {
		t.Errorf("got %q, want %q", rest, want)
	}
}

// TestCancelledTool tests that cancelling a run ends the worker in which its tool loops, and that
// the next run gets a new one.
func TestCancelledTool(t *testing.T) {
	p := embedded(t)
	talk(p, `await golem.create('spin', %s); return 1`, spinner(t, "{timeout: 1h}", "loop"))
	got := talk(p, `const run = golem.run('spin', 'x', `+yesToAll+`)
		for await (const e of run) if (e.type === 'tool.start') run.cancel()
		return (await run.result).status`)
	if got != "interrupted" {
		t.Errorf("the run ended %s", got)
	}
	talk(p, `await golem.files('spin').write('s.yaml', "script: 1\nworkers:\n  main:\n    - calls: [{tool: trap}]\n    - say: done\n"); return 1`)
	if got := talk(p, `return (await golem.run('spin', 'x', `+yesToAll+`).result).text`); got != "done" {
		t.Errorf("afterwards: %s", got)
	}
}

// TestResultComesAtOnce tests that the page gets the result of a call before golem goes on, and
// not together with the next events.
func TestResultComesAtOnce(t *testing.T) {
	p := embedded(t)
	got := talk(p, `await golem.create('a', {'main.worker': '---\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\n---\nTry.\n',
			's.yaml': 'script: 1\nworkers:\n  main:\n    - calls: [{tool: list_files, args: {path: /}}]\n    - calls: [{tool: list_files, args: {path: /}}]\n    - say: done\n'})
		const own = Worker
		const batches = [] // the types of the events of each message
		window.Worker = class extends own {
			set onmessage(f) { super.onmessage = (m) => { if (m.data.events) batches.push(m.data.events.map((e) => JSON.parse(e).type)); f(m) } }
		}
		const other = await import('./golem.js').then((m) => m.createGolem())
		window.Worker = own
		await other.run('a', 'x').result
		other.close()
		return batches.filter((b) => b.includes('tool.end')).map((b) => b.at(-1))`)
	if want := "tool.end,tool.end"; got != want {
		t.Errorf("the messages with a result end with %s, want %s", got, want)
	}
}

// TestToolCache tests that guarded modules and their descriptions are kept in OPFS, by digest.
func TestToolCache(t *testing.T) {
	p := embedded(t)
	const kept = `const all = []; const walk = async (d, at) => { for await (const [n, h] of d.entries()) h.kind === 'file' ? all.push(at + n) : await walk(h, at + n + '/') }
		await walk(await navigator.storage.getDirectory(), ''); return all.filter((n) => n.includes('cache/')).length`
	talk(p, `await golem.create('a', %s); return (await golem.run('a', 'x', `+yesToAll+`).result).text`, spinner(t, "{}", "trap"))
	if got := talk(p, kept); got == "0" {
		t.Error("nothing is kept")
	}
	// If the kept files are missing or have any other content, they are made again.
	talk(p, `const root = await navigator.storage.getDirectory()
		const walk = async (d, inside) => { for await (const [n, h] of d.entries()) if (h.kind === 'directory') await walk(h, n === 'cache'); else if (inside) { const w = await h.createWritable(); await w.write('nonsense'); await w.close() } }
		await walk(root, false); return 1`)
	p.Reload()
	if got := talk(p, `const run = golem.run('a', 'x', `+yesToAll+`); let code; for await (const e of run) if (e.type === 'tool.end') code = e.error.code; return code + (await run.result).text`); got != "E_TOOL_TRAPsurvived" {
		t.Errorf("with nonsense in the cache: %s", got)
	}
}

// BenchmarkTools prints how long tool calls take in a page that was loaded before and has the
// guarded modules: the first call, the next 19, and calls after the browser has compiled the
// code that runs often. For first calls it is the median of five loads; for later ones the
// median and the mean, because the browser's compiler and garbage collector stop some calls
// for 5 to 10 ms. The same is measured with plain JavaScript. The page approves the first call
// of a run, for this exact call in this session.
func BenchmarkTools(b *testing.B) {
	const rounds, runs = 5, 40
	small, err := os.ReadFile("../examples/calculator/tools/calculator.wasm")
	if err != nil {
		b.Fatal(err)
	}
	words := goTool(b)
	source := []byte("/**\n * Adds.\n * @param {number} a\n * @param {number} b\n */\nexport const add = (a, b) => a + b\n")
	for _, c := range []struct {
		name, file, call string
		data             []byte
		first, later     float64 // wanted, in ms
	}{
		{"small", "t.wasm", `{tool: add, args: {a: 2, b: 3}}`, small, 15, 0.8}, {"3 MB, Go", "t.wasm", `{tool: count, args: {text: to be or not to be}}`, words, 100, 4},
		{"source", "t.js", `{tool: add, args: {a: 2, b: 3}}`, source, 60, 3},
	} {
		p := embedded(b)
		files := texts{
			"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {custom: {}}\n---\nTry.\n",
			"s.yaml":      "script: 1\nworkers:\n  main:\n" + strings.Repeat("    - calls: ["+c.call+"]\n", 20) + "    - say: done\n",
		}
		talk(p, `await golem.create('t', %s); return (await golem.run('t', 'x', `+yesToAll+`).result).text`, strings.TrimSuffix(files.script(), "}")+`, "tools/`+c.file+`": `+module(c.data)+"}")
		var first, later, warm []float64
		for range rounds {
			p.Reload()
			talk(p, `await golem.list(); await new Promise((f) => setTimeout(f, 1000)); return 1`)
			all := toolRun(p)
			first, later = append(first, all[0]), append(later, all[1:]...)
		}
		for i := range runs {
			if all := toolRun(p); i >= runs-rounds {
				warm = append(warm, all[1:]...)
			}
		}
		fmt.Printf("tool %-9s first call %6.1f ms (wanted %g), then %s (wanted %g), after %d calls %s\n", c.name, median(first), c.first, typical(later), c.later, 20*runs, typical(warm))
	}
	for _, c := range []struct {
		name, script string
		data         []byte
	}{{"small", "plainTool", small}, {"3 MB, Go", "plainCommand", words}} {
		script, err := os.ReadFile("testdata/" + strings.ToLower(c.script) + ".js")
		if err != nil {
			b.Fatal(err)
		}
		p := embedded(b)
		var first, later []float64
		for range rounds {
			p.Reload()
			all := numbers(talk(p, "await new Promise((f) => setTimeout(f, 1000)); %s; return await %s(%s, 20)", script, c.script, module(c.data)))
			first, later = append(first, all[0]), append(later, all[1:]...)
		}
		all := numbers(talk(p, "return await %s(%s, 900)", c.script, module(c.data)))
		fmt.Printf("the same from plain JavaScript: %-9s first %6.2f ms, then %s, after 800 calls %s\n", c.name, median(first), typical(later), typical(all[800:]))
	}
}

// toolRun runs the project once, and returns how long each of its calls took.
func toolRun(p *webtest.Page) []float64 {
	return numbers(talk(p, `const run = golem.run('t', 'x', {approve: () => ({answer: 'session'})}); const out = []; let at = 0
		for await (const e of run) { if (e.type === 'tool.start') at = performance.now(); if (e.type === 'tool.end') { if (e.error) throw new Error(JSON.stringify(e)); out.push(performance.now() - at) } }
		return out.join(' ')`))
}

// typical returns the median and the mean of times as text. The browser's clock has steps of a
// tenth of a millisecond, which the mean hides.
func typical(all []float64) string {
	sum := 0.0
	for _, v := range all {
		sum += v
	}
	return fmt.Sprintf("%.2f ms (mean %.2f)", median(all), sum/float64(len(all)))
}

func numbers(text string) []float64 {
	var all []float64
	for _, s := range strings.Fields(text) {
		if v, err := strconv.ParseFloat(s, 64); err == nil {
			all = append(all, v)
		}
	}
	return all
}

// goTool builds the tool examples/tools/words, which is in Go, and returns the module.
func goTool(b *testing.B) []byte {
	b.Helper()
	out := filepath.Join(b.TempDir(), "words.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, "../examples/tools/words")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, said)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		b.Fatal(err)
	}
	return data
}
