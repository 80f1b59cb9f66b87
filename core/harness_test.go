package core_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
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

// lab returns a toolset of a Go program that embeds the core (S0-18..20), with tools that
// misbehave.
func lab(ran *atomic.Int32) toolset.Factory {
	type none struct{}
	type seconds struct {
		Seconds int `json:"seconds"`
	}
	type call struct {
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	}
	spec := func(name string, risk tool.Risk) tool.Spec {
		return tool.Spec{Name: name, Description: name, Risk: risk, Toolset: "lab", Provider: "builtin"}
	}
	manual := spec("man", tool.Read)
	manual.Exec = tool.ExecManual
	typed := spec("typed", tool.Read)
	typed.Output = json.RawMessage(`{"type":"integer"}`)
	return toolset.Factory{Name: "lab", Open: func(_ context.Context, env toolset.Env, _ any) (tool.Toolset, error) {
		return toolset.Tools{
			&unready{tool.Func(spec("unready", tool.Read), func(context.Context, none) (tool.Output, error) { return tool.Text("made"), nil })},
			tool.FuncWithCall(spec("outer", tool.Write), func(ctx context.Context, c tool.Call, in call) (tool.Output, error) { // (S3-15)
				return env.Call(ctx, c, in.Name, in.Args)
			}),
			tool.Func(spec("outside", tool.Read), func(ctx context.Context, in call) (tool.Output, error) {
				return env.Call(ctx, tool.Call{}, in.Name, in.Args)
			}),
			tool.Func(spec("inner", tool.Write), func(context.Context, none) (tool.Output, error) { ran.Add(1); return tool.Text("inner ran"), nil }),
			tool.Func(manual, func(context.Context, none) (tool.Output, error) { ran.Add(1); return tool.Text("by hand"), nil }),
			tool.Func(typed, func(context.Context, none) (tool.Output, error) { return tool.Text("fifty"), nil }),
			tool.Func(spec("panics", tool.Read), func(context.Context, none) (tool.Output, error) { panic("boom") }),
			tool.Func(spec("nothing", tool.Read), func(context.Context, none) (tool.Output, error) { return tool.Output{}, nil }),
			tool.Func(spec("net", tool.Network), func(context.Context, none) (tool.Output, error) { ran.Add(1); return tool.Text("fetched"), nil }),
			tool.Func(spec("deaf", tool.Write), func(_ context.Context, in seconds) (tool.Output, error) {
				time.Sleep(time.Duration(in.Seconds) * time.Second)
				return tool.Text("at last"), nil
			}),
			&straggler{tool.Func(spec("straggler", tool.Read), func(context.Context, none) (tool.Output, error) { return tool.Output{}, nil }), ran},
			tool.Func(spec("slow", tool.Read), func(ctx context.Context, _ none) (tool.Output, error) {
				<-ctx.Done()
				return tool.Output{}, ctx.Err()
			}),
		}, nil
	}}
}

// unready is a tool whose Prepare takes three minutes.
type unready struct{ tool.Tool }

