package core_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golem/core"
	"golem/core/approval"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/options"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/trace"
	"golem/core/worktest"
)

// lentModel answers requests of chat completions: a call of a tool for a task that says so,
// else the number of words of the last message.
type lentModel struct{ requests atomic.Int64 }

func (m *lentModel) Do(r *http.Request) (*http.Response, error) {
	m.requests.Add(1)
	var body struct {
		Messages []struct {
			Role    string
			Content any
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return nil, err
	}
	last := body.Messages[len(body.Messages)-1]
	text, _ := last.Content.(string)
	message := map[string]any{"role": "assistant", "content": "words: " + strings.Join(strings.Fields(text), "+")}
	finish := "stop"
	if name, args, ok := strings.Cut(strings.TrimPrefix(text, "call "), " "); ok && last.Role == "user" && strings.HasPrefix(text, "call ") {
		message = map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{"id": "c1", "type": "function", "function": map[string]any{"name": name, "arguments": args}}}}
		finish = "tool_calls"
	}
	data, err := json.Marshal(map[string]any{
		"id": "1", "object": "chat.completion", "model": "m",
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
		"usage":   map[string]int{"prompt_tokens": 10, "completion_tokens": 5},
	})
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(string(data)))}, err
}

func modelsOf(name string, m model.HTTPDoer) map[string]model.HTTPDoer {
	return map[string]model.HTTPDoer{name: m}
}

// liveProject opens a project for real models.
type liveProject struct {
	p core.Platform
	o core.Options
}

func (l liveProject) OpenLive(model string) (*core.Instance, error) {
	o := l.o
	o.Opening = options.Opening{Model: model, Sandbox: options.Memory}
	return core.Open(l.p, o)
}

// agreeing is a person who says yes to everything, and counts the questions.
type agreeing struct{ asked []string }

func (y *agreeing) Emit(trace.Event) {}

func (y *agreeing) Prompt(context.Context) (run.Input, error) { return run.Input{}, io.EOF }

func (y *agreeing) Approve(_ context.Context, r approval.Request) (approval.Decision, error) {
	y.asked = append(y.asked, r.Tool+r.Title)
	return approval.Decision{ID: r.ID, Answer: approval.Yes}, nil
}

const recordedTests = `
test: 1
model: page:m
cases:
  - name: counts
    input: one two
    expect: {output: {equals: "words: one+two"}, limits: {tokens: 15}}
  - name: Writes a File!
    input: 'call write_file {"path":"/out/a.txt","content":"new"}'
    answers: [{tool: write_file, decide: yes}]
    expect: {files: {out/a.txt: {equals: new}}}
`

func TestRecordingsAreMadeAndFit(t *testing.T) {
	lent := &lentModel{}
	p, o, tree := testProject(t, map[string]string{"main.worker": scribe, "tests/a.yaml": recordedTests})
	p.Models = modelsOf("page:m", lent)
	run := func(how core.TestRun) []worktest.Verdict {
		t.Helper()
		tests := testsOf(t, p, o)
		verdicts, err := tests.Run(t.Context(), how)
		if err != nil {
			t.Fatal(err)
		}
		return verdicts
	}
	for _, v := range run(core.TestRun{}) {
		if v.Status != worktest.Stale || !strings.Contains(v.Fault.Error(), "golem test --record --filter '^tests/a") {
			t.Errorf("without a recording: %+v", v)
		}
	}
	person := &agreeing{}
	how := core.TestRun{Record: true, Live: liveProject{p, o}, Person: person}
	for _, v := range run(how) {
		if v.Status != worktest.Passed || v.Recorded == "" {
			t.Errorf("recording: %+v %v", v, v.Fault)
		}
	}
	if len(person.asked) > 0 {
		t.Errorf("the person was asked %v although the case has the answer", person.asked)
	}
	if _, err := sandbox.ReadFile(tree, "out/a.txt", 100); err == nil {
		t.Error("recording a case wrote into the project")
	}
	name := worktest.RecordingOf("tests/a.yaml", "Writes a File!", "", 0, false)
	if data, err := sandbox.ReadFile(tree, name, 1<<20); err != nil || !strings.Contains(string(data), `"keys":"names"`) {
		t.Errorf("%s: %s %v", name, data, err)
	}
	asked := lent.requests.Load()
	for _, v := range run(core.TestRun{}) {
		if v.Status != worktest.Passed || v.Usage.In == 0 {
			t.Errorf("on the recording: %+v %v", v, v.Fault)
		}
	}
	if lent.requests.Load() != asked {
		t.Error("a test on a recording asked the model")
	}
	if err := tree.WriteFile("main.worker", []byte(strings.Replace(scribe, "Write", "Do", 1))); err != nil {
		t.Fatal(err)
	}
	for _, v := range run(core.TestRun{}) {
		if v.Status != worktest.Stale || !strings.Contains(v.Fault.Message, "message 1 (system) differs") {
			t.Errorf("with another prompt: %+v %v", v, v.Fault)
		}
	}
	if worktest.Exit(run(core.TestRun{})) != 2 {
		t.Error("stale cases must end with 2")
	}
}

