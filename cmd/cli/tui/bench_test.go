package tui

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"golem/core/trace"
)

// BenchmarkScroll measures one page up or down in a transcript of 10,000 lines and 1 MB
// of answer.
func BenchmarkScroll(b *testing.B) {
	d := drive(nil, 120, 40, true)
	for i := range 10_000 {
		d.u.Emit(trace.Event{ID: "0", Body: trace.Status{Text: fmt.Sprintf("line %d", i), Level: "info"}})
	}
	d.u.Emit(trace.Event{ID: "0", Body: trace.Delta{Text: strings.Repeat("Some **words** of an answer, with `code` and more of them.\n\n- item\n- item\n\n", 12_000)}})
	d.m.Update(arrived{})
	d.screen()
	keys := []string{"pgup", "pgup", "pgdown"}
	for i := 0; b.Loop(); i++ {
		d.m.key(keys[i%len(keys)], "")
		d.m.terminal.stale = true
		d.screen()
	}
}

// BenchmarkType measures one key in the editor, up to the drawn screen, in a conversation of
// 1,000 messages with answers of 2 kB; and the memory of that conversation.
func BenchmarkType(b *testing.B) {
	used := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / 1e6
	}
	before := used()
	d := drive(nil, 120, 40, true)
	d.t = &testing.T{}
	d.events(start)
	for i := range 1000 {
		answer := fmt.Sprintf("%d. ", i) + strings.Repeat("Some **words** of an answer, with `code`.\n\n", 45)
		d.u.Emit(trace.Event{ID: "0", Body: trace.Message{Role: "user", Text: fmt.Sprintf("message %d", i)}})
		d.u.Emit(trace.Event{ID: "0", Body: trace.ModelStart{Turn: i + 1}})
		d.u.Emit(trace.Event{ID: "0", Body: trace.Delta{Text: answer}})
		d.u.Emit(trace.Event{ID: "0", Body: trace.ModelEnd{Turn: i + 1, Finish: "stop", Text: answer}})
	}
	d.m.Update(arrived{})
	d.screen()
	kept := used() - before
	for i := 0; b.Loop(); i++ {
		if i%60 == 59 {
			d.m.key("ctrl+c", "")
		}
		d.m.key("x", "x")
		d.m.terminal.stale = true
		d.screen()
	}
	b.ReportMetric(kept, "MB")
}

// BenchmarkInline measures one drawing of a run's tree with 1,000 workers, ten of which
// run, and 10,000 calls, while 1 MB of answer arrives.
func BenchmarkInline(b *testing.B) {
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	n := &Inline{Screen: io.Discard, Now: func() time.Time { return at }, Color: true, Size: func() (int, int) { return 120, 40 }}
	n.begun, n.area.w = at, io.Discard
	for i := 1; i <= 1000; i++ {
		n.Emit(trace.Event{ID: fmt.Sprintf("0.%d", i), Parent: "0", Body: trace.ToolStart{Tool: "reader", Kind: "worker", Args: []byte(`{"input":"a"}`)}})
		for k := 1; k <= 10; k++ {
			n.Emit(trace.Event{ID: fmt.Sprintf("0.%d.%d", i, k), Parent: fmt.Sprintf("0.%d", i), Body: trace.ToolStart{Tool: "read_file", Kind: "builtin"}})
			n.Emit(trace.Event{ID: fmt.Sprintf("0.%d.%d", i, k), Parent: fmt.Sprintf("0.%d", i), Body: trace.ToolEnd{Tool: "read_file", Status: "ok"}})
		}
		if i < 990 {
			n.Emit(trace.Event{ID: fmt.Sprintf("0.%d", i), Parent: "0", Body: trace.ToolEnd{Tool: "reader", Status: "ok"}})
		}
	}
	n.Emit(trace.Event{ID: "0", Body: trace.Delta{Text: strings.Repeat("words of an answer ", 55_000)}})
	for b.Loop() {
		at = at.Add(time.Second)
		n.beat()
	}
}

// BenchmarkFrame measures one frame while an answer of a megabyte grows below a
// transcript of 10,000 lines.
func BenchmarkFrame(b *testing.B) {
	d := drive(nil, 120, 40, true)
	d.t = &testing.T{}
	d.events(start)
	for i := range 5000 {
		d.u.Emit(trace.Event{ID: "0", Body: trace.Status{Text: fmt.Sprintf("line %d", i), Level: "info"}})
		d.u.Emit(trace.Event{ID: "0", Body: trace.Warning{Code: "E_LIMIT", Message: "another"}})
	}
	text := strings.Repeat("Some **words** of an answer, with `code` and more of them.\n\n- item\n- item\n\n```go\nx := 1 // one\n```\n\n", 10_000)
	d.u.Emit(trace.Event{ID: "0", Body: trace.Delta{Text: text}})
	d.m.Update(arrived{})
	d.screen()
	for i := 0; b.Loop(); i++ {
		at := i * 60 % (len(text) - 60)
		d.u.Emit(trace.Event{ID: "0", Body: trace.Delta{Text: text[at : at+60]}})
		d.m.Update(arrived{})
		d.screen()
	}
}
