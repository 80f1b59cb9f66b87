package plain

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golem/core/approval"
	"golem/core/run"
	"golem/core/tool"
	"golem/core/trace"
	"golem/core/ui"
)

var code = regexp.MustCompile("^\x1b\\[([0-9]*)([DKm])")

// screen returns what a terminal shows for this output, without colours.
func screen(s string) string {
	lines, col := [][]rune{nil}, 0
	for s != "" {
		if m := code.FindStringSubmatch(s); m != nil {
			n, _ := strconv.Atoi(m[1])
			switch last := len(lines) - 1; m[2] {
			case "D":
				col = max(col-n, 0)
			case "K":
				lines[last] = lines[last][:min(col, len(lines[last]))]
			}
			s = s[len(m[0]):]
			continue
		}
		r := []rune(s)[0]
		s = s[len(string(r)):]
		switch last := len(lines) - 1; r {
		case '\n':
			lines, col = append(lines, nil), 0
		case '\r':
			col = 0
		default:
			lines[last] = append(lines[last][:min(col, len(lines[last]))], r)
			col++
		}
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = string(l)
	}
	return strings.Join(out, "\n")
}

// live is a plain front end on a terminal of 120 columns.
type live struct {
	*UI
	view bytes.Buffer
}

func newLive() *live {
	l := &live{UI: &UI{Screen: terminal{120, true}}}
	l.View = &l.view
	return l
}

// shows returns the screen after the given time.
func (l *live) shows(after time.Duration) string {
	time.Sleep(after)
	synctest.Wait()
	return l.now()
}

func (l *live) now() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return screen(l.view.String())
}

func (l *live) finish(t *testing.T) string {
	t.Helper()
	if err := l.Finish(run.Result{Status: run.OK, Output: tool.Output{Text: l.answer.text}}); err != nil {
		t.Error(err)
	}
	return screen(l.view.String())
}

// SPEC §11: the status line moves within 300 ms of every wait: for the root's model, a
// tool, or workers that run in parallel. It shows seconds and tokens, and nothing of it
// stays on the screen.
func TestEveryWaitMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLive()
		l.Start()
		expect := func(after time.Duration, want string) {
			t.Helper()
			got := l.shows(after)
			if last := got[strings.LastIndexByte(got, '\n')+1:]; !strings.HasSuffix(last, want) || want != "" && !strings.Contains(last, " ") {
				t.Errorf("the last line is %q, want %q", last, want)
			}
		}
		expect(300*time.Millisecond, "working 0 s")
		l.Emit(ev("0", "", "main", 0, trace.WorkerStart{Model: "openai:x"}))
		l.Emit(ev("0", "", "main", 0, trace.ModelStart{Turn: 1}))
		expect(300*time.Millisecond, "waiting for openai:x 0 s")
		first := l.shows(0)
		if second := l.shows(300 * time.Millisecond); first == second {
			t.Errorf("nothing moves: %q", second)
		}
		expect(62*time.Second, "waiting for openai:x 1 min 2 s")
		l.Emit(ev("0", "", "main", 0, trace.ModelEnd{Calls: []trace.CallRef{{Name: "draft"}}, Usage: trace.Usage{In: 1250, Out: 30, Cost: 4_200_000_000}}))
		for _, id := range []string{"0.1", "0.2"} {
			args := json.RawMessage(`{"input":"notes of ` + id + `"}`)
			l.Emit(ev(id, "0", "main", 0, trace.ToolStart{Tool: "draft", Kind: "worker", Args: args}))
			l.Emit(ev(id, "0", "draft", 1, trace.WorkerStart{Model: "openai:x"}))
			l.Emit(ev(id, "0", "draft", 1, trace.ModelStart{Turn: 1}))
		}
		expect(2200*time.Millisecond, "draft: notes of 0.1 2 s · draft: notes of 0.2 2 s · 1.2k tokens in, 30 out · $0.0042")
		l.Emit(ev("0.2", "0", "draft", 1, trace.ModelEnd{Usage: trace.Usage{CostPartial: true}}))
		l.Emit(ev("0.2.1", "0.2", "draft", 1, trace.ToolStart{Tool: "read_file", Args: json.RawMessage(`{"path":"/a"}`)}))
		expect(1200*time.Millisecond, `draft: notes of 0.1 3 s · read_file(path: "/a") 1 s · 1.2k tokens in, 30 out · at least $0.0042`)
		for _, id := range []string{"0.1", "0.2"} {
			l.Emit(ev(id, "0", "draft", 1, trace.WorkerEnd{Status: "ok"}))
			l.Emit(ev(id, "0", "main", 0, trace.ToolEnd{Tool: "draft", Status: "ok"}))
		}
		l.Emit(ev("0", "", "main", 0, trace.ModelEnd{Text: "done"}))
		if got := l.finish(t); strings.Contains(got, " s") || !strings.HasSuffix(got, "Golem: done\n") {
			t.Errorf("something of the status line stays:\n%s", got)
		}
	})
}

