package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"golem/core/trace"
)

// runOf returns the events of a small run; each call is written NAME(ARGS)=RESULT.
func runOf(answer string, calls ...string) []trace.Event {
	out := []trace.Event{
		{ID: "0", Worker: "main", Body: trace.RunStart{Input: json.RawMessage(`"go"`)}}, {ID: "0", Worker: "main", Body: trace.WorkerStart{Model: "script:s"}},
		{ID: "0", Worker: "main", Body: trace.ModelStart{Turn: 1}},
		{ID: "0", Worker: "main", Body: trace.ModelEnd{Turn: 1, Model: "script:s", Finish: "tool_calls", Calls: make([]trace.CallRef, len(calls)), Usage: trace.Usage{In: 5, Out: 1}, MS: int64(len(answer))}},
	}
	for i, c := range calls {
		id := fmt.Sprintf("0.%d", i+1)
		name, rest, _ := strings.Cut(c, "(")
		args, result, _ := strings.Cut(rest, ")=")
		out = append(out,
			trace.Event{ID: id, Parent: "0", Worker: "main", Depth: 1, Body: trace.ToolStart{Tool: name, Kind: "builtin", Args: json.RawMessage(args)}},
			trace.Event{ID: id, Parent: "0", Worker: "main", Depth: 1, Body: trace.ToolEnd{Tool: name, Status: "ok", Result: json.RawMessage(fmt.Sprintf("%q", result)), MS: int64(i)}})
	}
	return append(out,
		trace.Event{ID: "0", Worker: "main", Body: trace.ModelStart{Turn: 2}},
		trace.Event{ID: "0", Worker: "main", Body: trace.ModelEnd{Turn: 2, Model: "script:s", Finish: "stop", Text: answer, Usage: trace.Usage{In: 7, Out: 2}}},
		trace.Event{ID: "0", Worker: "main", Body: trace.RunEnd{Status: "ok", Output: json.RawMessage(fmt.Sprintf("%q", answer)), Usage: trace.Usage{In: 12, Out: 3}}})
}

// Differences are in the order in which things happened, a call that only one run has
// does not shift the other calls, and times are not compared.
func TestCompare(t *testing.T) {
	base := runOf("done", `read({"a":1,"b":2})=x`, `write({"p":1})=ok`)
	for name, c := range map[string]struct {
		b    []trace.Event
		want []string // place: what
	}{
		"the same":     {runOf("done", `read({"b":2,"a":1})=x`, `write({"p":1})=ok`), nil},
		"an answer":    {runOf("other", `read({"a":1,"b":2})=x`, `write({"p":1})=ok`), []string{"0 main, turn 2: text", "0 main: output"}},
		"an argument":  {runOf("done", `read({"a":1,"b":3})=x`, `write({"p":1})=ok`), []string{"0.1 read: input"}},
		"a result":     {runOf("done", `read({"a":1,"b":2})=y`, `write({"p":1})=ok`), []string{"0.1 read: output"}},
		"a call more":  {runOf("done", `list({})=l`, `read({"a":1,"b":2})=x`, `write({"p":1})=ok`), []string{"0.1 list: only B makes this call"}},
		"a call less":  {runOf("done", `write({"p":1})=ok`), []string{"0.1 read: only A makes this call"}},
		"another tool": {runOf("done", `read({"a":1,"b":2})=x`, `move({"p":1})=ok`), []string{"0.2 write: only A makes this call", "0.2 move: only B makes this call"}},
		"broken off":   {base[:len(base)-3], []string{"0 main, turn 2: only A has this turn", "0 main: status", "0 main: output", "0 main: tokens"}},
	} {
		d := Compare(trace.Header{Run: "a"}, base, trace.Header{Run: "b"}, c.b)
		var got []string
		for _, one := range d.Differences {
			got = append(got, one.placeText()+": "+one.differenceText())
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") || d.Same != (len(c.want) == 0) {
			t.Errorf("%s:\n%s\nwant:\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
		text := d.Text(false, 60)
		if len(c.want) > 0 && !strings.Contains(text, "first difference: "+c.want[0]) || strings.ContainsAny(text, "\x1b\a") {
			t.Errorf("%s:\n%s", name, text)
		}
		if back := Compare(trace.Header{}, c.b, trace.Header{}, base); back.Same != d.Same {
			t.Errorf("%s: the other way round it is another answer", name)
		}
	}
}

// The time that golem waited before another attempt is not compared.
func TestCompareLeavesOutWaits(t *testing.T) {
	after := func(ms int64) []trace.Event {
		run := runOf("done")
		return append([]trace.Event{run[0], run[1], {ID: "0", Worker: "main", Body: trace.Retry{Turn: 1, Attempt: 1, Message: "overloaded", WaitMS: ms}}}, run[2:]...)
	}
	if d := Compare(trace.Header{}, after(535), trace.Header{}, after(579)); !d.Same {
		t.Errorf("%+v", d.Differences)
	}
	if d := Compare(trace.Header{}, after(535), trace.Header{}, runOf("done")); d.Same || !strings.Contains(d.Differences[0].A, "tried again after 535ms") {
		t.Errorf("%+v", d.Differences)
	}
}

// The comparison shows the place where two long texts differ, and escapes hostile text.
func TestCompareShowsWhereTextsPart(t *testing.T) {
	long := strings.Repeat("the same word again ", 200)
	d := Compare(trace.Header{Run: "\x1b[2J"}, runOf(long+"LEFT\x1b]52;c;x\a"), trace.Header{}, runOf(long+"RIGHT"))
	text := d.Text(false, 80)
	if !strings.Contains(text, "LEFT") || !strings.Contains(text, "RIGHT") || strings.ContainsAny(text, "\x1b\a") {
		t.Errorf("%s", text)
	}
	many := make([]string, maxAlign+5)
	for i := range many {
		many[i] = fmt.Sprintf("t%d({})=x", i)
	}
	if d := Compare(trace.Header{}, runOf("x", many...), trace.Header{}, runOf("x", many[1:]...)); d.Same {
		t.Error("too many calls to align are the same")
	}
}
