//go:build !js

package examples_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"golem/core"
	"golem/core/run"
	"golem/core/trace"
	"golem/core/ui"
)

// S3-24: if a tool with the same name and schemas replaces a worker, the caller's part
// of the trace and its answer stay the same.
func TestSlugifySwap(t *testing.T) {
	same, err := os.ReadFile("slugify/with-worker/main.worker")
	if err != nil {
		t.Fatal(err)
	}
	if other, err := os.ReadFile("slugify/with-tool/main.worker"); err != nil || !bytes.Equal(same, other) {
		t.Fatalf("the callers differ, or %v", err)
	}
	worker, tool := callersTrace(t, "slugify/with-worker"), callersTrace(t, "slugify/with-tool")
	if d := cmp.Diff(worker, tool); d != "" {
		t.Errorf("the caller can tell (-worker +tool):\n%s", d)
	}
	if len(worker) < 8 || !strings.Contains(strings.Join(worker, "\n"), "pawpilot-beta") {
		t.Errorf("the trace is not the one of the example: %v", worker)
	}
}

// callersTrace runs the example and returns what the root worker did: its turns, calls
// and results, without the events below a call and the fields that depend on the kind of
// the callee.
func callersTrace(t *testing.T, dir string) []string {
	t.Helper()
	inst := openExample(t, dir, play{dir: dir})
	var buf bytes.Buffer
	res := inst.Run(context.Background(), run.Input{Text: "Aurora Heat, PawPilot (beta)"}, &ui.Script{}, core.RunOptions{Trace: &buf})
	if res.Error != nil {
		t.Fatal(res.Error)
	}
	_, events, err := trace.Read(&buf, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range trace.Normalise(events) {
		switch e.Body.(type) {
		case trace.ModelStart, trace.ModelEnd, trace.ToolStart, trace.ToolEnd, trace.RunEnd, trace.WorkerEnd:
		default:
			continue
		}
		if e.Worker != "main" {
			continue // an event below a call, which only a worker has
		}
		line, err := trace.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(line, &fields); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"kind", "module", "fuel", "opened", "usage", "own"} {
			delete(fields, name)
		}
		kept, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(kept))
	}
	return out
}
