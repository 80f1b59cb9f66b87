//go:build !js

package web_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"golem/web/webtest"
)

// TestBatchAttachWeb answers what the items of a batch of the command line ask, in a browser: a
// yes that counts only after the end of its question was on the screen, a no with a reason, and a
// rule after its calls were shown. The batch goes on with these answers, and the page shows it.
func TestBatchAttachWeb(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), t.TempDir()
	var inputs strings.Builder
	for _, path := range []string{"notes/a", "notes/b", "out/c", "out/d", "out/e"} {
		fmt.Fprintf(&inputs, "%q\n", path)
	}
	plant(t, dir, map[string]string{
		"in.jsonl":    inputs.String(),
		"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\n---\nW.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - when: {turn: 1, match: '(\\w+)/(\\w+)'}\n      calls: [{tool: write_file, args: {path: $1/$2.txt, content: '<b>$2</b>'}}]\n    - say: done\n",
	})
	golem := golemIn(t, dir, home)
	if said, _ := golem("batch", ".", "--inputs", "in.jsonl", "--name", "b").CombinedOutput(); !strings.Contains(string(said), "5 parked") {
		t.Fatalf("%s", said)
	}
	p := browserOf(t).Open(t, attached(t, golem("batch", "attach", "b", "--web")))
	p.Until("the questions", `document.body.innerText.includes('5 questions of 5 items') && document.body.innerText.includes('<b>a</b>') && !document.querySelector('article b')`)
	looks(t, p, "batch-attach")
	p.Until("a yes that cannot be given yet", `[...document.querySelectorAll('.yes')].at(-1).disabled`)
	p.Until("a yes after the end of the question was shown", `(document.querySelector('.ask').scrollIntoView(), !document.querySelector('.yes').disabled)`)
	webtest.Eval[bool](p, `(document.querySelector('.yes').click(), true)`)
	p.Until("the next questions", `document.readyState === 'complete' && document.body.innerText.includes('4 questions of 4 items')`)
	webtest.Eval[bool](p, `(document.querySelector('.ask [name=reason]').value = 'not there', document.querySelector('.ask [value=no]').click(), true)`)
	p.Until("the last questions", `document.readyState === 'complete' && document.body.innerText.includes('3 questions of 3 items') && document.querySelector('form.rule [name=when]')?.value === 'path=/out/**'`)
	webtest.Eval[bool](p, `(document.querySelector('form.rule button').click(), true)`)
	p.Until("what the rule covers, in a page whose script has run", `document.readyState === 'complete' && document.body.innerText.includes('It covers 3 questions of 3 items') && (document.querySelector('.ask').scrollIntoView(), !document.querySelector('.yes').disabled)`)
	webtest.Eval[bool](p, `(document.querySelector('.yes').click(), true)`)
	p.Until("no question", `document.body.innerText.includes('No item waits for an answer') && document.body.innerText.includes('golem batch retry b goes on')`)
	if said, err := golem("batch", "retry", "b").CombinedOutput(); !strings.Contains(string(said), "5 ok") {
		t.Fatalf("%v\n%s", err, said)
	}
	p.Until("the end", `document.body.innerText.includes('It is done') && document.body.innerText.includes('5 of 5')`)
	written, err := filepath.Glob(filepath.Join(dir, "b.out", "*", "*", "*.txt"))
	if err != nil || len(written) != 4 {
		t.Errorf("files were written: %v, %v", written, err)
	}
}

