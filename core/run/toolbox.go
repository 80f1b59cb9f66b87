package run

import (
	"context"
	"io/fs"
	"slices"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/trace"
)

// openTools makes the worker's tools in a fixed order: its toolsets by name,
// the workers it may call, and, below the root, request_input. Workers that are
// allowed need no toolset of their name, nor do modules that were found, unless
// the manifest says tools.offer: listed.
func (f *frame) openTools(ctx context.Context) error {
	env, served, err := f.env()
	if err != nil {
		return err
	}
	f.tools = &tool.Set{}
	sets := f.worker.Toolsets
	if len(env.Delegates)+len(served) > 0 {
		sets = withToolset(sets, "workers")
	}
	unlisted := f.tree.r.Project.Manifest().ToolsListed && !hasToolset(sets, "custom")
	if len(env.Modules) > 0 && (!unlisted || len(served) > 0 || f.worker.Tool != "") {
		sets = withToolset(sets, "custom")
	}
	serving := map[string]tool.Tool{} // made by custom, offered in the workers' place
	for _, ts := range sets {
		set, err := f.tree.r.Toolsets.Open(ctx, ts.Name, ts.Options, env)
		if err != nil {
			return f.misplaced(err, ts)
		}
		f.sets = append(f.sets, set)
		tools := set.Tools()
		switch ts.Name {
		case "custom":
			tools = setAside(tools, served, serving)
			describeServed(env.Delegates, serving)
			if unlisted { // what is left is only there to be the entry
				tools = slices.DeleteFunc(tools, func(t tool.Tool) bool { return t.Spec().Name != f.worker.Tool })
			}
		case "workers":
			if tools, err = f.serve(tools, served, serving); err != nil {
				return err
			}
		}
		for _, tl := range tools {
			if err := f.tools.Add(tl); err != nil {
				return f.misplaced(err, ts)
			}
		}
	}
	if f.depth > 0 {
		return f.tools.Add(toolset.RequestInput())
	}
	return nil
}

// misplaced is what is wrong with a toolset, at its place in the configuration
// unless a file of its own is to blame.
func (f *frame) misplaced(err error, ts project.Toolset) error {
	flt := fault.Of(err, fault.Config)
	if ts.File != "" && (flt.Where == nil || flt.Where.File == "") {
		flt = flt.At(ts.File, ts.Line, 0)
	}
	return flt.InChain(f.chain)
}

// setAside takes out the tools that serve a name in allowed_workers.
func setAside(tools []tool.Tool, names []servedName, serving map[string]tool.Tool) []tool.Tool {
	return slices.DeleteFunc(slices.Clone(tools), func(t tool.Tool) bool {
		name := t.Spec().Name
		if slices.ContainsFunc(names, func(n servedName) bool { return n.tool == name }) {
			serving[name] = t
		}
		return serving[name] != nil
	})
}

// describeServed tells worker_call what the tools in workers' places take.
func describeServed(delegates []toolset.Delegate, serving map[string]tool.Tool) {
	for i := range delegates {
		if t := serving[delegates[i].Tool]; delegates[i].Served && t != nil {
			s := t.Spec()
			delegates[i].Description, delegates[i].Input, delegates[i].Output = s.Description, s.Input, s.Output
		}
	}
}

// serve puts the tools that serve a name in allowed_workers where its worker
// would stand, so that code in a worker's place changes nothing for a caller
// (S3-24).
func (f *frame) serve(workers []tool.Tool, names []servedName, serving map[string]tool.Tool) ([]tool.Tool, error) {
	out := slices.Clone(workers)
	for _, n := range names {
		t := serving[n.tool]
		if t == nil {
			if len(f.undescribed) > 0 {
				continue // one of those may have it
			}
			return nil, n.missing
		}
		at := len(out)
		if f.worker.Delegates.Style != "call" {
			at = min(n.place, at)
		}
		out = slices.Insert(out, at, t)
	}
	return out, nil
}

// servedName is a name in allowed_workers that no worker has.
type servedName struct {
	name    string
	tool    string // the name of the tool that is to serve it
	place   int    // in allowed_workers
	missing error  // what is wrong if no module has such a tool
}

// withToolset adds a toolset with its defaults, unless it is there, in name order.
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

// env is everything the worker's toolsets may reach, and the names that a
// module must serve.
func (f *frame) env() (toolset.Env, []servedName, error) {
	delegates, names, err := f.delegates()
	if err != nil {
		return toolset.Env{}, nil, err
	}
	found, err := f.tree.r.Project.Modules(f.worker)
	if err != nil {
		return toolset.Env{}, nil, fault.Of(err, fault.Config).InChain(f.chain)
	}
	env := toolset.Env{
		Worker: f.worker.ID, Depth: f.depth,
		Files:       f.sight.files,
		Mounts:      func(name string) string { return sandbox.MountOf(f.sight.files, name) },
		Delegates:   delegates,
		Stranger:    f.stranger,
		Style:       f.worker.Delegates.Style,
		Network:     f.network(),
		Partial:     f.sight.part,
		OutputLimit: int(f.worker.Limits.ToolOutput),
		Log:         func(level, text string) { f.emit(trace.Status{Text: text, Level: level}) },
		Modules:     f.tree.r.modules(found),
		Served:      map[string]string{},
		Inert:       f.inert,
		Warn:        func(w *fault.Fault) { f.warnings = append(f.warnings, w) },
		Undescribed: func(path string) { f.undescribed = append(f.undescribed, path) },
	}
	for _, n := range names {
		env.Served[n.tool] = n.name
	}
	if f.worker.Tool != "" {
		env.Served[f.worker.Tool] = f.worker.Tool
	}
	return env, names, nil
}

// modules are discovered files as the toolset takes them.
func (r *Runner) modules(found []project.Module) []toolset.Module {
	out := make([]toolset.Module, len(found))
	for i, m := range found {
		out[i] = toolset.Module{
			Path: m.Path, Level: m.Level, Locked: m.Locked, Digest: m.Digest,
			Open:    func() (fs.File, error) { return r.Project.OpenModule(m) },
			Sidecar: func() ([]byte, error) { return r.Project.Sidecar(m) },
		}
	}
	return out
}
