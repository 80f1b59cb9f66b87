//go:build !js

package otlp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"golem/core/otlp/otlptest"
	"golem/core/trace"
)

// read returns the spans of requests, as a strict reader of the published protocol reads them.
func read(t *testing.T, bodies ...[]byte) (spans []*tracepb.Span, resource map[string]string) {
	t.Helper()
	got, err := otlptest.Read(bodies...)
	if err != nil {
		t.Fatalf("%v in %s", err, bytes.Join(bodies, nil))
	}
	return got.Spans, got.Resource
}

func sample(t *testing.T, name string) (trace.Header, []trace.Event) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	h, events, err := trace.Read(bytes.NewReader(data), nil)
	if err != nil {
		t.Fatal(err)
	}
	return h, events
}

func export(t *testing.T, h trace.Header, events []trace.Event, o Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := Export(&out, h, events, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func requests(text string) (out [][]byte) {
	for line := range strings.Lines(text) {
		out = append(out, []byte(line))
	}
	return out
}

// The exports of two runs, with and without contents, are as they were looked at.
func TestGolden(t *testing.T) {
	for _, name := range []string{"run", "failed"} {
		h, events := sample(t, "testdata/"+name+".jsonl")
		for file, o := range map[string]Options{
			"testdata/" + name + ".otlp.json":          {},
			"testdata/" + name + "-contents.otlp.json": {Contents: true, Resource: map[string]string{"service.name": "tests", "deployment.environment.name": "ci"}},
		} {
			got := export(t, h, events, o)
			read(t, requests(got)...)
			var out bytes.Buffer
			if err := json.Indent(&out, []byte(got), "", " "); err != nil {
				t.Fatal(err)
			}
			if os.Getenv("GOLEM_UPDATE") != "" {
				if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Errorf("%v: GOLEM_UPDATE=1 writes it", err)
			} else if d := cmp.Diff(string(want), out.String()); d != "" {
				t.Errorf("%s differs (-want +got; GOLEM_UPDATE=1 writes it):\n%s", file, d)
			}
		}
	}
}

// Without contents nothing that a person, a model or a tool said is in the spans.
func TestNoContents(t *testing.T) {
	h := trace.Header{Run: "20261129-120000-0123abcd", Entry: "main"}
	said := func(i int) string { return fmt.Sprintf("SAID%02d", i) }
	lines := []string{
		`{"type":"run.start","id":"0","input":"SAID01","files":[{"name":"SAID02","bytes":3}],"earlier":[{"role":"user","text":"SAID28"}]}`,
		`{"type":"model.start","id":"0","turn":1}`,
		`{"type":"retry","id":"0","turn":1,"attempt":1,"code":"E_MODEL","message":"SAID03"}`,
		`{"type":"model.end","id":"0","turn":1,"text":"SAID04","finish":"stop"}`,
		`{"type":"tool.start","id":"0.1","tool":"read_file","kind":"builtin","args":{"a":"SAID05"}}`,
		`{"type":"approval","id":"0.1","tool":"read_file","setting":"ask","source":"user","decision":"deny","reason":"SAID06","allow":"SAID07"}`,
		`{"type":"approval","id":"0","kind":"turns","setting":"ask","rule":"SAID08","source":"user","decision":"run"}`,
		`{"type":"tool.end","id":"0.1","tool":"read_file","status":"error","result":"SAID09","text":"SAID10","error":{"code":"E_TOOL","message":"SAID11","hint":"SAID12"}}`,
		`{"type":"tool.start","id":"0.2","tool":"SAID13","args":"SAID14"}`,
		`{"type":"tool.end","id":"0.2","tool":"SAID13","status":"error","error":{"code":"E_UNKNOWN_TOOL","message":"SAID13"}}`,
		`{"type":"message","id":"0","role":"user","text":"SAID15"}`,
		`{"type":"warning","id":"0","code":"E_LIMIT","message":"SAID16"}`,
		`{"type":"error","id":"0","code":"E_LIMIT","message":"SAID17","hint":"SAID18"}`,
		`{"type":"fallback","id":"0","tool":"t","reason":"schema","message":"SAID19"}`,
		`{"type":"clearance","id":"0","item":"1","action":"staged","message":"SAID20","items":["SAID21"]}`,
		`{"type":"new.type","id":"0","text":"SAID22"}`,
		`{"type":"worker.end","id":"0","status":"error","output":"SAID23","error":{"code":"E_TOOL","message":"SAID24"}}`,
		`{"type":"run.end","id":"0","status":"error","output":"SAID25","error":{"code":"E_TOOL","message":"SAID26"},"opened":["SAID27"]}`,
	}
	var events []trace.Event
	for _, line := range lines {
		e, err := trace.Decode([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	without := export(t, h, events, Options{})
	read(t, requests(without)...)
	if strings.Contains(without, "SAID") {
		t.Errorf("contents in %s", without)
	}
	with := export(t, h, events, Options{Contents: true})
	read(t, requests(with)...)
	for _, i := range []int{1, 3, 4, 5, 6, 8, 9, 11, 13, 14, 15, 16, 17, 19, 20, 23, 26, 28} {
		if !strings.Contains(with, said(i)) {
			t.Errorf("no %s with contents", said(i))
		}
	}
}

// A run that goes on with a conversation has its id, and a link to the run in which it began.
func TestResumedRunIsLinked(t *testing.T) {
	first := trace.Header{Run: "20261129-120000-0123abcd", Entry: "main"}
	second := trace.Header{Run: "20261129-130000-89ef0123", Entry: "main"}
	start := func(resumes string) []trace.Event {
		return []trace.Event{{ID: "0", Body: trace.RunStart{Resumes: resumes}}, {ID: "0", Body: trace.RunEnd{Status: "ok"}}}
	}
	a, _ := read(t, requests(export(t, first, start(""), Options{}))...)
	b, _ := read(t, requests(export(t, second, start(first.Run), Options{}))...)
	links := b[0].Links
	if len(links) != 1 || !bytes.Equal(links[0].TraceId, a[0].TraceId) || !bytes.Equal(links[0].SpanId, a[0].SpanId) {
		t.Errorf("links %v to %v", links, a[0])
	}
	if bytes.Equal(a[0].TraceId, b[0].TraceId) {
		t.Error("two runs have one trace")
	}
	if got := otlptest.Texts(b[0].Attributes)["gen_ai.conversation.id"]; got != first.Run {
		t.Errorf("the conversation is %q", got)
	}
}

// Items of two batches may have the same name: their traces differ.
func TestItemsHaveTracesOfTheirOwn(t *testing.T) {
	one, two := trace.Header{Run: "a.1", Project: "p", Started: "2026-11-29T12:00:00Z"}, trace.Header{Run: "a.1", Project: "q", Started: "2026-11-29T12:00:00Z"}
	a, _ := read(t, requests(export(t, one, nil, Options{}))...)
	b, _ := read(t, requests(export(t, two, nil, Options{}))...)
	if bytes.Equal(a[0].TraceId, b[0].TraceId) {
		t.Error("two items have one trace")
	}
}

// A trace that breaks off ends all its spans, as errors.
func TestUnfinishedTrace(t *testing.T) {
	h, events := sample(t, "testdata/run.jsonl")
	for n := range events {
		spans, _ := read(t, requests(export(t, h, events[:n], Options{}))...)
		for _, s := range spans {
			if s.Status == nil && s.EndTimeUnixNano == s.StartTimeUnixNano && n > 0 && n < len(events)-1 && s == spans[0] {
				t.Errorf("after %d events the root span has no error: %v", n, s)
			}
		}
		if got := spans[0].Status.GetCode(); n < len(events)-2 && got != tracepb.Status_STATUS_CODE_ERROR {
			t.Errorf("after %d events the run has the status %s", n, got)
		}
	}
}
