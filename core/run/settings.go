package run

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"golem/core/config"
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
	names   *toolNames        // of the whole project; nil: not needed yet
	workers []*project.Worker // nil: not loaded yet
}

// Checker returns a new Checker, which has read nothing yet.
func (r *Runner) Checker() *Checker { return &Checker{r: r} }

// viewer returns what makes the workers' views, as at the start of a run.
func (c *Checker) viewer() *viewer { return &newTree(c.r, nil, true).viewer }

// opener returns what makes the tools of a worker that is only looked at: it sees no files,
// and no code of a module runs. Only toolsets that work on the real files get the real view,
// to say what they would reach.
func (c *Checker) opener(ctx context.Context, w *project.Worker) *opener {
	t := newTree(c.r, nil, true)
	at := newPlace(w, rootID, nil, t.events)
	o := &opener{Runner: c.r, tree: t, place: &at, sight: &sight{files: sandbox.Memory()}, inert: true}
	if slices.ContainsFunc(w.Toolsets, func(ts project.Toolset) bool { return c.r.Toolsets.Outside(ts.Name) }) {
		if s, err := t.viewer.sight(ctx, w, nil); err == nil {
			o.sight.view = s.view
		}
	}
	return o
}

// Specs returns the tools that a worker would be offered, as far as they are known
// without running a module; none if they cannot be made. Provider of a module's tool is
// the digest of the module.
func (c *Checker) Specs(ctx context.Context, w *project.Worker) []tool.Spec {
	box, err := c.opener(ctx, w).open(ctx)
	defer box.close()
	if err != nil {
		return nil
	}
	var out []tool.Spec
	for _, t := range box.All() {
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
		c.workers = c.r.Project.Workers.Used()
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

// unknownTools returns the settings of a worker that name none of its tools, by name.
func unknownTools(in *project.Project, w *project.Worker, tools *tool.Set) []unknownTool {
	p := w.Policy
	if in.Modules.WithoutModules() {
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
		if _, ok := tools.Get(name); !ok && !slices.Contains(ruleNames, name) && !slices.Contains(w.ServerTools, name) {
			out = append(out, unknownTool{name, named[name]})
		}
	}
	return out
}

// checkSettings refuses approval settings that misspell a tool of this run, because a
// misspelt "blocked" must not be without effect. A name that is near no tool may be a
// tool of a worker outside the run, which is not looked for here (SPEC §2, S2-42): it
// is a warning, and golem check looks for it.
func (b *toolbox) checkSettings(ctx context.Context, v *vocabulary) error {
	var out fault.List
	for _, s := range unknownTools(v.r.Project, b.place.worker, b.Set) {
		known := v.names(ctx, b.place.worker)
		switch {
		case known.has(s.name), len(b.undescribed) > 0, v.r.Project.Names.Has(s.name):
		case fault.Nearest(s.name, known.names) != "":
			out = append(out, s.fault(known.names))
		default:
			file, line := position(s.origin)
			b.warnings = append(b.warnings, fault.Warn(fault.Config, "an approval setting names %q, and no worker of this run has such a tool", s.name).
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

// vocabulary has the names of the tools that the workers of a tree can have, to check those
// in approval settings.
type vocabulary struct {
	r       *Runner
	closure []*project.Worker // of the root; empty if no root was opened
	once    sync.Once
	known   *toolNames
}

// names returns the names, which it reads at the first call. first stands for the closure if
// no root was opened.
func (v *vocabulary) names(ctx context.Context, first *project.Worker) *toolNames {
	v.once.Do(func() {
		closure := v.closure
		if len(closure) == 0 {
			closure = []*project.Worker{first}
		}
		v.known = v.r.knownTools(ctx, closure)
	})
	return v.known
}

// knownTools returns the names of all tools that this platform could offer to the given
// workers, and of these workers. No module runs.
func (r *Runner) knownTools(ctx context.Context, workers []*project.Worker) *toolNames {
	k := &toolNames{names: slices.Clone(ruleNames)}
	for _, file := range r.Project.Workers.Unread() {
		k.names = append(k.names, tool.ToolName(r.Project.Workers.ID(file)), r.Project.Workers.ID(file))
	}
	seen := map[string]bool{}
	for _, w := range workers {
		k.names = append(k.names, w.ID, tool.ToolName(w.ID))
		for _, s := range w.Servers() {
			k.begins = append(k.begins, s.Key+"__")
		}
		for _, m := range r.modulesOf(w) {
			if seen[m.Path] {
				continue
			}
			seen[m.Path] = true // each by itself: name clashes do not matter here
			k.names = append(k.names, toolsOf(ctx, custom.Toolset(r.Modules, custom.Discovery{
				Modules: []custom.Module{m}, Inert: true, Worker: untelling{k: k},
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

// untelling notes that a module's tools are unknown.
type untelling struct {
	custom.Plain
	k *toolNames
}

// Undescribed notes it.
func (u untelling) Undescribed(string) { u.k.untold = true }

// modulesOf returns a worker's modules; none if they have a fault, which is reported
// elsewhere.
func (r *Runner) modulesOf(w *project.Worker) []custom.Module {
	found, err := r.Project.Modules.Of(w)
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
func position(origin string) (file string, line int) { return config.Place(origin) }
