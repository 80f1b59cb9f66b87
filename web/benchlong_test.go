//go:build !js

package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"

	"golem/web/webtest"
)

// BenchmarkLongAnswer prints the longest task of the page's thread, in ms of CPU, while an answer
// arrives: 1 MB at once from a script, and 1 MB and 100 KB as a stream; and while the person then
// scrolls through it and writes. It is the browser's own record of its tasks, in which the time
// of other programs does not count.
func BenchmarkLongAnswer(b *testing.B) {
	for _, c := range []struct {
		name          string
		size, at      int // bytes of the answer, and of each part of the stream; 0: at once
		scrolls, runs int
	}{
		{"1 MB at once", 1_000_000, 0, 20, 3}, {"1 MB as a stream", 1_000_000, 2_000, 20, 3}, {"100 KB as a stream", 100_000, 60, 10, 3},
	} {
		var arrives, after []float64
		for range c.runs {
			p := longAnswerPage(b, longAnswer(c.size), c.at)
			arrives = append(arrives, longestTask(b, p, `await say("go"); await until("the end", () => button("Send") && [...document.querySelectorAll('.talk em')].some((e) => e.innerText === 'very')); await new Promise((f) => setTimeout(f, 1000))`))
			after = append(after, longestTask(b, p, fmt.Sprintf(`const talk = document.querySelector('.talk'); document.querySelector('#task').focus();
				for (let i = %[1]d; i >= 0; i--) { setTimeout(() => { talk.scrollTop = talk.scrollHeight * i / %[1]d; document.execCommand('insertText', false, 'word ') }); await new Promise((f) => setTimeout(f, 150)) }
				await new Promise((f) => setTimeout(f, 500))`, c.scrolls)))
		}
		fmt.Printf("%-20s longest task while it arrives %3.0f ms of CPU; scrolling and writing %3.0f ms   the longest of %d runs; wanted: 50\n", c.name, slices.Max(arrives), slices.Max(after), c.runs)
	}
}

// longAnswerPage opens a page with a project whose model gives one answer: at once, or as a
// stream in parts of so many bytes.
func longAnswerPage(b *testing.B, text string, at int) *webtest.Page {
	b.Helper()
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Headers", "authorization, content-type")
		if _, err := io.Copy(io.Discard, r.Body); r.Method == http.MethodOptions || err != nil {
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for part := range slices.Chunk([]byte(text), max(at, 1)) {
			delta, err := json.Marshal(string(part))
			if err != nil {
				return
			}
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}}]}\n\n", delta)
			w.(http.Flusher).Flush()
		}
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}\n\ndata: [DONE]\n\n")
	}))
	b.Cleanup(provider.Close)
	said, err := json.Marshal(text)
	if err != nil {
		b.Fatal(err)
	}
	files := map[string]string{"main.worker": "---\nmodel: script:s.yaml\nmode: chat\n---\nTalk.\n", "s.yaml": "script: 1\nworkers:\n  main:\n    - say: " + string(said) + "\n"}
	if at > 0 {
		files = map[string]string{"main.worker": "---\nmodel: groq:m\nmode: chat\n---\nTalk.\n"}
	}
	p := browser.Open(b, webtest.Serve(b, built(b), "/").URL)
	do(p, `await text("is ready"); localStorage.setItem('golem.keys', JSON.stringify({GROQ_API_KEY: 'sk-0123456789abcdef', GROQ_BASE_URL: '%s/v1'}))`, provider.URL)
	project(b, p, "long", files)
	return p
}

// browserEvent is an event in Chromium's record of what its threads do. Times are in µs.
type browserEvent struct {
	Name string `json:"name"`
	Ph   string `json:"ph"`
	PID  int    `json:"pid"`
	TID  int    `json:"tid"`
	TS   int64  `json:"ts"`
	Dur  int64  `json:"dur"`
	TDur int64  `json:"tdur"` // of CPU
	Args struct {
		Name string `json:"name"`
	} `json:"args"`
}

// within reports whether an event lies in a task of the same thread.
func (e browserEvent) within(task browserEvent) bool {
	return e.PID == task.PID && e.TID == task.TID && e.TS >= task.TS && e.TS+e.Dur <= task.TS+task.Dur
}

// longestTask runs steps in the page and returns the CPU time, in ms, of the longest task of a
// page's main thread meanwhile that ran its scripts or laid it out. Tasks that only serve the
// test do not count.
func longestTask(b *testing.B, p *webtest.Page, steps string) float64 {
	b.Helper()
	var mu sync.Mutex
	var all []browserEvent
	ended := make(chan struct{})
	ctx, forget := context.WithCancel(p.Context())
	defer forget() // the listener of a later record is another one
	err := chromedp.Listen(ctx, func(ev any) {
		switch e := ev.(type) {
		case *tracing.EventDataCollected:
			mu.Lock()
			defer mu.Unlock()
			for _, v := range e.Value {
				var one browserEvent
				if json.Unmarshal(v, &one) == nil { // others have no numbers in these fields
					all = append(all, one)
				}
			}
		case *tracing.EventTracingComplete:
			close(ended)
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	start := tracing.StartParams{TransferMode: tracing.StartTransferModeReportEvents, TraceConfig: &tracing.TraceConfig{IncludedCategories: []string{"toplevel", "devtools.timeline"}}}
	if _, err := chromedp.Call(p.Context(), tracing.Start, start); err != nil {
		b.Fatal(err)
	}
	do(p, "%s", steps)
	if _, err := chromedp.Call(p.Context(), tracing.End, cdp.Empty{}); err != nil {
		b.Fatal(err)
	}
	<-ended
	mu.Lock()
	defer mu.Unlock()
	type thread struct{ pid, tid int }
	main := map[thread]bool{}
	for _, e := range all {
		if e.Name == "thread_name" && e.Args.Name == "CrRendererMain" {
			main[thread{e.PID, e.TID}] = true
		}
	}
	longest := int64(0)
	for _, task := range all {
		if !strings.HasSuffix(task.Name, "RunTask") || !main[thread{task.PID, task.TID}] || task.TDur <= longest {
			continue
		}
		of := func(names ...string) bool {
			return slices.ContainsFunc(all, func(e browserEvent) bool { return slices.Contains(names, e.Name) && e.within(task) })
		}
		if of("FunctionCall", "FireAnimationFrame", "Layout", "UpdateLayoutTree", "HandlePostMessage") && !of("Receive mojo message") {
			longest = task.TDur
		}
	}
	return float64(longest) / 1000
}
