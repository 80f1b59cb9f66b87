package core

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/trace"
	"golem/core/trust"
	"golem/core/wasmtool"
)

// Instance is one open project on one platform. It may run several runs at
// the same time; each has its own gate, so that approvals end with it.
type Instance struct {
	platform Platform
	options  Options
	project  *project.Project
	registry toolset.Registry
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

// Open reads a project. With an error the instance is returned too where
// there is a directory to look at: it is good for Check and Workers.
func Open(p Platform, o Options) (*Instance, error) {
	i := &Instance{platform: p, options: o}
	i.registry = toolset.NewRegistry(append([]toolset.Factory{
		toolset.Filesystem(), toolset.Workers(), toolset.Custom(sync.OnceValues(i.library)),
	}, p.Toolsets...)...)
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
		FS:            o.Files, Name: o.Name, Entry: o.Entry, NoManifest: o.NoProject, WorkersRoot: o.WorkersRoot, Env: p.Env, ToolFiles: p.ToolFiles,
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

// Project is what was loaded.
func (i *Instance) Project() *project.Project { return i.project }

// Entry is the worker a run starts with.
func (i *Instance) Entry() (*project.Worker, error) { return i.project.Entry() }

// Check returns every problem of the project, as it would be on the named
// platform ("": this one). No model is asked, no tool runs, nothing is written.
func (i *Instance) Check(platform string) fault.List {
	if platform == "" {
		platform = i.platform.Name
	}
	faults := i.project.Check(platform)
	if platform != i.platform.Name {
		return faults
	}
	c := i.runner(trace.Sinks(nil), i.gate(nil)).Checker()
	for _, w := range c.Workers() {
		faults = append(faults, c.Tools(context.Background(), w)...)
	}
	if entry, err := i.project.Entry(); err == nil && entry.Tool != "" {
		faults = append(faults, c.Tools(context.Background(), entry)...)
	}
	faults = append(faults, c.Views(context.Background())...)
	faults = append(faults, i.lacking(c.Workers())...)
	for _, w := range i.Untrusted(i.Widenings(context.Background())) {
		file, line := splitAt(w.At)
		faults = append(faults, fault.Warn(fault.Trust, "%s: %s reaches beyond the project's sandbox and counts only once you trusted it: %s", w.Path, w.Value, w.Means).
			At(file, line, 0).Hinting("%s", trustHint()))
	}
	faults.Sort()
	return faults.Compact()
}

// lacking warns of settings that the provider of a worker's model does not have.
func (i *Instance) lacking(workers []*project.Worker) fault.List {
	var out fault.List
	for _, w := range workers {
		settings, err := model.ReadSettings(w.ModelSettings)
		if err != nil || w.Model == "" {
			continue
		}
		for _, name := range i.models.Lacking(w.Model, settings) {
			file, line := w.SettingAt(name)
			out = append(out, fault.Warn(fault.Model, "%s", model.LackingText(w.Model, name)).At(file, line, 0))
		}
	}
	return out
}

// library is what runs the project's tool modules.
func (i *Instance) library() (*wasmtool.Library, error) {
	if i.platform.Tools == nil {
		return nil, nil
	}
	return i.platform.Tools(i.project.Manifest().ToolEngine)
}

// Workers lists what scanning finds.
func (i *Instance) Workers() ([]project.Listing, fault.List) { return i.project.List() }

// secrets are the values that must not leave golem: the platform's, and those
// of every variable that holds a key.
func (i *Instance) secrets() []string {
	out := slices.Clone(i.platform.Secrets)
	for name, v := range i.platform.Env {
		if trace.KeyVariable(name) {
			out = append(out, v)
		}
	}
	for _, row := range model.Rows() {
		for _, key := range row.Keys() {
			out = append(out, i.platform.Env[key])
		}
	}
	for _, v := range i.platform.DotEnv {
		out = append(out, v)
	}
	return out
}

func (i *Instance) modelConfig() model.Config {
	rows := map[string]model.Provider{}
	secrets := i.secrets()
	add := func(name string, p project.Provider, trusted bool) {
		row := model.Provider{
			Name: name, BaseURL: p.BaseURL, KeyVar: p.APIKeyEnv, Headers: p.Headers, Image: p.Image, PDF: p.PDF, JSON: p.JSON, Trusted: trusted,
		}
		if base, there := rows[name]; there {
			row = base.Under(row)
		}
		rows[name] = row
		secrets = append(secrets, i.platform.Env[p.APIKeyEnv])
		for _, v := range p.Headers {
			secrets = append(secrets, v)
		}
	}
	for name, p := range i.config.Providers() {
		add(name, p, true)
	}
	for name, p := range i.project.Manifest().Providers {
		add(name, p, false)
	}
	i.hidden = secrets
	i.redactor.Store(trace.NewRedactor(secrets))
	return model.Config{
		HTTP: i.platform.HTTP, Env: i.env, Providers: rows,
		Embedded: i.platform.Scripts, Redact: func(s string) string { return i.redactor.Load().String(s) }, Now: i.platform.Now,
	}
}

// env reads a variable for models: the environment, then a key of the
// project's .env, which a person must have trusted before a model is opened.
func (i *Instance) env(name string) string {
	if v := i.platform.Env[name]; v != "" {
		return v
	}
	return i.platform.DotEnv[name]
}

// checkModel tells whether a model name could be opened, without reaching it.
// A script or recording is read.
func (i *Instance) checkModel(name, origin string) error {
	provider, _, err := model.Split(name)
	if err != nil {
		return err
	}
	if provider == "script" || provider == "replay" {
		_, err := model.Open(name, i.reading(origin))
		return err
	}
	known := []string{"script", "replay"}
	for _, r := range model.Rows() {
		known = append(known, r.Name)
	}
	if i.project != nil {
		for n := range i.project.Manifest().Providers {
			known = append(known, n)
		}
	}
	for n := range i.config.Providers() {
		known = append(known, n)
	}
	if !slices.Contains(known, provider) {
		return fault.New(fault.Model, "there is no provider %q", provider).Hinting("%s", fault.DidYouMean(provider, known))
	}
	return nil
}

// open makes a worker's model. A script or recording that a person named is
// read from where they stand, one that the project names from its root.
func (i *Instance) open(_ context.Context, w *project.Worker) (model.Model, error) {
	if err := w.NeedModel(); err != nil {
		return nil, err
	}
	c := i.reading(w.Origins["model"])
	provider, _, _ := strings.Cut(w.Model, ":")
	if open := i.judge.Untrusted(i.providerWidenings(provider)); len(open) > 0 {
		return nil, i.untrusted(open[0], "nobody trusted it")
	}
	if row, there := c.Providers[provider]; there {
		c.Providers = maps.Clone(c.Providers)
		row.Trusted = true
		c.Providers[provider] = row
	}
	return model.Open(w.Model, c)
}

// reading is what models may reach where a name was given.
func (i *Instance) reading(origin string) model.Config {
	c := i.models
	c.ReadFile = i.readProject
	if i.platform.ReadScript != nil && (origin == "command line" || strings.HasPrefix(origin, "environment")) {
		c.ReadFile = i.platform.ReadScript
	}
	return c
}

func (i *Instance) readProject(name string) ([]byte, error) {
	clean, err := sandbox.Clean(name)
	if err != nil {
		return nil, err
	}
	return sandbox.ReadFile(i.options.Files, clean, 256<<20)
}

// mount opens a source for the sandbox, over memory if that was asked for.
func (i *Instance) mount(source string) (sandbox.FS, error) {
	if i.platform.Mount == nil {
		if i.options.MemorySandbox {
			return sandbox.Memory(), nil
		}
		return nil, fault.New(fault.Platform, "this platform lends no files")
	}
	fsys, err := i.platform.Mount(source)
	if err != nil || !i.options.MemorySandbox {
		return fsys, err
	}
	return sandbox.Overlay(fsys), nil
}

// protection guards the definition files of the project that runs, and what
// nobody may reach. A worker found on GOLEM_PATH works on another directory
// than its definitions lie in: there both are guarded, the definitions whole.
func (i *Instance) protection() sandbox.Protection {
	m := i.project.Manifest()
	var work sandbox.FS
	root := ""
	if i.platform.Mount != nil {
		if fsys, err := i.platform.Mount("."); err == nil {
			work, root = fsys, sandbox.SourceOf(fsys, "")
		}
	}
	defined := cmp.Or(root, ".") // a tree that does not tell where it lies is the one that workers see
	if fsys, ok := i.options.Files.(sandbox.FS); ok {
		defined = sandbox.SourceOf(fsys, defined)
	}
	c := sandbox.Controls{
		Root: defined, Manifest: m.File, Defines: i.project.Defines, Files: dotEnvs(i.options.Files),
		Dirs: slices.Concat(m.WorkersRoots, m.ToolRoots, []string{m.PromptsRoot}),
	}
	var p sandbox.Protection
	if root == "" || root == defined {
		p = c.Protect()
	} else {
		c.Whole = !sandbox.Inside(root, defined)
		p = sandbox.Controls{Root: root, Files: dotEnvs(work)}.Protect()
		p.Also = []sandbox.Protection{c.Protect()}
	}
	p.Closed = i.platform.Closed
	return p
}

// dotEnvs are the infos of a directory's .env files, by which other names of
// them are known.
func dotEnvs(fsys fs.FS) []fs.FileInfo {
	var out []fs.FileInfo
	for _, name := range []string{".env", ".env.local"} {
		if info, err := fs.Stat(fsys, name); err == nil {
			out = append(out, info)
		}
	}
	return out
}

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

// WouldAsk names the tools, reachable from the entry, whose calls would ask a
// person: what an unattended run will be denied. A module without a description
// is run for it; say hears what takes a while, and may be nil.
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
			if (spec.Risk == tool.Network || spec.Network) && !w.Sandbox.Network {
				continue // refused before anybody is asked
			}
			if m, ok := t.(tool.Identified); ok {
				if provider, _, err := m.Identity(context.Background()); err == nil {
					spec.Provider = provider
				}
			}
			setting, _ := r.Gate.Setting(spec, w.Policy)
			if name := spec.Name; setting == approval.Ask && r.Gate.Mode() == approval.Interactive && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}

func (i *Instance) runner(sink trace.Sink, gate *approval.Gate) *run.Runner {
	return &run.Runner{
		Project: i.project, Toolsets: i.registry, Model: i.open, Mount: i.mount, Gate: gate, Sink: sink,
		Protection: i.protection(), Quota: defaultQuota, Now: i.platform.Now,
		Trust: i.trustModel, TrustSettings: i.trustSettings, Granted: i.granted, Unattended: i.unattended.Load,
	}
}

// defaultQuota bounds what one run writes, so that a model in a loop cannot
// fill a disk: 1 GiB, 100,000 writes, 256 files open at a time.
var defaultQuota = sandbox.Limits{Bytes: 1 << 30, Files: 100_000, Handles: 256}

var errNoUI = errors.New("no user interface")
