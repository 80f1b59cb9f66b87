//go:build !js

package web_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"golem/core"
	"golem/core/approval"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/trace"
	"golem/core/ui"
	"golem/core/ui/plain"
	"golem/web/webtest"
)

// frontsProject is a project with a worker that asks two levels below the root, one that
// waits and fails, one that is refused, a change to a file, and staged items.
var frontsProject = map[string]string{
	"project.yaml": "clearance: {targets: {main: {dir: ./published}}}\n",
	"main.worker": "---\nmodel: script:s.yaml\nmode: chat\ndelegation: {parallel: 1}\n" +
		"toolsets: {clearance: {}, workers: {allowed_workers: [writer, broken, secret], approval: {tools: {secret: blocked}}}}\n---\nGo.\n",
	"workers/writer.worker": "---\nallow_workers: [deep]\nsandbox: {paths: {desk: {root: ./desk}}}\ntoolsets: {clearance: {}, filesystem: {approval: {tools: {write_file: preApproved}}}}\n---\nWrite.\n",
	"workers/deep.worker":   "---\nsandbox: {paths: {desk: {root: ./desk}}}\ntoolsets: {filesystem: {}}\n---\nDeep.\n",
	"workers/broken.worker": "---\n---\nBroken.\n",
	"workers/secret.worker": "---\n---\nSecret.\n",
	"s.yaml": `script: 1
workers:
  main:
    - calls: [{tool: writer, args: {input: first task}}, {tool: broken, args: {input: second task}}, {tool: secret, args: {input: third task}}]
    - say: all is told
  writer:
    - calls: [{tool: deep, args: {input: deepest task}}]
    - calls: [{tool: write_file, args: {path: /desk/s.md, content: "two\n"}}]
    - calls: [{tool: stage, args: {paths: [/desk/r.md], message: Report, target: main}}]
    - calls: [{tool: stage, args: {paths: [/desk/s.md], message: Second}}]
    - say: written
  deep:
    - calls: [{tool: write_file, args: {path: /desk/r.md, content: "one\n"}}]
    - say: deep done
  broken:
    - fail: {status: 401}
`,
}

// frontsSaid has the lines that the person types: a form with wrong entries, then a push.
var frontsSaid = []string{"go", "/tool push", "9", "-", "-", `/tool push {"item": "1", "target": "main"}`}

// fact is one piece of information of a run, in the form of each front end (SPEC §11, S4 §2).
type fact struct {
	what  string
	plain string   // a text in the plain lines, with or without --quiet
	json  []string // texts in one event of --json, and of the test double
	page  string   // an expression that is true in the page; "": see asked
	asked string   // an expression that is true in the page while the question is open
}