// S4-54: the status line counts the items that wait for the person.
func TestStatusLineCountsItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLive()
		l.Start()
		ok := true
		for _, b := range []trace.Clearance{{Action: "staged", Item: "7"}, {Action: "staged", Item: "8"}, {Action: "discard", Item: "8", OK: &ok}} {
			l.Emit(ev("0", "", "main", 0, b))
		}
		if got := l.shows(time.Second); !strings.HasSuffix(got, "working 1 s · [!] 1 pending") {
			t.Errorf("%q", got)
		}
		l.finish(t)
	})
}

// When a stream stalls, the status line appears after its text; when it continues, only
// the text is on the screen.
func TestAStalledStreamMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLive()
		l.Start()
		l.Emit(ev("0", "", "main", 0, trace.WorkerStart{Model: "m"}))
		l.Emit(ev("0", "", "main", 0, trace.ModelStart{Turn: 1}))
		l.Emit(ev("0", "", "main", 0, trace.Delta{Text: "one two "}))
		if got := l.shows(time.Second); !strings.HasPrefix(got, "Golem: one two") || !strings.HasSuffix(got, "waiting for m 1 s") {
			t.Errorf("%q", got)
		}
		l.Emit(ev("0", "", "main", 0, trace.Delta{Text: "three"}))
		l.Emit(ev("0", "", "main", 0, trace.ModelEnd{Text: "one two three"}))
		if got := l.finish(t); got != "Golem: one two three\n" {
			t.Errorf("%q", got)
		}
	})
}

// slowPerson answers after 5.1 seconds.
type slowPerson struct{ l *live }

func (s slowPerson) Approve(_ context.Context, r approval.Request) (approval.Decision, error) {
	s.l.view.WriteString("question? ")
	time.Sleep(5100 * time.Millisecond) // between two beats
	s.l.view.WriteString("y\n")
	return approval.Decision{ID: r.ID, Answer: approval.Yes}, nil
}

// While a person is asked, only the question is on the terminal: no status line, and no
// events of other workers. They are shown after the answer.
func TestNothingMovesInAQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLive()
		l.Approver = slowPerson{l}
		l.Start()
		l.Emit(ev("0.1", "0", "main", 0, trace.ToolStart{Tool: "write_file", Args: json.RawMessage(`{"path":"/a"}`)}))
		l.Emit(ev("0.2", "0", "main", 0, trace.ToolStart{Tool: "other", Args: json.RawMessage(`{}`)}))
		l.shows(time.Second)
		go func() {
			time.Sleep(time.Second)
			l.Emit(ev("0.2", "0", "main", 0, trace.ToolEnd{Tool: "other", Status: "ok"}))
		}()
		if _, err := l.Approve(t.Context(), approval.Request{ID: "r", Call: "0.1"}); err != nil {
			t.Fatal(err)
		}
		if got := l.now(); got != "question? y\n✓ other()\n" {
			t.Errorf("%q", got)
		}
		if got := l.shows(300 * time.Millisecond); !strings.HasSuffix(got, `write_file(path: "/a") 6 s`) {
			t.Errorf("%q", got)
		}
		l.finish(t)
	})
}

