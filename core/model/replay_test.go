package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"golem/core/fault"
	"golem/core/tool"
)

// writes is a writer that stores every Write separately.
type writes struct {
	lines []string
	err   error
}

func (w *writes) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	w.lines = append(w.lines, string(p))
	return len(p), nil
}

func (w *writes) replay(t *testing.T, c Config) Model {
	t.Helper()
	c.ReadFile = files(map[string]string{"r.jsonl": strings.Join(w.lines, "")})
	return open(t, "replay:r.jsonl", c)
}

const chatty = `
script: 1
workers:
  main:
    - fail: {status: 429, retry_after: 2s}
    - {say: "I look it up", calls: [{tool: read_file, args: {path: /secret}}], usage: {in: 7, out: 2}}
    - {say: "a long answer that comes in several pieces, some of them long", cut: 30}
    - say: "a long answer that comes in several pieces, some of them long"
    - fail: {status: 401}
`

// conversation asks m for one exchange with a tool call, then for an answer that fails.
func conversation(t *testing.T, m Model) (turns []Turn, shown []Delta, waits []time.Duration, last error) {
	t.Helper()
	m = WithRetry(m, RetryPolicy{}, func(r Retry) { waits = append(waits, r.Wait.Truncate(time.Second)) })
	messages := []Message{{Role: System, Text: "Help."}, user("Hi")}
	for turn := 1; turn <= 3; turn++ {
		out, err := m.Generate(context.Background(), Request{Worker: "main", Conversation: "c", ID: "0", Turn: turn, Messages: messages, Tools: []tool.Spec{{Name: "read_file"}}}, func(d Delta) { shown = append(shown, d) })
		if err != nil {
			return turns, shown, waits, err
		}
		turns = append(turns, out)
		messages = append(messages, Message{Role: Assistant, Text: out.Text, Calls: out.Calls})
		for _, c := range out.Calls {
			messages = append(messages, Message{Role: ToolRole, CallID: c.ID, Tool: c.Name, Text: "content"})
		}
	}
	return turns, shown, waits, nil
}

// A replay gives again what was recorded: text, calls, usage, pieces, failures, waits.
func TestReplayOfARecording(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &writes{}
		turns, shown, waits, err := conversation(t, recordingOf(scriptOf(t, chatty), w, nil))
		if err == nil || len(turns) != 2 || turns[0].Attempts != 2 || turns[1].Attempts != 2 {
			t.Fatal(turns, err)
		}
		m := w.replay(t, Config{})
		again, shown2, waits2, err2 := conversation(t, m)
		for i := range again {
			again[i].Model = turns[i].Model
		}
		if d := cmp.Diff(turns, again); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(shown, shown2); d != "" {
			t.Error(d)
		}
		if err2 == nil || err2.Error() != err.Error() || !cmp.Equal(waits, waits2) || waits[0] != 2*time.Second {
			t.Errorf("%v, recorded %v; waits %v %v", err2, err, waits, waits2)
		}
		if m.Name() != "replay:r.jsonl" {
			t.Errorf("its name is %s", m.Name())
		}
	})
}

