package trace

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"golem/core/fault"
)

// clock returns a clock that advances by one millisecond each time it is read.
func clock() func() time.Time {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	return func() time.Time {
		now = now.Add(time.Millisecond)
		return now
	}
}

var sampleHeader = Header{Run: "r1", Version: "0.1.0", Platform: "native", Project: "demo", Entry: "root", Started: "2026-11-01T12:00:00Z"}

func raw(s string) json.RawMessage { return json.RawMessage(s) }

// sampleEvents returns the run of Scenario 20: root → a → b, which calls bash.
func sampleEvents() []Event {
	at := func(id, parent, worker string, depth int, b Body) Event {
		return Event{ID: id, Parent: parent, Worker: worker, Depth: depth, Body: b}
	}
	return []Event{
		at("0", "", "root", 0, RunStart{Input: raw(`"clean up"`)}),
		at("0", "", "root", 0, WorkerStart{Source: "main.worker", Digest: "aa", Model: "script:demo.yaml", Tools: []string{"a"}}),
		at("0", "", "root", 0, ModelStart{Turn: 1, Messages: 2}),
		at("0", "", "root", 0, Retry{Turn: 1, Attempt: 1, Code: fault.Model, Message: "429", WaitMS: 1000}),
		at("0", "", "root", 0, ModelEnd{Turn: 1, Model: "script:demo.yaml", Finish: "tool_calls", Calls: []CallRef{{"0.1", "a"}}, Usage: Usage{In: 10, Out: 5}, Attempts: 2, MS: 7}),
		at("0.1", "0", "root", 0, ToolStart{Tool: "a", Kind: "worker", Args: raw(`{"input":"x","password":"hunter2"}`)}),
		at("0.1", "0", "root", 0, Approval{Tool: "a", Setting: "preApproved", Rule: "delegation", Source: "setting", Decision: "run"}),
		at("0.1", "0", "a", 1, WorkerStart{Source: "workers/a.worker", Digest: "bb", Model: "script:demo.yaml", Tools: []string{"b"}}),
		at("0.1.1", "0.1", "a", 1, ToolStart{Tool: "b", Kind: "worker", Args: raw(`{"input":"y"}`)}),
		at("0.1.1", "0.1", "a", 1, Approval{Tool: "b", Setting: "preApproved", Source: "setting", Decision: "run"}),
		at("0.1.1", "0.1", "b", 2, WorkerStart{Source: "workers/b.worker", Digest: "cc", Model: "script:demo.yaml", Tools: []string{"bash"}}),
		at("0.1.1.1", "0.1.1", "b", 2, ToolStart{Tool: "bash", Kind: "builtin", Args: raw(`{"command":"ls"}`)}),
		at("0.1.1.1", "0.1.1", "b", 2, Ask{Request: raw(`{"id":"q1","args":{"command":"ls"}}`)}),
		at("0.1.1.1", "0.1.1", "b", 2, Approval{Tool: "bash", Setting: "ask", Rule: "risk command", Source: "user", Decision: "deny", Reason: "the user said no: not now"}),
		at("0.1.1.1", "0.1.1", "b", 2, ToolEnd{Tool: "bash", Status: "denied", Error: fault.New(fault.Denied, "bash denied: not now"), MS: 9}),
		at("0.1.1", "0.1", "b", 2, WorkerEnd{Status: "ok", Output: raw(`"skipped"`), Usage: Usage{In: 3, Out: 2, Estimated: true}, MS: 20}),
		at("0.1.1", "0.1", "a", 1, ToolEnd{Tool: "b", Status: "ok", Result: raw(`"skipped"`), MS: 21}),
		at("0.1", "0", "a", 1, WorkerEnd{Status: "ok", Output: raw(`"done"`), Usage: Usage{In: 6, Out: 4, Estimated: true}, MS: 30}),
		at("0.1", "0", "root", 0, ToolEnd{Tool: "a", Status: "ok", Result: raw(`"done"`), MS: 31}),
		at("0", "", "root", 0, Warning{Code: fault.Depth, Message: "past warn_depth"}),
		at("0", "", "root", 0, WorkerEnd{Status: "ok", Output: raw(`"all done"`), Usage: Usage{In: 20, Out: 10}, MS: 50}),
		at("0", "", "root", 0, RunEnd{Status: "ok", Output: raw(`"all done"`), Opened: []string{"main.worker"}, Usage: Usage{In: 20, Out: 10}, MS: 51}),
	}
}

// write returns the trace file of the events.
func write(t testing.TB, h Header, events []Event, through ...func(Sink) Sink) []byte {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b, h, clock())
	var s Sink = w
	for _, wrap := range through {
		s = wrap(s)
	}
	for _, e := range events {
		s.Emit(e)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func lines(data []byte) []string {
	var out []string
	for l := range bytes.Lines(data) {
		out = append(out, string(bytes.TrimSuffix(l, []byte{'\n'})))
	}
	return out
}
