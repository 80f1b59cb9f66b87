package core

import (
	"cmp"
	"context"
	"io/fs"
	"strings"
	"sync"

	"golem/core/approval"
	"golem/core/builtin"
	"golem/core/clearance"
	"golem/core/consent"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/providers"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/started"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/toolset/custom"
	"golem/core/toolset/mcpset"
	"golem/core/toolset/web"
	"golem/core/trace"
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
	models   *providers.Table
	consent  *consent.Consent
	secrets  secrets
	notify   string
}

// Notify returns how the person wants to be notified of a run that asks or ends. It is one of
// project.Notices.
func (i *Instance) Notify() string { return i.notify }

// Open reads a project. It may return an instance together with an error: then
// only Check and Workers work.
func Open(p Platform, o Options) (*Instance, error) { return open(p, o, false) }

// open opens a project. With part, workers are returned whatever their faults, for Check.
func open(p Platform, o Options, part bool) (*Instance, error) {
	if p.State.Project == "" {
		p.State.Project = p.TrustKey
	}
	if p.Scripts == nil {
		p.Scripts = builtin.Scripts()
	}
	i := &Instance{platform: p, options: o}
	i.registry = toolset.NewRegistry(append([]toolset.Factory{
		toolset.Filesystem(), toolset.Workers(toolset.Delegation{}), custom.Toolset(nil, custom.Discovery{}), toolset.Clearance(toolset.Desk{}),
		mcpset.Toolset(mcpset.Link{}),
	}, p.Toolsets...)...)
	i.modules = custom.NewCache(sync.OnceValues(i.library))
	i.secrets.add(platformSecrets(p)...)
	config, err := project.ReadConfig("$GOLEM_HOME/config.yaml", p.Config, p.TrustKey, p.Home)
	if err == nil && (p.RulesApart || p.RulesKey != "") {
		config, err = withKept(config, i.rules(), p.RulesKey != "")
	}
	if err != nil {
		return nil, err
	}
	i.addWeb(config.Web())
	i.notify = config.Notify()
	i.consent, err = consent.Read(consent.Source{
		Config: config, File: p.Trust, Key: p.TrustKey, Trust: o.Trust, Digest: o.TrustDigest, Env: p.Env, DotEnv: p.DotEnv, Origin: o.Origin,
	})
	if err != nil {
		return nil, err
	}
	work, err := i.work()
	if err != nil {
		return nil, err
	}
	loaded, err := project.Load(project.Source{
		Config: config, Reach: o.Reach, TrustsImports: i.consent.Imports,
		FS: o.Files, Work: work, Name: o.Name, Entry: o.Entry, NoManifest: o.NoProject, WorkersRoot: o.WorkersRoot, Builtin: builtin.Workers(), Env: p.Env, ToolFiles: p.ToolFiles, Libraries: p.Libraries,
		NoLock: o.NoLock, Part: part, Platform: p.Name, Toolsets: i.registry.Names(), PlatformToolsets: p.OtherToolsets,
		CheckToolset: i.registry.Check, CheckModel: func(name, origin, platform string) (string, error) { return i.models.Check(name, origin, platform) },
		Providers: func() []string { return i.models.Beginnings() },
		Flags: project.Flags{
			Model: o.Model, Approval: o.Approval, MaxDepth: o.MaxDepth, Limits: o.Limits, Settings: o.Settings, AllowOutside: o.AllowOutside,
			NoImportTools: o.NoImportTools, AllowModuleImports: o.AllowModuleImport,
		},
	})
	if loaded == nil {
		return nil, err
	}
	i.project = loaded
	i.consent.Project, i.consent.Checker = loaded, i.checker
	i.consent.Protect()
	i.models = providers.New(providers.Source{
		Project: loaded, Config: config, Env: p.Env, DotEnv: p.DotEnv, Files: o.Files, HTTP: p.HTTP, Scripts: p.Scripts, ReadScript: p.ReadScript,
		Trusts: i.consent.Provider, Redact: i.secrets.text, Now: p.Now, Lent: p.Models, Platform: p.Name,
	})
	i.secrets.add(i.models.Secrets()...)
	return i, err
}

// work returns the directory in which the command lines of the project's settings are
// started: the one that workers work on.
func (i *Instance) work() (started.Tree, error) {
	if i.platform.Mount == nil {
		return started.Tree{FS: i.options.Files, Locate: i.platform.Locate}, nil
	}
	fsys, err := i.platform.Mount(".")
	if err != nil {
		return started.Tree{}, fault.Of(err, fault.NotFound)
	}
	return started.Tree{FS: fsys, Root: sandbox.SourceOf(fsys, ""), Locate: i.platform.Locate}, nil
}

// addWeb registers the toolset web with the person's settings, unless the platform has its
// own.
func (i *Instance) addWeb(w project.Web) {
	s := web.Source{
		Fetch: i.platform.Fetch, Charsets: i.platform.Charsets, PrivateHosts: w.PrivateHosts, Env: i.platform.Env,
		Search: web.Search{Provider: w.Provider, URL: w.URL, KeyEnv: w.KeyEnv},
	}
	if key := s.Env[s.Search.Key()]; !trace.Ordinary(key) {
		i.secrets.add(key)
	}
	i.registry = toolset.NewRegistry(append([]toolset.Factory{web.Toolset(s)}, i.registry.All()...)...)
}

