package core

import (
	"cmp"
	"context"
	"io/fs"
	"sync"

	"golem/core/approval"
	"golem/core/builtin"
	"golem/core/clearance"
	"golem/core/config"
	"golem/core/consent"
	"golem/core/fault"
	"golem/core/harden"
	"golem/core/project"
	"golem/core/providers"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/started"
	"golem/core/toolset"
	"golem/core/toolset/custom"
	"golem/core/toolset/mcpset"
	"golem/core/toolset/skillset"
	"golem/core/toolset/web"
	"golem/core/trace"
	"golem/core/wasmtool"
)

// Instance is an open project on a platform. It can run several runs at the
// same time; each has a gate of its own, so approvals end with the run.
type Instance struct {
	opened
	consent *consent.Consent
	models  *providers.Table
	notify  string
	titles  bool // models make the titles of conversations
}

// opened is a project on a platform, before anybody is asked what it may do.
type opened struct {
	platform Platform
	options  Options
	project  *project.Project
	registry toolset.Registry
	modules  *custom.Cache
	linker   *linker
	values   *values
}

// Notify returns how the person wants to be notified of a run that asks or ends. It is one of
// project.Notices.
func (i *Instance) Notify() string { return i.notify }

// Open reads a project. It may return an instance together with an error: then
// only Check and Workers work.
func Open(p Platform, o Options) (*Instance, error) { return open(p, o, nil) }

// open opens a project. With whole, workers are returned whatever their faults, for Check of
// whole, whose modules are used again.
func open(p Platform, o Options, whole *Instance) (*Instance, error) {
	if p.State.Project == "" {
		p.State.Project = p.TrustKey
	}
	if p.Scripts == nil {
		p.Scripts = builtin.Scripts()
	}
	if whole == nil {
		if err := harden.Recover(o.Files, &p.State); err != nil {
			return nil, err
		}
	}
	values := &values{env: p.Env, store: p.Store}
	values.add(platformSecrets(p)...)
	person, err := readPerson(p)
	if err != nil {
		return nil, err
	}
	answers, err := consent.ReadAnswers(consent.Source{
		Config: person, File: p.Trust, Key: p.TrustKey, Trust: o.Trust, Digest: o.TrustDigest, Env: p.Env, DotEnv: p.DotEnv, Origin: o.Origin,
	})
	if err != nil {
		return nil, err
	}
	work, err := workTree(p, o)
	if err != nil {
		return nil, err
	}
	searching := webOf(p, person.Web())
	if key := p.Env[searching.Search.Key()]; !trace.Ordinary(key) {
		values.add(key)
	}
	registry := toolset.NewRegistry(append([]toolset.Factory{
		web.Toolset(searching), toolset.FilesystemBeside(p.Buffers), toolset.Workers(toolset.Delegation{}), custom.Toolset(nil, custom.Discovery{}), toolset.Clearance(nil),
		mcpset.Toolset(nil, false), skillset.Toolset(nil),
	}, p.Toolsets...)...)
	link := new(linker)
	if whole != nil {
		link = whole.linker
	}
	loaded, err := project.Load(project.Setup{
		Person: person, Reach: o.Reach, Trust: answers,
		FS: o.Files, Work: work, Name: o.Name, Options: o.Opening, WorkersRoot: o.WorkersRoot, Builtin: builtin.Workers(), Env: p.Env, ToolFiles: p.ToolFiles, SkillFiles: p.SkillFiles, Servers: o.Servers, Linker: link, Libraries: p.Libraries,
		NoLock: o.NoLock, NoModuleYet: o.noModuleYet, Part: whole != nil, Platform: project.Platform{
			Name: p.Name, Toolsets: registry.Names(), Limited: p.OtherToolsets, Options: registry,
		},
	})
	if loaded == nil {
		return nil, err
	}
	parts := opened{platform: p, options: o, project: loaded, registry: registry, values: values, linker: link}
	if whole != nil {
		parts.modules = whole.modules
	} else {
		parts.modules = custom.NewCache(sync.OnceValues(parts.library))
		link.engines, link.modules = p.JavaScript, parts.modules
	}
	asking := consent.New(answers, loaded, &parts)
	models := providers.New(providers.Source{
		Project: loaded, Config: person, Env: p.Env, DotEnv: p.DotEnv, Keys: values, Files: o.Files, HTTP: p.HTTP, Scripts: p.Scripts, ReadScript: p.ReadScript,
		Trust: asking, Redact: values, Now: p.Now, Lent: p.Models, Platform: p.Name,
	})
	values.add(models.Secrets()...)
	return &Instance{opened: parts, consent: asking, models: models, notify: person.Notify(), titles: person.ModelTitles()}, err
}

// readPerson reads the person's configuration, with the rules that the platform stores
// elsewhere.
func readPerson(p Platform) (*config.Person, error) {
	person, err := config.ReadPerson("$GOLEM_HOME/config.yaml", p.Config, p.TrustKey, p.Home)
	if err != nil || !p.RulesApart && p.RulesKey == "" {
		return person, err
	}
	rules, err := p.rules().List()
	if err != nil {
		return nil, err
	}
	return person.WithRules(rules, p.RulesKey != ""), nil // the config's own that pre-approve have no effect then
}

// rules returns the store of the rules that the person saved for the project.
func (p *Platform) rules() consent.Rules {
	return consent.Rules{File: p.Rules, Key: cmp.Or(p.RulesKey, p.TrustKey), Home: p.Home}
}

