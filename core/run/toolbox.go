package run

import (
	"context"
	"fmt"
	"io/fs"
	"slices"

	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/toolset/custom"
	"golem/core/toolset/mcpset"
	"golem/core/toolset/skillset"
	"golem/core/trace"
)

// toolbox is what a worker run may call.
type toolbox struct {
	*tool.Set
	place       *place
	workers     []toolset.Delegate // that the worker may call
	hardened    tool.Tool          // answers before the model; nil: there is none
	opened      []tool.Toolset     // closed with the worker run
	changing    []changing         // toolsets whose tools can change between turns
	skills      string             // what the worker is told of its skills; "": it has none
	undescribed []string           // modules whose tools are not known, because no code may run
	warnings    []*fault.Fault     // from making the tools, until the worker begins
	begun       bool
}

// opener makes the toolbox of a worker run.
type opener struct {
	*Runner
	tree      *tree
	place     *place
	sight     *sight
	inert     bool       // golem check: no code of a module runs, and no server is started
	collected *collected // golem check collects all errors; nil: the first one ends open
}

// open makes the worker's tools in a fixed order: its toolsets by name, the workers that it
// may call, and, below the root, request_input. Allowed workers and found modules need no
// toolset of their name, unless the manifest says tools.offer: listed. The modules are
// opened first, because a module may provide a worker. The caller closes the toolbox, also
// after an error.
func (o *opener) open(ctx context.Context) (*toolbox, error) {
	box := &toolbox{Set: &tool.Set{}, place: o.place}
	err := o.fill(ctx, box)
	return box, err
}

func (o *opener) fill(ctx context.Context, box *toolbox) error {
	w := o.place.worker
	found, allowed, served, err := callable(o.Project, w)
	if err != nil {
		return fault.Of(err, fault.Config).InChain(o.place.chain)
	}
	sets := w.Toolsets
	if len(found) > 0 && o.needsModules(allowed) {
		sets = withToolset(sets, "custom")
	}
	modules, err := o.openModules(ctx, box, sets, found, served)
	if err = o.collected.unlessCollected(err); err != nil {
		return err
	}
	if box.workers, err = o.delegates(allowed, modules, len(box.undescribed) == 0); err != nil {
		return err
	}
	if len(box.workers) > 0 {
		sets = withToolset(sets, "workers")
	}
	serving, err := o.serving(served, modules)
	if err != nil {
		return err
	}
	box.workers = append(box.workers, serving...)
	registry := o.Toolsets.With(toolset.Workers(toolset.Delegation{
		Workers: box.workers, Files: o.sight.files, Style: w.Delegates.Style, Unknown: func(ref string) error { return mayNotCall(o.Project, w, ref) },
	}), toolset.Clearance(o.tree.staging.desk(o.place)), mcpset.Toolset(serverLink{o.tree, box}, !o.inert && !o.tree.looks), skillset.Toolset(skillSource{o.Project.Skills, o}))
	for _, ts := range sets {
		if err := o.add(ctx, box, registry, ts, modules); err != nil {
			return err
		}
	}
	if o.place.depth > 0 {
		if err := box.Add(toolset.RequestInput()); err != nil {
			return err
		}
	}
	if err := o.collected.unlessCollected(o.openHardened(ctx, box)); err != nil {
		return err
	}
	return o.collected.unlessCollected(o.checkHardened(box))
}

// find returns the tool of a call.
func (b *toolbox) find(req callRequest) (tool.Tool, bool) {
	if req.hardened {
		return b.hardened, b.hardened != nil
	}
	return b.Get(req.name)
}

// callable returns the modules that a worker finds, the workers that it may call, and those
// that serve names of its toolset custom.
func callable(p *project.Project, w *project.Worker) (found []project.Module, allowed, served []project.Allowed, err error) {
	if allowed, err = p.Workers.Allowed(w); err != nil {
		return nil, nil, nil, err
	}
	if found, err = p.Modules.Of(w); err != nil {
		return nil, nil, nil, err
	}
	served, err = p.Workers.Served(w)
	return found, allowed, served, err
}