var facts = []fact{
	{"S4-33: a worker that runs", "● writer: first task", []string{`"type":"progress"`, `"id":"0.1"`, `"depth":1`, `"status":"running"`, `"task":"first task"`},
		"", `state('writer') === 'running' && line('writer').includes('first task')`},
	{"S4-33: one that waits", "○ broken: second task", []string{`"type":"progress"`, `"id":"0.2"`, `"status":"pending"`, `"task":"second task"`},
		"", `state('broken') === 'waiting' && line('broken').includes('second task')`},
	{"S4-33: one that is done", "✓ writer: first task", []string{`"type":"progress"`, `"id":"0.1"`, `"status":"complete"`}, `state('writer') === 'done'`, ""},
	{"S4-33: one that failed", "○ broken failed: second task", []string{`"type":"progress"`, `"id":"0.2"`, `"status":"failed"`}, `state('broken') === 'failed'`, ""},
	{"S4-33: one that is refused", "○ secret failed: third task", []string{`"type":"progress"`, `"id":"0.3"`, `"status":"failed"`, `"task":"third task"`}, `state('secret') === 'denied'`, ""},
	{"S4-39: a frame for a worker", "[Calling worker: deep] deepest task", []string{`"type":"worker.start"`, `"id":"0.1.1"`, `"parent":"0.1"`, `"worker":"deep"`},
		"", `line('deep').includes('asks') || state('deep') === 'running'`},
	{"S4-45: who asks, root first", "Path: main → writer → deep", []string{`"type":"ask"`, `"workerPath":["main","writer","deep"]`}, "", `question().includes('main → writer → deep')`},
	{"S4-29: with ids and tasks", "Task: deepest task", []string{`"type":"ask"`, `"id":"0.1.1"`, `"task":"deepest task"`, `"id":"0.1"`, `"task":"first task"`}, "", `question().includes('deepest task')`},
	{"S4-28: type and risk", "Risk: medium", []string{`"type":"ask"`, `"type":"file_write"`, `"risk":"medium"`}, "", `question().includes('medium risk')`},
	{"S4-24: a change before a yes", "new file, 1 line", []string{`"type":"ask"`, `+one`}, "", `question().includes('+one')`},
	{"S4-24: a diff afterwards", "+two", []string{`"type":"diff"`, `"path":"/desk/s.md"`, `"after":"`, `+two`}, `await detail('write_file', 's.md', '+two')`, ""},
	{"S4-18: what is staged", "clearance: staged 1 Report", []string{`"type":"clearance"`, `"action":"staged"`, `"item":"1"`, `"message":"Report"`}, `says('staged: item 1 Report')`, ""},
	{"S4-23: a status, here of a form", "item (the number of the item):", []string{`"type":"status"`, `"level":"info"`, `item (the number of the item):`}, `says('item (the number of the item):')`, ""},
	{"S4-16: what the person types", "push(item: \"9\")", []string{`"type":"tool.start"`, `"tool":"push"`, `"item":"9"`}, `says('/tool push') && [...document.querySelectorAll('.bubble.you')].some((b) => b.innerText.endsWith('\n9'))`, ""},
	{"S4-24: a diff before a push", "new file, 1 line", []string{`"type":"ask"`, `"tool":"push"`, `"diff":"--- /dev/null`, `+one`}, "", ""},
	{"S4-20: a push that fails", "clearance: push 9: E_NOT_FOUND", []string{`"type":"clearance"`, `"item":"9"`, `"ok":false`, `"code":"E_NOT_FOUND"`}, `says('push of item 9: E_NOT_FOUND')`, ""},
	{"S4-20: a push", "clearance: push 1 Report", []string{`"type":"clearance"`, `"item":"1"`, `"action":"push"`, `"ok":true`, `"target":"main"`}, `says('push: item 1 Report')`, ""},
	{"S4-36: what still waits", "[!] 1 item(s) pending clearance", []string{`"type":"clearance"`, `"action":"pending"`, `"items":["2 Second"]`}, `says('[!] 1 item(s) pending clearance')`, ""},
	{"S4-18: a badge", "", nil, `document.querySelector('.badge').innerText === '1'`, ""},
	{"S4-15: the answer", "Golem: all is told", []string{`"type":"model.end"`, `"text":"all is told"`}, `says('all is told')`, ""},
}

// everybody is a user interface that gives the events of one run to plain lines, quiet lines,
// JSON lines and the test double. Questions go to the plain lines.
type everybody struct {
	plain, quiet plain.UI
	json         ui.JSON
	double       ui.Script
}

func (e *everybody) Emit(ev trace.Event) {
	for _, s := range []trace.Sink{&e.plain, &e.quiet, &e.json, &e.double} {
		s.Emit(ev)
	}
}

func (e *everybody) Prompt(ctx context.Context) (run.Input, error) { return e.plain.Prompt(ctx) }

func (e *everybody) Approve(ctx context.Context, r approval.Request) (approval.Decision, error) {
	return e.plain.Approve(ctx, r)
}

// sayer is a terminal at which a person types these lines, and yes to every question.
type sayer struct {
	lines []string
	io.Writer
}

func (s *sayer) Line(context.Context) (string, error) {
	if len(s.lines) == 0 {
		return "", io.EOF
	}
	line := s.lines[0]
	s.lines = s.lines[1:]
	return line, nil
}

func (s *sayer) Ask(_ context.Context, prompt string) (string, error) {
	_, err := io.WriteString(s.Writer, prompt+"y\n")
	return "y", err
}

