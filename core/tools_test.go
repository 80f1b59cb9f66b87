package core_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"golem/core"
	"golem/core/coretest"
	"golem/core/fault"
	"golem/core/options"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/trace"
	"golem/core/ui"
	"golem/core/wasmtool"
	"golem/core/wasmtool/wazeroengine"
)

// workshop is a project with tool modules. It counts how often an engine is made.
type workshop struct {
	tree    sandbox.FS
	library *wasmtool.Library
	made    atomic.Int32
	asked   atomic.Int32 // how often the library was requested
	kept    state.Store
}

func newWorkshop(t *testing.T, files map[string]string, fixtures map[string]string) *workshop {
	t.Helper()
	w := &workshop{tree: sandbox.Memory()}
	for path, name := range fixtures {
		module, err := coretest.Fixture(name, true)
		if err != nil {
			t.Fatal(err)
		}
		files[path] = string(module)
	}
	for name, data := range files {
		if err := w.tree.WriteFile(name, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	w.library = &wasmtool.Library{Open: func(ctx context.Context) (wasmtool.Engine, error) {
		w.made.Add(1)
		return wazeroengine.New(ctx, wazeroengine.Options{})
	}}
	t.Cleanup(func() {
		if err := w.library.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *workshop) open(t *testing.T, o core.Options) *core.Instance {
	t.Helper()
	o.Files, o.Name, o.Model = w.tree, "workshop", "script:s.yaml"
	p := core.Platform{
		Name: "native", Version: "test",
		Site: core.Site{State: w.kept, Files: core.Tree{FS: w.tree}},
	}
	if w.library != nil {
		p.Tools = func(string) (*wasmtool.Library, error) { w.asked.Add(1); return w.library, nil }
	}
	inst, err := core.Open(p, o)
	if err != nil {
		t.Fatal(err)
	}
	return inst
}

// run runs the project and returns the result and the trace.
func (w *workshop) run(t *testing.T, o core.Options, do func(*core.Instance, core.RunOptions) run.Result) (run.Result, []trace.Event) {
	t.Helper()
	inst := w.open(t, o)
	var file bytes.Buffer
	res := do(inst, core.RunOptions{Trace: &file})
	_, events, err := trace.Read(&file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return res, events
}

func asUsual(t *testing.T) func(*core.Instance, core.RunOptions) run.Result {
	return func(i *core.Instance, ro core.RunOptions) run.Result {
		return i.Run(t.Context(), run.Input{Text: "go"}, &ui.Script{}, ro)
	}
}

const callsAdd = "script: 1\nworkers:\n  main:\n    - calls: [{tool: add, args: {a: 2, b: 3}}, {tool: loop}]\n    - say: done\n"

// SPEC §16: tool.end has the fuel that a call used, also if it failed, and the same call uses the
// same fuel. tool.start has the module's digest.
func TestTraceOfModules(t *testing.T) {
	files := map[string]string{"main.worker": "---\ntoolsets: {custom: {modules: {h: {fuel: 100000}}}}\n---\nM.\n", "s.yaml": callsAdd}
	w := newWorkshop(t, files, map[string]string{"tools/a.wasm": "add_v1", "tools/h.wasm": "hostile"})
	var fuel [2][]int64
	for i := range fuel {
		res, events := w.run(t, core.Options{Opening: options.Opening{Approval: "approve_all"}}, asUsual(t))
		if res.Output.Text != "done" {
			t.Fatal(res.Error)
		}
		for _, e := range trace.Normalise(events) {
			switch b := e.Body.(type) {
			case trace.ToolEnd:
				fuel[i] = append(fuel[i], b.Fuel)
			case trace.ToolStart:
				if path, digest, ok := strings.Cut(b.Module, "@sha256:"); !ok || !strings.HasPrefix(path, "tools/") || len(digest) != 64 {
					t.Errorf("%s is of module %q", b.Tool, b.Module)
				}
			}
		}
	}
	if len(fuel[0]) != 2 || fuel[0][0] <= 0 || fuel[0][1] < 100_000 || fuel[0][0] != fuel[1][0] {
		t.Errorf("fuel %v", fuel)
	}
}

// Before a module is called, no engine is made, and only the descriptions of the modules are
// read.
func TestModulesAreLazy(t *testing.T) {
	files := map[string]string{"main.worker": "M.\n", "s.yaml": "script: 1\nworkers:\n  main:\n    - say: done\n"}
	files["main.worker"] = "---\n---\nM.\n"
	w := newWorkshop(t, files, map[string]string{"tools/a.wasm": "add_v1"})
	if res, _ := w.run(t, core.Options{}, asUsual(t)); res.Output.Text != "done" {
		t.Fatal(res.Error)
	}
	if w.made.Load() != 0 {
		t.Error("an engine was made, and no tool was called")
	}
	w = newWorkshop(t, map[string]string{"main.worker": "---\n---\nM.\n", "s.yaml": files["s.yaml"]}, nil)
	if res, _ := w.run(t, core.Options{}, asUsual(t)); res.Output.Text != "done" || w.asked.Load() != 0 {
		t.Errorf("%v; without a module the platform was asked for its library %d times", res.Error, w.asked.Load())
	}
}

// On a platform that cannot run modules there is an error, unless --no-import-tools is set.
func TestPlatformWithoutTools(t *testing.T) {
	w := newWorkshop(t, map[string]string{"main.worker": "---\n---\nM.\n", "s.yaml": "script: 1\nworkers:\n  main:\n    - say: done\n"}, map[string]string{"tools/a.wasm": "add_v1"})
	w.library = &wasmtool.Library{}
	none := w.library
	w.library = nil
	res, _ := w.run(t, core.Options{}, asUsual(t))
	if !errors.Is(res.Error, fault.Platform) || res.Exit() != 2 {
		t.Errorf("%v, exit %d", res.Error, res.Exit())
	}
	if res, _ := w.run(t, core.Options{Opening: options.Opening{NoImportTools: true}}, asUsual(t)); res.Output.Text != "done" {
		t.Error(res.Error)
	}
	w.library = none
}

// S3-01: a person calls a module's tool by name, with an object or a text.
func TestPersonCallsModule(t *testing.T) {
	w := newWorkshop(t, map[string]string{"main.worker": "---\n---\nM.\n", "s.yaml": "script: 1\n"},
		map[string]string{"tools/a.wasm": "add_v1", "tools/s.wasm": "slugify"})
	call := func(name string, in run.Input) run.Result {
		res, _ := w.run(t, core.Options{Opening: options.Opening{Approval: "approve_all"}}, func(i *core.Instance, ro core.RunOptions) run.Result {
			return i.Call(t.Context(), name, in, &ui.Script{}, ro)
		})
		return res
	}
	if res := call("add", run.Input{JSON: json.RawMessage(`{"a":2,"b":3}`)}); res.Output.Text != "v1: 5" {
		t.Errorf("%+v", res)
	}
	if res := call("slugify", run.Input{Text: "A Title"}); res.Output.Text != "a-title" {
		t.Errorf("%+v", res)
	}
	if res := call("add", run.Input{Text: "2 and 3"}); !errors.Is(res.Error, fault.ToolInput) || !res.Refused {
		t.Errorf("%+v", res)
	}
	res, _ := w.run(t, core.Options{Opening: options.Opening{Entry: "slugify"}}, func(i *core.Instance, ro core.RunOptions) run.Result {
		return i.Run(t.Context(), run.Input{Attachments: []run.File{{Name: "a"}}}, &ui.Script{}, ro)
	})
	if !errors.Is(res.Error, fault.Attachment) {
		t.Errorf("%+v", res)
	}
}

// WouldAsk includes the tools of modules, but not tools that are refused before anybody is asked.
func TestWouldAskKnowsModules(t *testing.T) {
	files := map[string]string{
		"main.worker": "---\nallow_workers: [slugify]\ntoolsets: {custom: {tools: [claims, net, add, slugify], approval: {tools: {add: preApproved}}}}\n---\nM.\n",
		"s.yaml":      "script: 1\nworkers: {}\n",
	}
	w := newWorkshop(t, files, map[string]string{"tools/f.wasm": "forge", "tools/a.wasm": "add_v1", "tools/s.wasm": "slugify"})
	names, err := w.open(t, core.Options{}).WouldAsk(t.Context(), nil)
	if err != nil || strings.Join(names, " ") != "claims" {
		t.Errorf("%v %v", names, err)
	}
	faults := w.open(t, core.Options{}).Check("")
	if len(faults) > 0 || w.made.Load() != 0 {
		t.Errorf("%v; %d engines were made", faults, w.made.Load())
	}
}