func (u *unready) Prepare(ctx context.Context) error {
	select {
	case <-time.After(3 * time.Minute):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// straggler is a tool that leaves a goroutine running, which calls back after the call has
// ended.
type straggler struct {
	tool.Tool
	ran *atomic.Int32
}

func (s *straggler) Call(_ context.Context, in tool.Call) (tool.Output, error) {
	go func() {
		time.Sleep(time.Second)
		if _, err := in.Host.Call(context.Background(), "nothing", json.RawMessage("{}")); err == nil {
			s.ran.Add(1)
		}
	}()
	return tool.Text("done"), nil
}

// play runs a project with the toolset lab and returns the result and the trace.
func play(t *testing.T, ctx context.Context, files map[string]string, o core.Options, u ui.UI, ran *atomic.Int32, do func(*core.Instance, core.RunOptions) run.Result) (run.Result, []trace.Event) {
	t.Helper()
	return playWith(t, ctx, files, o, u, lab(ran), do)
}

// playWith is like play with another toolset.
func playWith(t *testing.T, ctx context.Context, files map[string]string, o core.Options, u ui.UI, set toolset.Factory, do func(*core.Instance, core.RunOptions) run.Result) (run.Result, []trace.Event) {
	t.Helper()
	tree := sandbox.Memory()
	for name, data := range files {
		if err := tree.WriteFile(name, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	o.Files, o.Name, o.Model = tree, "lab", "script:s.yaml"
	inst, err := core.Open(core.Platform{
		Name: "native", Version: "test", Env: map[string]string{"OPENAI_API_KEY": "sk-secret-0123456789", "acme_token": "tok-secret-0123456789"},
		Site:         core.Site{Files: core.Tree{FS: tree}},
		ModelSources: core.ModelSources{ReadScript: func(name string) ([]byte, error) { return sandbox.ReadFile(tree, name, 1<<20) }},
		ToolSources:  core.ToolSources{Toolsets: []toolset.Factory{set}},
	}, o)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if do == nil {
		do = func(i *core.Instance, ro core.RunOptions) run.Result { return i.Run(ctx, run.Input{Text: "go"}, u, ro) }
	}
	res := do(inst, core.RunOptions{Trace: &file})
	_, events, err := trace.Read(&file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return res, events
}

func project(steps ...string) map[string]string {
	return map[string]string{
		"main.worker":           "---\ntoolsets: {lab: {}}\nallow_workers: [helper]\nlimits: {tool_timeout: 2s}\n---\nM.\n",
		"workers/helper.worker": "---\ndescription: Helps.\n---\nH.\n",
		"workers/other.worker":  "---\ndescription: Other.\n---\nO.\n",
		"s.yaml":                "script: 1\nworkers:\n  main:\n    - " + strings.Join(steps, "\n    - ") + "\n  helper:\n    - say: helped\n",
	}
}

// ends returns the tool.end events as "id tool status code".
func ends(events []trace.Event) string {
	var out []string
	for _, e := range events {
		if b, ok := e.Body.(trace.ToolEnd); ok {
			s := fmt.Sprint(e.ID, " ", b.Tool, " ", b.Status)
			if b.Error != nil {
				s += " " + string(b.Error.Code)
			}
			out = append(out, s)
		}
	}
	return strings.Join(out, "\n")
}

// Scenario 16: a tool calls a tool and a worker through the same gate. Their ids are below its
// own, and a tool that runs alone does not block a call that it makes itself.
func TestCallbacks(t *testing.T) {
	for _, c := range []struct{ name, args, want string }{
		{"inner", `{}`, "0.1.1 inner ok\n0.1 outer ok"},
		{"helper", `{"input":"x"}`, "0.1.1 helper ok\n0.1 outer ok"},
		{"other", `{"input":"x"}`, "0.1.1 other error E_UNKNOWN_TOOL\n0.1 outer error E_UNKNOWN_TOOL"},
		{"man", `{}`, "0.1.1 man denied E_DENIED\n0.1 outer denied E_DENIED"},
		{"inner", `{"x":1}`, "0.1.1 inner error E_TOOL_INPUT\n0.1 outer error E_TOOL_INPUT"},
	} {
		files := project(`calls: [{tool: outer, args: {name: `+c.name+`, args: `+c.args+`}}]`, "say: done")
		res, events := play(t, t.Context(), files, core.Options{Opening: options.Opening{Approval: "approve_all"}}, &ui.Script{}, new(atomic.Int32), nil)
		if res.Output.Text != "done" || ends(events) != c.want {
			t.Errorf("%s: %q, %v\n%s\nwant\n%s", c.name, res.Output.Text, res.Error, ends(events), c.want)
		}
		for _, e := range events {
			if b, ok := e.Body.(trace.WorkerStart); ok && e.ID == "0.1.1" && (e.Depth != 1 || e.Parent != "0" && e.Parent != "0.1") {
				t.Errorf("the worker a tool called starts at depth %d below %s: %+v", e.Depth, e.Parent, b)
			}
		}
	}
	files := project(`calls: [{tool: outside, args: {name: inner, args: {}}}]`, "say: done")
	var ran atomic.Int32
	_, events := play(t, t.Context(), files, core.Options{Opening: options.Opening{Approval: "approve_all"}}, &ui.Script{}, &ran, nil)
	if ends(events) != "0.1 outside error E_TOOL" || ran.Load() != 0 {
		t.Errorf("a call outside the call of a tool: ran %d times\n%s", ran.Load(), ends(events))
	}
}

// Scenario 17: a manual tool is not offered to models, refuses calls of a model, and runs for
// a person.
func TestManual(t *testing.T) {
	var ran atomic.Int32
	files := project(`calls: [{tool: man, args: {}}]`, "say: done")
	res, events := play(t, t.Context(), files, core.Options{Opening: options.Opening{Approval: "approve_all"}}, &ui.Script{}, &ran, nil)
	if res.Output.Text != "done" || ends(events) != "0.1 man denied E_DENIED" || ran.Load() != 0 {
		t.Errorf("%v, ran %d times\n%s", res, ran.Load(), ends(events))
	}
	for _, e := range events {
		if b, ok := e.Body.(trace.WorkerStart); ok && strings.Contains(strings.Join(b.Tools, " "), "man") {
			t.Errorf("the model was offered %v", b.Tools)
		}
	}
	res, events = play(t, t.Context(), files, core.Options{}, &ui.Script{}, &ran, func(i *core.Instance, ro core.RunOptions) run.Result {
		return i.Call(t.Context(), "man", run.Input{JSON: json.RawMessage(`{}`)}, &ui.Script{}, ro)
	})
	if res.Output.Text != "by hand" || ran.Load() != 1 || ends(events) != "0 man ok" {
		t.Errorf("by a person: %+v, ran %d times\n%s", res, ran.Load(), ends(events))
	}
}

// Scenarios 14 and 30: a tool that fails gives a result, and the run goes on.
func TestToolsThatFail(t *testing.T) {
	files := project(
		`calls: [{tool: typed, args: {}}, {tool: panics, args: {}}, {tool: nothing, args: {}}, {tool: nope, args: {}}]`, "say: survived")
	res, events := play(t, t.Context(), files, core.Options{}, &ui.Script{}, new(atomic.Int32), nil)
	got := map[string]bool{}
	for _, l := range strings.Split(ends(events), "\n") {
		got[l] = true
	}
	for _, want := range []string{"0.1 typed error E_TOOL_OUTPUT", "0.2 panics error E_TOOL", "0.3 nothing ok", "0.4 nope error E_UNKNOWN_TOOL"} {
		if !got[want] {
			t.Errorf("no %q in\n%s", want, ends(events))
		}
	}
	if res.Output.Text != "survived" || res.Exit() != 0 {
		t.Errorf("%+v", res)
	}
}

// SPEC §6, Grants: without network_enabled, a tool of the risk network is refused before
// anybody is asked, whatever its toolset is.
func TestNetworkIsOffByDefault(t *testing.T) {
	for front, want := range map[string]string{"": "0.1 net error E_NETWORK", "sandbox: {network_enabled: true}\n": "0.1 net ok"} {
		var ran atomic.Int32
		files := project(`calls: [{tool: net, args: {}}]`, "say: done")
		files["main.worker"] = "---\ntoolsets: {lab: {approval: {default: preApproved}}}\n" + front + "---\nM.\n"
		res, events := play(t, t.Context(), files, core.Options{Opening: options.Opening{Trust: true}}, &ui.Script{}, &ran, nil)
		if res.Output.Text != "done" || ends(events) != want || (ran.Load() == 1) != (front != "") {
			t.Errorf("%q: %v\n%s", front, res.Error, ends(events))
		}
	}
}

// A timeout of a tool gives a result and the run goes on. An interruption ends the run, and
// every call has an end.
func TestTimeoutAndInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		res, events := play(t, t.Context(), project(`calls: [{tool: slow, args: {}}]`, "say: went on"), core.Options{}, &ui.Script{}, new(atomic.Int32), nil)
		if res.Output.Text != "went on" || ends(events) != "0.1 slow error E_TIMEOUT" {
			t.Errorf("%+v\n%s", res, ends(events))
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		res, events = play(t, ctx, project(`calls: [{tool: slow, args: {}}, {tool: slow, args: {}}, {tool: inner, args: {}}]`, "say: never"),
			core.Options{Opening: options.Opening{Approval: "approve_all"}}, &ui.Script{}, new(atomic.Int32), nil)
		if res.Exit() != 130 || res.Status != run.Interrupted || !errors.Is(res.Error, fault.Interrupted) {
			t.Errorf("%+v", res)
		}
		if got := ends(events); strings.Count(got, " stopped ") != 2 || !strings.Contains(got, "0.3 inner not_run") {
			t.Errorf("the calls ended as\n%s", got)
		}
		last, ok := events[len(events)-1].Body.(trace.RunEnd)
		if !ok || last.Status != "interrupted" || last.Exit != 130 {
			t.Errorf("the trace ends with %+v", events[len(events)-1])
		}
	})
}

// Preparing a tool, such as compiling a module, does not count against the call's timeout, does
// not block other calls, and ends with the run.
func TestMakingReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		files := project(`calls: [{tool: unready, args: {}}, {tool: slow, args: {}}]`, `calls: [{tool: unready, args: {}}, {tool: inner, args: {}}]`, "say: went on")
		res, events := play(t, t.Context(), files, core.Options{Opening: options.Opening{Approval: "approve_all"}}, &ui.Script{}, new(atomic.Int32), nil)
		if want := "0.2 slow error E_TIMEOUT\n0.1 unready ok\n0.3 unready ok\n0.4 inner ok"; res.Output.Text != "went on" || ends(events) != want {
			t.Errorf("%+v\n%s\nwant\n%s", res, ends(events), want)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		res, events = play(t, ctx, project(`calls: [{tool: unready, args: {}}]`, "say: never"), core.Options{}, &ui.Script{}, new(atomic.Int32), nil)
		if res.Exit() != 130 || ends(events) != "0.1 unready not_run E_INTERRUPTED" {
			t.Errorf("interrupted: %+v\n%s", res, ends(events))
		}
	})
}

// late is a front end that says yes after the time after.
type late struct {
	ui.Script
	after time.Duration
}

func (l *late) Approve(ctx context.Context, r approval.Request) (approval.Decision, error) {
	time.Sleep(l.after)
	return approval.Decision{ID: r.ID, Answer: approval.Yes}, nil
}

// Scenario 20: waiting for the person counts against no timeout.
func TestLateAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ran atomic.Int32
		files := project(`calls: [{tool: outer, args: {name: inner, args: {}}}, {tool: slow, args: {}}]`, "say: done")
		res, events := play(t, t.Context(), files, core.Options{}, &late{after: time.Hour}, &ran, nil)
		if res.Output.Text != "done" || ran.Load() != 1 {
			t.Errorf("%+v, inner ran %d times\n%s", res, ran.Load(), ends(events))
		}
	})
}