// workTree returns the directory in which the command lines of the project's settings are
// started: the one that workers work on.
func workTree(p Platform, o Options) (started.Tree, error) {
	if p.Files == nil {
		return started.Tree{FS: o.Files, Locate: p.Locate}, nil
	}
	fsys, err := p.Files.Mount(".")
	if err != nil {
		return started.Tree{}, fault.Of(err, fault.NotFound)
	}
	return started.Tree{FS: fsys, Root: sandbox.SourceOf(fsys, ""), Locate: p.Locate}, nil
}

// webOf returns what the toolset web needs, with the person's settings.
func webOf(p Platform, w config.Web) web.Source {
	return web.Source{
		Fetch: p.Fetch, Charsets: p.Charsets, PrivateHosts: w.PrivateHosts, Env: p.Env,
		Search: web.Search{Provider: w.Provider, URL: w.URL, KeyEnv: w.KeyEnv},
	}
}

// Project returns the loaded project.
func (i *Instance) Project() *project.Project { return i.project }

// Entry returns the worker that a run starts with.
func (i *Instance) Entry() (*project.Worker, error) { return i.project.Workers.Entry() }

// library returns the library that runs the project's tool modules, or nil if the platform
// runs none.
func (o *opened) library() (*wasmtool.Library, error) {
	if o.platform.Tools == nil {
		return nil, nil
	}
	return o.platform.Tools(o.project.Manifest.ToolEngine)
}

// Workers returns the workers that scanning the project finds.
func (i *Instance) Workers() ([]project.Listing, fault.List) { return i.project.Workers.List() }

// gate makes the gate of one session. Rules that the person saves are shown through sink;
// with nil, none can be saved.
func (i *Instance) gate(person approval.Approver, sink trace.Sink) *approval.Gate {
	set := i.project.Approval
	g := approval.NewGate(set.Mode, person)
	g.SandboxOnly = !set.Trusted
	g.TaintAsk = set.TaintAsk
	g.Rules = personRules{i, sink}
	return g
}

// personRules are what the person said for the project, as the gate of a session sees it.
type personRules struct {
	*Instance
	sink trace.Sink
}

// Trusts reports whether the person trusted a widening.
func (p personRules) Trusts(w approval.Widening) bool { return p.consent.Setting(w) }

// Saves reports whether rules can be saved.
func (p personRules) Saves() bool { return p.sink != nil && p.platform.Rules != nil }

// Save saves a rule for the project, and shows the result through the sink.
func (p personRules) Save(r approval.Rule) bool { return p.saveRule(r, p.sink) }

func (o *opened) files() mounting { return mounting{&o.platform, o.options} }

// Clearance returns the store of the project's staged items, on which a person decides. It is
// nil if nothing is kept, because the platform keeps no state or the sandbox is in memory.
func (i *Instance) Clearance() *clearance.Store {
	s := i.files().staged(i.project)
	if s != nil {
		s.Remote = remote{realFiles{i.files(), i.project}, i.consent}
	}
	return s
}

// Undo returns the store of the files that runs of the project replaced, so that a person can
// restore them. It is nil if Clearance is nil.
func (i *Instance) Undo() *clearance.Store { return i.files().undo(i.project) }

// looker returns a runner that only looks at the project: it asks nobody and runs nothing.
func (o *opened) looker() *run.Runner {
	files := o.files()
	return &run.Runner{
		Project: o.project, Toolsets: o.registry, Modules: o.modules, Files: files, Protection: files.protection(o.project), Quota: defaultQuota,
		Values: o.values, Servers: o.platform.MCP, Now: o.platform.Now, Keeping: run.Keeping{Clearance: files.staged(o.project), Undo: files.undo(o.project)},
	}
}

// Checker returns a Checker of the project.
func (o *opened) Checker() *run.Checker { return o.looker().Checker() }

// runner returns the runner of one session.
func (i *Instance) runner(front run.Front, gate *approval.Gate, keeping run.Keeping, notices []trace.Body) *run.Runner {
	r := i.looker()
	keeping.Clearance, keeping.Undo = i.Clearance(), r.Keeping.Undo
	r.Models, r.Gate, r.Front, r.Trust, r.Changes, r.Keeping, r.Notices = i.models, gate, front, i.consent, i.consent.Changes(), keeping, notices
	return r
}

// defaultQuota limits what one run writes, so that a model in a loop cannot
// fill a disk: 1 GiB, 100,000 writes, 256 files open at a time.
var defaultQuota = sandbox.Limits{Bytes: 1 << 30, Files: 100_000, Handles: 256}

// Seen returns the files that the entry sees, so that a front end can offer their names. It
// does not contain files that no worker can read.
func (i *Instance) Seen() (fs.FS, error) {
	entry, err := i.project.Workers.Entry()
	if err != nil {
		return nil, err
	}
	return i.Checker().Files(context.Background(), entry)
}

// saveRule saves a rule for the project, and shows the result through sink.
func (i *Instance) saveRule(r approval.Rule, sink trace.Sink) bool {
	err := i.platform.rules().Add(r)
	e := trace.Event{ID: "0", Body: trace.Status{Level: "info", Text: "saved in your own configuration: " + r.YAML(), Page: "saved: Settings, Calls that do not ask"}}
	if err != nil {
		f := fault.Of(err, fault.Config)
		e.Body = trace.Warning{Code: f.Code, Message: "the call runs this once, and the rule was not saved: " + f.Text()}
	}
	sink.Emit(e)
	return err == nil
}