// SPEC §16: a recording has one line for each Write, and no model name, ids or times in
// the key.
func TestRecordingFormat(t *testing.T) {
	w := &writes{}
	rec := NewRecorder(w, "v1.2", nil)
	m := rec.Wrap(scriptOf(t, "script: 1\nworkers: {main: [{say: hi, calls: [{tool: t, args: {a: 1}}], usage: {in: 1, out: 2}}, {fail: {status: 503, retry_after: 1500ms}}]}"))
	r := Request{Worker: "main", Conversation: "c", ID: "0.2", Turn: 1, Messages: []Message{user("x")}}
	for range 2 {
		_, err := m.Generate(context.Background(), r, nil)
		_ = err // the second one fails: that is recorded, too
	}
	if len(w.lines) != 3 {
		t.Fatal(w.lines)
	}
	if w.lines[0] != `{"golem":"recording","v":1,"model":"script:s.yaml","version":"v1.2"}`+"\n" {
		t.Error(w.lines[0])
	}
	key := sum([]byte(`{"messages":[{"role":"user","text":"x"}],"output_schema":null,"tools":[]}`))
	want := `{"key":"` + key + `","id":"0.2","turn":1,"worker":"main","answer":{"text":"hi","calls":[{"id":"call00001","name":"t","args":"{\"a\":1}"}],"finish":"tool_calls","usage":{"in":1,"out":2}},"deltas":["hi"],"asked":["` + sum([]byte(`{"role":"user","text":"x"}`))[:16] + `"]}` + "\n"
	if d := cmp.Diff(want, w.lines[1]); d != "" {
		t.Error(d)
	}
	want = `{"key":"` + key + `","id":"0.2","turn":1,"worker":"main","failure":{"status":503,"retry_after_ms":1500,"message":"the script fails here (503 service unavailable)"},"same":1}` + "\n"
	if d := cmp.Diff(want, w.lines[2]); d != "" {
		t.Error(d)
	}
}

func TestKeyIgnoresIDs(t *testing.T) {
	a := request()
	b := request()
	b.Worker, b.ID, b.Turn, b.Conversation = "w", "0.7", 9, "d"
	b.Messages[2].Calls = []Call{{ID: "other", Name: "read_file", Args: `{"path":"/x"}`}}
	b.Messages[2].Kept = &Kept{Provider: "deepseek"}
	b.Messages[3].CallID = "other"
	qa, err := digest(a, nil, false)
	qb, err2 := digest(b, nil, false)
	if err != nil || err2 != nil || qa.key != qb.key {
		t.Fatal(err, err2)
	}
	for name, change := range map[string]func(*Request){
		"text":   func(r *Request) { r.Messages[1].Text = "Hey" },
		"role":   func(r *Request) { r.Messages[1].Role = System },
		"args":   func(r *Request) { r.Messages[2].Calls[0].Args = "{}" },
		"error":  func(r *Request) { r.Messages[3].Error = fault.NotFound },
		"part":   func(r *Request) { r.Messages[1].Parts = []Part{{Kind: "image", Data: []byte{1}}} },
		"tools":  func(r *Request) { r.Tools = []tool.Spec{{Name: "t"}} },
		"schema": func(r *Request) { r.OutputSchema = json.RawMessage(`{}`) },
	} {
		c := request()
		change(&c)
		if qc, err := digest(c, nil, false); err != nil || qc.key == qa.key {
			t.Errorf("%s does not change the key: %v", name, err)
		}
	}
}

// Attempts with the same key are replayed in recorded order, those with the same call
// id first.
func TestReplayOrder(t *testing.T) {
	w := &writes{}
	rec := NewRecorder(w, "", nil)
	m := rec.Wrap(scriptOf(t, "script: 1\nworkers: {main: [{say: one}, {say: two}, {say: three}]}"))
	ask := func(m Model, id string) string {
		out, err := m.Generate(context.Background(), Request{Worker: "main", Conversation: "c", ID: id, Turn: 1, Messages: []Message{user("x")}}, nil)
		if err != nil {
			return err.Error()
		}
		return out.Text
	}
	for _, id := range []string{"0.1", "0.2", "0.1"} {
		ask(m, id)
	}
	r := w.replay(t, Config{})
	if got := []string{ask(r, "0.2"), ask(r, "0.9"), ask(r, "0.1")}; !cmp.Equal(got, []string{"two", "one", "three"}) {
		t.Error(got)
	}
	if got := ask(r, "0.1"); !strings.Contains(got, "E_REPLAY") || !strings.Contains(got, "recorded 3 times, and the run makes it once more") {
		t.Error(got)
	}
}