// TestRecordingsOfTestsHaveNoSecret records a case whose answer and whose call contain a key of
// the person: no file of the recording has it (SECURITY 16).
func TestRecordingsOfTestsHaveNoSecret(t *testing.T) {
	const key = "sk-live-0123456789abcdef"
	p, o, tree := testProject(t, map[string]string{"main.worker": scribe, "notes.txt": "the key is " + key + "\n", "tests/a.yaml": `
test: 1
model: page:m
cases:
  - {name: says it, input_file: notes.txt, expect: {output: {contains: words}}}
  - name: writes it
    input: 'call write_file {"path":"/out/a.txt","content":"` + key + `"}'
    answers: [{tool: write_file, decide: yes}]
    expect: {status: ok}
`})
	p.Models, p.Env = modelsOf("page:m", &lentModel{}), map[string]string{"OPENAI_API_KEY": key}
	tests := testsOf(t, p, o)
	verdicts, err := tests.Run(t.Context(), core.TestRun{Record: true, Live: liveProject{p, o}, Person: &agreeing{}})
	if err != nil || len(verdicts) != 2 {
		t.Fatal(verdicts, err)
	}
	for _, v := range verdicts {
		data, err := sandbox.ReadFile(tree, v.Recorded, 1<<20)
		if err != nil || strings.Contains(string(data), key) || !strings.Contains(string(data), "[redacted]") {
			t.Errorf("%s: %v\n%s", v.Recorded, err, data)
		}
	}
}

func TestSamplesSideBySide(t *testing.T) {
	lent := &lentModel{}
	p, o, _ := testProject(t, map[string]string{"main.worker": scribe, "tests/a.yaml": `
test: 1
model: [page:m, page:n]
samples: 3
pass_rate: 0.5
cases: [{name: counts, input: one, expect: {output: {contains: words}}}]
`})
	p.Models = modelsOf("page:m", lent)
	p.Models["page:n"] = lent
	tests := testsOf(t, p, o)
	for _, how := range []core.TestRun{{Models: []string{worktest.FilesModels}, Live: liveProject{p, o}}, {Record: true, Live: liveProject{p, o}}, {}} {
		verdicts, err := tests.Run(t.Context(), how)
		if err != nil {
			t.Fatal(err)
		}
		groups := worktest.Models(verdicts)
		if len(verdicts) != 6 || len(groups) != 2 || groups[0].Passed != 3 || groups[1].Runs != 3 || groups[0].Low < 0.4 || groups[0].Low > 0.5 || groups[0].High != 1 {
			t.Errorf("%+v", groups)
		}
		if groups := worktest.Groups(verdicts); len(groups) != 2 || groups[0].Status != worktest.Passed {
			t.Errorf("%+v", groups)
		}
	}
	if lent.requests.Load() != 12 {
		t.Errorf("%d requests, want 12", lent.requests.Load())
	}
}

func TestJudges(t *testing.T) {
	files := map[string]string{
		"main.worker": scribe, "workers/judge.worker": "---\n---\nGive a score.\n", "workers/armed.worker": "---\ntoolsets: {filesystem: {}}\n---\nGive a score.\n",
		"tests/a.yaml": `
test: 1
model: page:m
cases:
  - {name: judged, input: good, expect: {output: {judge: {worker: judge, at_least: 0.5}}}}
  - {name: armed, input: good, expect: {output: {judge: {worker: armed, at_least: 0.5}}}}
`}
	p, o, _ := testProject(t, files)
	p.Models = modelsOf("page:m", judging{})
	tests := testsOf(t, p, o)
	for _, how := range []core.TestRun{{Record: true, Live: liveProject{p, o}}, {}} {
		verdicts, err := tests.Run(t.Context(), how)
		if err != nil {
			t.Fatal(err)
		}
		if v := verdicts[0]; v.Status != worktest.Failed || v.Score == nil || *v.Score != 0.25 || v.Misses[0].Got != "0.25: dull" {
			t.Errorf("judged: %+v %v", v, v.Fault)
		}
		if v := verdicts[1]; v.Status != worktest.NotJudged || !strings.Contains(v.Fault.Message, "has tools") {
			t.Errorf("armed: %+v %v", v, v.Fault)
		}
	}
}

// judging is a model whose answer is a score.
type judging struct{}

