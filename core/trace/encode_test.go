package trace

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"golem/core/fault"
)

// The exact line of each event type, with its fields in a fixed order (SPEC §16).
// Programs that read traces may rely on each of these lines.
func TestLineFormat(t *testing.T) {
	where := &fault.Where{File: "main.worker", Line: 4, Column: 1, Chain: []string{"main"}}
	flt := &fault.Fault{Code: fault.Tool, Message: "m", Where: where, Hint: "h", Severity: fault.Error}
	u := Usage{In: 1, Out: 2, Estimated: true}
	for _, c := range []struct {
		body Body
		want string // behind the envelope
	}{
		{RunStart{Input: raw(`{"b":1, "a":"<&>"}`)}, `"run.start",…,"input":{"b":1,"a":"<&>"}`},
		{RunEnd{Status: "ok", Exit: 3, Output: raw(`"x"`), Error: flt, Denied: []string{"0.1"}, Opened: []string{"a"}, Usage: u, MS: 4}, `"run.end",…,"status":"ok","exit":3,"output":"x","error":{"code":"E_TOOL","message":"m","where":{"file":"main.worker","line":4,"column":1,"chain":["main"]},"hint":"h","severity":"error"},"denied":["0.1"],"opened":["a"],"usage":{"in":1,"out":2,"estimated":true},"ms":4`},
		{RunEnd{Status: "ok"}, `"run.end",…,"status":"ok","exit":0,"usage":{"in":0,"out":0},"ms":0`},
		{WorkerStart{"main.worker", "ab", "script:x", "caller main", []string{"t"}, ""}, `"worker.start",…,"source":"main.worker","digest":"ab","model":"script:x","model_from":"caller main","tools":["t"]`},
		{WorkerEnd{Status: "needs_input", Output: raw(`{}`), MS: 1}, `"worker.end",…,"status":"needs_input","output":{},"usage":{"in":0,"out":0},"ms":1`},
		{WorkerEnd{Status: "ok", Usage: Usage{In: 9, Out: 2, Cached: 3, Written: 4, Cost: 4_212_500_000, CostPartial: true}, Own: &Usage{In: 1, Cost: 1}, MS: 1},
			`"worker.end",…,"status":"ok","usage":{"in":9,"out":2,"cached":3,"written":4,"cost_usd":0.0042125,"cost_partial":true},"own":{"in":1,"out":0,"cost_usd":0.000000000001},"ms":1`},
		{ModelStart{2, 5}, `"model.start",…,"turn":2,"messages":5`},
		{ModelEnd{2, "m", "stop", "hi", []CallRef{{"0.1", "t"}}, u, 1, nil, 3}, `"model.end",…,"turn":2,"model":"m","finish":"stop","text":"hi","calls":[{"id":"0.1","name":"t"}],"usage":{"in":1,"out":2,"estimated":true},"attempts":1,"ms":3`},
		{ModelEnd{Turn: 2, Reasoning: &Reasoned{MS: 9, Tokens: 8, Estimated: true}}, `"model.end",…,"turn":2,"model":"","finish":"","text":"","usage":{"in":0,"out":0},"attempts":0,"reasoning":{"ms":9,"tokens":8,"estimated":true},"ms":0`},
		{Retry{1, 1, fault.Model, "429", 1000}, `"retry",…,"turn":1,"attempt":1,"code":"E_MODEL","message":"429","wait_ms":1000`},
		{ToolStart{"t", "wasm", "tools/t.wasm", raw(`{"a":1}`)}, `"tool.start",…,"tool":"t","kind":"wasm","module":"tools/t.wasm","args":{"a":1}`},
		{ToolEnd{Tool: "t", Status: "ok", Result: raw(`"r"`), Fuel: 9, MS: 1}, `"tool.end",…,"tool":"t","status":"ok","result":"r","fuel":9,"ms":1`},
		{ToolEnd{Tool: "t", Status: "ok", Fuel: 9, FuelVaries: true, MS: 1}, `"tool.end",…,"tool":"t","status":"ok","fuel":9,"fuel_varies":true,"ms":1`},
		{Approval{"", "t", "ask", "r", "user", "run", "session", "why", "{}"}, `"approval",…,"tool":"t","setting":"ask","rule":"r","source":"user","decision":"run","remember":"session","reason":"why","allow":"{}"`},
		{Clearance{Item: "i", Action: "push", Message: "m", Target: "main"}, `"clearance",…,"item":"i","action":"push","message":"m","target":"main"`},
		{Message{Role: "user", Text: "hello"}, `"message",…,"role":"user","text":"hello"`},
		{Message{Role: "user", Text: "and", Files: []FileRef{{"a.md", 3}}, Steering: true}, `"message",…,"role":"user","text":"and","files":[{"name":"a.md","bytes":3}],"steering":true`},
		{Fallback{Tool: "t", Call: "0.1.1", Reason: "unsure", Message: "why"}, `"fallback",…,"tool":"t","call":"0.1.1","reason":"unsure","message":"why"`},
		{Warning{Code: fault.Depth, Message: "deep"}, `"warning",…,"code":"E_DEPTH","message":"deep"`},
		{Error{fault.Model, "no", where, "h", &fault.PageWords{Message: "m", Hint: "p"}}, `"error",…,"code":"E_MODEL","message":"no","where":{"file":"main.worker","line":4,"column":1,"chain":["main"]},"hint":"h","page":{"message":"m","hint":"p"}`},
		{Delta{"a", true, false}, `"delta",…,"text":"a","reset":true`},
		{Reasoning{Text: "a"}, `"reasoning",…,"text":"a"`},
		{Reasoning{Over: &Reasoned{4, 2, false}}, `"reasoning",…,"text":"","over":{"ms":4,"tokens":2}`},
		{Progress{"running", "d", "count"}, `"progress",…,"status":"running","description":"d","task":"count"`},
		{Status{Text: "s", Level: "info"}, `"status",…,"text":"s","level":"info"`},
		{Diff{"/a", "1", "2", "p"}, `"diff",…,"path":"/a","before":"1","after":"2","patch":"p"`},
		{Ask{raw(`{"id":"q"}`)}, `"ask",…,"request":{"id":"q"}`},
	} {
		e := Event{Seq: 7, TS: "2026-11-01T12:00:00.000001Z", ID: "0.2", Parent: "0", Worker: "reports/s", Depth: 1, Body: c.body}
		got, err := Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		want := `{"seq":7,"ts":"2026-11-01T12:00:00.000001Z","type":` + strings.Replace(c.want, "…", `"id":"0.2","parent":"0","worker":"reports/s","depth":1`, 1) + `}`
		if string(got) != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		back, err := Decode(got)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Encode(back)
		if err != nil || string(again) != want {
			t.Errorf("back and again: %s %v", again, err)
		}
	}
	root, err := Encode(Event{ID: "0", Worker: "main", Body: ModelStart{1, 1}})
	if err != nil || string(root) != `{"type":"model.start","id":"0","worker":"main","depth":0,"turn":1,"messages":1}` {
		t.Errorf("unset seq, ts and parent: %s %v", root, err)
	}
}

