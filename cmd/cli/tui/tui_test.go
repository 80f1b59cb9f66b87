package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"golem/core/approval"
	"golem/core/tool"

	"golem/cmd/cli/columns"
)

const (
	start = `{"type":"run.start","id":"0","worker":"main","depth":0,"input":"Compare a.md and b.md, please"}
{"type":"worker.start","id":"0","worker":"main","depth":0,"source":"main.worker","digest":"","model":"openai:gpt-5-mini","tools":[]}
{"type":"model.start","id":"0","worker":"main","depth":0,"turn":1,"messages":2}
`
	tree = `{"type":"delta","id":"0","worker":"main","depth":0,"text":"I ask **two readers**."}
{"type":"model.end","id":"0","worker":"main","depth":0,"turn":1,"model":"m","finish":"tool_calls","text":"I ask **two readers**.","calls":[{"id":"0.1","name":"reader"}],"usage":{"in":1200,"out":40,"cost_usd":0.0021},"attempts":1,"ms":900}
{"type":"tool.start","id":"0.1","parent":"0","worker":"main","depth":0,"tool":"reader","kind":"worker","args":{"input":"a.md"}}
{"type":"worker.start","id":"0.1","parent":"0","worker":"reader","depth":1,"source":"r","digest":"","model":"m","tools":[]}
{"type":"tool.start","id":"0.2","parent":"0","worker":"main","depth":0,"tool":"reader","kind":"worker","args":{"input":"b.md, which has a long task that does not fit on a line of forty columns"}}
{"type":"worker.start","id":"0.2","parent":"0","worker":"reader","depth":1,"source":"r","digest":"","model":"m","tools":[]}
{"type":"tool.start","id":"0.2.1","parent":"0.2","worker":"reader","depth":1,"tool":"summarise","kind":"worker","args":{"input":"中文"}}
{"type":"worker.start","id":"0.2.1","parent":"0.2","worker":"summarise","depth":2,"source":"r","digest":"","model":"m","tools":[]}
{"type":"model.start","id":"0.2.1","parent":"0.2","worker":"summarise","depth":2,"turn":1,"messages":2}
{"type":"model.end","id":"0.2.1","parent":"0.2","worker":"summarise","depth":2,"turn":1,"model":"m","finish":"stop","text":"x","usage":{"in":5000,"out":100,"cost_usd":0.01},"attempts":1,"ms":1}
{"type":"tool.start","id":"0.1.1","parent":"0.1","worker":"reader","depth":1,"tool":"read_file","kind":"builtin","args":{"path":"/a.md"}}
`
	done = `{"type":"tool.end","id":"0.1","parent":"0","worker":"main","depth":0,"tool":"reader","status":"ok","result":"x","ms":4200}
{"type":"tool.end","id":"0.2","parent":"0","worker":"main","depth":0,"tool":"reader","status":"error","error":{"code":"E_TOOL","message":"b.md: \u001b[2Jfile does not exist"},"ms":800}
{"type":"model.start","id":"0","worker":"main","depth":0,"turn":2,"messages":4}
{"type":"delta","id":"0","worker":"main","depth":0,"text":"## Result\n\nOnly *a.md* is there:\n\n` + "```go\\nfunc main() {}\\n```\\n\\n- one\\n- two" + `"}
`
)

var write = approval.Request{
	ID: "q-1", Kind: approval.KindTool, Call: "0.3", Risk: "medium", Why: "it changes a file", WorkerPath: []string{"main"}, Type: "file_write", Tool: "write_file",
	Args: []byte(`{"path":"/out/a.txt","content":"hello\nworld\n"}`), Paths: []tool.PathUse{{Op: "write", Path: "/out/a.txt"}},
	Diff:    "--- a/out/a.txt\n+++ b/out/a.txt\n@@ -1,2 +1,2 @@\n-hallo\n+hello\n world\n",
	Answers: []approval.Answer{approval.Yes, approval.No, approval.Session, approval.Always, approval.Keep, approval.Never},
	Lasting: &approval.Lasting{Says: "write_file on files below /out does not ask", YAML: `{tool: write_file, when: {path: "/out/**"}, decide: preApproved}`},
}

