package core_test

import (
	"context"
	"testing"

	"golem/core"
	"golem/core/conversation"
	"golem/core/options"
	"golem/core/run"
	"golem/core/state"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/ui"
)

// SECURITY 13: what a tool calls after it has received untrusted content asks, also in the
// same call, although it is preApproved.
func TestTaintWithinACall(t *testing.T) {
	type none struct{}
	set := toolset.Factory{Name: "lab", Open: func(_ context.Context, env toolset.Env, _ any) (tool.Toolset, error) {
		spec := func(name string, risk tool.Risk) tool.Spec {
			return tool.Spec{Name: name, Description: name, Risk: risk, Toolset: "lab", Provider: "builtin"}
		}
		return toolset.Tools{
			tool.Func(spec("net", tool.Network), func(context.Context, none) (tool.Output, error) { return tool.Text("sent"), nil }),
			tool.FuncWithCall(spec("reads", tool.Read), func(ctx context.Context, c tool.Call, _ none) (tool.Output, error) {
				if _, err := env.Call(ctx, c, "net", []byte(`{}`)); err != nil {
					t.Errorf("before anything was read: %v", err)
				}
				c.Host.Taint()
				return env.Call(ctx, c, "net", []byte(`{}`))
			}),
		}, nil
	}}
	files := map[string]string{
		"project.yaml": "approval: {taint: ask}\n",
		"main.worker":  "---\nsandbox: {network_enabled: true}\ntoolsets: {lab: {approval: {default: preApproved}}}\n---\nM.\n",
		"s.yaml":       "script: 1\nworkers:\n  main:\n    - calls: [{tool: reads, args: {}}]\n    - say: done\n",
	}
	_, events := playWith(t, t.Context(), files, core.Options{Opening: options.Opening{Trust: true}}, &ui.Script{}, set, nil)
	if got, want := ends(events), "0.1.1 net ok\n0.1.2 net denied E_DENIED\n0.1 reads denied E_DENIED"; got != want {
		t.Errorf("the calls ended as\n%s\nwant\n%s", got, want)
	}
}

// SECURITY 13: a branch that is made of a kept conversation knows that untrusted content was
// read, also if that was after the place where the branch begins: it can be in files.
func TestBranchIsTainted(t *testing.T) {
	files := yardFiles()
	files["s.yaml"] = "script: 1\nworkers:\n  main: [{say: ok}, {say: ok}, {say: ok}]\n"
	y := newYard(t, moment{files: files})
	u := always()
	u.Inputs = []run.Input{{Text: "m1"}, {Text: "m2", Attachments: []run.File{{Name: "a.txt", Data: []byte("x")}}}}
	first := "20260101-000000-aaaaaa"
	y.open(t).Chat(t.Context(), nil, u, core.RunOptions{ID: first})
	s := state.Memory(y.state)
	if k, err := conversation.Read(&s, first); err != nil || !k.Taint {
		t.Fatalf("an attachment is not untrusted: %v", err)
	}
	branch := "20260101-000000-bbbbbb"
	for range 2 { // the branch, and the branch that was resumed
		u = always()
		u.Inputs = []run.Input{{Text: "m3"}}
		from := options.Running{Resume: &first, At: 2}
		if k, err := conversation.Read(&s, branch); err == nil && k.Messages() > 0 {
			from = options.Running{Resume: &branch}
		}
		y.open(t).Chat(t.Context(), nil, u, core.RunOptions{ID: branch, Running: from})
		if k, err := conversation.Read(&s, branch); err != nil || !k.Taint {
			t.Errorf("the branch: %v", err)
		}
	}
}
