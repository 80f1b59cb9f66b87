//go:build !js

package web_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golem/web/webtest"
)

// helper is a provider's endpoint: asked to write, its model calls write_file; else it says
// which of its messages is the last.
func helper(t testing.TB) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Headers", "*")
		if r.Method != http.MethodPost {
			return
		}
		var asked struct {
			Messages []struct {
				Role    string `json:"role"`
				Content any    `json:"content"`
			} `json:"messages"`
		}
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(body, &asked)
		}
		if err != nil || len(asked.Messages) == 0 {
			t.Errorf("a request cannot be read: %v", err)
			return
		}
		last := asked.Messages[len(asked.Messages)-1]
		said := fmt.Sprint(last.Content)
		choice := says("It said: " + said)
		if last.Role == "tool" {
			choice = says("the file is there")
		} else if file, ok := strings.CutPrefix(said, "write "); ok {
			choice = calls("c1", "write_file", map[string]any{"path": "/" + file, "content": "---\nmodel: script:minimal\n---\nHello.\n"})
		}
		w.Header().Set("Content-Type", "text/event-stream")
		data, err := json.Marshal(map[string]any{"choices": []any{choice}})
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", data)
	}))
	t.Cleanup(server.Close)
	return server
}

// TestAssistantInThePage tests the way from a first visit to a conversation with golem's
// assistant (SPEC §11, §13): no project is made by hand, the page asks for a model and its
// key, the conversation has an address to which a reload and the next visit come back, a
// write is a question, and files that became a project are opened as one.
func TestAssistantInThePage(t *testing.T) {
	t.Parallel()
	address := helper(t).URL + "/v1"
	p, _ := visit(t, "/")
	const restart = `await until("the locks of the page before to be free", async () => !(await navigator.locks.query()).held.some((l) => l.name.startsWith('golem:/projects/assistant'))); `
	do(p, `await text("is ready"); await click("Talk with the assistant"); await text("golem’s assistant reads the files"); await text("The assistant needs a model");
		await until("its address", () => location.hash === '#/p/assistant/run'); if (!document.querySelector('.composer .primary').disabled && button("Tests")) throw new Error("tests of nothing");
		await click("Choose a model"); await until("the dialog", () => document.querySelector('dialog[open] #provider'));
		const fill = (id, value) => { const f = document.getElementById(id); f.value = value; f.dispatchEvent(new Event(f.localName === 'select' ? 'change' : 'input', {bubbles: true})) };
		fill('provider', 'groq'); await until("the key", () => document.getElementById('model-key')); fill('model-key', 'sk-mine-4711'); fill('model-base', %q); fill('model-name', 'm-1'); await click("Use it");
		await text("assistant is ready"); await say("hello"); await text("It said: hello"); await until("my turn", () => button("Send"));
		await until("its address", () => /^#\/p\/assistant\/run\/./.test(location.hash))`, address)
	p.Reload()
	do(p, restart+`await text("It said: hello"); await say("write note.md"); await text("Change a file?")`)
	settled(p)
	do(p, `[...document.querySelectorAll('dialog[open] button')].find((b) => b.innerText === 'Yes').click(); await text("the file is there"); await until("my turn", () => button("Send"));
		await click("Files"); await until("the file", () => button("note.md"))`)
	// The next time the same button leads to the same place, and the model is known.
	do(p, `await click("Projects"); await text("Examples"); if (document.querySelectorAll('[aria-labelledby=mine] .card').length !== 2) throw new Error(document.body.innerText);
		await click("Talk with the assistant"); await until("the conversation, or its list", () => location.hash.startsWith('#/p/assistant/run'));
		await click("new conversation"); await text("assistant is ready"); await text("groq:m-1"); await say("write main.worker"); await text("Change a file?")`)
	settled(p)
	do(p, `[...document.querySelectorAll('dialog[open] button')].find((b) => b.innerText === 'Yes').click(); await text("the file is there"); await until("my turn", () => button("Send")); await click("End");
		await click("Projects"); await click("Talk with the assistant"); await until("another one, because the files are a project now", () => location.hash.startsWith('#/p/assistant-2/run')); await text("assistant is ready")`)
	p.Reload() // the page opens the same again, without a question for a model
	do(p, "%s", `await text("assistant is ready"); await text("groq:m-1"); `+card("assistant")+`await text("main is ready"); await click("write main.worker"); await until("my turn", () => button("Send")); await say("still you?"); await text("It said: still you?")`)
	if got := webtest.Eval[string](p, `JSON.stringify([JSON.parse(localStorage.getItem('golem.keys')).GROQ_API_KEY, JSON.parse(localStorage.getItem('golem.settings')).model])`); got != `["sk-mine-4711","groq:m-1"]` {
		t.Errorf("the browser keeps %s", got)
	}
}