// played runs the project natively. It returns the plain lines, and the events as lines of
// JSON, from --json and from the test double.
func played(t *testing.T) (lines string, printed, recorded []string) {
	t.Helper()
	tree := sandbox.Memory()
	for name, data := range frontsProject {
		if err := tree.WriteFile(name, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	inst, err := core.Open(core.Platform{
		Name: "native", Version: "test",
		Site:         core.Site{State: state.Memory(sandbox.Memory()), TrustKey: "/fronts", Files: core.Tree{FS: tree}},
		ModelSources: core.ModelSources{ReadScript: func(name string) ([]byte, error) { return sandbox.ReadFile(tree, name, 1<<20) }},
	}, core.Options{Files: tree, Name: "fronts"})
	if err != nil {
		t.Fatal(err)
	}
	var out, stream bytes.Buffer
	person := &sayer{slices.Clone(frontsSaid), &out}
	u := &everybody{json: ui.JSON{W: &stream}}
	u.plain = plain.UI{View: &out, Approver: ui.Questions{Person: person}, Input: person}
	u.quiet = plain.UI{View: &out, Quiet: true}
	if res := inst.Chat(t.Context(), nil, u, core.RunOptions{Lines: u.json.Lines()}); res.Error != nil {
		t.Fatal(res.Error)
	}
	for _, e := range u.double.Events() {
		line, err := trace.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		recorded = append(recorded, string(line))
	}
	return out.String(), strings.Split(stream.String(), "\n"), recorded
}

// has reports whether one of the lines contains all of the parts.
func has(lines, parts []string) bool {
	return slices.ContainsFunc(lines, func(line string) bool {
		return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(line, part) })
	})
}

// TestOneRunOnEveryFrontEnd tests that plain lines, JSON lines, the page and the test double
// show the same facts of a run (S4 §2, SPEC §11). In the page the person types /tool NAME in
// the open conversation (scenario 17).
func TestOneRunOnEveryFrontEnd(t *testing.T) {
	t.Parallel()
	lines, printed, recorded := played(t)
	for _, f := range facts {
		if !strings.Contains(lines, f.plain) {
			t.Errorf("%s: plain lines have no %q", f.what, f.plain)
		}
		if !has(printed, f.json) || !has(recorded, f.json) {
			t.Errorf("%s: no event has %q (in JSON lines: %t, in the double: %t)", f.what, f.json, has(printed, f.json), has(recorded, f.json))
		}
	}
	if t.Failed() {
		t.Log(lines, strings.Join(printed, "\n"))
	}
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "fronts", frontsProject)
	do(p, `await say(%q)`, frontsSaid[0])
	settled(p)
	shown(t, p, func(f fact) string { return f.asked })
	do(p, `[...document.querySelectorAll('dialog[open] button')].find((b) => b.innerText === 'Yes').click(); await text("all is told")`)
	for _, line := range frontsSaid[1:] {
		do(p, `const asked = document.querySelectorAll('.talk .note').length; await say(%q);
			await until("what comes of it", () => { const yes = [...document.querySelectorAll('dialog[open] button')].find((b) => b.innerText === 'Yes' && !b.disabled); yes?.click();
				return !yes && !document.querySelector('dialog[open]') && document.querySelectorAll('.talk .note').length > asked && button("Send") })`, line)
	}
	do(p, `await click("End"); await text("[!] 1 item(s) pending clearance"); await until("the badge", () => document.querySelector('.badge'))`)
	shown(t, p, func(f fact) string { return f.page })
	do(p, `const {createGolem} = await import('./golem.js'), other = await createGolem(); await other.clearance("fronts").discard("2"); other.close();
		document.dispatchEvent(new Event('visibilitychange')); await until("no badge, as another tab decided (S4-21)", () => !document.querySelector('.badge'))`)
}

// inPage defines the functions that the expressions about the page use.
const inPage = `const nodes = (name) => [...document.querySelectorAll('.tree .node')].filter((n) => n.querySelector('.name').innerText === name);
	const node = (name) => nodes(name)[0], line = (name) => node(name)?.innerText ?? '', state = (name) => node(name)?.querySelector('[role=img]').getAttribute('aria-label');
	const question = () => document.querySelector('dialog[open]')?.innerText ?? '', says = (wanted) => document.querySelector('.talk').innerText.includes(wanted);
	const detail = async (name, ...wanted) => { for (const n of nodes(name)) { n.click(); await until("its details", () => document.querySelector('.chosen')); const all = wanted.every((w) => document.querySelector('.chosen').innerText.includes(w)); n.click(); await until("no details", () => !document.querySelector('.chosen')); if (all) return true } };`

// shown checks that the page shows the facts; of selects the expression of a fact.
func shown(t *testing.T, p *webtest.Page, of func(fact) string) {
	t.Helper()
	var checks strings.Builder
	for _, f := range facts {
		if e := of(f); e != "" {
			fmt.Fprintf(&checks, "await until(%q, async () => %s);\n", f.what, e)
		}
	}
	do(p, "%s", inPage+checks.String())
}