// value returns the text of a value in a toolset's options. If the text is from the person's
// environment or secrets, it is redacted everywhere from then on (SECURITY 16).
func (i *Instance) value(v tool.Value) (string, error) {
	value := ""
	switch {
	case v.Env != "":
		if value = i.platform.Env[v.Env]; value == "" {
			return "", fault.New(fault.NotFound, "the environment variable %s is not set", v.Env).
				Hinting("set it before golem is started; in the page, use {secret: NAME}")
		}
	case v.Secret != "":
		if i.platform.Store == nil {
			return "", fault.New(fault.NotFound, "there is nowhere to keep secrets").Hinting("set GOLEM_HOME to a directory of your own")
		}
		kept, ok, err := i.platform.Store.Secret(v.Secret)
		switch {
		case err != nil:
			return "", fault.Of(err, fault.NotFound)
		case !ok:
			return "", fault.New(fault.NotFound, "you have no secret named %s: set it with golem secret set %[1]s, in the page under Settings", v.Secret)
		}
		if value = kept; len(strings.TrimSpace(value)) < trace.MinSecret {
			return "", fault.New(fault.Config, "the secret %s has fewer than %d bytes, so golem could not remove it from outputs and traces", v.Secret, trace.MinSecret).
				Hinting("use a longer value: golem secret set %s, in the page under Settings", v.Secret)
		}
	default:
		return v.Text, nil
	}
	if v.Secret != "" || !trace.Ordinary(value) { // a variable may name a team; a secret is one because the person keeps it
		i.secrets.give(value)
	}
	return value, nil
}

// Project returns the loaded project.
func (i *Instance) Project() *project.Project { return i.project }

// Entry returns the worker that a run starts with.
func (i *Instance) Entry() (*project.Worker, error) { return i.project.Entry() }

// library returns the library that runs the project's tool modules, or nil if the platform
// runs none.
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
	g.Trusts = i.consent.Setting
	return g
}

func (i *Instance) files() mounting { return mounting{&i.platform, i.options} }

// Clearance returns the store of the project's staged items, on which a person decides. It is
// nil if nothing is kept, because the platform keeps no state or the sandbox is in memory.
func (i *Instance) Clearance() *clearance.Store { return i.files().staged(i.project) }

// Undo returns the store of the files that runs of the project replaced, so that a person can
// restore them. It is nil if Clearance is nil.
func (i *Instance) Undo() *clearance.Store { return i.files().undo(i.project) }

// runner makes the runner of one session.
func (i *Instance) runner(sink trace.Sink, gate *approval.Gate) *run.Runner {
	files := i.files()
	return &run.Runner{
		Project: i.project, Toolsets: i.registry, Modules: i.modules, Model: i.models.Open, Mount: files.mount, Gate: gate, Sink: sink,
		Servers:   run.Servers{Host: i.platform.MCP, Lookup: i.value, Hide: i.secrets.give, Trust: i.consent.Server, Pin: i.consent.ServerTools},
		Clearance: files.staged(i.project), Undo: files.undo(i.project), Protection: files.protection(i.project), Quota: defaultQuota, Now: i.platform.Now,
		Wrote: i.consent.Wrote, Rewrote: i.consent.Rewrote, Trust: i.consent.Model, TrustSettings: i.consent.Settings, Granted: i.consent.Granted, Value: i.value, Given: i.secrets.ofGiven.Load, IsSecret: i.secrets.within, Unattended: i.consent.Unattended,
	}
}

// checker makes a Checker of the project, which asks nobody.
func (i *Instance) checker() *run.Checker { return i.runner(trace.Sinks(nil), i.gate(nil)).Checker() }

// defaultQuota limits what one run writes, so that a model in a loop cannot
// fill a disk: 1 GiB, 100,000 writes, 256 files open at a time.
var defaultQuota = sandbox.Limits{Bytes: 1 << 30, Files: 100_000, Handles: 256}

// Seen returns the files that the entry sees, so that a front end can offer their names. It
// does not contain files that no worker can read.
func (i *Instance) Seen() (fs.FS, error) {
	entry, err := i.project.Entry()
	if err != nil {
		return nil, err
	}
	return i.checker().Files(context.Background(), entry)
}

// rules returns the store of the rules that the person saved for this project.
func (i *Instance) rules() consent.Rules {
	return consent.Rules{File: i.platform.Rules, Key: cmp.Or(i.platform.RulesKey, i.platform.TrustKey), Home: i.platform.Home}
}

// withKept returns the config with the rules that the host stores in another file or under
// another key. With instead, the config's own rules for the project that pre-approve have no
// effect.
func withKept(config *project.Config, kept consent.Rules, instead bool) (*project.Config, error) {
	rules, err := kept.List()
	if err != nil {
		return nil, err
	}
	return config.WithRules(rules, instead), nil
}

// saveRules sets g.Save, so that the gate of a session can save rules. The result is shown
// through sink.
func (i *Instance) saveRules(g *approval.Gate, sink trace.Sink) {
	if i.platform.Rules == nil {
		return
	}
	g.Save = func(r approval.Rule) bool {
		err := i.rules().Add(r)
		e := trace.Event{ID: "0", Body: trace.Status{Level: "info", Text: "saved in your own configuration: " + r.YAML()}}
		if err != nil {
			f := fault.Of(err, fault.Config)
			e.Body = trace.Warning{Code: f.Code, Message: "the call runs this once, and the rule was not saved: " + f.Text()}
		}
		sink.Emit(e)
		return err == nil
	}
}
