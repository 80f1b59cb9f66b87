//go:build !js

package web_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golem/web/webtest"
)

// TestFirstWorkerToolAndTest goes the way of docs/internal/firstminutes.md: a worker, a tool and a
// test of one's own, each begun with a text that has no fault and is open in the editor.
func TestFirstWorkerToolAndTest(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	const editor = `document.querySelector('.editor div')?.shadowRoot?.querySelector('.cm-content')`
	do(p, `await text("is ready"); await click("Projects"); await click("New project"); await until("the dialog", () => document.querySelector('dialog[open] input'))`)
	p.Press("owls", webtest.Enter)
	do(p, `await until("its file", () => button("main.worker")); await click("new file"); await until("the dialog", () => document.querySelector('dialog[open] input'))`)
	p.Press("workers/poet.worker", webtest.Enter)
	// The worker that golem begins has no fault, and the cursor is in its prompt.
	do(p, `await until("the text", () => (`+editor+`)?.innerText.includes("Answer in one sentence.")); await until("the focus", () => document.activeElement?.shadowRoot?.activeElement?.classList.contains('cm-content'))`)
	p.Press("In verses. ")
	do(p, `await until("what was typed", () => (`+editor+`).innerText.includes("In verses. Answer")); await click("Save"); await click("Workers"); await text("2 workers"); if (document.querySelector('.note.error')) throw new Error(document.querySelector('.note.error').innerText)`)
	// A tool of one's own, from the dialog that also fetches tools.
	do(p, `await click("Files"); await click("Add a tool"); await click("Write a new one"); await until("its text", () => (`+editor+`)?.innerText.includes("export function wordcount(text)"));
		await click("Workers"); await click("poet"); await text("wordcount")`)
	// A function without types is no tool: the page says so while it is written.
	do(p, `await click("Files"); await click("new file"); await until("the dialog", () => document.querySelector('dialog[open] input'))`)
	p.Press("tools/shout.mjs", webtest.Enter)
	do(p, `await until("the empty file", () => document.querySelector('h2.mono')?.innerText === 'tools/shout.mjs' && document.activeElement?.shadowRoot?.activeElement)`)
	p.Press("export function shout(text) {}")
	do(p, `await text("tools/shout.mjs exports no tools"); await click("delete tools/shout.mjs"); await text("cannot be undone"); await click("Delete"); await text("no faults")`)
	// A test of a run.
	do(p, `await click("Run"); await click("What is in input"); await text("It can tell what is in input"); await click("Trace"); await click(".jsonl"); await click("Make a test of this"); await click("Keep 1 case");
		await click("Workers"); await click("Tests"); await text("cases"); await click("Run all"); await text("passed")`)
}

// TestAnotherModelInAConversation chooses a model of another provider, with a key, in the middle of
// a conversation: the next message goes on with it, and the new model gets what was said before. A command that
// golem does not know offers nothing to try again.
func TestAnotherModelInAConversation(t *testing.T) {
	t.Parallel()
	got := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Headers", "*")
		if r.Method != http.MethodPost {
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got <- r.Header.Get("Authorization") + " " + string(body)
		w.Header().Set("Content-Type", "text/event-stream")
		say(w, "the other model", "stop")
		fmt.Fprint(w, "data: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "talk", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\nmode: chat\n---\nTalk.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - say: the first model\n",
	})
	do(p, `await say("my first message"); await text("the first model"); await until("my turn", () => button("Send"));
		await say("/nonsense"); await text("there is no command /nonsense"); await until("my turn", () => button("Send")); if (button("Try again")) throw new Error("a message that was answered is offered again"); `+otherModel+`;
		const fill = (id, value) => { const f = document.getElementById(id); f.value = value; f.dispatchEvent(new Event(f.localName === 'select' ? 'change' : 'input', {bubbles: true})) };
		fill('provider', 'groq'); await until("the key", () => document.getElementById('model-key')); fill('model-name', 'own-1'); fill('model-key', 'sk-0123456789'); fill('model-base', '%s/v1'); await click("Use it");
		await until("the choice", () => document.querySelector('#model')?.value === 'groq:own-1' && button("Send")); await text("the first model"); await say("my second message"); await text("the other model")`, server.URL)
	if sent := <-got; !strings.HasPrefix(sent, "Bearer sk-0123456789 ") || !strings.Contains(sent, "my first message") || !strings.Contains(sent, "the first model") {
		t.Error(sent)
	}
}
