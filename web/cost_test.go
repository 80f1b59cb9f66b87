//go:build !js

package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// TestCostInThePage tests that the page shows the cost during a run and at its end: of each
// worker, with the worker's own part if that is less, and of the whole run. Price and limit
// come from the person's config (SPEC §10, §13). The trace has the same numbers.
func TestCostInThePage(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	var asked atomic.Int32
	usage := func(in, cached, out int) string {
		return fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}}}`, in, out, in+out, cached)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
		if r.Method != http.MethodPost {
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		delta, rest := `{"content":"done"}`, usage(1100, 1000, 50)
		const call = `{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"child","arguments":"{\"input\":\"a\"}"}}]}`
		switch asked.Add(1) {
		case 1:
			delta, rest = call, usage(1000, 600, 50)
		case 4:
			delta, rest = call, usage(10_000, 0, 50)
		case 2:
			rest = usage(100, 0, 20)
		}
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":\"stop\"}]}\n\ndata: %s\n\ndata: [DONE]\n\n", delta, rest)
	}))
	t.Cleanup(server.Close)
	do(p, `await text("is ready"); localStorage.setItem('golem.keys', JSON.stringify({ACME_BASE_URL: '%s/v1', ACME_KEY: 'k-0123456789'}));
		localStorage.setItem('golem.settings', JSON.stringify({config: 'providers: {acme: {base_url: "https://models.acme.example/v1", api_key_env: ACME_KEY, models: {m: {price: {input: 2, cached_input: 0.5, output: 10}}}}}\nlimits: {cost: 0.025}\n'}))`, server.URL)
	project(t, p, "dear", map[string]string{
		"main.worker":          "---\nmodel: acme:m\nallow_workers: [child]\n---\nM.\n",
		"workers/child.worker": "---\ndescription: C\n---\nC.\n",
	})
	do(p, `await say('go')`)
	finished(p, "ok")
	const total, own = "$0.0032", "of its own 2.2k tokens · $0.0028"
	do(p, `const status = [...document.querySelectorAll('[role=status]')].find((e) => e.innerText.startsWith('ok,')).innerText;
		if (!status.endsWith('2.3k tokens · %s')) throw new Error(status);
		const nodes = [...document.querySelectorAll('.tree .node')].map((n) => n.innerText.replace(/\s+/g, ' '));
		if (!nodes[0].endsWith('· %[1]s') || !nodes[1].endsWith('120 tokens · $0.0004')) throw new Error(nodes.join('\n'));
		document.querySelector('.tree .node').click(); await text(%[2]q);
		await click("Trace"); await until("a run", () => button(".jsonl")); await click(".jsonl"); await text('2.3k tokens · %[1]s'); await click("main"); await text(%[2]q)`, total, own)
	do(p, `await click("Run"); await say('again'); await text("E_BUDGET: main has used $0.0205 of its $0.025")`)
	if n := asked.Load(); n != 4 {
		t.Errorf("%d requests were made, the fifth was one too many", n)
	}
}
