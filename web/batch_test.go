//go:build !js

package web_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golem/web/webtest"
)

// batching is a project whose worker writes a file, fails, or only answers, as its input says.
var batching = map[string]string{
	"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\nsandbox:\n  mounts:\n    - {target: /, source: ., mode: rw}\n    - {target: /notes, source: notes, mode: staged}\n---\nWrite.\n",
	"s.yaml": `script: 1
workers:
  main:
    - when: {turn: 1, match: "write (\\w+)"}
      calls: [{tool: write_file, args: {path: "/out/$1.txt", content: "$1\n"}}]
    - when: {turn: 1, match: "stage (\\w+)"}
      calls: [{tool: write_file, args: {path: "/notes/$1.md", content: "$1\n"}}]
    - when: {turn: 1, match: "break"}
      fail: {status: 400}
    - say: done
`,
	"in.jsonl": `{"id":"one","text":"write one"}
{"id":"Two, too","text":"write two"}
{"id":"three","text":"break"}
{"id":"four","text":"stage four"}
{"id":"five","text":"write five"}
`,
	"in.csv": "id,text\none,write one\nsix,say\n",
}

// batchHome has the project batching and commands of golem in the directory above it.
type batchHome struct {
	*testing.T
	dir, home string
}

func newBatchHome(t *testing.T) batchHome {
	h := batchHome{t, t.TempDir(), "GOLEM_HOME=" + t.TempDir()}
	for name, text := range batching {
		if err := os.MkdirAll(filepath.Join(h.dir, "p"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(h.dir, "p", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// golem carries out a command that ends with an exit code, and returns its output.
func (h batchHome) golem(exit int, args ...string) string {
	h.Helper()
	cmd := exec.Command(cli(h.T), args...)
	var failed bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = filepath.Join(h.dir, "p"), append(os.Environ(), h.home), &failed
	said, err := cmd.Output()
	if cmd.ProcessState.ExitCode() != exit {
		h.Fatalf("golem %q: %v\n%s%s", args, err, said, failed.String())
	}
	return string(said)
}

// file returns the content of a file of the project.
func (h batchHome) file(name string) string {
	h.Helper()
	data, err := os.ReadFile(filepath.Join(h.dir, "p", name))
	if err != nil {
		h.Fatal(err)
	}
	return string(data)
}

var itemTime = regexp.MustCompile(`"ms": ?(\d+|\{[^}]*\}),?`)

// timeless returns results or a summary without times.
func timeless(text string) string {
	return itemTime.ReplaceAllString(strings.ReplaceAll(text, "\n  ", ""), "")
}

// batchPage makes the project batching in a page, with functions to read its files.
func batchPage(t *testing.T) *webtest.Page {
	t.Helper()
	p := embedded(t)
	files, err := json.Marshal(batching)
	if err != nil {
		t.Fatal(err)
	}
	talk(p, "%s", `await golem.create('p', `+string(files)+`);
		window.file = async (name) => new TextDecoder().decode(await golem.files('p').read(name));
		window.text = async (bytes) => new TextDecoder().decode(await bytes)`)
	return p
}

// TestBatchesAreAsNative tests that a batch of the same project and inputs has the same results,
// files, questions, staged changes and traces in the page as on the command line.
func TestBatchesAreAsNative(t *testing.T) {
	t.Parallel()
	h, p := newBatchHome(t), batchPage(t)
	same := func(what, native, page string) {
		t.Helper()
		if native != page {
			t.Errorf("%s: the command line has\n%s\nthe page\n%s", what, native, page)
		}
	}
	// Nobody is asked: what writes waits, with the same questions.
	h.golem(1, "batch", ".", "--inputs", "in.jsonl", "--key", "id", "--name", "one", "--jobs", "2")
	got := talk(p, "%s", `const b = golem.batch('p', {inputs: 'in.jsonl', key: 'id', name: 'one', jobs: 2}), lines = []; for await (const e of b) lines.push(e);
		const {status, exit, out} = await b.result, last = lines.at(-1);
		return [status, exit, out, last.type, last.counts.total, last.counts.parked, last.counts.failed, last.counts.ok, JSON.stringify(last.failures), last.line.includes('5 of 5') || last.line.includes('1 of 5')].join(' ')`)
	same("the end", `error 1 one.out batch 5 4 1 0 {"E_MODEL":1} true`, got)
	same("results.jsonl", timeless(h.file("one.out/results.jsonl")), timeless(talk(p, "return file('one.out/results.jsonl')")))
	keys := regexp.MustCompile(`"key":"(\w+)"`)
	questions := h.golem(0, "batch", "questions", "one", "--json")
	theirs := talk(p, "return JSON.stringify(await golem.batches('p').questions('one'))")
	native, page := keys.FindAllString(questions, -1), keys.FindAllString(theirs, -1)
	same("the keys of questions", strings.Join(native, "\n"), strings.Join(page, "\n"))
	if len(native) != 4 {
		t.Errorf("%d questions: %s", len(native), questions)
	}

	// A rule answers some, a no another one.
	covers := h.golem(0, "batch", "questions", "one", "--rule", "write_file", "--when", "path=/out/**")
	shown := regexp.MustCompile(`shown: (\w+)`).FindStringSubmatch(covers)[1]
	h.golem(0, "batch", "questions", "one", "--rule", "write_file", "--when", "path=/out/**", "--answer", "yes", "--shown", shown)
	h.golem(0, "batch", "questions", "one", "--question", regexp.MustCompile(`\w{64}`).FindString(native[2]), "--answer", "yes")
	got = talk(p, "%s", `const of = golem.batches('p'), all = await of.questions('one'), when = {path: '/out/**'};
		const c = await of.covers('one', all[0].question.key, when), early = await of.answer('one', {question: all[0].question.key, when, answer: 'yes'}).catch((e) => e.code);
		const other = await of.answer('one', {question: all[0].question.key, when, answer: 'yes', shown: '00'}).catch((e) => e.code);
		const line = await of.covers('one', all[0].question.key, 'path=/out/**'), usual = await of.covers('one', all[0].question.key), again = await of.covers('one', all[0].question.key, usual.line);
		const wrong = await of.covers('one', all[0].question.key, 'path="/out').catch((e) => e.code);
		await of.answer('one', {question: all[0].question.key, when: line.line, shown: c.shown, answer: 'yes'});
		await of.answer('one', {question: all[2].question.key, answer: 'yes'});
		return [line.shown === c.shown, again.shown === usual.shown, wrong, c.covers.length, c.text, c.shown, early, other, (await of.questions('one')).length, (await of.questions('one', {again: true})).length, (await of.list())[0].counts.open].join('|')`)
	same("the rule", "true|true|E_USAGE|3|write_file where path=/out/**; its other arguments may be anything|"+shown+"|E_USAGE|E_CONFLICT|0|4|4", got)

	h.golem(1, "batch", "retry", "one", "--failed")
	got = talk(p, "%s", `const {status, exit, staged} = await golem.batches('p').retry('one', {failed: true}).result; return [status, exit, staged].join(' ')`)
	same("the end of the retry", "error 1 1", got)
	same("results.jsonl", timeless(h.file("one.out/results.jsonl")), timeless(talk(p, "return file('one.out/results.jsonl')")))
	same("results", timeless(h.file("one.out/results.jsonl")), timeless(talk(p, "return text(golem.batches('p').results('one'))")))
	same("summary.json", timeless(h.file("one.out/summary.json")), timeless(talk(p, "return file('one.out/summary.json')")))
	same("a file", h.file("one.out/one/out/one.txt"), talk(p, "return file('one.out/one/out/one.txt')"))
	same("what waits", "notes/four.md", talk(p, "return (await golem.clearance('p').list())[0].item.changes[0].path"))
	for _, item := range []string{"one", "Two, too", "three", "four"} {
		same("the trace of "+item, normal(t, h.golem(0, "trace", "export", "one/"+item, "--format", "jsonl")), normal(t, talk(p, "return text(golem.batches('p').trace('one', %s))", quoted(item))))
	}

	// A table, a list and a directory, with keys of their own.
	h.golem(0, "batch", ".", "--inputs", "in.csv", "--key", "id", "--name", "table", "--approve-all")
	h.golem(0, "batch", ".", "--inputs", "one.out/one", "--key", "file", "--name", "files", "--approve-all")
	got = talk(p, "%s", `const end = async (options) => (await golem.batch('p', {approval: 'approve_all', ...options}).result).status;
		return [await end({inputs: 'in.csv', key: 'id', name: 'table'}), await end({inputs: {name: 'x.csv', data: await file('in.csv')}, key: 'id', name: 'given'}),
			await end({inputs: ['write one', {a: 1}, 'write one'], name: 'list'}), await end({inputs: 'one.out/one', key: 'file', name: 'files'})].join(' ')`)
	same("the ends", "ok ok ok ok", got)
	for _, name := range []string{"table", "files"} {
		same(name, timeless(h.file(name+".out/results.jsonl")), timeless(talk(p, "return file('%s.out/results.jsonl')", name)))
	}
	same("the table that the page gave", timeless(h.file("table.out/results.jsonl")), timeless(talk(p, "return file('given.out/results.jsonl')")))
	if got := talk(p, "return file('list.out/results.jsonl')"); strings.Count(got, `"status":"ok"`) != 3 || !strings.Contains(got, `-2","status"`) {
		t.Errorf("the list: %s", got)
	}
}

// counted is a model of the page that writes two files and then answers. It counts in the
// browser how often each request came, and never answers the second request of the item b if it
// comes the first time.
const counted = `golem.provide({models: {counted: ({messages}) => {
		const said = messages.find((m) => m.role === 'user').content, text = typeof said === 'string' ? said : said[0].text, turn = messages.filter((m) => m.role === 'tool').length;
		const all = JSON.parse(localStorage.asked ?? '{}'), name = text + turn; all[name] = (all[name] ?? 0) + 1; localStorage.asked = JSON.stringify(all);
		if (name === 'b1' && all[name] === 1) return new Promise(() => {});
		return turn < 2 ? {calls: [{name: 'write_file', args: {path: '/out/' + turn + '.txt', content: text + '\n'}}]} : 'done ' + text } } }); `

// TestBatchOutlivesAReload tests that a batch that a reload interrupted is shown as such and goes
// on where it was: what ended is not asked again, and an item that was interrupted asks once more
// only the request that was under way.
func TestBatchOutlivesAReload(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	got := talk(p, "%s", `await golem.create('p', {'main.worker': '---\nmodel: page:counted\ntoolsets: {filesystem: {}}\n---\nWrite.\n'}); `+counted+`
		window.batch = golem.batch('p', {inputs: ['a', 'b', 'c'], name: 'one', jobs: 2, approval: 'approve_all'});
		const events = batch[Symbol.asyncIterator]();
		for (;;) { const {value, done} = await events.next(); if (done) return 'it ended'; if (value.counts.ok === 2 && JSON.parse(localStorage.asked).b1) break }
		const [one] = await golem.batches('p').list(), gone = await golem.batches('p').remove('one').catch((e) => e.code);
		return [one.running, one.counts.ok, gone].join(' ')`)
	if got != "true 2 E_BUSY" {
		t.Errorf("while it runs: %s", got)
	}
	p.Reload()
	got = talk(p, "%s", `const of = golem.batches('p'), [before] = await of.list(); `+counted+`
		const {status, exit, out} = await golem.batch('p', {name: 'one', approval: 'approve_all'}).result, [after] = await of.list();
		const {items} = await of.items('one'), trace = new TextDecoder().decode(await of.trace('one', items[1].item));
		return [before.running, before.counts.ok, before.counts.open, status, exit, after.counts.ok, items.map((i) => i.output + i.attempt).join(), trace.includes('attempt 2 of this item: it goes on'), Object.values(JSON.parse(localStorage.asked)).join(''), JSON.stringify(JSON.parse(localStorage.asked).b1), (await golem.files('p').list()).filter((f) => f.path.startsWith('one.out/') && f.path.endsWith('.txt')).length].join(' ')`)
	if want := "false 2 1 ok 0 3 done a1,done b2,done c1 true"; !strings.HasPrefix(got, want) || !strings.HasSuffix(got, " 2 6") || strings.Count(got, "2") < 4 {
		t.Errorf("after the reload: %s", got)
	}
	got = talk(p, "%s", `const of = golem.batches('p'); await of.remove('one'); return [(await of.list()).length, await of.show('one').catch((e) => e.code), (await golem.files('p').read('one.out/results.jsonl')).length > 0].join(' ')`)
	if got != "0 E_NOT_FOUND true" {
		t.Errorf("removed: %s", got)
	}
}

// TestBatchStopped tests that a batch that is stopped, or cancelled while it runs, says so, and
// what golem.js then does with it.
func TestBatchStopped(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	got := talk(p, "%s", `await golem.create('p', {'main.worker': '---\nmodel: script:s.yaml\n---\nWait.\n', 's.yaml': 'script: 1\nworkers:\n  main:\n    - when: {match: wait}\n      hang: true\n    - say: done\n'});
		const of = golem.batches('p'), out = [];
		const until = async (b) => { const events = b[Symbol.asyncIterator](); for (;;) { const {value} = await events.next(); if (value.counts.ok + value.counts.failed === 1 && value.counts.running) return } };
		const one = golem.batch('p', {inputs: ['wait', 'go'], name: 'one'}); await until(one); one.stop();
		const stopped = await one.result; out.push(stopped.status, stopped.exit, (await of.list())[0].counts.open);
		const two = golem.batch('p', {name: 'one'}); const began = two[Symbol.asyncIterator](); await began.next();
		out.push(JSON.stringify(await of.cancel('one')), (await two.result).status, (await of.list())[0].counts.cancelled);
		out.push((await of.cancel('one')).items, (await of.items('one', {status: 'cancelled'})).items.length, (await of.show('one')).listing.counts.ok);
		return out.join(' ')`)
	if want := `interrupted 130 1 {"items":0,"soon":true} cancelled 1 0 1 1`; got != want {
		t.Errorf("it says %s, want %s", got, want)
	}
}

// TestBatchRefused tests what is refused before the first item. Nothing of it is kept.
func TestBatchRefused(t *testing.T) {
	t.Parallel()
	p := batchPage(t)
	talk(p, "%s", `window.no = async (options) => golem.batch('p', options).result.then((r) => r.status, (e) => e.code + ': ' + e.message);
		await golem.create('shell', {'main.worker': '---\nmodel: script:minimal\ntoolsets: {clearance: {}}\n---\nM.\n'});
		await golem.files('p').write('bad.txt', 'x'); await golem.files('p').write('two.jsonl', '{"id":"a"}\n{"id":"a","b":1}\n'); await golem.files('p').write('bad.jsonl', '"a"\n{broken\n')`)
	for _, c := range []struct{ do, want string }{
		{"no({})", "E_USAGE: the inputs are missing"},
		{"no({inputs: 'nothing.jsonl'})", `E_USAGE: the inputs "nothing.jsonl": there is no such file or directory`},
		{"no({inputs: '../x.jsonl'})", "E_PATH: "},
		{"no({inputs: '.golem/x.jsonl'})", "E_PROTECTED: "},
		{"no({inputs: 'bad.txt'})", `E_USAGE: the inputs "bad.txt" are neither .jsonl nor .csv nor a directory`},
		{"no({inputs: {name: 'x.xlsx', data: 'a'}})", `E_USAGE: the inputs "x.xlsx" are neither`},
		{"no({inputs: 'bad.jsonl'})", "E_USAGE: line 2 of the inputs: it is not JSON"},
		{"no({inputs: []})", "E_USAGE: the inputs have no item"},
		{"no({inputs: [3]})", "E_USAGE: line 1 of the inputs: it is neither a text nor an object: 3"},
		{"no({inputs: 'two.jsonl', key: 'id'})", `E_USAGE: line 1 and line 2 have the same key "a"`},
		{"no({inputs: ['a'], key: 'id'})", "E_USAGE: line 1 is not an object"},
		{"no({inputs: ['a'], entry: 'nobody'})", "E_"},
		{"no({inputs: ['a'], name: '../x'})", `E_USAGE: "../x" is not a name of a batch`},
		{"no({name: 'none'})", "E_NOT_FOUND: there is no such batch"},
		{"no({inputs: ['a'], out: '.golem'})", "E_PROTECTED: "},
		{"no({inputs: ['a'], out: '../x'})", "E_PATH: "},
		{"no({inputs: ['a'], jobs: 0})", "E_USAGE: jobs 0 is not between 1 and 1000"},
		{"no({inputs: ['a'], doubt: 'maybe'})", `E_USAGE: "maybe"`},
		{"no({inputs: ['a'], assistant: true})", "E_USAGE: a batch runs a worker of the project"},
		{"no({inputs: ['a'], limits: {cost: 1}, model: 'openai:no-such-model', env: {OPENAI_API_KEY: 'no-key'}})", "E_USAGE: --limit cost=… needs the price"},
		{"golem.batch('shell', {inputs: ['a']}).result.catch((e) => e.code + ': ' + e.message)", "E_PLATFORM: main uses the toolset clearance"},
		{"golem.batches('p').show('../x').catch((e) => e.code)", "E_NOT_FOUND"},
		{"golem.batches('p').remove('x').catch((e) => e.code)", "E_NOT_FOUND"},
		{"golem.batches('none').list().catch((e) => e.code)", "E_NOT_FOUND"},
	} {
		if got := talk(p, "return %s", c.do); !strings.HasPrefix(got, c.want) || got == "E_" {
			t.Errorf("%s: %s, want %s", c.do, got, c.want)
		}
	}
	if got := talk(p, "return (await golem.batches('p').list()).map((b) => b.name)"); got != "" {
		t.Errorf("kept: %s", got)
	}
	// Another content of the project, another key, and an input that changed.
	got := talk(p, "%s", `const first = await no({inputs: 'in.csv', key: 'id', name: 'one', approval: 'approve_all'}), out = [first];
		await golem.files('p').write('in.csv', 'id,text\none,other\n'); out.push(await no({inputs: 'in.csv', key: 'id', name: 'one'}));
		await golem.files('p').write('in.csv', 'id,text\none,write one\nsix,say\nseven,say\n'); out.push(await no({inputs: 'in.csv', key: 'text', name: 'one'}), await no({inputs: 'in.csv', key: 'id', name: 'one', out: 'other'}), await no({inputs: 'in.csv', key: 'id', name: 'one'}));
		await golem.files('p').write('more.txt', 'x'); out.push(await no({inputs: 'in.csv', key: 'id', name: 'one'})); return out.map((o) => o.slice(0, 40)).join('|')`)
	if want := "ok|E_CONFLICT: line 2 of the inputs has ano|E_CONFLICT: the batch one has another --|E_CONFLICT: the batch one has another --|ok|E_CONFLICT: the batch one has another co"; got != want {
		t.Errorf("conflicts:\n%s, want\n%s", got, want)
	}
}
