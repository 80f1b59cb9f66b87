package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/money"
)

func TestCompareID(t *testing.T) {
	want := []string{"", "0", "0.1", "0.1.2", "0.2", "0.2.1", "0.10", "0.x", "1", "x", "x.1"}
	got := slices.Clone(want)
	rand.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
	slices.SortFunc(got, CompareID)
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for _, a := range want {
		for _, b := range want {
			if CompareID(a, b) != -CompareID(b, a) || (CompareID(a, b) == 0) != (a == b) {
				t.Errorf("%q and %q: %d, %d", a, b, CompareID(a, b), CompareID(b, a))
			}
		}
	}
}

// Scenario 35: two runs differ only in run ids and times, in whatever order their
// parallel calls ran.
func TestNormalise(t *testing.T) {
	fuel := func(varies bool, n int64) Event {
		return Event{ID: "0.9", Body: ToolEnd{Tool: "t", Fuel: n, FuelVaries: varies}}
	}
	one := append(sampleEvents(), fuel(true, 71), fuel(false, 9))
	other := append(sampleEvents(), fuel(true, 72), fuel(false, 9))
	// The same events later and slower, with parallel calls in another order.
	slices.SortStableFunc(other, func(a, b Event) int { return -CompareID(a.ID, b.ID) })
	for i := range other {
		other[i].Seq, other[i].TS = int64(i), "later"
		if b, ok := other[i].Body.(ToolEnd); ok {
			b.MS += 5
			other[i].Body = b
		}
	}
	h := sampleHeader
	h.Run, h.Version, h.Platform, h.Started = "r2", "9", "browser", "x"
	a, b := NormalText(sampleHeader, one), NormalText(h, other)
	if a != b {
		t.Errorf("%s\nis not\n%s", a, b)
	}
	for _, bad := range []string{`"ms"`, `"wait_ms"`, `"seq"`, `"ts"`, `"type":"ask"`, "r1", "native"} {
		if strings.Contains(a, bad) {
			t.Errorf("%s stands in\n%s", bad, a)
		}
	}
	if !strings.Contains(a, `"fuel":9`) || strings.Contains(a, `"fuel":7`) || !strings.Contains(a, `"fuel_varies":true`) {
		t.Errorf("fuel in\n%s", a)
	}
	if first := strings.SplitN(a, "\n", 2)[0]; first != `{"golem":"trace","v":1,"project":"demo","entry":"root"}` {
		t.Error(first)
	}
	if one[4].Body.(ModelEnd).MS != 7 {
		t.Error("the events given were changed")
	}
}