// A line contains no unescaped line break, line separator, control or bidirectional
// character. Invalid raw JSON becomes a string, and bytes that are not UTF-8 are replaced.
func TestHostileBodies(t *testing.T) {
	evil := "a\u2028b\u2029c\u202ed\x7f\u009b\x1b[31m\n\xff<script>"
	for _, b := range []Body{
		Warning{Message: evil},
		ToolStart{Tool: evil, Args: raw(`{"a":"` + "\u2028\u202e\xff" + `"}`)},
		ToolStart{Tool: "t", Args: raw(`{bad` + evil)},
		ToolStart{Tool: "t", Args: raw("")},
		RunStart{Input: raw(strings.Repeat("[", 100000))},
		Unknown{Type: evil, Line: raw(`{"type":"x","id":"9","new":{"a":[1, 2]}}`)},
		Unknown{Type: "x", Line: raw(`{bad`)},
		ToolEnd{Error: &fault.Fault{Code: "E", Message: evil}},
	} {
		line, err := Encode(Event{ID: evil, Worker: evil, Body: b})
		if err != nil {
			t.Errorf("%T: %v", b, err)
			continue
		}
		if !json.Valid(line) {
			t.Errorf("%T: no JSON: %.200s", b, line)
		}
		if strings.ContainsAny(string(line), "\u2028\u2029\u202e\x7f\u009b\x1b\n") || !utf8.Valid(line) {
			t.Errorf("%T: a raw character: %q", b, line)
		}
		if _, err := Decode(line); err != nil {
			t.Errorf("%T: %v", b, err)
		}
	}
	if _, err := Encode(Event{ID: "0"}); err == nil {
		t.Error("an event without a body has no line")
	}
	line, err := Encode(Event{Seq: 3, ID: "1", Body: Unknown{Type: "new.thing", Line: raw(`{"seq":1,"type":"new.thing","id":"9","extra":{"a":[1, 2]}}`)}})
	if want := `{"seq":3,"type":"new.thing","id":"1","worker":"","depth":0,"extra":{"a":[1,2]}}`; err != nil || string(line) != want {
		t.Errorf("%s %v", line, err)
	}
}