var trust = approval.Request{
	ID: "q-2", Kind: approval.KindTrust, Risk: "high", Title: "Trust what this project's files allow beyond its sandbox?", Answers: []approval.Answer{approval.Yes, approval.No},
	Lines: []approval.Line{
		{Path: "providers.acme.base_url", Value: "https://acme.example/v1", Means: "prompts and files go to this host", Where: "project.yaml:12"},
		{Path: "mcp.notes.command", Value: "npx --yes @example/notes-server --root /srv/notes/of-the-whole-company --read-only --log-level debug --port 0", Means: "this program runs on this machine and is not confined", Where: "project.yaml:20"},
		{Path: "toolsets.custom.modules.fetch.allowed_hosts", Value: "api.example.com (module sha256:" + strings.Repeat("0123456789abcdef", 4) + ")", Means: "the module can send what it gets there", Where: "main.worker:6"},
	},
}

// The screens are drawn as the golden files show, at two sizes, with and without
// colours. GOLEM_UPDATE=1 writes the files.
func TestGolden(t *testing.T) {
	scenes := map[string]func(d *driver){
		"empty":  func(*driver) {},
		"tree":   func(d *driver) { d.events(start + tree); d.at = d.at.Add(3 * time.Second); d.m.terminal.stale = true },
		"answer": func(d *driver) { d.events(start + tree + done) },
		"approval": func(d *driver) {
			d.events(start)
			d.ask(write)
			d.arm()
		},
		"waiting-approval": func(d *driver) { d.ask(write) },
		"rule":             func(d *driver) { d.ask(write); d.arm(); d.keys("r", "enter") },
		"reason":           func(d *driver) { d.ask(write); d.arm(); d.keys("t", "enter", "wrong place") },
		"trust":            func(d *driver) { d.ask(trust); d.arm() },
		"editing": func(d *driver) {
			d.events(start)
			d.keys("one")
			d.m.Update(tea.PasteMsg{Content: "\ntwo\t\x1b[2J\n中文"})
		},
	}
	for name, play := range scenes {
		for _, size := range [][2]int{{80, 24}, {40, 20}} {
			for _, color := range []bool{true, false} {
				d := drive(t, size[0], size[1], color)
				play(d)
				d.fits()
				golden(t, fmt.Sprintf("testdata/%s-%d%s.txt", name, size[0], map[bool]string{true: "-color"}[color]), d.screen())
			}
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	got = strings.ReplaceAll(got, "\x1b", "␛") + "\n"
	if os.Getenv("GOLEM_UPDATE") != "" {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s:\n%s", name, diff)
	}
}

// SPEC §3: a question about trust leaves nothing out: if it has more lines than the
// screen, they are counted and can be scrolled to, and its answers say what they cover.
func TestTrustShowsAll(t *testing.T) {
	for _, size := range [][2]int{{40, 15}, {40, 20}, {80, 24}} {
		d := drive(t, size[0], size[1], false)
		d.ask(trust)
		d.arm()
		var lines []string
		for range 20 {
			q := d.m.dialog
			d.has(q.lines[q.top : q.top+q.room]...)
			lines = append(lines[:q.top], q.lines[q.top:q.top+q.room]...)
			d.keys("pgdown")
		}
		seen := strings.Join(lines, "\n")
		all := strings.Join(strings.FieldsFunc(seen, func(r rune) bool { return strings.ContainsRune(" \n│┆", r) }), "")
		for _, l := range trust.Lines {
			for _, want := range []string{l.Path, l.Where, l.Value, l.Means} {
				if want = strings.ReplaceAll(want, " ", ""); !strings.Contains(all, want) {
					t.Errorf("%v: no %q in\n%s", size, want, seen)
				}
			}
		}
		d.hasNot("v: all", "not shown")
		d.keys("y", "enter")
		if got := <-d.replies; got.Answer != approval.Yes {
			t.Errorf("%+v", got)
		}
	}
}

// A person gives the keyboard to the question with Tab. A letter marks an answer; y and n
// answer after a moment without another key, every other answer with Enter. v shows all of
// the question.
func TestAnswers(t *testing.T) {
	for keys, want := range map[string]approval.Decision{
		"y pause":                     {Answer: approval.Yes},
		"y enter":                     {Answer: approval.Yes},
		"n pause":                     {Answer: approval.No},
		"esc":                         {Answer: approval.No},
		"enter":                       {Answer: approval.No},
		"s pause enter":               {Answer: approval.Session},
		"a enter":                     {Answer: approval.Always},
		"d enter":                     {Answer: approval.Never},
		"down enter":                  {Answer: approval.Yes},
		"up enter":                    {Answer: approval.Never},
		"down down enter why enter":   {Answer: approval.No, Reason: "why"},
		"down down down enter":        {Answer: approval.Session},
		"a backspace n enter":         {Answer: approval.No},
		"v y enter":                   {Answer: approval.Yes},
		"r enter n enter y pause":     {Answer: approval.Yes},
		"r enter y pause pause enter": {Answer: approval.Keep},
		"r enter enter n pause":       {Answer: approval.No},
		"r enter esc n pause":         {Answer: approval.No},
		"t enter no,_why enter":       {Answer: approval.No, Reason: "no, why"},
		"t enter esc y pause":         {Answer: approval.Yes},
		"pgdown pgup down enter":      {Answer: approval.Yes},
	} {
		d := drive(t, 80, 24, false)
		d.ask(write)
		d.arm()
		for _, k := range strings.Fields(keys) {
			if k == "pause" {
				d.pause()
			} else {
				d.keys(strings.ReplaceAll(k, "_", " "))
			}
		}
		want.ID = "q-1"
		select {
		case got := <-d.replies:
			if got != want {
				t.Errorf("%s: %+v, want %+v", keys, got, want)
			}
		default:
			t.Errorf("%s: no answer:\n%s", keys, d.screen())
		}
	}
}

// A question lists no and yes first, as in the page. The other answers are listed
// after the person goes down past yes, or up past no, or types one of their letters.
func TestOtherAnswersAreBehindALine(t *testing.T) {
	const few = "\n> [n] no, this once\n  [y] yes, this once\n  other answers… [t] [s] [a] [r] [d]\n"
	for _, keys := range []string{"down down", "up", "s", "d", "t"} {
		d := drive(t, 80, 24, false)
		d.ask(write)
		d.has(few)
		d.arm()
		d.has(few)
		d.keys(strings.Fields(keys)...)
		d.hasNot("other answers…")
		d.has("\n  [n] no, this once\n  [y] yes, this once\n", "[t] no, and tell the model why\n", "[s] yes, and yes whenever", "[a] yes, and yes to every", "[r] yes, and save a rule", "[d] no, and no whenever")
		if len(d.replies) > 0 {
			t.Errorf("%s answered %+v", keys, <-d.replies)
		}
	}
	small := drive(t, 40, 14, false)
	small.ask(write)
	small.has("\n>[n] [y] other answers…")
	small.arm()
	small.keys("s")
	small.has("\n[n] [y] [t] >[s] [a] [r] [d]")
	one := write
	one.Answers = []approval.Answer{approval.Yes, approval.No}
	d := drive(t, 80, 24, false)
	d.ask(one)
	d.hasNot("other answers…")
	d.has("[t] no, and tell the model why")
}

// A question for a text sends what was typed. An empty text is no answer.
func TestInputIsTyped(t *testing.T) {
	d := drive(t, 40, 20, false)
	ask := approval.Request{ID: "q-3", Kind: approval.KindInput, Title: "Which file?", Answers: []approval.Answer{approval.Yes, approval.No}}
	d.ask(ask)
	d.arm()
	d.keys("a.md y", "enter")
	if got := <-d.replies; got.Answer != approval.Yes || got.Text != "a.md y" {
		t.Errorf("%+v", got)
	}
	d.ask(ask)
	d.arm()
	d.keys("enter")
	if got := <-d.replies; got.Answer != approval.No || got.Text != "" {
		t.Errorf("%+v", got)
	}
}

// All of a question can be read: v shows what was left out, and the person can scroll
// to its last line.
func TestNothingOfAQuestionIsCut(t *testing.T) {
	long := write
	long.Diff, long.Args = "", []byte(`{"path":"/out/a.txt","content":"`+strings.Repeat(`line\n`, 200)+`the very last line"}`)
	d := drive(t, 40, 20, false)
	d.ask(long)
	d.arm()
	d.has("more lines: PgDn")
	d.keys("v")
	for range 100 {
		d.keys("pgdown")
	}
	d.has("the very last line")
	d.hasNot("more lines")
	d.fits()
}

// A message goes to the session when it waits for one. A message that is sent before
// that waits on the screen, and returns to the editor when the person stops.
func TestMessagesWait(t *testing.T) {
	d := drive(t, 80, 24, false)
	got := d.prompt()
	d.keys("hello", "enter")
	if in := <-got; in.Text != "hello" {
		t.Fatalf("%+v", in)
	}
	d.events(start)
	d.keys("and then", "enter")
	d.has("next: and then")
	d.keys("ctrl+c")
	if d.stops != 1 || d.m.editor.Text() != "and then" {
		t.Errorf("%d stops, editor %q", d.stops, d.m.editor.Text())
	}
	d.has("stopping; Ctrl+C again leaves the chat")
	d.keys("ctrl+c")
	if d.leaves != 1 {
		t.Errorf("%d leaves", d.leaves)
	}
}

// Ctrl+C at the prompt empties the editor; the next one only warns that another one
// leaves. Another key cancels the warning.
func TestInterruptAtThePrompt(t *testing.T) {
	d := drive(t, 80, 24, false)
	d.prompt()
	d.keys("text", "ctrl+c")
	if d.m.editor.Text() != "" || d.stops+d.leaves != 0 {
		t.Fatal(d.m.editor.Text(), d.stops, d.leaves)
	}
	d.keys("ctrl+c")
	d.has("Ctrl+C again leaves the chat")
	d.keys("x")
	d.hasNot("Ctrl+C again")
	d.keys("ctrl+c", "ctrl+c", "ctrl+c")
	if d.leaves != 1 || d.stops != 0 {
		t.Errorf("%d leaves, %d stops", d.leaves, d.stops)
	}
}

// Ctrl+D on an empty line ends the input; with text it does not.
func TestEndOfInput(t *testing.T) {
	d := drive(t, 80, 24, false)
	got := d.prompt()
	d.keys("x", "ctrl+d")
	if d.m.closed {
		t.Fatal("closed")
	}
	d.keys("ctrl+c", "ctrl+d", "ctrl+d")
	if in, more := <-got; more {
		t.Errorf("%+v", in)
	}
}

// A folded worker hides the workers below it and keeps their sum; the mark moves.
func TestTreeFolds(t *testing.T) {
	d := drive(t, 80, 24, false)
	d.events(start + tree)
	d.has("summarise: 中文", "1.2k/6.3k tokens $0.0121", "0/5.1k tokens $0.01")
	d.keys("ctrl+t", "down", "down", "left")
	d.hasNot("summarise: 中文")
	d.has("(+1)", "0/5.1k tokens $0.01")
	d.keys("right")
	d.has("summarise: 中文")
	d.keys("esc", "x")
	if d.m.editor.Text() != "x" {
		t.Errorf("the editor has %q", d.m.editor.Text())
	}
}

// Nothing is drawn until something has changed.
func TestNothingIsDrawnUntilItChanges(t *testing.T) {
	d := drive(t, 80, 24, true)
	d.events(start)
	d.screen()
	if d.m.terminal.stale {
		t.Error("stale after drawing")
	}
	d.m.Update(struct{}{})
	if d.m.terminal.stale {
		t.Error("a message that means nothing draws the screen")
	}
}

// A question disappears from the screen when its session gives it up.
func TestQuestionIsWithdrawn(t *testing.T) {
	d := drive(t, 80, 24, false)
	ctx, cancel := context.WithCancel(context.Background())
	err := make(chan error, 1)
	go func() {
		_, e := d.u.Approve(ctx, write)
		err <- e
	}()
	<-d.u.wake
	d.m.Update(arrived{})
	d.arm()
	d.has("[y]")
	cancel()
	if e := <-err; !errors.Is(e, context.Canceled) {
		t.Error(e)
	}
	d.m.Update(arrived{})
	d.hasNot("[y]")
}

// What an error advises is a command of the chat, and not a flag of golem run.
func TestErrorInTheWordsOfAChat(t *testing.T) {
	d := drive(t, 100, 20, false)
	d.events(`{"type":"status","id":"0","worker":"main","depth":0,"text":"E_MODEL: acme had a server error (try again later, or choose another model with --model)","level":"error"}`)
	d.has("or choose another model with /model)")
}

// The screen can be drawn at every size, however small, whatever it shows.
func TestEverySize(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {2, 30}, {10, 3}, {20, 8}, {40, 5}, {200, 60}} {
		for _, q := range []*approval.Request{nil, &write, &trust} {
			d := drive(t, 80, 24, false)
			d.events(start + tree + done)
			if q != nil {
				d.ask(*q)
				d.arm()
			}
			d.screen()
			d.m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			if lines := strings.Split(d.screen(), "\n"); len(lines) > max(size[1], 4) || slices.ContainsFunc(lines, func(l string) bool { return columns.Of(l) > max(size[0], 8) }) {
				t.Errorf("%v:\n%s", size, d.screen())
			}
		}
	}
}
