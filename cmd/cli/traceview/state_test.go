package traceview

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"golem/core/trace"
	"golem/core/ui/view"
)

func sample() *State {
	at := func(ms int) string { return fmt.Sprintf("2026-03-14T09:15:00.%03dZ", ms) }
	events := []trace.Event{
		{ID: "0", TS: at(0), Worker: "main", Body: trace.RunStart{Input: json.RawMessage(`"go"`)}},
		{ID: "0", TS: at(0), Worker: "main", Body: trace.WorkerStart{Source: "main.worker", Model: "script:s"}},
		{ID: "0", TS: at(1), Worker: "main", Body: trace.ModelStart{Turn: 1}},
		{ID: "0", TS: at(90), Worker: "main", Body: trace.ModelEnd{Turn: 1, Finish: "tool_calls", Text: "I look first", Calls: make([]trace.CallRef, 1), MS: 89, Reasoning: &trace.Reasoned{MS: 2000, Tokens: 40}}},
		{ID: "0.1", TS: at(100), Worker: "main", Depth: 1, Body: trace.ToolStart{Tool: "reader", Kind: "worker", Args: json.RawMessage(`{"input":"x"}`)}},
		{ID: "0.1", TS: at(100), Worker: "reader", Depth: 1, Body: trace.WorkerStart{Source: "r.worker"}},
		{ID: "0.1.1", TS: at(110), Worker: "reader", Depth: 2, Body: trace.ToolStart{Tool: "read_file", Kind: "builtin", Args: json.RawMessage(`{"path":"/needle.txt"}`)}},
		{ID: "0.1.1", TS: at(120), Worker: "reader", Depth: 2, Body: trace.ToolEnd{Tool: "read_file", Status: "ok", Result: json.RawMessage(`"evil \u001b[2J\u202e 字字字"`), MS: 10}},
		{ID: "0.1", TS: at(500), Worker: "main", Depth: 1, Body: trace.ToolEnd{Tool: "reader", Status: "error", MS: 400}},
		{ID: "0", TS: at(900), Worker: "main", Body: trace.RunEnd{Status: "ok", Output: json.RawMessage(`"done"`), Usage: trace.Usage{In: 7, Out: 3}, MS: 900}},
	}
	prompts := func(id string) []Message {
		if id != "0" {
			return nil
		}
		return []Message{{"system", "You are the root."}}
	}
	return New(trace.Header{Run: "r1", Entry: "main"}, view.Read(events), prompts, false)
}

// keys presses keys by name; it types the characters of a name that begins with a
// colon.
func keys(s *State, names ...string) (left bool) {
	for _, name := range names {
		if text, is := strings.CutPrefix(name, ":"); is {
			for _, r := range text {
				s.Key(string(r), string(r))
			}
			continue
		}
		left = s.Key(name, "")
	}
	return left
}

func TestViewer(t *testing.T) {
	for name, c := range map[string]struct {
		keys  []string
		want  []string
		lacks string
	}{
		"the tree":         {nil, []string{"main · r1 · ok · 900ms  7 in, 3 out", ">▾ main  ok", "   ▾ reader  error  400ms", "       read_file  ok  10ms", "q leave"}, ""},
		"folded":           {[]string{"down", "left"}, []string{">  ▸ reader"}, "read_file"},
		"to the caller":    {[]string{"G", "left"}, []string{">  ▾ reader"}, ""},
		"unfolded":         {[]string{"down", "left", "right"}, []string{"read_file"}, ""},
		"a worker is read": {[]string{"enter"}, []string{"0 main  ok", "input\n  go", "prompt, system\n  You are the root.", "turn 1  tool_calls  89ms  0 in, 0 out  thought for 2 s · 40 tokens", "  I look first", "  → reader(input: \"x\")  error", "output\n  done"}, ""},
		"a call is read":   {[]string{"enter", "right", "right"}, []string{"0.1.1 read_file", "\"path\": \"/needle.txt\"", "evil \\u{1b}[2J", "字字字"}, "\x1b"},
		"back again":       {[]string{"enter", "esc"}, []string{"▾ main"}, "prompt"},
		"times":            {[]string{"t"}, []string{"████", "reader", "900ms"}, ""},
		"found":            {[]string{"left", "/", ":needle", "enter"}, []string{">      read_file"}, ""},
		"found in a text":  {[]string{"enter", "/", ":ROOT", "backspace", "enter", "n"}, []string{"not found: ROO"}, ""},
		"not found":        {[]string{"/", ":nothing", "enter"}, []string{"not found: nothing"}, ""},
		"typing":           {[]string{"/", ":q", ":x\x1b"}, []string{"search: qx"}, ""},
	} {
		s := sample()
		s.Resize(80, 40)
		if keys(s, c.keys...) {
			t.Errorf("%s: it left", name)
		}
		text := strings.Join(s.Lines(), "\n")
		for _, w := range c.want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: %q is not in\n%s", name, w, text)
			}
		}
		if c.lacks != "" && strings.Contains(text, c.lacks) {
			t.Errorf("%s: %q is in\n%s", name, c.lacks, text)
		}
	}
	for _, name := range []string{"q", "esc", "ctrl+c"} {
		if !keys(sample(), name) {
			t.Errorf("%s stays", name)
		}
	}
	if keys(sample(), "enter", "esc") {
		t.Error("Esc leaves while a call is read")
	}
}