// TestBatchAttachStaged decides in a browser on what the items of a batch staged: it shows the
// changes as text, pushes one item after its end was on the screen, another with a tick for its file,
// which defines the project meanwhile, and discards the third. golem clearance then has nothing left.
func TestBatchAttachStaged(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), t.TempDir()
	plant(t, dir, map[string]string{
		"in.jsonl":    "\"a.txt\"\n\"b.txt\"\n\"drafts/p.txt\"\n",
		"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\nsandbox: {mounts: [{target: /, source: ., mode: staged}]}\n---\nW.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - when: {turn: 1, match: '([\\w./]+)'}\n      calls: [{tool: write_file, args: {path: $1, content: '<b>$1</b>'}}]\n    - say: done\n",
		"a.txt":       "before\n",
	})
	golem := golemIn(t, dir, home)
	if said, err := golem("batch", ".", "--inputs", "in.jsonl", "--name", "b", "--approve-all").CombinedOutput(); err != nil || !strings.Contains(string(said), "3 items of this batch pending clearance") {
		t.Fatalf("%v\n%s", err, said)
	}
	p := browserOf(t).Open(t, attached(t, golem("batch", "attach", "b", "--web")))
	p.Until("what is staged", `document.body.innerText.includes('Staged changes of 3 items') && document.body.innerText.includes('changed: a.txt')`)
	looks(t, p, "batch-staged-list")
	click := func(what string) { webtest.Eval[bool](p, `(document.querySelector('`+what+`').click(), true)`) }
	shows := func(file string) {
		p.Until("the link to "+file, `document.readyState === 'complete' && [...document.querySelectorAll('section.staged')].some((s) => s.innerText.includes('`+file+`'))`)
		webtest.Eval[bool](p, `([...document.querySelectorAll('section.staged')].find((s) => s.innerText.includes('`+file+`')).querySelector('a').click(), true)`)
		p.Until("the change of "+file, `document.readyState === 'complete' && document.querySelector('pre')?.innerText.includes('+<b>`+file+`</b>') && !document.querySelector('pre b')`)
	}
	reads := func(name string) string {
		data, _ := os.ReadFile(filepath.Join(dir, name)) // "": there is none
		return string(data)
	}
	const pushable = `(document.querySelector('.ask').scrollIntoView(), !document.querySelector('.yes').disabled)`
	shows("a.txt")
	p.Until("a push after the end was shown", pushable)
	click(".yes")
	p.Until("two left", `document.body.innerText.includes('Staged changes of 2 items')`)
	plant(t, dir, map[string]string{"project.yaml": "prompts: {root: drafts}\n"})
	shows("drafts/p.txt")
	looks(t, p, "batch-staged-item")
	p.Until("a push that can be given", pushable)
	click(".yes") // the browser asks for the tick
	if still := webtest.Eval[bool](p, `document.querySelector('.tick input:invalid') !== null`); !still || reads("drafts/p.txt") != "" {
		t.Fatalf("it was pushed without the tick: %q", reads("drafts/p.txt"))
	}
	click(".tick input")
	click(".yes")
	p.Until("one left", `document.body.innerText.includes('Staged changes of 1 item')`)
	shows("b.txt")
	click("summary")
	click("[value=discard]")
	p.Until("nothing left", `document.readyState === 'complete' && document.body.innerText.includes('No item waits') && !document.body.innerText.includes('Staged changes')`)
	if reads("a.txt") != "<b>a.txt</b>" || reads("drafts/p.txt") != "<b>drafts/p.txt</b>" || reads("b.txt") != "" {
		t.Errorf("a.txt %q, drafts/p.txt %q, b.txt %q", reads("a.txt"), reads("drafts/p.txt"), reads("b.txt"))
	}
	if said, err := golem("clearance", "list").CombinedOutput(); !strings.Contains(string(said), "nothing waits") {
		t.Errorf("%v\n%s", err, said)
	}
}

// looks checks a page of golem batch attach --web in each width and scheme.
func looks(t *testing.T, p *webtest.Page, name string) {
	t.Helper()
	axe, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatalf("%v: make web installs it", err)
	}
	if _, err := webtest.Try[map[string]any](p, string(axe)+";({})", webtest.Patience); err != nil {
		t.Fatal(err)
	}
	for _, scheme := range []string{"light", "dark"} {
		dark := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
		if _, err := chromedp.Call(p.Context(), emulation.SetEmulatedMedia, dark); err != nil {
			t.Fatal(err)
		}
		for _, w := range widths {
			look(t, p, name+"-"+w.name+"-"+scheme, w.width, w.height)
		}
	}
}

// attached starts golem batch attach --web, which ends with the test, and returns its address.
func attached(t *testing.T, attach *exec.Cmd) string {
	t.Helper()
	out, err := attach.StdoutPipe()
	if err == nil {
		err = attach.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		attach.Process.Kill()
		attach.Wait() // it was killed
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// plant writes files into a directory.
func plant(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// golemIn returns commands of golem in a directory, with this GOLEM_HOME.
func golemIn(t *testing.T, dir, home string) func(args ...string) *exec.Cmd {
	return func(args ...string) *exec.Cmd {
		cmd := exec.Command(cli(t), args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOLEM_HOME="+home, "GOLEM_MODEL=")
		return cmd
	}
}
