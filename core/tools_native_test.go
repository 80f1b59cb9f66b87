//go:build !js

// In js no timer fires while wazero runs a module; the page's engine does not
// have that limit, and fuel holds on both.

package core_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"golem/core"
	"golem/core/fault"
	"golem/core/options"
	"golem/core/run"
	"golem/core/trace"
	"golem/core/ui"
)

// Scenario 15: a module that never ends is stopped by its timeout or by an interruption. After a
// timeout the worker goes on.
func TestEndlessModule(t *testing.T) {
	files := map[string]string{
		"main.worker": "---\nlimits: {tool_timeout: 200ms}\ntoolsets: {custom: {modules: {h: {fuel: 1000000000000000}}}}\n---\nM.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - calls: [{tool: loop}]\n    - say: survived\n",
	}
	w := newWorkshop(t, files, map[string]string{"tools/h.wasm": "hostile"})
	res, events := w.run(t, core.Options{Opening: options.Opening{Approval: "approve_all"}}, asUsual(t))
	if res.Output.Text != "survived" || ends(events) != "0.1 loop error E_TIMEOUT" {
		t.Errorf("%+v\n%s", res, ends(events))
	}
	files["main.worker"] = "---\nlimits: {tool_timeout: 1h}\ntoolsets: {custom: {modules: {h: {fuel: 1000000000000000}}}}\n---\nM.\n"
	for wait := 200 * time.Millisecond; ; wait *= 2 {
		w = newWorkshop(t, files, map[string]string{"tools/h.wasm": "hostile"})
		ctx, cancel := context.WithCancel(t.Context())
		res, events = w.run(t, core.Options{Opening: options.Opening{Approval: "approve_all"}}, func(i *core.Instance, ro core.RunOptions) run.Result {
			time.AfterFunc(wait, cancel)
			return i.Run(ctx, run.Input{Text: "go"}, &ui.Script{}, ro)
		})
		if ends(events) != "0.1 loop not_run E_INTERRUPTED" && ends(events) != "" { // otherwise, on a slow machine, the call had not begun
			break
		}
	}
	if !errors.Is(res.Error, fault.Interrupted) || res.Exit() != 130 {
		t.Errorf("%+v", res)
	}
	if got := ends(events); got != "0.1 loop stopped E_INTERRUPTED" {
		t.Errorf("the call ended as %s", got)
	}
	if last, ok := events[len(events)-1].Body.(trace.RunEnd); !ok || last.Status != "interrupted" {
		t.Errorf("%+v", events[len(events)-1])
	}
}