// A call that has no end in the trace took at least until the end of the last call
// below it. The key hints at the bottom are never cut within one, however narrow the
// screen is.
func TestViewerOfAnOpenRun(t *testing.T) {
	events := []trace.Event{
		{ID: "0", TS: "2026-03-14T09:15:00.000Z", Worker: "main", Body: trace.RunStart{Input: json.RawMessage(`"go"`)}},
		{ID: "0", TS: "2026-03-14T09:15:00.000Z", Worker: "main", Body: trace.WorkerStart{Source: "main.worker"}},
		{ID: "0.1", TS: "2026-03-14T09:15:02.000Z", Worker: "main", Depth: 1, Body: trace.ToolStart{Tool: "read_file", Kind: "builtin"}},
		{ID: "0.1", TS: "2026-03-14T09:15:02.500Z", Worker: "main", Depth: 1, Body: trace.ToolEnd{Tool: "read_file", Status: "ok", MS: 500}},
	}
	s := New(trace.Header{Run: "r1", Entry: "main"}, view.Read(events), nil, false)
	s.Resize(40, 10)
	text := strings.Join(s.Lines(), "\n")
	for _, want := range []string{"main · r1 · unfinished · 2.5s", ">▾ main  unfinished  2.5s", "q leave · Enter read · t times"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "…") {
		t.Errorf("something is cut:\n%s", text)
	}
}

// Lines break between words where possible, an approval without a reason ends with its
// rule, and a call without an end shows no duration.
func TestViewerWords(t *testing.T) {
	words := strings.TrimSpace(strings.Repeat("some-words that are whole ", 6))
	events := []trace.Event{
		{ID: "0", TS: "2026-03-14T09:15:00.000Z", Worker: "main", Body: trace.RunStart{Input: json.RawMessage(`"` + words + `"`)}},
		{ID: "0", TS: "2026-03-14T09:15:00.000Z", Worker: "main", Body: trace.WorkerStart{Source: "main.worker"}},
		{ID: "0.1", TS: "2026-03-14T09:15:02.000Z", Worker: "main", Depth: 1, Body: trace.ToolStart{Tool: "reader", Kind: "worker"}},
		{ID: "0.1", TS: "2026-03-14T09:15:02.000Z", Worker: "main", Depth: 1, Body: trace.Approval{Tool: "reader", Decision: "run", Setting: "preApproved", Source: "setting", Rule: "delegation"}},
	}
	s := New(trace.Header{Run: "r1", Entry: "main"}, view.Read(events), nil, false)
	s.Resize(37, 30)
	if text := strings.Join(s.Lines(), "\n"); !strings.Contains(text, "unfinished") || strings.Contains(text, "0ms") {
		t.Error(text)
	}
	keys(s, "enter")
	var input []string
	for _, l := range s.Lines() {
		if l = strings.TrimSpace(l); strings.Contains(words, l) && l != "" {
			input = append(input, l)
		}
	}
	if got := strings.Join(input, " "); got != words {
		t.Errorf("%q\n%s", got, strings.Join(s.Lines(), "\n"))
	}
	keys(s, "right")
	if text := strings.Join(s.Lines(), "\n"); !strings.Contains(text, "delegation\n") || strings.Contains(text, "0ms") {
		t.Error(text)
	}
}

// At every size and in every view, lines fit and nothing in them moves the cursor.
func TestViewerFits(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 20}, {10, 4}, {200, 60}} {
		for _, names := range [][]string{nil, {"enter"}, {"t"}, {"enter", "right", "right", "end"}, {"G"}, {"pgdown", "up", "/"}} {
			s := sample()
			s.color = true
			keys(s, names...)
			s.Resize(size[0], size[1])
			lines := s.Lines()
			if len(lines) > size[1] {
				t.Errorf("%v %v: %d lines", size, names, len(lines))
			}
			for _, l := range lines {
				if plain := ansi.Strip(l); ansi.StringWidth(l) > size[0] || strings.ContainsFunc(plain, unicode.IsControl) {
					t.Errorf("%v %v: %q", size, names, l)
				}
			}
		}
	}
}

// The key that makes a test leaves the viewer, and only where it is offered.
func TestViewerMakesTests(t *testing.T) {
	s := sample()
	if keys(s, "m") || s.WantsTest() || strings.Contains(strings.Join(s.Lines(), "\n"), "make a test") {
		t.Error("a test is made although none was offered")
	}
	s.OfferTest()
	if !strings.Contains(strings.Join(s.Lines(), "\n"), "m make a test") {
		t.Error("the key is not shown")
	}
	if keys(s, "/", ":m", "enter") || s.WantsTest() {
		t.Error("an m in a search makes a test")
	}
	if !keys(s, "m") || !s.WantsTest() {
		t.Error("m does not make a test")
	}
}
