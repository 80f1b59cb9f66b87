package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/money"
	"golem/core/trace"
	"golem/core/ui/view"
)

//go:embed testdata/sample.jsonl
var sample []byte

// The sample is the trace of Scenario 20: root → a → b, which calls bash.
func sampleEvents() []trace.Event {
	_, events, _ := trace.Read(bytes.NewReader(sample), nil)
	return events
}

func sampleHeader() trace.Header {
	h, _, _ := trace.Read(bytes.NewReader(sample), nil)
	return h
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }

func checkClean(t *testing.T, s string) {
	t.Helper()
	if strings.ContainsAny(s, "\x1b\x07\x7f\u009b\u202e\u2028\r\x00") {
		t.Fatalf("a raw character in %q", s)
	}
}

// Whatever a trace contains, what is drawn and exported of it leaves no line.
func FuzzReport(f *testing.F) {
	head := `{"golem":"trace","v":1}` + "\n"
	f.Add(sample)
	for _, s := range []string{
		head + `{"type":"tool.end","id":"` + strings.Repeat("0.", 300) + `","tool":"\u001b[2J\u202e"}` + "\n" + `{"type":"worker.end","id":"","ms":-9223372036854775808}`,
		head + `{"type":"tool.start","id":"0.1.1","tool":"a"}` + "\n" + `{"type":"tool.start","id":"0.1","tool":"b"}`, head + `{"type":"tool.end","id":".."}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		h, events, _ := trace.Read(bytes.NewReader(data), nil)
		for _, o := range []Options{{Args: true, Turns: true}, {Compact: true}} {
			var b strings.Builder
			if err := Render(&b, view.Read(events), o); err != nil {
				t.Fatal(err)
			}
			checkClean(t, b.String())
		}
		for _, format := range Formats() {
			var b strings.Builder
			if err := Export(&b, format, h, events); err != nil {
				t.Fatal(err)
			}
			checkClean(t, b.String())
		}
	})
}

// Scenario 35: the tree is built from the ids of the parents, and each call has one
// decision and one end.
func TestTree(t *testing.T) {
	events := sampleEvents()
	root := view.Read(events).Root()
	var got []string
	root.Walk(func(n *view.Call) { got = append(got, n.ID+" "+n.Called()+" "+n.Kind+" "+string(n.Outcome())) })
	want := []string{"0 root worker ok", "0.1 a worker ok", "0.1.1 b worker ok", "0.1.1.1 bash builtin denied"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	root.Walk(func(n *view.Call) {
		for _, c := range n.Children {
			if i := slices.IndexFunc(events, func(e trace.Event) bool { return e.ID == c.ID }); events[i].Parent != n.ID {
				t.Errorf("%s hangs below %s, its parent is %s", c.ID, n.ID, events[i].Parent)
			}
			if c.Approval == nil {
				t.Errorf("%s has no decision", c.ID)
			}
		}
	})
	// A trace without its end or its middle still gives a tree of every call.
	for n := range events {
		count := 0
		view.Read(slices.Concat(events[:n], events[min(n+3, len(events)):])).Root().Walk(func(*view.Call) { count++ })
		if count > 4 || n == 0 && count != 4 {
			t.Errorf("without %d: %d nodes", n, count)
		}
	}
	if n := view.Read(nil).Root(); n.ID != "0" || len(n.Children) != 0 {
		t.Errorf("%+v", n)
	}
}

func TestRender(t *testing.T) {
	var b strings.Builder
	if err := Render(&b, view.Read(sampleEvents()), Options{Turns: true}); err != nil {
		t.Fatal(err)
	}
	want := strings.TrimLeft(`
root (worker, script:demo.yaml)  ok  51ms  20 in, 10 out
│ turn 1  tool_calls  7ms  10 in, 5 out  2 attempts
│ ! attempt 1 of turn 1 failed (E_MODEL: 429), tried again after 1.00s
│ ! E_DEPTH: past warn_depth
└─ a (worker, script:demo.yaml)  ok  31ms  ~6 in, ~4 out  [allowed]
   └─ b (worker, script:demo.yaml)  ok  21ms  ~3 in, ~2 out  [allowed]
      └─ bash  denied  9ms  [denied: the user said no: not now]  E_DENIED: bash denied: not now
`, "\n")
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	if err := Render(&b, view.Read(sampleEvents()), Options{Compact: true}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Split(strings.TrimSpace(b.String()), "\n"); len(got) != 4 || !strings.HasPrefix(got[3], "0.1.1.1  bash  denied") {
		t.Errorf("%q", got)
	}
	b.Reset()
	if err := Render(&b, view.Read(sampleEvents()), Options{Color: true, Args: true}); err != nil || !strings.Contains(b.String(), "\x1b[32mok\x1b[0m") || !strings.Contains(b.String(), `input  {"command":"ls"}`) {
		t.Errorf("%q %v", b.String(), err)
	}
	if err := Render(brokenWriter{}, view.Read(sampleEvents()), Options{}); err == nil {
		t.Error("a failed write was not told")
	}
}

// The cost of a worker's own turns is shown beside the total with the workers below it.
// A trace without an end shows the sum of the worker's turns.
func TestRenderCost(t *testing.T) {
	priced := func(cost money.USD) trace.Usage { return trace.Usage{In: 10, Out: 5, Cost: cost} }
	own := priced(4_000_000_000)
	events := []trace.Event{
		{ID: "0", Worker: "root", Body: trace.WorkerStart{Model: "m"}},
		{ID: "0", Worker: "root", Body: trace.ModelEnd{Turn: 1, Finish: "stop", Usage: own}},
		{ID: "0.1", Worker: "a", Body: trace.WorkerStart{Model: "m"}},
		{ID: "0.1", Worker: "a", Body: trace.ModelEnd{Turn: 1, Finish: "stop", Usage: priced(1)}},
		{ID: "0.1", Worker: "a", Body: trace.ModelEnd{Turn: 2, Finish: "stop", Usage: trace.Usage{In: 1, Out: 1, Cost: 29_999_999, Estimated: true}}},
		{ID: "0", Worker: "root", Body: trace.WorkerEnd{Status: "ok", Usage: trace.Usage{In: 20, Out: 10, Cost: 4_030_000_000, CostPartial: true}, Own: &own}},
	}
	var b strings.Builder
	if err := Render(&b, view.Read(events), Options{Turns: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"20 in, 10 out  at least $0.004 (own 10 in, 5 out  $0.004)", "turn 1  stop  0ms  10 in, 5 out  $0.004\n", "~11 in, ~6 out  ~$0.00003\n", "10 in, 5 out  $0.000000000001\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("closed pipe") }

// Text of a model or a tool cannot draw, erase or add a line.
func TestRenderHostile(t *testing.T) {
	evil := "x\x1b[2J\r\n└─ root  ok \u202e\u2028"
	events := []trace.Event{
		{ID: "0.1", Worker: evil, Body: trace.ToolStart{Tool: evil, Kind: evil, Args: raw(`"` + "\u202e" + `"`)}},
		{ID: "0.1", Body: trace.ToolEnd{Tool: evil, Status: evil, Error: &fault.Fault{Code: fault.Code(evil), Message: evil}}},
		{ID: "0.1", Body: trace.Warning{Message: evil}}, {ID: "0.1", Body: trace.Approval{Setting: evil, Reason: evil}},
		{ID: evil, Body: trace.WorkerStart{Model: evil}},
	}
	var b strings.Builder
	if err := Render(&b, view.Read(events), Options{Args: true, Turns: true}); err != nil {
		t.Fatal(err)
	}
	checkClean(t, b.String())
	if n := strings.Count(b.String(), "\n"); n != 5 {
		t.Errorf("%d lines:\n%s", n, b.String())
	}
}

func TestExport(t *testing.T) {
	export := func(format string) string {
		var b bytes.Buffer
		if err := Export(&b, format, sampleHeader(), sampleEvents()); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	var doc struct {
		Golem string
		Root  node
	}
	if err := json.Unmarshal([]byte(export("json")), &doc); err != nil || doc.Golem != "trace-tree" || doc.Root.Children[0].Children[0].Name != "b" {
		t.Errorf("%v %+v", err, doc)
	}
	md := export("md")
	for _, want := range []string{"# Run of root in demo", "| calls | 3, 1 failed |", "└─ bash", `{"command":"ls"}`, "Error: E\\_DENIED"} {
		if !strings.Contains(md, want) {
			t.Errorf("no %q in\n%s", want, md)
		}
	}
	var chromeDoc struct {
		TraceEvents []chromeEvent
	}
	if err := json.Unmarshal([]byte(export("chrome")), &chromeDoc); err != nil || len(chromeDoc.TraceEvents) != 6 {
		t.Errorf("%v %+v", err, chromeDoc)
	}
	if err := Export(&bytes.Buffer{}, "pdf", sampleHeader(), nil); !errors.Is(err, fault.Usage) {
		t.Error(err)
	}
	if md := fenced("", "a\n```\nb"); !strings.HasPrefix(md, "````\n") {
		t.Error(md)
	}
}

