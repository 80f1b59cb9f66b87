package describe

import (
	"context"
	"errors"
	"maps"
	"slices"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/tool"
)

// CallTree shows who may call whom in a project (golem workers --tree --json).
type CallTree struct {
	Golem   string       `json:"golem"`            // "tree"
	V       int          `json:"v"`                // 1
	Entry   string       `json:"entry,omitempty"`  // ID of the first worker
	Workers []TreeWorker `json:"workers"`          // the first worker, then those that it reaches, in the order of the calls, then the others
	Faults  fault.List   `json:"faults,omitempty"` // mistakes of the project
}

// TreeWorker is a worker with its tools and the workers that it may call.
type TreeWorker struct {
	ID          string       `json:"id"`                    // its name for other workers
	Path        string       `json:"path"`                  // of its file
	Source      string       `json:"source"`                // the project, a library or golem
	Description string       `json:"description,omitempty"` // what a caller is told about it
	Shadowed    []string     `json:"shadowed,omitempty"`    // files with this ID that lose to "path"
	Root        bool         `json:"root"`                  // the first worker, or one that no other may call
	Tools       []TreeTool   `json:"tools"`                 // its tools that are not workers
	Calls       []WorkerCall `json:"calls"`                 // the workers that it may call
}

// TreeTool is a tool that is not a worker, and what happens to its calls.
type TreeTool struct {
	Name   string `json:"name"`             // of the tool
	Worker string `json:"worker,omitempty"` // the worker that a module provides
	From   string `json:"from"`             // its toolset, module or server
	Risk   string `json:"risk"`             // "read", "write", "network", "destructive" or "command"
	Call   string `json:"call"`             // "runs", "asks", "refused", or "manual": only you can start it
	Why    string `json:"why"`              // the setting that decides
}

// WorkerCall is a worker that another worker may call.
type WorkerCall struct {
	Worker string `json:"worker"`         // ID; "*": every other worker of the project
	Path   string `json:"path,omitempty"` // of its file
	Call   string `json:"call"`           // as for tools
	Why    string `json:"why"`            // the setting that decides
	// The worker is already in the chain of callers. In a run such a call fails with E_CYCLE,
	// unless "recursion" is true.
	Cycle     bool `json:"cycle,omitempty"`
	Recursion bool `json:"recursion,omitempty"` // the worker may call itself
}

// everyWorker is the value of WorkerCall.Worker for allowed_workers: '*'.
const everyWorker = "*"

// CallTree returns which worker may call which. It scans the project, uses no model and
// runs no tool. Workers that cannot be loaded are reported as faults.
func (p *Describer) CallTree(ctx context.Context) *CallTree {
	g := &graph{p: p, ctx: ctx, found: map[string]*TreeWorker{}, chain: map[string]bool{}, called: map[string]bool{}, shadowed: map[string][]string{}}
	out := &CallTree{Golem: "tree", V: 1, Workers: []TreeWorker{}}
	listed, faults := p.Project.Workers.List()
	out.Faults = faults
	for _, l := range listed {
		g.shadowed[l.Path] = l.Shadowed
		if l.Source != "project" {
			continue
		}
		if _, err := p.Project.Workers.InFile(l.Path); err != nil {
			out.Faults = append(out.Faults, faultsOf(err)...)
		}
	}
	g.callees()
	entry, err := p.Project.Workers.Entry()
	if err == nil {
		out.Entry = entry.ID
		g.visit(entry)
	}
	all := p.Checker.Workers()
	for _, w := range all {
		if !g.called[w.File] {
			g.visit(w)
		}
	}
	for _, w := range all { // workers that are called only in a cycle or through '*'
		g.visit(w)
	}
	for _, t := range g.order {
		t.Root = err == nil && t.Path == entry.File || !g.called[t.Path]
		out.Workers = append(out.Workers, *t)
	}
	if err != nil && len(g.order) == 0 {
		out.Faults = append(out.Faults, fault.Of(err, fault.Project))
	}
	out.Faults.Sort()
	out.Faults = out.Faults.Compact()
	return out
}

// graph collects the workers of a CallTree.
type graph struct {
	p        *Describer
	ctx      context.Context
	found    map[string]*TreeWorker // by file
	order    []*TreeWorker
	chain    map[string]bool // files of the workers from a root to the current one
	called   map[string]bool // files of workers that another worker may call
	shadowed map[string][]string
}

