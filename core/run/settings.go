package run

import (
	"context"
	"errors"
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
	f := &frame{tree: newTree(r), worker: w, id: rootID, chain: []string{w.ID}, files: sandbox.Memory(), inert: true}
	defer f.close()
	err := f.openTools(ctx)
	out := slices.Clone(f.warnings)
	for _, path := range f.undescribed {
		out = append(out, fault.Warn(fault.ToolContract, "undescribed: only running the module would tell its tools").
			At(path, 1, 1).Hinting("embed a description with golem tool pack, or write one beside it"))
	}
	if err != nil {
		var list fault.List
		if errors.As(err, &list) {
			return append(out, list...)
		}
		return append(out, fault.Of(err, fault.Config))
	}
	if w.Tool != "" && len(f.undescribed) == 0 {
		if err := f.entryTool(); err != nil {
			out = append(out, fault.Of(err, fault.Config))
		}
	}
	return append(out, f.settings(ctx)...)
}

// settings are faults for approval settings that name a tool which nobody
// has: a misspelt "blocked" must not be without effect. A tool that exists but
// is not this worker's is fine: the manifest speaks for all workers.
func (f *frame) settings(ctx context.Context) fault.List {
	p := f.worker.Policy
	if f.tree.r.Project.WithoutModules() {
		return nil // they may name tools that nobody looked for
	}
	named := map[string]string{} // name → origin
	for name := range p.ProjectTools {
		named[name] = p.Origins["project.tool:"+name].At
	}
	for name := range p.WorkerTools {
		named[name] = p.Origins["worker.tool:"+name].At
	}
	for _, r := range p.Rules {
		named[r.Tool] = r.Origin.At
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
		if slices.Contains(known, name) || len(f.undescribed) > 0 {
			continue // or it may be a tool that is not known here
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
	modules := f.tree.r.modulesOf(f.worker)
	if listed, _ := f.tree.r.Project.List(); listed != nil {
		for _, l := range listed {
			names = append(names, l.ID, tool.ToolName(l.ID))
			if w, err := f.tree.r.Project.Worker("./" + l.Path); err == nil {
				modules = append(modules, f.tree.r.modulesOf(w)...)
			}
		}
	}
	for _, m := range modules { // one at a time: here it is no matter whose name wins
		names = append(names, f.toolsOf(ctx, "custom", toolset.Env{
			Worker: f.worker.ID, Modules: []toolset.Module{m}, Inert: true,
			Undescribed: func(path string) { f.undescribed = append(f.undescribed, path) },
		})...)
	}
	for _, set := range f.tree.r.Toolsets.Names() {
		names = append(names, f.toolsOf(ctx, set, toolset.Env{Worker: f.worker.ID, Files: sandbox.Memory()})...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// modulesOf are a worker's modules; none if there is something wrong with them,
// which is told elsewhere.
func (r *Runner) modulesOf(w *project.Worker) []toolset.Module {
	found, err := r.Project.Modules(w)
	if err != nil {
		return nil
	}
	return r.modules(found)
}

// toolsOf are the names of a toolset's tools; none if it cannot be made.
func (f *frame) toolsOf(ctx context.Context, set string, env toolset.Env) []string {
	opened, err := f.tree.r.Toolsets.Open(ctx, set, nil, env)
	if err != nil {
		return nil
	}
	var names []string
	for _, t := range opened.Tools() {
		names = append(names, t.Spec().Name)
	}
	if opened.Close() != nil {
		return nil
	}
	return names
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
