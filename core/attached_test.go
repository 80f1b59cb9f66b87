package core_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"golem/core"
	"golem/core/options"
	"golem/core/ui"
)

// The approval of a mount also holds for the files that a delegation attaches: what is
// blocked does not reach a child.
func TestAttachmentsPassTheMountsApproval(t *testing.T) {
	for _, style := range []string{"tools", "call"} {
		call := `{tool: helper, args: {input: read, attachments: [/private/key.txt]}}`
		if style == "call" {
			call = `{tool: worker_call, args: {worker: helper, input: read, attachments: [/private/key.txt]}}`
		}
		files := map[string]string{
			"main.worker":           "---\nsandbox: {paths: {private: {root: ./private, approval: {read: blocked}}}}\ntoolsets: {filesystem: {}, workers: {allowed_workers: [helper], style: " + style + "}}\n---\nM.\n",
			"workers/helper.worker": "---\ndescription: Helps.\n---\nH.\n",
			"private/key.txt":       "the hidden text",
			"s.yaml":                "script: 1\nworkers:\n  main:\n    - calls: [" + call + "]\n    - say: done\n  helper:\n    - when: {match: \"(hidden)\"}\n      say: it is $1\n    - say: nothing\n",
		}
		res, events := play(t, t.Context(), files, core.Options{}, &ui.Script{}, new(atomic.Int32), nil)
		got := ends(events)
		if res.Output.Text != "done" || !strings.HasSuffix(got, " denied E_DENIED") || strings.Contains(got, "\n") {
			t.Errorf("%s: %v\n%s", style, res.Error, got)
		}
	}
}

// After a worker_call of a worker that a module provides, calls that write still run: the
// call of the worker keeps no place in the schedule.
func TestWorkerCallOfAModuleKeepsNoPlace(t *testing.T) {
	w := newWorkshop(t, map[string]string{
		"main.worker": "---\nlimits: {worker_timeout: 5m}\ntoolsets: {filesystem: {}, workers: {allowed_workers: [add], style: call}}\n---\nM.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - calls: [{tool: worker_call, args: {worker: add, input: {a: 1, b: 2}}}]\n    - calls: [{tool: write_file, args: {path: /a.txt, content: x}}]\n    - say: done\n",
	}, map[string]string{"tools/add.wasm": "add_v1"})
	res, events := w.run(t, core.Options{Opening: options.Opening{Approval: "approve_all"}}, asUsual(t))
	if res.Output.Text != "done" {
		t.Errorf("%v\n%s", res.Error, ends(events))
	}
}