// add adds the tools of one toolset.
func (o *opener) add(ctx context.Context, box *toolbox, registry toolset.Registry, ts project.Toolset, modules []tool.Tool) error {
	var tools []tool.Tool
	if ts.Name == "custom" {
		tools = o.ownTools(box.workers, modules)
	} else if set, ok := o.serve(ts); ok {
		tools = set.tools
		box.changing = append(box.changing, changing{set, tools})
	} else if o.collected.has(ts.Name) {
		return nil // it has a fault already
	} else if set, err := o.openSet(ctx, box, registry, ts); err != nil {
		return o.collected.unlessCollected(err)
	} else {
		tools = set.Tools()
		o.listed(ts, set)
		if c, ok := set.(tool.Changing); ok {
			box.changing = append(box.changing, changing{c, tools})
		}
		o.addSkills(box, set)
	}
	for _, tl := range tools {
		if err := box.Add(tl); err != nil {
			if err = o.collected.unlessCollected(misplaced(err, ts, o.place)); err != nil {
				return err
			}
		}
	}
	return nil
}

// unlisted reports whether the manifest offers tools of modules only to workers with
// toolset custom, and this worker does not have it.
func (o *opener) unlisted() bool {
	return o.Project.Manifest.ToolsListed && !hasToolset(o.place.worker.Toolsets, "custom")
}

// needsModules reports whether the worker's modules must be read although its toolsets
// do not name custom.
func (o *opener) needsModules(allowed []project.Allowed) bool {
	provided := slices.ContainsFunc(allowed, func(a project.Allowed) bool { return a.Worker == nil || a.Worker.Builtin() })
	return provided || !o.unlisted() || o.place.worker.Tool != ""
}

// openModules returns the tools of the worker's modules; none if sets has no toolset
// custom.
func (o *opener) openModules(ctx context.Context, box *toolbox, sets []project.Toolset, found []project.Module, served []project.Allowed) ([]tool.Tool, error) {
	i := slices.IndexFunc(sets, func(s project.Toolset) bool { return s.Name == "custom" })
	if i < 0 {
		return nil, nil
	}
	w := o.place.worker
	if !o.inert {
		if err := moduleFiles(o.Project, w, o.sight.files); err != nil {
			return nil, err.InChain(o.place.chain)
		}
	}
	d := custom.Discovery{
		Modules: o.modules(found),
		Inert:   o.inert,
		Run:     o.place.id,
		Total:   o.Project.Setup.Person.ModulesMemory(),
		Worker:  &modulesOwner{boxNotes: boxNotes{box: box}, opener: o, set: sets[i], served: served},
		Untold:  o.collected != nil && len(o.collected.unknown) > 0,
	}
	registry := o.Toolsets.With(custom.Toolset(o.Modules, d))
	set, err := o.openSet(ctx, box, registry, sets[i])
	if err != nil && o.collected.has("custom") {
		return nil, nil // its options have a fault already
	}
	if err != nil {
		return nil, err
	}
	return set.Tools(), nil
}

// boxNotes notes in a toolbox what toolset custom says of modules.
type boxNotes struct {
	custom.Plain
	box *toolbox
}

func (n boxNotes) Warn(w *fault.Fault)     { n.box.warnings = append(n.box.warnings, w) }
func (n boxNotes) Undescribed(path string) { n.box.undescribed = append(n.box.undescribed, path) }

// modulesOwner is the worker whose modules are opened, as toolset custom sees it.
type modulesOwner struct {
	boxNotes
	opener *opener
	set    project.Toolset
	served []project.Allowed
}

func (m *modulesOwner) Served(name string) bool {
	w := m.opener.place.worker
	return name == tool.ToolName(w.ID) || slices.ContainsFunc(m.served, func(a project.Allowed) bool { return a.Tool == name }) ||
		slices.ContainsFunc(w.Delegates.Refs, func(ref string) bool { return tool.ToolName(ref) == name })
}

// Broken collects the error, if all errors are collected.
func (m *modulesOwner) Broken(path string, err error) error {
	if m.opener.collected == nil {
		return err
	}
	m.opener.collected.add(path, misplaced(err, m.set, m.opener.place))
	return nil
}

// ownTools returns the modules' tools that the worker is offered as tools: not those
// that provide a worker that it may call. If the worker is unlisted, only the tool that
// is the entry remains. After them come the workers that serve names of the toolset.
func (o *opener) ownTools(workers []toolset.Delegate, modules []tool.Tool) []tool.Tool {
	var out []tool.Tool
	for _, t := range modules {
		name := t.Spec().Name
		switch {
		case slices.ContainsFunc(workers, func(d toolset.Delegate) bool { return d.Tool == name && (d.Module != nil || isHardened(d)) }):
		case name == o.place.worker.Tool:
			out = append(out, custom.AsWorker(t, name))
		case !o.unlisted():
			out = append(out, t)
		}
	}
	for _, d := range workers {
		if d.Served {
			out = append(out, toolset.Serving(d, o.sight.files))
		}
	}
	return out
}

