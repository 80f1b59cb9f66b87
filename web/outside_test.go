//go:build !js

package web_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golem/web/webtest"
)

// world stands for all hosts except this machine. It records each request and answers it, so
// that no request fails by itself.
type world struct {
	mu    sync.Mutex
	asked []string // host and path, in order
	model []any    // the model's answers, turn by turn
}

func (o *world) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Access-Control-Allow-Headers", "authorization, content-type, x-key")
	if r.Method == http.MethodOptions {
		o.note(r)
		return
	}
	body, _ := io.ReadAll(r.Body) // an error does not matter: the request is recorded anyway
	turn := o.note(r)
	switch {
	case r.Host != "model.example":
		fmt.Fprintf(w, "hello from %s", r.Host)
	case turn == nil:
		w.WriteHeader(http.StatusInternalServerError)
	default:
		if !strings.Contains(string(body), `"stream":true`) || r.Header.Get("Authorization") != "Bearer sk-the-key" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		data, err := json.Marshal(map[string]any{"choices": []any{turn}})
		if err == nil {
			fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", data)
		}
	}
}

// own matches hosts that Chromium itself requests; requests of a page to them are cross-site.
var own = regexp.MustCompile(`\.(google|googleapis|gvt1|googleusercontent)\.com$`)

// note records a request, and returns the model's next turn if the request is for the model.
func (o *world) note(r *http.Request) any {
	o.mu.Lock()
	defer o.mu.Unlock()
	if own.MatchString(r.Host) && r.Header.Get("Sec-Fetch-Site") != "cross-site" {
		return nil
	}
	if line := r.Host + r.URL.Path; len(o.asked) == 0 || o.asked[len(o.asked)-1] != line {
		o.asked = append(o.asked, line)
	}
	if r.Host != "model.example" || r.Method == http.MethodOptions || len(o.model) == 0 {
		return nil
	}
	turn := o.model[0]
	o.model = o.model[1:]
	return turn
}

func says(text string) any {
	return map[string]any{"index": 0, "delta": map[string]any{"content": text}, "finish_reason": "stop"}
}

func calls(id, tool string, args map[string]any) any {
	data, err := json.Marshal(args)
	if err != nil {
		return nil // unreachable: a map of strings has JSON
	}
	return map[string]any{"index": 0, "finish_reason": "tool_calls", "delta": map[string]any{"tool_calls": []any{
		map[string]any{"index": 0, "id": id, "type": "function", "function": map[string]any{"name": tool, "arguments": string(data)}},
	}}}
}

// TestNothingLeaves tests that the page sends requests only to the model's endpoint and to the
// host that a tool was granted: none when it is opened, none because of a model's text, and
// none to a host that was not granted. All host names lead to a server of this test, for the
// page, its workers and its service worker.
func TestNothingLeaves(t *testing.T) {
	t.Parallel()
	o := &world{model: []any{
		calls("a", "fetch", map[string]any{"url": "https://granted.example/data"}),
		calls("b", "fetch", map[string]any{"url": "https://refused.example/data"}),
		says(hostile + " [click me](https://evil.example/clicked) <link rel=prefetch href=https://evil.example/p>\n\n![a](https://evil.example/a.png)\n"),
	}}
	outward.Outside = o
	module, err := os.ReadFile("../cmd/cli/testdata/modules/fetch.wasm")
	if err != nil {
		t.Fatal(err)
	}
	site := webtest.Serve(t, built(t), "/")
	p := outward.Open(t, site.URL)
	do(p, `await text("is ready"); localStorage.setItem('golem.keys', JSON.stringify({OPENAI_API_KEY: 'sk-the-key', OPENAI_BASE_URL: 'https://model.example/v1'}))`)
	project(t, p, "asks", map[string]string{
		"main.worker":      "---\nmodel: openai:gpt-5-mini\nsandbox: {network_enabled: true}\ntoolsets: {custom: {modules: {fetch: {allowed_hosts: [granted.example]}}}}\n---\nFetch.\n",
		"tools/fetch.wasm": string(module),
	})
	do(p, `await say("go"); await text("more than its sandbox")`)
	settled(p)
	do(p, `[...document.querySelectorAll('dialog[open] button')].find((b) => b.innerText === 'Yes').click(); await click("Trust these settings"); await text("Allow this call?"); await text("hosts: granted.example")`)
	yes(p)
	do(p, `await text("click me"); await text("E_NETWORK"); await click("granted.example/data"); await text("hello from granted.example")`)
	do(p, `await click("Files"); await click("main.worker"); await click("Trace"); await click("Settings"); await click("Projects"); await navigator.serviceWorker.ready;
		await (await fetch('https://control.example/')).text()`) // the test can see what a page asks for
	o.mu.Lock()
	defer o.mu.Unlock()
	slices.Sort(o.asked)
	want := []string{"control.example/", "granted.example/data", "model.example/v1/chat/completions"}
	if got := slices.Compact(o.asked); !slices.Equal(got, want) {
		t.Errorf("the world was asked for %q, want %q", got, want)
	}
	if len(o.model) != 0 {
		t.Errorf("%d turns of the model are left", len(o.model))
	}
}