// Scenario 35: the tree is built from the ids of the parents, and each call has one
// decision and one end.
func TestTree(t *testing.T) {
	events := sampleEvents()
	root := Tree(events)
	var got []string
	root.Walk(func(n *Node) { got = append(got, n.ID+" "+n.Name+" "+n.Kind+" "+n.Status) })
	want := []string{"0 root worker ok", "0.1 a worker ok", "0.1.1 b worker ok", "0.1.1.1 bash builtin denied"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	root.Walk(func(n *Node) {
		for _, c := range n.Children {
			if i := slices.IndexFunc(events, func(e Event) bool { return e.ID == c.ID }); events[i].Parent != n.ID {
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
		Tree(slices.Concat(events[:n], events[min(n+3, len(events)):])).Walk(func(*Node) { count++ })
		if count > 4 || n == 0 && count != 4 {
			t.Errorf("without %d: %d nodes", n, count)
		}
	}
	if n := Tree(nil); n.ID != "0" || len(n.Children) != 0 {
		t.Errorf("%+v", n)
	}
}

func TestRender(t *testing.T) {
	var b strings.Builder
	if err := Render(&b, Tree(sampleEvents()), RenderOptions{Turns: true}); err != nil {
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
	if err := Render(&b, Tree(sampleEvents()), RenderOptions{Compact: true}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Split(strings.TrimSpace(b.String()), "\n"); len(got) != 4 || !strings.HasPrefix(got[3], "0.1.1.1  bash  denied") {
		t.Errorf("%q", got)
	}
	b.Reset()
	if err := Render(&b, Tree(sampleEvents()), RenderOptions{Color: true, Args: true}); err != nil || !strings.Contains(b.String(), "\x1b[32mok\x1b[0m") || !strings.Contains(b.String(), `input  {"command":"ls"}`) {
		t.Errorf("%q %v", b.String(), err)
	}
	if err := Render(brokenWriter{}, Tree(sampleEvents()), RenderOptions{}); err == nil {
		t.Error("a failed write was not told")
	}
}

// The cost of a worker's own turns is shown beside the total with the workers below it.
// A trace without an end shows the sum of the worker's turns.
func TestRenderCost(t *testing.T) {
	priced := func(cost money.USD) Usage { return Usage{In: 10, Out: 5, Cost: cost} }
	own := priced(4_000_000_000)
	events := []Event{
		{ID: "0", Worker: "root", Body: WorkerStart{Model: "m"}},
		{ID: "0", Worker: "root", Body: ModelEnd{Turn: 1, Finish: "stop", Usage: own}},
		{ID: "0.1", Worker: "a", Body: WorkerStart{Model: "m"}},
		{ID: "0.1", Worker: "a", Body: ModelEnd{Turn: 1, Finish: "stop", Usage: priced(1)}},
		{ID: "0.1", Worker: "a", Body: ModelEnd{Turn: 2, Finish: "stop", Usage: Usage{In: 1, Out: 1, Cost: 29_999_999, Estimated: true}}},
		{ID: "0", Worker: "root", Body: WorkerEnd{Status: "ok", Usage: Usage{In: 20, Out: 10, Cost: 4_030_000_000, CostPartial: true}, Own: &own}},
	}
	var b strings.Builder
	if err := Render(&b, Tree(events), RenderOptions{Turns: true}); err != nil {
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
	events := []Event{
		{ID: "0.1", Worker: evil, Body: ToolStart{Tool: evil, Kind: evil, Args: raw(`"` + "\u202e" + `"`)}},
		{ID: "0.1", Body: ToolEnd{Tool: evil, Status: evil, Error: &fault.Fault{Code: fault.Code(evil), Message: evil}}},
		{ID: "0.1", Body: Warning{Message: evil}}, {ID: "0.1", Body: Approval{Setting: evil, Reason: evil}},
		{ID: evil, Body: WorkerStart{Model: evil}},
	}
	var b strings.Builder
	if err := Render(&b, Tree(events), RenderOptions{Args: true, Turns: true}); err != nil {
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
		if err := Export(&b, format, sampleHeader, sampleEvents()); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	var doc struct {
		Golem string
		Root  *Node
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
	if err := Export(&bytes.Buffer{}, "pdf", sampleHeader, nil); !errors.Is(err, fault.Usage) {
		t.Error(err)
	}
	if md := fenced("", "a\n```\nb"); !strings.HasPrefix(md, "````\n") {
		t.Error(md)
	}
}

// Slices that overlap in time have different lanes.
func TestChromeLanes(t *testing.T) {
	ts := func(ms string) string { return "2026-11-01T12:00:00." + ms + "000Z" }
	call := func(id, from string, ms int64) []Event {
		return []Event{{TS: ts(from), ID: id, Body: ToolStart{Tool: id}}, {ID: id, Body: ToolEnd{Tool: id, Status: "ok", MS: ms}}}
	}
	events := slices.Concat([]Event{{TS: ts("000"), ID: "0", Body: RunStart{}}, {ID: "0", Body: RunEnd{MS: 100}}},
		call("0.1", "010", 30), call("0.2", "020", 30), call("0.3", "045", 10), call("0.2.1", "021", 5))
	var b bytes.Buffer
	if err := Export(&b, "chrome", sampleHeader, events); err != nil {
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
	n := Tree([]Event{
		{ID: "0", Body: WorkerStart{}}, {ID: "0", Body: ModelStart{Turn: 1}}, {ID: "0", Body: ModelEnd{Turn: 1, Usage: Usage{In: 7, Out: 2}}},
	})
	if n.Usage.In != 7 || n.Usage.Out != 2 {
		t.Errorf("%+v", n.Usage)
	}
}
