package run

import (
	"context"
	"encoding/json"
	"io/fs"
	"slices"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/toolset/custom"
	"golem/core/toolset/mcpset"
	"golem/core/trace"
)

// openTools makes the worker's tools in a fixed order: its toolsets by name, the
// workers that it may call, and, below the root, request_input. Allowed workers and
// found modules need no toolset of their name, unless the manifest says tools.offer:
// listed. The modules are opened first, because a module may provide a worker.
func (f *frame) openTools(ctx context.Context) error {
	allowed, err := f.tree.r.Project.Allowed(f.worker)
	if err != nil {
		return fault.Of(err, fault.Config).InChain(f.chain)
	}
	found, err := f.tree.r.Project.Modules(f.worker)
	if err != nil {
		return fault.Of(err, fault.Config).InChain(f.chain)
	}
	served, err := f.tree.r.Project.Served(f.worker)
	if err != nil {
		return fault.Of(err, fault.Config).InChain(f.chain)
	}
	sets := f.worker.Toolsets
	if len(found) > 0 && f.needsModules(allowed) {
		sets = withToolset(sets, "custom")
	}
	modules, err := f.openModules(ctx, sets, found, served)
	if err = f.failed(err); err != nil {
		return err
	}
	if f.workers, err = f.delegates(allowed, modules); err != nil {
		return err
	}
	if len(f.workers) > 0 {
		sets = withToolset(sets, "workers")
	}
	if err := f.serve(served, modules); err != nil {
		return err
	}
	registry := f.tree.r.Toolsets.With(toolset.Workers(toolset.Delegation{
		Workers: f.workers, Files: f.sight.files, Style: f.worker.Delegates.Style, Unknown: f.mayNotCall,
	}), toolset.Clearance(f.desk()), mcpset.Toolset(f.serverLink()))
	f.tools = &tool.Set{}
	for _, ts := range sets {
		var tools []tool.Tool
		if ts.Name == "custom" {
			tools = f.ownTools(modules)
		} else if f.collected.has(ts.Name) {
			continue // it has a fault already
		} else if set, err := f.openSet(ctx, registry, ts); err != nil {
			if err = f.failed(err); err != nil {
				return err
			}
		} else {
			tools = set.Tools()
			f.changes(set)
		}
		for _, tl := range tools {
			if err := f.tools.Add(tl); err != nil {
				if err = f.failed(f.misplaced(err, ts)); err != nil {
					return err
				}
			}
		}
	}
	if f.depth > 0 {
		return f.tools.Add(toolset.RequestInput())
	}
	return nil
}

// unlisted reports whether the manifest offers tools of modules only to workers with
// toolset custom, and this worker does not have it.
func (f *frame) unlisted() bool {
	return f.tree.r.Project.Manifest().ToolsListed && !hasToolset(f.worker.Toolsets, "custom")
}

// needsModules reports whether the worker's modules must be read although its toolsets
// do not name custom.
func (f *frame) needsModules(allowed []project.Allowed) bool {
	provided := slices.ContainsFunc(allowed, func(a project.Allowed) bool { return a.Worker == nil || a.Worker.Builtin() })
	return provided || !f.unlisted() || f.worker.Tool != ""
}

// openModules returns the tools of the worker's modules; none if sets has no toolset
// custom.
func (f *frame) openModules(ctx context.Context, sets []project.Toolset, found []project.Module, served []project.Allowed) ([]tool.Tool, error) {
	i := slices.IndexFunc(sets, func(s project.Toolset) bool { return s.Name == "custom" })
	if i < 0 {
		return nil, nil
	}
	if !f.inert {
		if err := f.tree.moduleFiles(f.worker, f.sight.files); err != nil {
			return nil, err.InChain(f.chain)
		}
	}
	d := custom.Discovery{
		Modules: f.tree.r.modules(found),
		Inert:   f.inert,
		Run:     f.id,
		Total:   f.tree.r.Project.ModulesMemory(),
		Served: func(name string) bool {
			return name == tool.ToolName(f.worker.ID) || slices.ContainsFunc(served, func(a project.Allowed) bool { return a.Tool == name }) ||
				slices.ContainsFunc(f.worker.Delegates.Refs, func(ref string) bool { return tool.ToolName(ref) == name })
		},
		Warn:        func(w *fault.Fault) { f.warnings = append(f.warnings, w) },
		Undescribed: func(path string) { f.undescribed = append(f.undescribed, path) },
	}
	if f.collected != nil {
		d.Untold = len(f.collected.unknown) > 0
		d.Broken = func(path string, err error) { f.collected.add(path, f.misplaced(err, sets[i])) }
	}
	registry := f.tree.r.Toolsets.With(custom.Toolset(f.tree.r.Modules, d))
	set, err := f.openSet(ctx, registry, sets[i])
	if err != nil && f.collected.has("custom") {
		return nil, nil // its options have a fault already
	}
	if err != nil {
		return nil, err
	}
	return set.Tools(), nil
}