// SECURITY 16: a key that comes back from a tool or a model is in no output.
func TestSecretsAreRedacted(t *testing.T) {
	res, events := play(t, t.Context(), project("say: the keys are sk-secret-0123456789 and tok-secret-0123456789"), core.Options{}, &ui.Script{}, new(atomic.Int32), nil)
	if strings.Contains(res.Output.Text, "0123456789") {
		t.Errorf("the answer is %q", res.Output.Text)
	}
	for _, e := range events {
		if line, err := trace.Encode(e); err != nil || bytes.Contains(line, []byte("0123456789")) {
			t.Errorf("%s, %v", line, err)
		}
	}
}

// WouldAsk returns the tools that an unattended run would be denied. A setting for an unknown
// tool is an error and not ignored.
func TestWouldAskAndTypos(t *testing.T) {
	files := project("say: x")
	play(t, t.Context(), files, core.Options{}, &ui.Script{}, new(atomic.Int32), func(i *core.Instance, ro core.RunOptions) run.Result {
		names, err := i.WouldAsk(t.Context(), nil)
		if err != nil || strings.Join(names, " ") != "deaf inner outer" {
			t.Errorf("would ask: %v, %v", names, err)
		}
		return i.Run(t.Context(), run.Input{Text: "x"}, &ui.Script{}, ro)
	})
	files["main.worker"] = "---\ntoolsets: {lab: {approval: {tools: {inmer: blocked}}}}\n---\nM.\n"
	res, _ := play(t, t.Context(), files, core.Options{}, &ui.Script{}, new(atomic.Int32), nil)
	if !errors.Is(res.Error, fault.Config) || !strings.Contains(res.Error.Error(), "did you mean inner") || res.Exit() != 2 {
		t.Errorf("a misspelt blocked tool: %v, exit %d", res.Error, res.Exit())
	}
}
