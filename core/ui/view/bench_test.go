package view

import (
	"fmt"
	"testing"
	"time"

	"golem/core/trace"
)

// manyEvents returns the events of a run whose transcript has about 20,000 lines.
func manyEvents() []trace.Event {
	out := []trace.Event{
		{ID: "0", Worker: "main", Body: trace.RunStart{Input: []byte(`"go"`)}},
		{ID: "0", Worker: "main", Body: trace.WorkerStart{Model: "script:s"}},
	}
	for i := 1; i <= 2000; i++ {
		id := fmt.Sprintf("0.%d", i)
		out = append(out, trace.Event{ID: "0", Worker: "main", Body: trace.ModelStart{Turn: i}})
		for range 4 {
			out = append(out, trace.Event{ID: "0", Worker: "main", Body: trace.Delta{Text: "some words\nof an answer\n"}})
		}
		out = append(out,
			trace.Event{ID: "0", Worker: "main", Body: trace.ModelEnd{Turn: i, Model: "script:s", Finish: "tool_calls", Text: "some words\nof an answer\nsome words\nof an answer\nsome words\nof an answer\nsome words\nof an answer\n", Calls: []trace.CallRef{{ID: id, Name: "read_file"}}, Usage: trace.Usage{In: 10, Out: 5}}},
			trace.Event{ID: id, Parent: "0", Worker: "main", Body: trace.ToolStart{Tool: "read_file", Kind: "builtin", Args: []byte(`{"path":"/src/a.txt"}`)}},
			trace.Event{ID: id, Parent: "0", Worker: "main", Body: trace.Approval{Tool: "read_file", Setting: "preApproved", Source: "setting", Decision: "run"}},
			trace.Event{ID: id, Parent: "0", Worker: "main", Body: trace.ToolEnd{Tool: "read_file", Status: "ok", Result: []byte(`"the content of a file, a few words"`), MS: 3}})
	}
	return append(out, trace.Event{ID: "0", Worker: "main", Body: trace.RunEnd{Status: "ok", Usage: trace.Usage{In: 20000, Out: 10000}}})
}

// BenchmarkReduce measures the events of a conversation of 20,000 lines.
func BenchmarkReduce(b *testing.B) {
	events := manyEvents()
	b.ReportAllocs()
	b.ReportMetric(float64(len(events)), "events")
	for b.Loop() {
		var s State
		for _, e := range events {
			s.Event(e, time.Time{})
		}
	}
}