// openSet opens one toolset, which the toolbox closes.
func (o *opener) openSet(ctx context.Context, box *toolbox, registry toolset.Registry, ts project.Toolset) (tool.Toolset, error) {
	if !o.doubled(ts) {
		if err := registry.Whole(o.place.worker.ID, ts.Name, o.sight.part, o.sight.view); err != nil {
			return nil, misplaced(err, ts, o.place)
		}
	}
	set, err := registry.Open(ctx, ts.Name, ts.Options, o.env())
	if err != nil {
		return nil, misplaced(err, ts, o.place)
	}
	box.opened = append(box.opened, set)
	return set, nil
}

// misplaced adds the place where the configuration names a toolset to err, unless err has a
// file already.
func misplaced(err error, ts project.Toolset, at *place) error {
	flt := fault.Of(err, fault.Config)
	if ts.File != "" && (flt.Where == nil || flt.Where.File == "") {
		flt = flt.At(ts.File, ts.Line, 0)
	}
	return flt.InChain(at.chain)
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
func (o *opener) env() toolset.Env {
	w := o.place.worker
	return toolset.Env{
		Worker: w.ID, Files: o.sight.files, View: o.sight.view, Network: o.sight.network(w), OutputLimit: int(w.Limits.ToolOutput), Run: toolRun{o.Runner, o.place},
	}
}

// toolRun is what the tools of one worker run can use of the run.
type toolRun struct {
	r     *Runner
	place *place
}

// Log emits a status line.
func (t toolRun) Log(level, text string) { t.place.emit(trace.Status{Text: text, Level: level}) }

// Rewrote passes on which files a command has changed.
func (t toolRun) Rewrote(files map[string]string) {
	if t.r.Changes != nil {
		t.r.Changes.Rewrote(files)
	}
}

// Value returns a value of the person.
func (t toolRun) Value(v tool.Value) (string, error) {
	if t.r.Values == nil {
		return "", fault.New(fault.Platform, "this platform keeps no secrets")
	}
	return t.r.Values.Value(v)
}

// Redact removes the person's values from a text.
func (t toolRun) Redact(text string) string { return t.r.given().String(text) }

// modules returns the found module files in the form of toolset custom.
func (r *Runner) modules(found []project.Module) []custom.Module {
	out := make([]custom.Module, len(found))
	for i, m := range found {
		out[i] = custom.Module{
			Path: m.Path, Stem: m.Stem(), Level: m.Level, Locked: m.Locked, Digest: m.Digest, Named: m.Named,
			File: moduleFile{r.Project.Modules, m},
		}
	}
	return out
}

// moduleFile is the file of a module of the project.
type moduleFile struct {
	of     *project.Modules
	module project.Module
}

func (f moduleFile) Open() (fs.File, error)   { return f.of.Open(f.module) }
func (f moduleFile) Sidecar() ([]byte, error) { return f.of.Sidecar(f.module) }

// close closes the toolsets.
func (b *toolbox) close() {
	for _, s := range b.opened {
		if err := s.Close(); err != nil {
			b.place.emit(trace.Warning{Code: fault.Tool, Message: fmt.Sprintf("closing a toolset: %v", err)})
		}
	}
}

// begin emits the warnings of making the tools, each once in a run.
func (b *toolbox) begin() {
	b.begun = true
	for _, w := range b.warnings {
		b.place.warn(w)
	}
	b.warnUnfit()
}

// warnUnfit warns of tools that are not offered, because no provider accepts their schemas.
func (b *toolbox) warnUnfit() {
	for _, t := range b.All() {
		s := t.Spec()
		if err := model.Unfit(s); err != nil && s.Exec != tool.ExecManual {
			b.place.warn(fault.Warn(fault.Schema, "the tool %s is not offered to the model: %s", s.Name, fault.Of(err, fault.Schema).Message))
		}
	}
}

// offered returns the specs that the model is given: all tools but manual and hidden ones.
func (b *toolbox) offered() []tool.Spec {
	var out []tool.Spec
	for _, t := range b.All() {
		if h, ok := t.(tool.Hidden); ok && h.Hidden() {
			continue
		}
		if s := t.Spec(); s.Exec != tool.ExecManual && model.Unfit(s) == nil {
			out = append(out, s)
		}
	}
	return out
}
