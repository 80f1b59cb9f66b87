package core_test

import (
	"context"
	"sync"
	"testing"

	"golem/core"
	"golem/core/coretest"
	"golem/core/options"
	"golem/core/run"
	"golem/core/trace"
	"golem/core/ui"
	"golem/core/wasmtool"
)

// heard is a front end that calls say with the text of each status line.
type heard struct {
	ui.Script
	say func(text string)
}

func (h *heard) Emit(e trace.Event) {
	if b, ok := e.Body.(trace.Status); ok {
		h.say(b.Text)
	}
	h.Script.Emit(e)
}

// waiting is an engine that does not compile before the person was told that it does.
type waiting struct {
	wasmtool.Engine
	told <-chan struct{}
}

func (w waiting) Compile(ctx context.Context, guarded []byte, digest string) (wasmtool.Compiled, error) {
	select {
	case <-w.told:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return w.Engine.Compile(ctx, guarded, digest)
}

// While golem compiles a large module, it tells the person which one: in the call of a module
// with a description, when it must run a module to learn its tools, and before an unattended
// run. The message is not in the trace.
func TestCompilingIsSaid(t *testing.T) {
	files := func() map[string]string {
		return map[string]string{"main.worker": "---\ntoolsets: {custom: {}}\n---\nM.\n", "s.yaml": "script: 1\nworkers:\n  main:\n    - calls: [{tool: greet, args: {who: ab}}]\n    - say: done\n"}
	}
	module, err := coretest.Fixture("servlet", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, sidecar := range []string{"", "tools: [{name: greet}]"} {
		for _, ahead := range []bool{true, false} {
			w := newWorkshop(t, files(), nil)
			if err := w.tree.WriteFile("tools/a.wasm", module); err != nil {
				t.Fatal(err)
			}
			if sidecar != "" {
				if err := w.tree.WriteFile("tools/a.tools.yaml", []byte(sidecar)); err != nil {
					t.Fatal(err)
				}
			}
			told := make(chan struct{})
			var mu sync.Mutex
			var lines []string
			say := func(text string) {
				mu.Lock()
				defer mu.Unlock()
				if lines = append(lines, text); len(lines) == 1 {
					close(told)
				}
			}
			open := w.library.Open
			w.library.Open = func(ctx context.Context) (wasmtool.Engine, error) {
				e, err := open(ctx)
				return waiting{e, told}, err
			}
			if ahead {
				if names, err := w.open(t, core.Options{}).WouldAsk(t.Context(), say); err != nil || len(names) != 1 {
					t.Fatalf("%v, %v", names, err)
				}
			}
			res, events := w.run(t, core.Options{Opening: options.Opening{Approval: "approve_all"}}, func(i *core.Instance, ro core.RunOptions) run.Result {
				return i.Run(t.Context(), run.Input{Text: "go"}, &heard{say: say}, ro)
			})
			if res.Output.Text != "done" || len(lines) != 1 || lines[0] != "compiling tools/a.wasm" {
				t.Errorf("described by %q, asked ahead %v: %+v, told %q", sidecar, ahead, res, lines)
			}
			for _, e := range events {
				if _, ok := e.Body.(trace.Status); ok {
					t.Error("it is in the trace")
				}
			}
		}
	}
}