func (judging) Do(*http.Request) (*http.Response, error) {
	body := `{"choices":[{"index":0,"message":{"role":"assistant","content":"{\"score\": 0.25, \"reason\": \"dull\"}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// babbling is a model that answers a judge's request about "odd" with no score.
type babbling struct{}

func (babbling) Do(r *http.Request) (*http.Response, error) {
	asked, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(string(asked), "odd") {
		return judging{}.Do(r)
	}
	body := `{"choices":[{"index":0,"message":{"role":"assistant","content":"As a judge I like it: 9/10"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// A judge that answers nonsense makes its own case not judged, with a code, the answer and what
// to do; the cases after it are judged, and golem test ends with exit code 2.
func TestJudgeThatAnswersNonsense(t *testing.T) {
	files := map[string]string{
		"main.worker": scribe, "workers/judge.worker": "---\n---\nGive a score.\n",
		"tests/a.yaml": `
test: 1
model: page:m
cases:
  - {name: before, input: good, expect: {output: {judge: {worker: judge, at_least: 0.1}}}}
  - {name: nonsense, input: odd, expect: {output: {judge: {worker: judge, at_least: 0.1}}}}
  - {name: after, input: good, expect: {output: {judge: {worker: judge, at_least: 0.1}}}}
`}
	p, o, _ := testProject(t, files)
	p.Models = modelsOf("page:m", babbling{})
	tests := testsOf(t, p, o)
	for _, how := range []core.TestRun{{Record: true, Live: liveProject{p, o}}, {}} {
		verdicts, err := tests.Run(t.Context(), how)
		if err != nil || len(verdicts) != 3 {
			t.Fatal(verdicts, err)
		}
		for _, i := range []int{0, 2} {
			if v := verdicts[i]; v.Status != worktest.Passed || v.Score == nil {
				t.Errorf("%s: %+v %v", v.Case, v, v.Fault)
			}
		}
		v := verdicts[1]
		if v.Status != worktest.NotJudged || v.Score != nil || v.Fault == nil || v.Fault.Code != fault.OutputSchema ||
			!strings.Contains(v.Fault.Message, "9/10") || v.Fault.Hint == "" {
			t.Errorf("nonsense: %+v %v", v, v.Fault)
		}
		if got := worktest.Exit(verdicts); got != 2 {
			t.Errorf("the exit code is %d", got)
		}
	}
}

// BenchmarkThousandCases runs 1,000 cases on recordings (bench/README.md).
func BenchmarkThousandCases(b *testing.B) {
	var text strings.Builder
	text.WriteString("test: 1\nmodel: page:m\ncases:\n")
	for n := range 1000 {
		fmt.Fprintf(&text, "  - {name: case %d, input: question %[1]d, expect: {output: {contains: question}}}\n", n)
	}
	tree := sandbox.Memory()
	for name, data := range map[string]string{"main.worker": scribe, "tests/a.yaml": text.String()} {
		if err := tree.WriteFile(name, []byte(data)); err != nil {
			b.Fatal(err)
		}
	}
	p := core.Platform{Name: "native", Version: "test", Site: core.Site{TrustKey: "/project", Files: core.Tree{FS: tree}}}
	p.Models = modelsOf("page:m", &lentModel{})
	o := core.Options{Files: tree, Name: "project"}
	run := func(how core.TestRun) {
		tests := testsOf(b, p, o)
		verdicts, err := tests.Run(b.Context(), how)
		if err != nil || worktest.Exit(verdicts) != 0 || len(verdicts) != 1000 {
			b.Fatal(err, len(verdicts))
		}
	}
	run(core.TestRun{Record: true, Parallel: 1, Live: liveProject{p, o}})
	for b.Loop() {
		run(core.TestRun{})
	}
}

// slowModel answers after five milliseconds.
type slowModel struct{ lentModel }

// Do waits, then answers.
func (m *slowModel) Do(r *http.Request) (*http.Response, error) {
	time.Sleep(5 * time.Millisecond)
	return m.lentModel.Do(r)
}

// What a test on a recording shows of a worker has the time that its requests took when they were
// recorded, so that golem harden can show the time before.
func TestExamplesHaveTheTimeOfTheirRecording(t *testing.T) {
	p, o, tree := testProject(t, map[string]string{"main.worker": scribe, "tests/a.yaml": `
test: 1
model: page:m
cases:
  - {name: counts, input: one two, expect: {status: ok}}
`})
	p.Models = modelsOf("page:m", &slowModel{})
	if _, err := testsOf(t, p, o).Run(t.Context(), core.TestRun{Record: true, Live: liveProject{p, o}, Person: &agreeing{}}); err != nil {
		t.Fatal(err)
	}
	data, err := sandbox.ReadFile(tree, worktest.RecordingOf("tests/a.yaml", "counts", "", 0, false), 1<<20)
	if err != nil || !strings.Contains(string(data), `"ms":`) {
		t.Errorf("%s %v", data, err)
	}
	examples, left, err := testsOf(t, p, o).Examples(t.Context(), "main")
	if err != nil || len(examples) != 1 || examples[0].MS < 5 {
		t.Errorf("%+v %+v %v", examples, left, err)
	}
}
