//go:build !js

package web_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golem/web/webtest"
)

// BenchmarkPage prints what a person waits for, each the median of five, with
// what is wanted beside it: how long the page takes until a run can begin, and
// a run of 100 reads against the same on the command line.
func BenchmarkPage(b *testing.B) {
	const rounds = 5
	site := webtest.Serve(b, built(b), "/")
	ready := func(p *webtest.Page) float64 {
		do(p, `await text("is ready")`)
		return webtest.Eval[float64](p, `performance.now()`)
	}
	var cold, warm []float64
	for range rounds {
		p := browser.OpenPrivate(b, site.URL)
		cold = append(cold, ready(p))
		do(p, `await until("the whole cache", async () => { const [n] = await caches.keys(); return n && (await (await caches.open(n)).keys()).length > 10 })`)
		p.Reload()
		warm = append(warm, ready(p))
	}
	fmt.Printf("cold start until a run can begin  %5.0f ms\n", median(cold))
	fmt.Printf("warm start until a run can begin  %5.0f ms   wanted: 1000 on a quiet machine\n", median(warm))

	files := hundredReads()
	p := embedded(b)
	talk(p, `await golem.create('reads', %s); return 1`, files.script())
	var page, home []float64
	dir := files.write(b)
	for range rounds {
		page = append(page, webtest.Eval[float64](p, `(async () => { const golem = await window.golem; const t = performance.now(); const r = await golem.run('reads', 'x').result; if (r.status !== 'ok') throw new Error(JSON.stringify(r)); return performance.now() - t })()`))
		begun := time.Now()
		cmd := exec.Command(cli(b), "run", dir, "x")
		cmd.Env = append(os.Environ(), "GOLEM_HOME="+b.TempDir())
		if said, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, said)
		}
		home = append(home, float64(time.Since(begun).Microseconds())/1000)
	}
	fmt.Printf("100 reads, a turn each, in the page %5.0f ms\n", median(page))
	fmt.Printf("100 reads, a turn each, natively    %5.0f ms   the process included\n", median(home))
}

// BenchmarkTurns prints how long 200 turns take in the page, each a request through
// fetch with the whole history, to a provider on this machine that answers at once.
func BenchmarkTurns(b *testing.B) {
	const rounds, turns = 5, 200
	var asked atomic.Int64
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Headers", "authorization, content-type")
		w.Header().Set("Access-Control-Max-Age", "600")
		if r.Method == http.MethodOptions {
			return
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return // the page is gone
		}
		w.Header().Set("Content-Type", "text/event-stream")
		n := asked.Add(1) % turns
		delta := fmt.Sprintf(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"path\":\"/%d.txt\"}"}}]},"finish_reason":"tool_calls"`, n%2)
		if n == 0 {
			delta = `{"content":"done"},"finish_reason":"stop"`
		}
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}\n\ndata: [DONE]\n\n", delta)
	}))
	defer provider.Close()
	p := embedded(b)
	talk(p, `await golem.create('turns', {'main.worker': '---\nmodel: groq:m\ntoolsets: {filesystem: {}}\n---\nRead.\n', '0.txt': 'a line of text\n'.repeat(100), '1.txt': 'another line\n'.repeat(100)}); return 1`)
	var page []float64
	for range rounds {
		page = append(page, webtest.Eval[float64](p, fmt.Sprintf(`(async () => { const golem = await window.golem; const t = performance.now();
			const r = await golem.run('turns', 'x', {env: {GROQ_API_KEY: 'sk-0123456789abcdef', GROQ_BASE_URL: '%s/v1'}}).result;
			if (r.text !== 'done') throw new Error(JSON.stringify(r)); return performance.now() - t })()`, provider.URL)))
	}
	fmt.Printf("%d turns in the page %5.0f ms   wanted: 5000\n", turns, median(page))
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// texts are a project's files.
type texts map[string]string

// hundredReads is a project whose worker reads a file a hundred times, one a turn.
func hundredReads() texts {
	var steps strings.Builder
	for i := range 100 { // the same call again and again would end the run
		fmt.Fprintf(&steps, "    - calls: [{tool: read_file, args: {path: /%c.txt}}]\n", 'a'+i%2)
	}
	return texts{
		"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\nlimits: {turns: 200}\n---\nRead.\n",
		"a.txt":       strings.Repeat("a line of text\n", 100),
		"b.txt":       strings.Repeat("another line\n", 100),
		"s.yaml":      "script: 1\nworkers:\n  main:\n" + steps.String() + "    - say: done\n",
	}
}

// script is the files as a JavaScript object.
func (f texts) script() string {
	var out []string
	for name, text := range f {
		out = append(out, fmt.Sprintf("%q: %q", name, text))
	}
	return "{" + strings.Join(out, ", ") + "}"
}

func (f texts) write(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	for name, text := range f {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}