func anyText(t *rapid.T, label string) string {
	return rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "\u2028", `"\`, `{"cut":1}`, "cut", "\x1b"})).Draw(t, label)
}

func anyRaw(t *rapid.T, label string) json.RawMessage {
	data, err := json.Marshal(map[string]any{anyText(t, label): []any{anyText(t, label), rapid.IntRange(-9, 9).Draw(t, label), nil, true}})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Reading returns what was written, for every event type, as long as no text is cut.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := func(l string) string { return anyText(t, l) }
		n := rapid.IntRange(0, 1<<30)
		body := rapid.SampledFrom([]Body{
			RunStart{Input: anyRaw(t, "input"), Files: []FileRef{{text("n"), 1}}},
			RunEnd{Status: text("s"), Exit: 3, Output: anyRaw(t, "o"), Error: &fault.Fault{Code: fault.Tool, Message: text("m"), Hint: text("h"), Where: &fault.Where{File: text("f")}}, Denied: []string{text("d")}, MS: int64(n.Draw(t, "ms"))},
			WorkerStart{text("a"), text("b"), text("c"), "", []string{text("d")}, text("e")},
			ModelEnd{Turn: 1, Text: text("t"), Calls: []CallRef{{text("i"), text("n")}}, Usage: Usage{In: n.Draw(t, "in")}},
			ToolStart{text("a"), text("b"), text("c"), anyRaw(t, "args")},
			ToolEnd{Tool: text("a"), Result: anyRaw(t, "r"), Fuel: int64(n.Draw(t, "fuel"))},
			Approval{text("h"), text("a"), text("b"), text("c"), text("d"), text("e"), text("f"), text("g"), text("h")},
			Message{Role: text("r"), Text: text("t")}, Warning{fault.Code(text("c")), text("m"), text("l")}, Fallback{Tool: text("f"), Reason: "failed", Error: &fault.Fault{Code: fault.Tool, Message: text("m")}}, Delta{Text: text("t")}, Ask{anyRaw(t, "q")},
		}).Draw(t, "body")
		e := Event{Seq: int64(n.Draw(t, "seq")), TS: text("ts"), ID: text("id"), Parent: text("parent"), Worker: text("worker"), Depth: 2, Body: body}
		line, err := Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Decode(line)
		if err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		again, err := Encode(back)
		if err != nil || string(again) != string(line) {
			t.Fatalf("line  %s\nagain %s (%v)", line, again, err)
		}
		if back.ID != e.ID || back.Seq != e.Seq || reflect.TypeOf(back.Body) != reflect.TypeOf(body) {
			t.Fatalf("%+v", back)
		}
	})
}
