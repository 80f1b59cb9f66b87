package ui

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"golem/core/trace"
)

// SPEC §16: --json prints the trace's lines, and transient events without seq.
func TestJSONAddsOnlyTransientLines(t *testing.T) {
	var out bytes.Buffer
	j := &JSON{W: &out}
	for _, e := range []trace.Event{
		{ID: "0", Worker: "main", Body: trace.WorkerStart{}}, {ID: "0", Worker: "main", Body: trace.Delta{Text: "a"}},
		{ID: "0.1", Parent: "0", Worker: "main", Body: trace.ToolStart{Tool: "reader", Kind: "worker"}},
		{ID: "0.1", Parent: "0", Worker: "reader", Depth: 1, Body: trace.Progress{Status: "running", Description: "reader"}},
		{ID: "0", Worker: "main", Body: trace.ModelEnd{Text: "a"}},
	} {
		e.Seq = 7
		j.Emit(e)
	}
	if _, err := io.WriteString(j.Lines(), "{\"seq\":1}\n"); err != nil {
		t.Fatal(err)
	}
	kept := 0
	for line := range strings.Lines(out.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		switch m["type"] {
		case nil:
			kept++
		case "delta", "progress":
			if m["seq"] != nil && m["seq"] != 0.0 {
				t.Errorf("a transient line has a seq: %s", line)
			}
		default:
			t.Errorf("not transient: %s", line)
		}
	}
	if kept != 1 || j.Err() != nil {
		t.Error(kept, j.Err())
	}
}