// callees sets called.
func (g *graph) callees() {
	all := g.p.Checker.Workers()
	for _, w := range all {
		to := g.allowed(w)
		if slices.Contains(w.Delegates.Refs, everyWorker) {
			to = slices.DeleteFunc(slices.Clone(all), func(o *project.Worker) bool { return o.Source != w.Source })
		}
		for _, o := range to {
			g.called[o.File] = g.called[o.File] || o != w
		}
	}
}

// allowed returns the workers that w may call by name. For '*' it returns none.
func (g *graph) allowed(w *project.Worker) []*project.Worker {
	if slices.Contains(w.Delegates.Refs, everyWorker) {
		return nil
	}
	out, err := g.p.Project.Workers.Delegates(w)
	if err != nil {
		return nil // golem check reports the error
	}
	return out
}

// visit adds a worker and, recursively, the workers that it may call.
func (g *graph) visit(w *project.Worker) {
	if g.found[w.File] != nil {
		return
	}
	t := &TreeWorker{ID: w.ID, Path: w.File, Source: w.Source, Description: w.Description, Shadowed: g.shadowed[w.File], Tools: []TreeTool{}, Calls: []WorkerCall{}}
	g.found[w.File] = t
	g.order = append(g.order, t)
	g.chain[w.File] = true
	defer delete(g.chain, w.File)
	calls := g.tools(w, t)
	if slices.Contains(w.Delegates.Refs, everyWorker) {
		t.Calls = everyCall(calls)
		return
	}
	for _, to := range g.allowed(w) {
		call := calls[to.ID]
		call.Worker, call.Path, call.Cycle = to.ID, to.File, g.chain[to.File]
		call.Recursion = call.Cycle && g.recursive(to)
		t.Calls = append(t.Calls, call)
		g.visit(to)
	}
}

// everyCall returns one call for all workers that '*' allows, with what happens to most of
// them, and one more for each worker for which something else happens.
func everyCall(calls map[string]WorkerCall) []WorkerCall {
	count := map[WorkerCall]int{}
	base := WorkerCall{Worker: everyWorker, Call: string(approval.Runs)}
	ids := slices.Sorted(maps.Keys(calls))
	for _, id := range ids {
		c := calls[id]
		c.Worker = everyWorker
		if count[c]++; count[c] > count[base] {
			base = c
		}
	}
	out := []WorkerCall{base}
	for _, id := range ids {
		if c := calls[id]; c.Call != base.Call || c.Why != base.Why {
			out = append(out, c)
		}
	}
	return out
}

// tools adds a worker's tools to t. It returns the calls of workers by the ID of the called
// worker, including workers that a module replaces.
func (g *graph) tools(w *project.Worker, t *TreeWorker) map[string]WorkerCall {
	calls := map[string]WorkerCall{}
	for _, spec := range g.p.Checker.Specs(g.ctx, w) {
		u := g.p.Forecast(w, spec)
		switch {
		case spec.Target != "":
			calls[spec.Target] = WorkerCall{Worker: spec.Target, Call: u.Call, Why: u.Why}
		case spec.Kind == tool.Worker: // worker_call
			for _, id := range spec.Uses {
				if _, named := calls[id]; !named {
					calls[id] = WorkerCall{Worker: id, Call: u.Call, Why: u.Why}
				}
			}
		}
		if spec.Kind != tool.Worker {
			t.Tools = append(t.Tools, TreeTool{u.Name, u.Worker, u.From, u.Risk, u.Call, u.Why})
		}
	}
	for _, u := range g.p.Remotes(w) {
		t.Tools = append(t.Tools, TreeTool{u.Name, u.Worker, u.From, u.Risk, u.Call, u.Why})
	}
	return calls
}

// recursive reports whether a worker may call itself: recursion is allowed and the worker
// names itself.
func (g *graph) recursive(w *project.Worker) bool {
	return w.Delegation.AllowRecursion && slices.Contains(g.allowed(w), w)
}

// faultsOf returns the faults in an error.
func faultsOf(err error) fault.List {
	var list fault.List
	if errors.As(err, &list) {
		return list
	}
	return fault.List{fault.Of(err, fault.Config)}
}
