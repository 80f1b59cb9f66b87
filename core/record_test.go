package core_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golem/core"
	"golem/core/approval"
	"golem/core/fault"
	"golem/core/options"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/trace"
	"golem/core/ui"
)

// opened returns a project with these files on a platform in memory.
func opened(t *testing.T, files map[string]string, more ...toolset.Factory) *core.Instance {
	t.Helper()
	tree := sandbox.Memory()
	for name, data := range files {
		if err := tree.WriteFile(name, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	inst, err := core.Open(core.Platform{
		Name: "native", Version: "test",
		Site:         core.Site{Files: core.Tree{FS: tree}},
		ModelSources: core.ModelSources{ReadScript: func(name string) ([]byte, error) { return sandbox.ReadFile(tree, name, 1<<20) }},
		ToolSources:  core.ToolSources{Toolsets: more},
	}, core.Options{Files: tree, Name: "p", Opening: options.Opening{Model: "script:s.yaml"}})
	if err != nil {
		t.Fatal(err)
	}
	return inst
}

// file is a trace file in memory that can be read while it is written.
type file struct {
	mu   sync.Mutex
	data bytes.Buffer
}

func (f *file) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.data.Write(p)
}

func (f *file) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.data.String()
}

// watcher is a front end that answers after a minute, and then records what the trace contains
// and what the front end was shown.
type watcher struct {
	ui.Script
	trace, lines *file
	shown        file
	held, seen   string // the trace and what was shown, at the time of the answer
}

func (w *watcher) Emit(e trace.Event) {
	if line, err := trace.Encode(e); err == nil {
		w.shown.Write(append(line, '\n'))
	}
}

func (w *watcher) Approve(_ context.Context, r approval.Request) (approval.Decision, error) {
	time.Sleep(time.Minute)
	w.held, w.seen = w.trace.String(), w.shown.String()+w.lines.String()
	return approval.Decision{ID: r.ID, Answer: approval.Yes}, nil
}

// While a person is asked, events are written to the trace file at once, so that closing a page
// loses nothing. The person is shown them after the answer (S4-45).
func TestTraceGoesOnWhileAPersonIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inst := opened(t, map[string]string{
			"main.worker":           "---\ntoolsets: {filesystem: {}}\nallow_workers: [helper, asker]\n---\nM.\n",
			"workers/helper.worker": "---\ndescription: Helps.\n---\nH.\n",
			"workers/asker.worker":  "---\ndescription: Asks.\ntoolsets: {filesystem: {}}\n---\nA.\n",
			"s.yaml": `script: 1
workers:
  main:
    - calls: [{tool: helper, args: {input: x}}, {tool: asker, args: {input: x}}]
    - say: done
  helper: [{delay: 5s, say: helped}]
  asker: [{delay: 1s, calls: [{tool: write_file, args: {path: /a, content: b}}]}, {say: asked}]
`,
		})
		w := &watcher{trace: &file{}, lines: &file{}}
		res := inst.Run(t.Context(), run.Input{Text: "go"}, w, core.RunOptions{Trace: w.trace, Lines: w.lines})
		if res.Output.Text != "done" {
			t.Fatalf("%+v", res)
		}
		if !strings.Contains(w.held, `"text":"helped"`) {
			t.Errorf("the trace had only\n%s", w.held)
		}
		if !strings.Contains(w.seen, `"type":"ask"`) || strings.Contains(w.seen, "helped") {
			t.Errorf("the person was shown\n%s", w.seen)
		}
		if w.lines.String() != w.trace.String() || !strings.Contains(w.shown.String(), "helped") {
			t.Errorf("afterwards the person was shown\n%s\n%s", w.shown.String(), w.lines.String())
		}
	})
}

// stubborn is a toolset whose Close fails.
type stubborn []tool.Tool

func (s stubborn) Tools() []tool.Tool { return s }

func (stubborn) Close() error { return errors.New("still in use") }

// An error of closing the tools of a run is in the trace before the run's end.
func TestNothingFollowsTheEnd(t *testing.T) {
	bad := toolset.Factory{Name: "bad", Open: func(context.Context, toolset.Env, any) (tool.Toolset, error) {
		spec := tool.Spec{Name: "poke", Description: "Pokes.", Risk: tool.Read, Toolset: "bad", Provider: "builtin"}
		return stubborn{tool.Func(spec, func(context.Context, struct{}) (tool.Output, error) { return tool.Text("poked"), nil })}, nil
	}}
	inst := opened(t, map[string]string{"main.worker": "---\ntoolsets: {bad: {}}\n---\nM.\n", "s.yaml": "script: 1\nworkers: {main: [{say: done}]}\n"}, bad)
	for name, do := range map[string]func(core.RunOptions) run.Result{
		"run": func(ro core.RunOptions) run.Result {
			return inst.Run(t.Context(), run.Input{Text: "x"}, &ui.Script{}, ro)
		},
		"call": func(ro core.RunOptions) run.Result {
			return inst.Call(t.Context(), "poke", run.Input{}, &ui.Script{}, ro)
		},
		"chat": func(ro core.RunOptions) run.Result {
			return inst.Chat(t.Context(), &run.Input{Text: "x"}, &ui.Script{}, ro)
		},
	} {
		var file bytes.Buffer
		do(core.RunOptions{Trace: &file})
		_, events, err := trace.Read(&file, nil)
		if err != nil || len(events) == 0 {
			t.Fatal(name, err)
		}
		if end, ok := events[len(events)-1].Body.(trace.RunEnd); !ok || end.Status != "ok" || !strings.Contains(file.String()+trace.NormalText(trace.Header{}, events), "still in use") {
			t.Errorf("%s ends with %+v\n%s", name, events[len(events)-1], trace.NormalText(trace.Header{}, events))
		}
	}
}

// Scenario 46: an input that is too large is E_LIMIT before anything starts. In a chat, the
// conversation goes on after such a message.
func TestInputIsBounded(t *testing.T) {
	inst := opened(t, map[string]string{"main.worker": "---\nmode: chat\n---\nM.\n", "s.yaml": "script: 1\nworkers: {main: [{say: one}, {say: two}]}\n"})
	huge := strings.Repeat("x", run.MaxInput+1)
	for _, in := range []run.Input{{Text: huge}, {JSON: []byte(`"` + huge[2:] + `"`)}} {
		var file bytes.Buffer
		res := inst.Run(t.Context(), in, &ui.Script{}, core.RunOptions{Trace: &file})
		if !errors.Is(res.Error, fault.Limit) || res.Exit() != 2 || file.Len() > 0 {
			t.Errorf("%v, exit %d, a trace of %d bytes", res.Error, res.Exit(), file.Len())
		}
	}
	var file bytes.Buffer
	person := &ui.Script{Inputs: []run.Input{{Text: huge}, {Text: "again"}}}
	res := inst.Chat(t.Context(), &run.Input{Text: "hello"}, person, core.RunOptions{Trace: &file})
	if res.Output.Text != "two" || res.Error != nil || !strings.Contains(file.String(), "E_LIMIT") || file.Len() > 100_000 {
		t.Errorf("%+v, a trace of %d bytes", res, file.Len())
	}
}