func TestReplayMissNamesTheFirstDifference(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &writes{}
		if _, _, _, err := conversation(t, recordingOf(scriptOf(t, chatty), w, nil)); err == nil {
			t.Fatal("no failure")
		}
		base := func() Request {
			return Request{Worker: "main", ID: "0", Turn: 2, Tools: []tool.Spec{{Name: "read_file"}}, Messages: []Message{
				{Role: System, Text: "Help."}, user("Hi"),
				{Role: Assistant, Text: "I look it up", Calls: []Call{{Name: "read_file", Args: `{"path":"/secret"}`}}},
				result("read_file", "content", ""),
			}}
		}
		for want, change := range map[string]func(*Request){
			`message 2 (user) differs from the recording: "Hello"`:             func(r *Request) { r.Messages[1].Text = "Hello" },
			`message 4 (result of read_file) differs from the recording: "re `: func(r *Request) { r.Messages[3].Text = "re  co\nn" },
			`message 1 (system) differs`:                                       func(r *Request) { r.Messages[0].Text = strings.Repeat("x", 500) },
			`the tools or the output schema differ`:                            func(r *Request) { r.Tools = nil },
			`has more messages after message 3`:                                func(r *Request) { r.Messages = r.Messages[:3] },
		} {
			r := base()
			change(&r)
			_, err := w.replay(t, Config{}).Generate(context.Background(), r, nil)
			fails(t, err, fault.Replay, "replay:r.jsonl has no answer for worker main, turn 2", want)
			if f := failureOf(err); f != nil {
				t.Error("a miss would be retried")
			}
		}
		if _, err := w.replay(t, Config{}).Generate(context.Background(), base(), nil); failureOf(err) == nil {
			t.Error("the base itself misses:", err)
		}
	})
}

// SECURITY 16: a recording contains no secret, and a replay still finds the answers.
func TestRecordingIsRedacted(t *testing.T) {
	redact := replacing{"s3cret"}
	w := &writes{}
	m := recordingOf(scriptOf(t, `
script: 1
workers:
  main:
    - {say: "a rather long text that holds s3cret across its pieces, s3cret", calls: [{tool: t, args: {k: s3cret}}]}
    - {say: "s3cret and more than that", cut: 10}
`), w, redact)
	r := Request{Worker: "main", Turn: 1, Messages: []Message{user("my s3cret")}, OutputSchema: json.RawMessage(`{"const":"s3cret"}`), Tools: []tool.Spec{{Name: "t", Description: "s3cret"}}}
	for range 2 {
		_, err := m.Generate(context.Background(), r, nil)
		_ = err // the second one fails: that is recorded, too
	}
	if all := strings.Join(w.lines, ""); strings.Contains(all, "s3cret") || len(w.lines) != 3 {
		t.Fatal(all)
	}
	out, err := w.replay(t, Config{Redact: redact}).Generate(context.Background(), r, nil)
	if err != nil || !strings.Contains(out.Text, "[redacted]") || out.Calls[0].Args != `{"k":"[redacted]"}` {
		t.Fatal(out, err)
	}
}

func TestRecordingThatCannotBeWritten(t *testing.T) {
	w := &writes{err: &fs.PathError{Op: "write", Path: "/home/me/r.jsonl", Err: errors.New("no space left on device")}}
	m := recordingOf(scriptOf(t, "script: 1\nworkers: {main: [{say: one}, {say: two}]}"), w, nil)
	_, err := m.Generate(context.Background(), Request{Worker: "main"}, nil)
	fails(t, err, fault.Replay, "no space left")
	if strings.Contains(err.Error(), "/home") {
		t.Error("a host path shows")
	}
	w.err = nil
	_, err = m.Generate(context.Background(), Request{Worker: "main"}, nil)
	fails(t, err, fault.Replay)
	if len(w.lines) != 0 {
		t.Error("a recording with a hole goes on")
	}
}

