package report

import (
	"fmt"
	"io"
	"testing"

	"golem/core/trace"
	"golem/core/ui/view"
)

// BenchmarkTree measures the tree of a trace with 20,000 calls: reading the events into a
// state, and writing its lines.
func BenchmarkTree(b *testing.B) {
	var events []trace.Event
	for i := range 20_000 {
		id := fmt.Sprintf("0.%d", i+1)
		events = append(events,
			trace.Event{ID: id, Parent: "0", Worker: "main", Body: trace.ToolStart{Tool: "read_file", Kind: "builtin", Args: []byte(`{"path":"/src/a.txt"}`)}},
			trace.Event{ID: id, Parent: "0", Worker: "main", Body: trace.ToolEnd{Tool: "read_file", Status: "ok", Result: []byte(`"x"`), MS: 3}})
	}
	for b.Loop() {
		if err := Render(io.Discard, view.Read(events), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
