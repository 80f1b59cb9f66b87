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
	for name, text := range map[string]string{
		"in.jsonl":    inputs.String(),
		"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\n---\nW.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - when: {turn: 1, match: '(\\w+)/(\\w+)'}\n      calls: [{tool: write_file, args: {path: $1/$2.txt, content: '<b>$2</b>'}}]\n    - say: done\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	golem := func(args ...string) *exec.Cmd {
		cmd := exec.Command(cli(t), args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOLEM_HOME="+home, "GOLEM_MODEL=")
		return cmd
	}
	if said, _ := golem("batch", ".", "--inputs", "in.jsonl", "--name", "b").CombinedOutput(); !strings.Contains(string(said), "5 parked") {
		t.Fatalf("%s", said)
	}
	attach := golem("batch", "attach", "b", "--web")
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
	p := browserOf(t).Open(t, strings.TrimSpace(line))
	p.Until("the questions", `document.body.innerText.includes('5 questions of 5 items') && document.body.innerText.includes('<b>a</b>') && !document.querySelector('article b')`)
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
			look(t, p, "batch-attach-"+w.name+"-"+scheme, w.width, w.height)
		}
	}
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
