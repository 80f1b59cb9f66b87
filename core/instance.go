package core

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"golem/core/approval"
	"golem/core/builtin"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
	"golem/core/prompt"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/toolset/custom"
	"golem/core/trace"
	"golem/core/trust"
	"golem/core/wasmtool"
)

// Instance is an open project on a platform. It can run several runs at the
// same time; each has a gate of its own, so approvals end with the run.
type Instance struct {
	platform Platform
	options  Options
	project  *project.Project
	registry toolset.Registry
	modules  *custom.Cache
	models   model.Config
	redactor atomic.Pointer[trace.Redactor]
	hiding   sync.Mutex
	hidden   []string // the secrets that the redactor knows
	config   *project.Config

	judge            trust.Judge
	neverAsk         bool // the person's config says trust: false
	pinned, pinnedBy string
	unattended       atomic.Bool // trust was asked for and nobody was there
}

// Open reads a project. It may return an instance together with an error: then
// only Check and Workers work.
func Open(p Platform, o Options) (*Instance, error) {
	if p.State.Project == "" {
		p.State.Project = p.TrustKey
	}
	if p.Scripts == nil {
		p.Scripts = builtin.Scripts()
	}
	i := &Instance{platform: p, options: o}
	i.registry = toolset.NewRegistry(append([]toolset.Factory{
		toolset.Filesystem(), toolset.Workers(toolset.Delegation{}), custom.Toolset(nil, custom.Discovery{}),
	}, p.Toolsets...)...)
	i.modules = custom.NewCache(sync.OnceValues(i.library))
	i.redactor.Store(trace.NewRedactor(i.secrets()))
	var err error
	if i.config, err = project.ReadConfig("$GOLEM_HOME/config.yaml", p.Config, p.TrustKey, p.Home); err != nil {
		return nil, err
	}
	if err := i.settleTrust(); err != nil {
		return nil, err
	}
	loaded, err := project.Load(project.Source{
		Config: i.config, Reach: o.Reach,
		TrustsImports: func(s project.Said) bool { return i.judge.Trusts(asWidening(s, "", "")) },
		FS:            o.Files, Name: o.Name, Entry: o.Entry, NoManifest: o.NoProject, WorkersRoot: o.WorkersRoot, Builtin: builtin.Workers(), Env: p.Env, ToolFiles: p.ToolFiles,
		Platform: p.Name, Toolsets: i.registry.Names(), PlatformToolsets: p.OtherToolsets,
		CheckToolset: i.registry.Check, CheckModel: i.checkModel,
		Flags: project.Flags{
			Model: o.Model, Approval: o.Approval, MaxDepth: o.MaxDepth, Limits: o.Limits, Settings: o.Settings, AllowOutside: o.AllowOutside,
			NoImportTools: o.NoImportTools, AllowModuleImports: o.AllowModuleImport,
		},
	})
	if loaded == nil {
		return nil, err
	}
	i.project = loaded
	i.models = i.modelConfig()
	return i, err
}

// Project returns the loaded project.
func (i *Instance) Project() *project.Project { return i.project }

// Entry returns the worker that a run starts with.
func (i *Instance) Entry() (*project.Worker, error) { return i.project.Entry() }