// ownTools returns the modules' tools that the worker is offered as tools: not those
// that provide a worker that it may call. If the worker is unlisted, only the tool that
// is the entry remains. After them come the workers that serve names of the toolset.
func (f *frame) ownTools(modules []tool.Tool) []tool.Tool {
	var out []tool.Tool
	for _, t := range modules {
		name := t.Spec().Name
		switch {
		case slices.ContainsFunc(f.workers, func(d toolset.Delegate) bool { return d.Module != nil && d.Tool == name }):
		case name == f.worker.Tool:
			out = append(out, custom.AsWorker(t, name))
		case !f.unlisted():
			out = append(out, t)
		}
	}
	for _, d := range f.workers {
		if d.Served {
			out = append(out, toolset.Serving(d, f.sight.files))
		}
	}
	return out
}

// openSet opens one toolset; close of the frame closes it.
func (f *frame) openSet(ctx context.Context, registry toolset.Registry, ts project.Toolset) (tool.Toolset, error) {
	if err := registry.Whole(f.worker.ID, ts.Name, f.sight.part, f.sight.view); err != nil {
		return nil, f.misplaced(err, ts)
	}
	set, err := registry.Open(ctx, ts.Name, ts.Options, f.env())
	if err != nil {
		return nil, f.misplaced(err, ts)
	}
	f.sets = append(f.sets, set)
	return set, nil
}

// misplaced adds the place where the configuration names the toolset to err, unless err
// has a file already.
func (f *frame) misplaced(err error, ts project.Toolset) error {
	flt := fault.Of(err, fault.Config)
	if ts.File != "" && (flt.Where == nil || flt.Where.File == "") {
		flt = flt.At(ts.File, ts.Line, 0)
	}
	return flt.InChain(f.chain)
}

// withToolset returns sets, ordered by name, with a toolset of that name; it has its
// defaults if it was not there.
func withToolset(sets []project.Toolset, name string) []project.Toolset {
	if hasToolset(sets, name) {
		return sets
	}
	i := 0
	for i < len(sets) && sets[i].Name < name {
		i++
	}
	return slices.Insert(slices.Clone(sets), i, project.Toolset{Name: name, Options: []byte("{}")})
}

func hasToolset(sets []project.Toolset, name string) bool {
	return slices.ContainsFunc(sets, func(s project.Toolset) bool { return s.Name == name })
}

// env returns what every toolset of the worker may use.
func (f *frame) env() toolset.Env {
	return toolset.Env{
		Worker:      f.worker.ID,
		Files:       f.sight.files,
		View:        f.sight.view,
		Network:     f.network(),
		OutputLimit: int(f.worker.Limits.ToolOutput),
		Log:         func(level, text string) { f.emit(trace.Status{Text: text, Level: level}) },
		Rewrote:     f.tree.r.Rewrote,
		Value:       f.tree.r.Value,
		Redact:      func(text string) string { return f.tree.r.given().String(text) },
		Call:        callBack,
	}
}

// callBack calls a tool or a worker as the running worker, from within a call.
func callBack(ctx context.Context, within tool.Call, name string, args json.RawMessage) (tool.Output, error) {
	if within.Host == nil {
		return tool.Output{}, fault.New(fault.Tool, "%s was called outside the call of a tool", name).
			Hinting("Env.Call needs the tool.Call that runs: make the tool with tool.FuncWithCall")
	}
	return within.Host.Call(ctx, name, args)
}

// modules returns the found module files in the form of toolset custom.
func (r *Runner) modules(found []project.Module) []custom.Module {
	out := make([]custom.Module, len(found))
	for i, m := range found {
		out[i] = custom.Module{
			Path: m.Path, Stem: m.Stem(), Level: m.Level, Locked: m.Locked, Digest: m.Digest,
			Open:    func() (fs.File, error) { return r.Project.OpenModule(m) },
			Sidecar: func() ([]byte, error) { return r.Project.Sidecar(m) },
		}
	}
	return out
}
