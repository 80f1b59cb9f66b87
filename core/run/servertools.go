package run

import (
	"encoding/json"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
	"golem/core/tool"
	"golem/core/trace"
)

// kindProvider is the trace's kind of a tool that ran at the provider.
const kindProvider = "provider"

// serverTools returns the tools that the provider is asked to run in the next request. It
// leaves out those for which golem would have to ask or refuse before a call: golem sees a call
// only when it has run.
func serverTools(f *workerRun) []string {
	if len(f.worker.ServerTools) == 0 {
		return nil
	}
	if !f.sight.network(f.worker) {
		f.warn(fault.Warn(fault.Network, "server_tools are not offered to %s: a caller has network_enabled: false, which also applies to the workers that it calls", f.worker.ID))
		return nil
	}
	gate := f.tree.r.Gate
	if gate == nil {
		return nil
	}
	if gate.TaintAsk && f.tree.taint.is.Load() {
		f.warn(fault.Warn(fault.Trust, "server_tools are not offered any more: the run has read untrusted content, and approval.taint is ask"))
		return nil
	}
	var out []string
	for _, name := range f.worker.ServerTools {
		decided := gate.Forecast(tool.Spec{Name: name, Risk: tool.Read, Toolset: "server_tools", Provider: kindProvider}, f.sight.policy)
		if decided.Outcome != approval.Runs || len(decided.Unless) > 0 {
			f.warn(fault.Warn(fault.Denied, "the server tool %s is not offered: %s says %s, and golem cannot ask about what runs at the provider", name, decided.Rule, decided.Setting))
			continue
		}
		out = append(out, name)
	}
	return out
}

// warnOfLacking warns of settings and server tools that the worker's model does not have.
func warnOfLacking(f *workerRun) {
	for _, name := range model.Lacking(f.model, f.settings) {
		f.warn(fault.Warn(fault.Model, "%s", model.LackingText(f.model.Name(), name)))
	}
	for _, name := range model.LackingTools(f.model, f.worker.ServerTools) {
		f.warn(fault.Warn(fault.Model, "%s", model.LackingToolText(f.model.Name(), name)))
	}
}

// traceServerCalls puts the calls that ran at the provider during a turn into the trace. What they
// brought is untrusted. first is the number of the first.
func traceServerCalls(f *workerRun, turn model.Turn, first int) {
	for i, s := range turn.ServerCalls {
		at := trace.Event{ID: childID(f.id, first+i), Parent: f.id, Worker: f.worker.ID, Depth: f.depth}
		args := s.Args
		if len(args) == 0 {
			args = json.RawMessage("{}")
		}
		at.Body = trace.ToolStart{Tool: s.Name, Kind: kindProvider, Args: args}
		f.events.emit(at)
		end := trace.ToolEnd{Tool: s.Name, Status: "ok", Result: s.Result}
		if s.Failed {
			end.Status, end.Error = "error", fault.New(fault.Tool, "%s failed at %s", s.Name, turn.Model)
		}
		at.Body = end
		f.events.emit(at)
		f.tree.taint.mark(at, s.Name+" at "+turn.Model)
	}
}

// sharedName returns a fault if a tool of the worker has the name of one of its server tools:
// providers refuse two tools of one name.
func sharedName(w *project.Worker, tools *tool.Set) *fault.Fault {
	for _, said := range w.ServerToolsSaid() {
		if t, ok := tools.Get(said.Value); ok {
			return fault.New(fault.Config, "%s is a tool of %s and one of server_tools", said.Value, t.Spec().Toolset).
				At(said.File, said.Line, said.Column).Hinting("remove one of the two")
		}
	}
	return nil
}
