package run

import (
	"context"
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/toolset/custom"
)

// ruleNames are names that settings can use for groups of tools and for golem's own
// tools (SPEC §7).
var ruleNames = []string{"worker.call", "sandbox.read", "sandbox.write", "worker_call", requestInput, readResult, "search_tools", "read_resource", "get_prompt"}

// Checker finds what is wrong with the tools and views of a project's workers, for
// golem check. It reads the whole project once. Use it from one goroutine.
type Checker struct {
	r       *Runner
	known   *toolNames
	workers []*project.Worker // nil: not loaded yet
}

// Checker returns a new Checker, which has read nothing yet.
func (r *Runner) Checker() *Checker { return &Checker{r: r} }

// frame returns a worker run that is only looked at: it sees no files, and no code of a
// module runs. Only toolsets that work on the real files get the real view, to say what
// they would reach.
func (c *Checker) frame(ctx context.Context, w *project.Worker) *frame {
	f := &frame{
		identity: identity{tree: newTree(c.r), worker: w, id: rootID, chain: []string{w.ID}},
		powers:   powers{sight: sight{files: sandbox.Memory()}, inert: true},
	}
	if slices.ContainsFunc(w.Toolsets, func(ts project.Toolset) bool { return c.r.Toolsets.Outside(ts.Name) }) {
		if s, err := newTree(c.r).sight(ctx, w, nil); err == nil {
			f.sight.view = s.view
		}
	}
	return f
}

// Specs returns the tools that a worker would be offered, as far as they are known
// without running a module; none if they cannot be made. Provider of a module's tool is
// the digest of the module.
func (c *Checker) Specs(ctx context.Context, w *project.Worker) []tool.Spec {
	f := c.frame(ctx, w)
	defer f.close()
	if f.openTools(ctx) != nil {
		return nil
	}
	var out []tool.Spec
	for _, t := range f.tools.All() {
		spec := t.Spec()
		if m, ok := t.(tool.Identifier); ok {
			if digest, err := m.Identity(ctx); err == nil {
				spec.Provider = digest
			}
		}
		out = append(out, spec)
	}
	return expandUses(out)
}

// expandUses replaces UsesAll in the tools of one worker by the tools that it stands
// for: all others, without those that only a person may start.
func expandUses(specs []tool.Spec) []tool.Spec {
	for i, s := range specs {
		if !slices.Contains(s.Uses, tool.UsesAll) {
			continue
		}
		specs[i].Uses = nil
		for _, other := range specs {
			if other.Name != s.Name && other.Exec != tool.ExecManual {
				specs[i].Uses = append(specs[i].Uses, other.Name)
			}
		}
	}
	return specs
}

// Workers returns the project's workers that can be loaded, and those of libraries
// that they use.
func (c *Checker) Workers() []*project.Worker {
	if c.workers == nil {
		c.workers = c.r.Project.Used()
	}
	return c.workers
}

// unknownTool is an approval setting for a tool that its worker does not have.
type unknownTool struct{ name, origin string }

func (s unknownTool) fault(known []string) *fault.Fault {
	file, line := position(s.origin)
	return fault.New(fault.Config, "an approval setting names %q, and there is no such tool", s.name).
		At(file, line, 0).Hinting("%s", fault.DidYouMean(s.name, known))
}

// unknownTools returns the settings that name no tool of this worker, by name.
func (f *frame) unknownTools() []unknownTool {
	p := f.worker.Policy
	if f.tree.r.Project.WithoutModules() {
		return nil // they may name tools of modules, which were not looked for
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
	var out []unknownTool
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if _, ok := f.tools.Get(name); !ok && !slices.Contains(ruleNames, name) {
			out = append(out, unknownTool{name, named[name]})
		}
	}
	return out
}

// settings refuses approval settings that misspell a tool of this run, because a
// misspelt "blocked" must not be without effect. A name that is near no tool may be a
// tool of a worker outside the run, which is not looked for here (SPEC §2, S2-42): it
// is a warning, and golem check looks for it.
func (f *frame) settings(ctx context.Context) error {
	var out fault.List
	for _, s := range f.unknownTools() {
		known := f.tree.toolNames(ctx, f.worker)
		switch {
		case known.has(s.name), len(f.undescribed) > 0, f.tree.r.Project.HasWorker(s.name):
		case fault.Nearest(s.name, known.names) != "":
			out = append(out, s.fault(known.names))
		default:
			file, line := position(s.origin)
			f.warnings = append(f.warnings, fault.Warn(fault.Config, "an approval setting names %q, and no worker of this run has such a tool", s.name).
				At(file, line, 0).Hinting("golem check looks for it in the whole project"))
		}
	}
	return out.Err()
}

// toolNames has the names of the tools that exist.
type toolNames struct {
	names  []string // sorted
	begins []string // a name that begins with one of these may be a tool of an MCP server
	untold bool     // the tools of a module are not known: any name may be one of them
}

func (k *toolNames) has(name string) bool {
	_, found := slices.BinarySearch(k.names, name)
	return found || k.untold || slices.ContainsFunc(k.begins, func(p string) bool { return strings.HasPrefix(name, p) })
}

// toolNames returns the tools of the root's closure, which it reads at the first call.
// first stands for the closure if no root was opened.
func (t *tree) toolNames(ctx context.Context, first *project.Worker) *toolNames {
	t.knowing.Do(func() {
		closure := t.closure
		if len(closure) == 0 {
			closure = []*project.Worker{first}
		}
		t.knows = t.r.knownTools(ctx, closure)
	})
	return t.knows
}

// knownTools returns the names of all tools that this platform could offer to the given
// workers, and of these workers. No module runs.
func (r *Runner) knownTools(ctx context.Context, workers []*project.Worker) *toolNames {
	k := &toolNames{names: slices.Clone(ruleNames)}
	for _, file := range r.Project.Unread() {
		k.names = append(k.names, tool.ToolName(r.Project.IDOf(file)), r.Project.IDOf(file))
	}
	seen := map[string]bool{}
	for _, w := range workers {
		k.names = append(k.names, w.ID, tool.ToolName(w.ID))
		for _, s := range r.Project.Servers(w) {
			k.begins = append(k.begins, s.Key+"__")
		}
		for _, m := range r.modulesOf(w) {
			if seen[m.Path] {
				continue
			}
			seen[m.Path] = true // each by itself: name clashes do not matter here
			k.names = append(k.names, toolsOf(ctx, custom.Toolset(r.Modules, custom.Discovery{
				Modules: []custom.Module{m}, Inert: true, Undescribed: func(string) { k.untold = true },
			}), w.ID)...)
		}
	}
	for _, set := range r.Toolsets.All() {
		k.names = append(k.names, toolsOf(ctx, set, "")...)
	}
	slices.Sort(k.names)
	k.names = slices.Compact(k.names)
	return k
}

// modulesOf returns a worker's modules; none if they have a fault, which is reported
// elsewhere.
func (r *Runner) modulesOf(w *project.Worker) []custom.Module {
	found, err := r.Project.Modules(w)
	if err != nil {
		return nil
	}
	return r.modules(found)
}

// toolsOf returns the names of a toolset's tools; none if it cannot be opened.
func toolsOf(ctx context.Context, set toolset.Factory, worker string) []string {
	opened, err := toolset.NewRegistry(set).Open(ctx, set.Name, nil, toolset.Env{Worker: worker, Files: sandbox.Memory()})
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

// position splits an origin like "project.yaml:12".
func position(origin string) (file string, line int) { return project.Place(origin) }