// Slices that overlap in time have different lanes.
func TestChromeLanes(t *testing.T) {
	ts := func(ms string) string { return "2026-11-01T12:00:00." + ms + "000Z" }
	call := func(id, from string, ms int64) []trace.Event {
		return []trace.Event{{TS: ts(from), ID: id, Body: trace.ToolStart{Tool: id}}, {ID: id, Body: trace.ToolEnd{Tool: id, Status: "ok", MS: ms}}}
	}
	events := slices.Concat([]trace.Event{{TS: ts("000"), ID: "0", Body: trace.RunStart{}}, {ID: "0", Body: trace.RunEnd{MS: 100}}},
		call("0.1", "010", 30), call("0.2", "020", 30), call("0.3", "045", 10), call("0.2.1", "021", 5))
	var b bytes.Buffer
	if err := Export(&b, "chrome", sampleHeader(), events); err != nil {
		t.Fatal(err)
	}
	var doc struct{ TraceEvents []chromeEvent }
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	lanes := map[string]int{}
	for _, e := range doc.TraceEvents {
		if e.Phase == "X" && e.Name != "" {
			lanes[e.Name] = e.TID
		}
	}
	if lanes["0.1"] != 0 || lanes["0.2"] == 0 || lanes["0.3"] != 0 || lanes["0.2.1"] != lanes["0.2"] {
		t.Errorf("%v", lanes)
	}
}

// The root of an unfinished trace counts the usage of each turn once.
func TestTreeCountsTheRootOfAnUnfinishedTraceOnce(t *testing.T) {
	n := view.Read([]trace.Event{
		{ID: "0", Body: trace.WorkerStart{}}, {ID: "0", Body: trace.ModelStart{Turn: 1}}, {ID: "0", Body: trace.ModelEnd{Turn: 1, Usage: trace.Usage{In: 7, Out: 2}}},
	})
	if used := n.Root().Used(); used.In != 7 || used.Out != 2 {
		t.Errorf("%+v", used)
	}
}
