package run

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
)

// ruleNames are names under which settings address groups of tools (SPEC §7).
var ruleNames = []string{"worker.call", "sandbox.read", "sandbox.write", "worker_call", requestInput, readResult}

// CheckTools returns what is wrong with a worker's tools and the settings
// that name them, without opening a file or running anything.
func (r *Runner) CheckTools(ctx context.Context, w *project.Worker) fault.List {
	f := &frame{tree: newTree(r), worker: w, id: rootID, chain: []string{w.ID}, files: sandbox.Memory()}
	defer f.close()
	if err := f.openTools(ctx); err != nil {
		return fault.List{fault.Of(err, fault.Config)}
	}
	return f.settings(ctx)
}

// settings are faults for approval settings that name a tool which nobody
// has: a misspelt "blocked" must not be without effect. A tool that exists but
// is not this worker's is fine: the manifest speaks for all workers.
func (f *frame) settings(ctx context.Context) fault.List {
	p := f.worker.Policy
	named := map[string]string{} // name → origin
	for name := range p.ProjectTools {
		named[name] = p.Origins["project.tool:"+name]
	}
	for name := range p.WorkerTools {
		named[name] = p.Origins["worker.tool:"+name]
	}
	for _, r := range p.Rules {
		named[r.Tool] = r.Origin
	}
	var out fault.List
	var known []string
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if _, ok := f.tools.Get(name); ok || slices.Contains(ruleNames, name) || name == "*" {
			continue
		}
		if known == nil {
			known = f.everyTool(ctx)
		}
		if slices.Contains(known, name) {
			continue
		}
		file, line := position(named[name])
		out = append(out, fault.New(fault.Config, "an approval setting names %q, and there is no such tool", name).
			At(file, line, 0).Hinting("%s", fault.DidYouMean(name, known)))
	}
	return out
}

// everyTool are the names of all tools this platform could offer the worker,
// the workers of the root's closure among them.
func (f *frame) everyTool(ctx context.Context) []string {
	names := slices.Concat(ruleNames, f.tools.Names())
	names = append(names, f.tree.loaded...)
	if listed, _ := f.tree.r.Project.List(); listed != nil {
		for _, l := range listed {
			names = append(names, l.ID, tool.ToolName(l.ID))
		}
	}
	for _, set := range f.tree.r.Toolsets.Names() {
		opened, err := f.tree.r.Toolsets.Open(ctx, set, nil, toolset.Env{Worker: f.worker.ID, Files: sandbox.Memory()})
		if err != nil {
			continue
		}
		for _, t := range opened.Tools() {
			names = append(names, t.Spec().Name)
		}
		if opened.Close() != nil {
			continue
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// position reads an origin like "project.yaml:12".
func position(origin string) (file string, line int) {
	file, rest, _ := strings.Cut(origin, ":")
	first, _, _ := strings.Cut(rest, ":")
	n, err := strconv.Atoi(first)
	if err != nil {
		return file, 0
	}
	return file, n
}
