package core_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golem/core"
	"golem/core/conversation"
	"golem/core/options"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/tool"
	"golem/core/toolset"
)

// lateWriter returns a toolset whose tool writes a file a minute after it was called, also when
// its context has ended.
func lateWriter() toolset.Factory {
	return toolset.Factory{Name: "lab", Open: func(_ context.Context, env toolset.Env, _ any) (tool.Toolset, error) {
		type none struct{}
		spec := tool.Spec{Name: "late", Description: "late", Risk: tool.Write, Toolset: "lab", Provider: "builtin"}
		return toolset.Tools{tool.Func(spec, func(context.Context, none) (tool.Output, error) {
			time.Sleep(time.Minute)
			return tool.Text("at last"), env.View.WriteFile("late.txt", []byte("late"))
		})}, nil
	}}
}

// A file that a tool writes after its call has ended is kept with the call that follows: the
// end of its own call is written already.
func TestLateWriteIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		files := project(`calls: [{tool: late, args: {}}]`, `calls: [{tool: write_file, args: {path: next.txt, content: next}}]`, "say: done")
		files["main.worker"] = strings.Replace(files["main.worker"], "{lab: {}}", "{lab: {}, filesystem: {}}", 1)
		tree, kept := sandbox.Memory(), sandbox.Memory()
		for name, data := range files {
			if err := tree.WriteFile(name, []byte(data)); err != nil {
				t.Fatal(err)
			}
		}
		inst, err := core.Open(core.Platform{
			Name: "native", Version: "test", Site: core.Site{State: state.Memory(kept), Files: core.Tree{FS: tree}},
			ModelSources: core.ModelSources{ReadScript: func(name string) ([]byte, error) { return sandbox.ReadFile(tree, name, 1<<20) }},
			ToolSources:  core.ToolSources{Toolsets: []toolset.Factory{toolset.Filesystem(), lateWriter()}},
		}, core.Options{Files: tree, Name: "late", Opening: options.Opening{Model: "script:s.yaml", Approval: "approve_all"}})
		if err != nil {
			t.Fatal(err)
		}
		u := always()
		u.Inputs = []run.Input{{Text: "go"}}
		inst.Chat(t.Context(), nil, u, core.RunOptions{ID: "20260101-000000-aaaaaa"})
		data, err := fs.ReadFile(kept, "conversations/20260101-000000-aaaaaa.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for line := range strings.Lines(string(data)) {
			var kept struct{ Line conversation.Entry }
			if err := json.Unmarshal([]byte(line), &kept); err != nil {
				t.Fatal(err)
			}
			e := kept.Line
			if e.T != conversation.EndEntry {
				continue
			}
			got = append(got, e.Tool+" "+e.Status)
			for _, c := range e.Changed {
				got = append(got, c.Path)
			}
		}
		if want := "late error|write_file ok|late.txt|next.txt"; strings.Join(got, "|") != want {
			t.Errorf("kept %q, want %q", got, want)
		}
	})
}
