//go:build !js

package otlp

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"golem/core/trace"
)

// Names that are made to mislead are one short line of printable characters.
func TestHostileNames(t *testing.T) {
	hostile := "\xff\x00a\n\u202e\u2028\x1b[2J" + strings.Repeat("ä", 4000)
	h := trace.Header{Run: hostile, Project: hostile, Entry: hostile, Version: hostile, Started: hostile, Platform: hostile}
	events := []trace.Event{
		{ID: "0", TS: "9999-12-31T23:59:59Z", Body: trace.RunStart{Input: []byte("\"\xff\""), Resumes: hostile}},
		{ID: "0", TS: "0001-01-01T00:00:00Z", Worker: hostile, Body: trace.WorkerStart{Model: hostile, Digest: hostile}},
		{ID: hostile, Body: trace.ToolStart{Tool: hostile, Kind: hostile, Args: []byte(`"` + hostile)}},
		{ID: "0", TS: "2026-11-29T12:00:00Z", Body: trace.ModelStart{Turn: -1}},
		{ID: "0", TS: "2025-11-29T12:00:00Z", Body: trace.ModelEnd{Turn: -1, Model: hostile + ":" + hostile, Finish: hostile, Text: hostile}},
		{ID: "0.1", Body: trace.Approval{Setting: hostile, Source: hostile, Decision: hostile, Reason: hostile, Rule: hostile}},
		{ID: strings.Repeat("0.", 5000), Body: trace.ToolEnd{Tool: hostile, Status: hostile, Result: []byte("\xff")}},
	}
	for _, o := range []Options{{}, {Contents: true, Resource: map[string]string{hostile: hostile}}} {
		text := export(t, h, events, o)
		spans, resource := read(t, requests(text)...)
		if strings.ContainsAny(text, "\x1b\x00\u202e\u2028") {
			t.Errorf("raw characters in %q", text)
		}
		for _, s := range spans {
			names := []string{s.Name}
			for _, a := range s.Attributes {
				if !strings.Contains(a.Key, "messages") && !strings.Contains(a.Key, "arguments") && !strings.Contains(a.Key, "result") {
					names = append(names, a.Value.GetStringValue())
				}
			}
			for _, n := range names {
				if len(n) > maxName+len(operationAgent)+1 || strings.ContainsAny(n, "\n\x00\u202e\x1b") {
					t.Errorf("the name %q", n)
				}
			}
		}
		if len(resource) < 4 {
			t.Errorf("the resource %q", resource)
		}
	}
}

// A trace with very many calls becomes requests of a bounded size, and a bounded number of spans.
func TestHugeTrace(t *testing.T) {
	h := trace.Header{Run: "20261129-120000-0123abcd", Entry: "main"}
	const most, more = 4000, 1000
	b := NewBuilder(h, Options{Contents: true})
	b.most = most
	b.Event(trace.Event{ID: "0", Body: trace.RunStart{Input: []byte(`"x"`)}})
	long := []byte(`"` + strings.Repeat("long ", 20_000) + `"`)
	for i := range most + more {
		text := long
		if i > 600 {
			text = []byte(`"short"`)
		}
		id := fmt.Sprintf("0.%d", i+1)
		b.Event(trace.Event{ID: id, Body: trace.ToolStart{Tool: "t", Kind: "builtin", Args: text}})
		b.Event(trace.Event{ID: id, Body: trace.Approval{Setting: "ask"}})
		b.Event(trace.Event{ID: id, Body: trace.ToolEnd{Tool: "t", Status: "ok", Result: text}})
		b.Event(trace.Event{ID: "0", Body: trace.Warning{}})
	}
	bodies := b.Requests()
	for _, body := range bodies {
		if len(body) > maxRequest+1<<20 {
			t.Errorf("a request of %d bytes", len(body))
		}
	}
	spans, _ := read(t, bodies...)
	root := spans[0]
	if len(spans) != most || len(root.Events) != maxEvents || root.DroppedEventsCount != most+more-maxEvents {
		t.Errorf("%d spans, %d events, %d dropped", len(spans), len(root.Events), root.DroppedEventsCount)
	}
	truncated := false
	for _, a := range root.Attributes {
		truncated = truncated || a.Key == "golem.truncated" && a.Value.GetBoolValue()
	}
	total := 0
	for _, s := range spans {
		for _, a := range s.Attributes {
			if n := len(a.Value.GetStringValue()); n > maxText+8 {
				t.Errorf("a content of %d bytes", n)
			} else if strings.HasPrefix(a.Key, "gen_ai.tool.call.") {
				total += n
			}
		}
	}
	if !truncated || total > maxTexts+most*8 {
		t.Errorf("truncated %v, contents of %d bytes", truncated, total)
	}
}

// Whatever a trace contains, its spans are valid.
func FuzzExport(f *testing.F) {
	for _, name := range []string{"run", "failed"} {
		data, err := os.ReadFile("testdata/" + name + ".jsonl")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	head := `{"golem":"trace","v":1}` + "\n"
	for _, s := range []string{
		`{"type":"model.end","id":"0.1.1","usage":{"in":-9223372036854775808,"cost_usd":9223372.5},"calls":[{"id":"\u0000"}]}`,
		`{"type":"tool.start","id":"0.1"}` + "\n" + `{"type":"tool.start","id":"0.1"}` + "\n" + `{"type":"worker.start","id":"0.1"}`,
		`{"type":"run.end"}` + "\n" + `{"type":"run.start","resumes":"20261129-120000-0123abcd"}`,
	} {
		f.Add([]byte(head + s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		h, events, _ := trace.Read(bytes.NewReader(data), nil)
		for _, o := range []Options{{}, {Contents: true}} {
			read(t, requests(export(t, h, events, o))...)
		}
	})
}