// Check returns every problem that the project has on the named platform (""
// means this one). It uses no model, runs no tool and writes nothing.
func (i *Instance) Check(platform string) fault.List {
	if platform == "" {
		platform = i.platform.Name
	}
	c := i.runner(trace.Sinks(nil), i.gate(nil)).Checker()
	faults := append(i.project.Check(platform), c.Views(context.Background())...)
	if platform != i.platform.Name {
		faults.Sort()
		return faults.Compact()
	}
	for _, w := range c.Workers() {
		faults = append(faults, c.Tools(context.Background(), w)...)
	}
	if entry, err := i.project.Entry(); err == nil && entry.Tool != "" {
		faults = append(faults, c.Tools(context.Background(), entry)...)
	}
	for _, w := range c.Workers() {
		if w.Template {
			faults = append(faults, prompt.InstructionsOf(i.project, w).Check(context.Background())...)
		}
	}
	faults = append(faults, i.lacking(c.Workers())...)
	faults = append(faults, i.unusedPrices()...)
	faults = append(faults, i.limitless(c.Workers())...)
	for _, w := range i.Untrusted(i.Widenings(context.Background())) {
		file, line := splitAt(w.At)
		faults = append(faults, fault.Warn(fault.Trust, "%s: %s reaches beyond the project's sandbox and has no effect until you trust it: %s", w.Path, w.Value, w.Means).
			At(file, line, 0).Hinting("%s", trustHint()))
	}
	faults.Sort()
	return faults.Compact()
}

// Tools returns the tools that a worker would have, as far as they are known
// without running a module. Their Uses are names. It runs nothing.
func (i *Instance) Tools(ctx context.Context, w *project.Worker) []tool.Spec {
	return i.runner(trace.Sinks(nil), i.gate(nil)).Checker().Specs(ctx, w)
}

// library is what runs the project's tool modules.
func (i *Instance) library() (*wasmtool.Library, error) {
	if i.platform.Tools == nil {
		return nil, nil
	}
	return i.platform.Tools(i.project.Manifest().ToolEngine)
}

// Workers returns the workers that scanning the project finds.
func (i *Instance) Workers() ([]project.Listing, fault.List) { return i.project.List() }

// gate makes the gate of one session.
func (i *Instance) gate(person approval.Approver) *approval.Gate {
	mode, _, trusted := i.project.Approval()
	g := approval.NewGate(mode, person)
	g.SandboxOnly = !trusted
	g.TaintAsk = i.project.TaintAsk()
	g.Trusts = func(w approval.Widening) bool { return i.judge.Trusts(trust.Setting(w)) }
	return g
}

// statusTo is a sink of which only status lines are heard.
type statusTo func(text string)

// Emit passes a status line on.
func (say statusTo) Emit(e trace.Event) {
	if b, ok := e.Body.(trace.Status); ok && say != nil {
		say(b.Text)
	}
}

// WouldAsk returns the names of the tools, reachable from the entry, whose
// calls would ask a person: an unattended run will deny them. It runs a module
// that has no description to learn its tools. say gets a message about what
// takes a while; it may be nil.
func (i *Instance) WouldAsk(ctx context.Context, say func(text string)) ([]string, error) {
	entry, err := i.project.Entry()
	if err != nil {
		return nil, err
	}
	closure, err := i.project.Closure(entry)
	if err != nil {
		return nil, err
	}
	r := i.runner(statusTo(say), i.gate(nil))
	var names []string
	for _, w := range closure {
		set, err := r.Callables(ctx, w)
		if err != nil {
			return nil, err
		}
		for _, t := range set.All() {
			spec := t.Spec()
			if m, ok := t.(tool.Identifier); ok {
				if provider, _, err := m.Identity(context.Background()); err == nil {
					spec.Provider = provider
				}
			}
			if name := spec.Name; i.forecast(r.Gate, w, spec).Call == Asks && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}

func (i *Instance) runner(sink trace.Sink, gate *approval.Gate) *run.Runner {
	return &run.Runner{
		Project: i.project, Toolsets: i.registry, Modules: i.modules, Model: i.open, Mount: i.mount, Gate: gate, Sink: sink,
		Protection: i.protection(), Quota: defaultQuota, Now: i.platform.Now,
		Trust: i.trustModel, TrustSettings: i.trustSettings, Granted: i.granted, Unattended: i.unattended.Load,
	}
}

// defaultQuota bounds what one run writes, so that a model in a loop cannot
// fill a disk: 1 GiB, 100,000 writes, 256 files open at a time.
var defaultQuota = sandbox.Limits{Bytes: 1 << 30, Files: 100_000, Handles: 256}

var errNoUI = errors.New("no user interface")
