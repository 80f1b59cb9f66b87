package core_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"golem/core"
	"golem/core/fault"
	"golem/core/options"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/trace"
	"golem/core/ui"
	"golem/core/wasmtool"
)

// A run whose entry is a tool and that was interrupted knows after a resume what its kept
// calls have done: that they read untrusted content (SECURITY 13), and what they staged.
func TestEntryToolIsResumed(t *testing.T) {
	for name, c := range map[string]struct{ kept, next, args, want string }{
		"untrusted content": {"page", "net", `{}`, "0.2 net denied E_DENIED\n0 lead denied E_DENIED"},
		"staged changes":    {"write_file", "read_file", `{"path":"/site/a.txt"}`, "0.2 read_file ok\n0 lead ok"},
	} {
		t.Run(name, func(t *testing.T) {
			type none struct{}
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			set := toolset.Factory{Name: "lab", Open: func(_ context.Context, env toolset.Env, _ any) (tool.Toolset, error) {
				spec := func(name string, risk tool.Risk, kind tool.Kind) tool.Spec {
					return tool.Spec{Name: name, Description: name, Risk: risk, Kind: kind, Toolset: "lab", Provider: "builtin"}
				}
				return toolset.Tools{
					tool.Func(spec("net", tool.Network, ""), func(context.Context, none) (tool.Output, error) { return tool.Text("sent"), nil }),
					tool.Func(spec("page", tool.Read, ""), func(context.Context, none) (tool.Output, error) {
						return tool.Output{Text: "a page", Untrusted: true}, nil
					}),
					tool.FuncWithCall(spec("lead", tool.Read, tool.Wasm), func(within context.Context, call tool.Call, _ none) (tool.Output, error) {
						args := map[string]string{"page": `{}`, "write_file": `{"path":"/site/a.txt","content":"new"}`}[c.kept]
						if _, err := env.Call(within, call, c.kept, json.RawMessage(args)); err != nil {
							return tool.Output{}, err
						}
						if ctx.Err() == nil { // the first run ends here
							interrupt()
							return tool.Output{}, context.Canceled
						}
						return env.Call(within, call, c.next, json.RawMessage(c.args))
					}),
				}, nil
			}}
			kept := sandbox.Memory()
			// The tool lead can be the entry because the project has a module and lead says that it is one.
			w := newWorkshop(t, map[string]string{
				"project.yaml": "entry: lead\nsandbox: {network_enabled: true, paths: {site: {root: ./site, mode: staged}}}\n" +
					"approval: {taint: ask, tools: {net: preApproved, write_file: preApproved}}\ntoolsets: {lab: {}, filesystem: {}}\n",
				"site/old.txt": "old",
			}, map[string]string{"tools/mul.wasm": "mul"})
			play := func(ctx context.Context, o core.RunOptions) (*fault.Fault, string) {
				inst, err := core.Open(core.Platform{
					Name: "native", Version: "test",
					Site: core.Site{TrustKey: "/yard", State: state.Memory(kept), Files: core.Mounter(func(source string) (sandbox.FS, error) {
						if source == "." {
							return w.tree, nil
						}
						return w.tree.(sandbox.SubFS).SubFS(source)
					})},
					ToolSources: core.ToolSources{Toolsets: []toolset.Factory{set}, Tools: func(string) (*wasmtool.Library, error) { return w.library, nil }},
				}, core.Options{Files: w.tree, Name: "yard", Opening: options.Opening{Trust: true}})
				if err != nil {
					t.Fatal(err)
				}
				var file bytes.Buffer
				o.Trace = &file
				res := inst.Run(ctx, run.Input{JSON: json.RawMessage(`{}`)}, &ui.Script{}, o)
				_, events, err := trace.Read(&file, nil)
				if err != nil {
					t.Fatal(err)
				}
				return res.Error, ends(events)
			}
			if err, got := play(ctx, core.RunOptions{}); got != "0.1 "+c.kept+" ok\n0 lead stopped E_INTERRUPTED" {
				t.Fatalf("the first run ended with %v and the calls\n%s", err, got)
			}
			if err, got := play(t.Context(), core.RunOptions{Running: options.Running{Resume: new("")}}); got != c.want {
				t.Errorf("resumed, it ended with %v and the calls\n%s\nwant\n%s", err, got, c.want)
			}
		})
	}
}