// There is no status line at the prompt of a chat, and text of another part of the program
// is on a line of its own.
func TestThePromptRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLive()
		l.Input = &queue{"hello"}
		l.Start()
		l.shows(time.Second)
		if in, err := l.Prompt(t.Context()); err != nil || in.Text != "hello" {
			t.Fatal(in, err)
		}
		l.shows(time.Second)
		l.Aside(func() { l.view.WriteString("golem: beside\n") })
		if _, err := l.Prompt(t.Context()); err == nil {
			t.Error("the input has no end")
		}
		if got := l.shows(time.Second); got != "golem: beside\n" {
			t.Errorf("%q", got)
		}
		l.finish(t)
	})
}

// stuck is a writer that blocks until the channel is closed, like a pipe that nobody reads.
type stuck chan struct{}

func (s stuck) Write(p []byte) (int, error) {
	<-s
	return len(p), nil
}

// SPEC §5: Aside writes even while nobody reads the answer.
func TestAsideDoesNotWaitForTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, unread := newLive(), make(stuck)
		l.Answers = unread
		go func() {
			time.Sleep(time.Minute)
			close(unread)
		}()
		said := make(chan time.Duration, 1)
		begin := time.Now()
		go func() {
			time.Sleep(time.Second)
			l.Aside(func() { said <- time.Since(begin) })
		}()
		if err := l.Finish(run.Result{Status: run.OK, Output: tool.Output{Text: "answer"}}); err != nil {
			t.Error(err)
		}
		if after := <-said; after > 2*time.Second {
			t.Errorf("it was said after %v", after)
		}
	})
}

// There is no status line without a terminal, or on a terminal that must not be written to
// now, because golem is a job in the background.
func TestNothingMovesElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, on := range []ui.Screen{nil, terminal{}} {
			l := newLive()
			l.Screen = on
			l.Start()
			l.Emit(ev("0", "", "main", 0, trace.ModelStart{Turn: 1}))
			if got := l.shows(time.Second); got != "" {
				t.Errorf("%q", got)
			}
			l.finish(t)
			var out bytes.Buffer
			s := &Spinner{W: &out, Screen: on}
			s.Wait("reading")
			time.Sleep(time.Second)
			s.Done()
			if out.Len() != 0 {
				t.Errorf("%q", out.String())
			}
		}
	})
}

// The status line of a command that is not a run.
func TestSpinner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		s := &Spinner{W: &out, Screen: terminal{live: true}}
		now := func() string { s.mu.Lock(); defer s.mu.Unlock(); return screen(out.String()) }
		s.Wait("compiling a\x1b[2J.wasm")
		time.Sleep(3300 * time.Millisecond)
		synctest.Wait()
		if got := now(); !strings.HasSuffix(got, "compiling a\\u{1b}[2J.wasm 3 s") {
			t.Errorf("%q", got)
		}
		s.Wait("calling slug")
		time.Sleep(1100 * time.Millisecond)
		synctest.Wait()
		if got := now(); !strings.HasSuffix(got, "calling slug 1 s") || strings.Contains(got, "compiling") {
			t.Errorf("%q", got)
		}
		s.Aside(func() { out.WriteString("beside\n") })
		s.Done()
		if got := now(); got != "beside\n" {
			t.Errorf("%q", got)
		}
		s.Done()
	})
}

// terminal is a screen.
type terminal struct {
	columns int
	live    bool
}

func (t terminal) Size() (columns, lines int) { return t.columns, 24 }
func (t terminal) Live() bool                 { return t.live }