// An interruption is not recorded, because it is not an answer; a timeout is.
func TestRecordingOfTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &writes{}
		m := recordingOf(scriptOf(t, "script: 1\nworkers: {main: [{hang: true}, {hang: true}]}"), w, nil)
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Second, cancel)
		r := Request{Worker: "main", Messages: []Message{user("x")}}
		if _, err := m.Generate(ctx, r, nil); !errors.Is(err, fault.Interrupted) || len(w.lines) != 0 {
			t.Fatal(err, w.lines)
		}
		ctx, cancel = context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, err := m.Generate(ctx, r, nil); !errors.Is(err, fault.Timeout) {
			t.Fatal(err)
		}
		_, err := WithRetry(w.replay(t, Config{}), RetryPolicy{}, nil).Generate(context.Background(), r, nil)
		fails(t, err, fault.Timeout)
	})
}

func TestRecordingsThatAreNone(t *testing.T) {
	head := `{"golem":"recording","v":1}` + "\n"
	good := `{"key":"k","id":"0","turn":1,"answer":{"text":"x","finish":"stop","usage":{}},"new":"field"}` + "\n"
	for data, part := range map[string]string{
		"":                                   "r.jsonl:1:1: E_REPLAY: this file is not a recording",
		"{}\n":                               "not a recording",
		`{"golem":"trace","v":1}` + "\n":     "not a recording",
		`{"golem":"recording","v":2}` + "\n": "version 2",
		head + "nope\n" + good:               "r.jsonl:2: E_REPLAY",
		head + good + `{"id":"0"}` + "\n":    "r.jsonl:3: E_REPLAY",
		head + `{"key":"k","answer":{"text":"x"}}` + "\n": "must have a key and exactly one complete answer",
	} {
		_, err := Open("replay:r.jsonl", Config{ReadFile: files(map[string]string{"r.jsonl": data})})
		fails(t, err, fault.Replay, part)
	}
	for _, data := range []string{head, head + good, head + "\n" + good + good[:len(good)/2]} {
		if _, err := Open("replay:r.jsonl", Config{ReadFile: files(map[string]string{"r.jsonl": data})}); err != nil {
			t.Errorf("%q: %v", data, err)
		}
	}
}

// Many models can write to one recording at the same time: it has one header and whole lines.
func TestRecordingIsConcurrent(t *testing.T) {
	var buf bytes.Buffer
	rec := NewRecorder(&buf, "", nil)
	var wg sync.WaitGroup
	for range 8 {
		m := rec.Wrap(scriptOf(t, "script: 1\nworkers: {main: [{when: {}, say: hi}]}"))
		wg.Go(func() {
			for range 20 {
				if _, err := m.Generate(context.Background(), Request{Worker: "main"}, nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	all, err := parseRecording("r", buf.Bytes())
	if err != nil || len(all) != 160 || bytes.Count(buf.Bytes(), []byte(`"golem"`)) != 1 {
		t.Fatal(err, len(all))
	}
}

// The size of the digests is proportional to the number of messages, not to its square.
func TestRecordingIsLinear(t *testing.T) {
	w := &writes{}
	m := recordingOf(scriptOf(t, "script: 1\nworkers: {main: [{when: {}, say: hi}]}"), w, nil)
	messages := []Message{}
	for i := range 200 {
		messages = append(messages, user(strings.Repeat("x", i)))
		if _, err := m.Generate(context.Background(), Request{Worker: "main", ID: "0", Messages: messages}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if first, last := len(w.lines[2]), len(w.lines[200]); last > first+100 {
		t.Fatalf("lines grow from %d to %d bytes", first, last)
	}
	all, err := parseRecording("r", []byte(strings.Join(w.lines, "")))
	if err != nil || len(all[199].messages) != 200 || len(all[0].messages) != 1 {
		t.Fatal(err)
	}
	q, err := digest(Request{Messages: messages}, nil, false)
	if err != nil || !cmp.Equal(q.messages, all[199].messages) || !cmp.Equal(q.messages[:100], all[99].messages) {
		t.Fatal("digests are put together wrongly")
	}
}

// replacing is a Redactor of one secret.
type replacing struct{ secret string }

func (r replacing) Redact(text string) string {
	return strings.ReplaceAll(text, r.secret, "[redacted]")
}
