package core_test

import (
	"errors"
	"io/fs"
	"maps"
	"strings"
	"testing"

	"golem/core"
	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/options"
	"golem/core/sandbox"
	"golem/core/state"
)

// undoAll undoes all runs of a project, the newest first, and returns their number.
func undoAll(t *testing.T, inst *core.Instance) (n int) {
	t.Helper()
	for s := inst.Undo(); ; n++ {
		it, err := s.Of(t.Context(), "", false)
		if errors.Is(err, fault.NotFound) {
			return n
		}
		if err == nil {
			_, err = s.Push(t.Context(), it.ID, clearance.Push{Digest: it.Digest()})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Undo restores together everything that the workers of a run and their modules wrote, including
// workers that ran in parallel or with a narrower view. Staged changes are not part of it.
func TestUndoOfATree(t *testing.T) {
	files := map[string]string{
		"main.worker": "---\nallow_workers: [helper]\nsandbox: {paths: {all: {root: .}, draft: {root: ./draft, mode: staged}}}\n" +
			"toolsets: {filesystem: {}, custom: {modules: {h: {fs: true}}}}\n---\nM.\n",
		"workers/helper.worker": "---\nsandbox: {restrict: /all/out}\ntoolsets: {filesystem: {}}\n---\nH.\n",
		"out/a.txt":             "old", "draft/d.txt": "old", "moved/x/y": "deep",
		"s.yaml": `script: 1
workers:
  main:
    - calls: [{tool: helper, args: {input: a}}, {tool: helper, args: {input: b}}]
    - calls: [{tool: write_path, args: {path: all/new}}, {tool: write_file, args: {path: /draft/d.txt, content: staged}}, {tool: move_file, args: {from: /all/moved, to: /all/there}}]
    - say: done
  helper:
    - when: {text: a, turn: 1}
      calls: [{tool: write_file, args: {path: /all/out/a.txt, content: "1"}}, {tool: edit_file, args: {path: /all/out/a.txt, old: "1", new: "2"}}]
    - when: {text: b, turn: 1}
      calls: [{tool: write_file, args: {path: /all/out/deep/b.txt, content: "b"}}]
    - say: done
`,
	}
	w := newWorkshop(t, files, map[string]string{"tools/h.wasm": "hostile"})
	w.kept = state.Memory(sandbox.Memory())
	was := contents(w.tree)
	res, events := w.run(t, core.Options{Opening: options.Opening{Approval: "approve_all"}}, asUsual(t))
	if res.Output.Text != "done" || strings.Contains(ends(events), "error") {
		t.Fatalf("%v\n%s", res.Error, ends(events))
	}
	now := contents(w.tree)
	for name, want := range map[string]string{"out/a.txt": "2", "out/deep/b.txt": "b", "draft/d.txt": "old", "there/x/y": "deep"} {
		if now[name] != want {
			t.Errorf("%s is %q", name, now[name])
		}
	}
	if _, ok := now["new"]; !ok {
		t.Errorf("the module wrote nothing: %v", now)
	}
	inst := w.open(t, core.Options{})
	if n := undoAll(t, inst); n != 1 {
		t.Errorf("%d runs were undone", n)
	}
	if got := contents(w.tree); !maps.Equal(got, was) {
		t.Errorf("undone: %v", got)
	}
	if _, err := fs.Stat(w.tree, "out/deep"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory is left: %v", err)
	}
	if items, err := inst.Clearance().List(); err != nil || len(items) != 1 {
		t.Errorf("what was staged is gone: %v, %v", items, err)
	}
}

// While another golem pushes or undoes something, a call that writes waits at most until its
// timeout, and then the run goes on.
func TestWritesWaitNoLongerThanTheirCall(t *testing.T) {
	w := newWorkshop(t, map[string]string{
		"main.worker": "---\nsandbox: {paths: {all: {root: ./all}, draft: {root: ./draft, mode: staged}}}\n" +
			"toolsets: {filesystem: {}, clearance: {}}\nlimits: {tool_timeout: 100ms}\n---\nM.\n",
		"all/a.txt": "old", "draft/d.txt": "old",
		"s.yaml": `script: 1
workers:
  main:
    - calls: [{tool: write_file, args: {path: /all/a.txt, content: new}}, {tool: write_file, args: {path: /draft/d.txt, content: new}}, {tool: stage, args: {paths: [/draft/d.txt], message: m}}]
    - say: done
`,
	}, nil)
	w.kept = state.Memory(sandbox.Memory())
	for _, name := range []string{"undo", "clearance"} {
		release, err := w.kept.Hold(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		defer release()
	}
	was := contents(w.tree)
	res, events := w.run(t, core.Options{Opening: options.Opening{Approval: "approve_all"}}, asUsual(t))
	if res.Output.Text != "done" || strings.Count(ends(events), "E_TIMEOUT") != 3 {
		t.Fatalf("%v\n%s", res.Error, ends(events))
	}
	if got := contents(w.tree); !maps.Equal(got, was) {
		t.Errorf("there is %v", got)
	}
}
