package project

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// Module is one .wasm file with tools for a worker (SPEC §6, S1-45..47). Project
// has not read it; see OpenModule.
type Module struct {
	Path   string // from the project root; "utils:tools/a.wasm" of a library, "home:pkg/mod.wasm" for one of Source.ToolFiles
	Level  int    // 0 is the worker's own directory, 1 its project or library, then each library that declares; the lower one wins
	Locked bool   // there is a tools.lock, and Digest is what it says
	Digest string // SHA-256 (hex) the file must have; "" if the lock does not name it
}

// Levels of modules; libraries have those after the project's.
const (
	ownLevel     = 0
	projectLevel = 1
)

// homePrefix begins the path of a module outside the project.
const homePrefix = "home:"

// Stem is the file's name without .wasm: what toolsets.custom.modules calls it.
func (m Module) Stem() string {
	return strings.TrimSuffix(path.Base(strings.TrimPrefix(m.Path, homePrefix)), ".wasm")
}

// Modules returns the tool modules that w may use, in a fixed order, those of the
// nearest directory first. It lists directories and opens no module. With
// --no-import-tools, or toolsets.custom: false, there are none.
func (p *Project) Modules(w *Worker) ([]Module, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	got := p.byWorker[w]
	if got == nil {
		return nil, fault.New(fault.WorkerNotFound, "worker %s does not belong to this project", fault.Quoted(w.ID))
	}
	found, faults := p.modules(got)
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return found, nil
}

// WithoutModules reports whether --no-import-tools was given: golem then looks for no
// tool module.
func (p *Project) WithoutModules() bool { return p.src.Flags.NoImportTools }

// modules is Modules, once per worker. p.mu must be held.
func (p *Project) modules(got *loaded) ([]Module, fault.List) {
	if got.discovered == nil {
		d := p.discover(got)
		got.discovered = &d
	}
	return got.discovered.modules, got.discovered.faults
}

// discovery is what was found for one worker.
type discovery struct {
	modules []Module
	faults  fault.List
}

// add takes a module once: at the nearest level it was found at.
func (d *discovery) add(level int, names ...string) {
	for _, name := range names {
		if !slices.ContainsFunc(d.modules, func(m Module) bool { return m.Path == name }) {
			d.modules = append(d.modules, Module{Path: name, Level: level})
		}
	}
}

func (p *Project) discover(got *loaded) discovery {
	var d discovery
	if p.src.Flags.NoImportTools || p.withoutTools(got) {
		return d
	}
	if dir := got.ownDir(); dir != "" {
		d.add(ownLevel, p.wasmIn(got.def.at(dir))...)
	}
	root := got.def.at(".")
	d.add(projectLevel, p.wasmIn(root)...)
	for _, dir := range p.toolRoots(root) {
		d.add(projectLevel, p.filesIn(dir, isModule)...)
	}
	for _, item := range got.moduleRefs(p) {
		name, f := p.module(root, item.Text)
		if f != nil {
			f = p.beside(got, strings.TrimSuffix(item.Text, path.Ext(item.Text)), f)
			d.faults = append(d.faults, f.At(item.File, item.Line, item.Column))
			continue
		}
		d.add(projectLevel, name)
	}
	for i, needed := range p.sourceOf(root).needs {
		d.add(projectLevel+1+i, p.wasmIn(location{needed, "."})...)
	}
	if len(d.modules) > 0 {
		lock, faults := p.toolLock()
		d.faults = append(d.faults, faults...)
		for i := range d.modules {
			m := &d.modules[i]
			m.Locked, m.Digest = lock != nil, lock[m.Path]
		}
	}
	d.faults = append(d.faults, p.grantFaults(got, d.modules)...)
	d.faults.Sort()
	return d
}

// withoutTools tells whether toolsets.custom is false, or the worker is one of
// golem's own.
func (p *Project) withoutTools(l *loaded) bool {
	n := l.eff.Path("toolsets", "custom")
	return n != nil && n.Kind == yamltree.Scalar || l.def != nil && p.sourceOf(l.def.location).bare
}

// ownDir is the directory of a worker in directory form, "" for any other.
func (l *loaded) ownDir() string {
	if !strings.HasSuffix(l.def.name, "/worker.worker") {
		return ""
	}
	return path.Dir(l.def.name)
}

// settingsOf is what the project file of the source says that a worker is of.
func (p *Project) settingsOf(l location) *yamltree.Node {
	if l.inProject() {
		return p.settings
	}
	return p.sourceOf(l).settings
}

// toolRoots are the directories of tool modules of a source, beside tools/.
func (p *Project) toolRoots(root location) []location {
	m := &p.manifest
	if !root.inProject() {
		m = p.sourceOf(root).manifest
	}
	var out []location
	for _, dir := range m.ToolRoots {
		out = append(out, root.at(dir))
	}
	return out
}

// moduleRefs are the modules that are named: by the manifest, by the worker's
// imports and by toolsets.custom.module.
func (l *loaded) moduleRefs(p *Project) []*yamltree.Node {
	var out []*yamltree.Node
	if n := p.settingsOf(l.def.location).Path("tools", "modules"); n != nil {
		out = append(out, n.Items...)
	}
	if n := l.eff.Path("imports", "tools"); n != nil {
		out = append(out, n.Items...)
	}
	if n := l.eff.Path("toolsets", "custom", "module"); n != nil && !bareStem(n.Text) {
		out = append(out, n)
	}
	return out
}

// bareStem tells whether toolsets.custom.module picks a module by its stem,
// among those that were found, or names a file.
func bareStem(s string) bool { return !strings.ContainsAny(s, "/:.") }

// wasmIn are the modules of a directory that holds tools: tools.wasm and what
// lies in tools/, not deeper (S1-48).
func (p *Project) wasmIn(dir location) []string {
	var out []string
	if l := dir.at(path.Join(dir.name, "tools.wasm")); p.exists(l) {
		out = append(out, l.String())
	}
	return append(out, p.filesIn(dir.at(path.Join(dir.name, "tools")), isModule)...)
}

// isModule tells whether a file's name is one of tools/*.wasm. A hidden file is
// none: people would not see what is offered.
func isModule(name string) bool { return path.Ext(name) == ".wasm" && !strings.HasPrefix(name, ".") }

func isToolSource(name string) bool {
	return slices.Contains(ToolSources, path.Ext(name)) && name != "__init__.py"
}

// filesIn are the files of a directory that match, sorted; none if there is no
// such directory, or if it is reached through a link that leads out.
func (p *Project) filesIn(dir location, match func(name string) bool) []string {
	if !p.valid(dir) || p.leaves(dir) {
		return nil
	}
	entries, err := fs.ReadDir(p.sourceOf(dir).fs, dir.name)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if !e.IsDir() && match(e.Name()) {
			out = append(out, dir.at(path.Join(dir.name, e.Name())).String())
		}
	}
	return out
}

// grantFaults are names under toolsets.custom.modules that no module has: a
// grant that reaches nothing is a mistake. Two files of one name at one level
// cannot be told apart.
func (p *Project) grantFaults(l *loaded, found []Module) fault.List {
	custom := l.eff.Path("toolsets", "custom")
	var faults fault.List
	check := func(where yamltree.Pos, stem, what string) {
		var near []Module
		var stems []string
		for _, m := range found {
			stems = append(stems, m.Stem())
			if m.Stem() == stem && (len(near) == 0 || near[0].Level == m.Level) {
				near = append(near, m)
			}
		}
		switch len(near) {
		case 0:
			if f := p.notBuilt(l, stem); f != nil {
				faults = append(faults, f.At(where.File, where.Line, where.Column))
				return
			}
			faults = append(faults, where.Fault(fault.Config, "%s refers to %s, and this worker has no such tool module", what, fault.Quoted(stem)).
				Hinting("%s", fault.DidYouMean(stem, stems)))
		case 1:
		default:
			faults = append(faults, where.Fault(fault.Ambiguous, "%s is the name of %s and %s", fault.Quoted(stem), near[0].Path, near[1].Path).
				Hinting("rename one of the files"))
		}
	}
	if grants := custom.Get("modules"); grants != nil {
		for _, f := range grants.Fields {
			check(f.Pos, f.Name, "toolsets.custom.modules")
		}
	}
	if n := custom.Get("module"); n != nil && bareStem(n.Text) {
		check(n.Pos, n.Text, "toolsets.custom.module")
	}
	if n := custom.Get("tools"); n != nil && len(found) == 0 {
		for _, item := range n.Items {
			if f := p.notBuilt(l, item.Text); f != nil {
				faults = append(faults, f.At(item.File, item.Line, item.Column))
			}
		}
	}
	return faults
}

// notBuilt is a fault if a stem is that of a source which was not built, among
// those that lie where the worker's modules are looked for; nil if none is.
func (p *Project) notBuilt(l *loaded, stem string) *fault.Fault {
	faults := p.unbuilt(l.def.at("."))
	if dir := l.ownDir(); dir != "" {
		faults = append(p.unbuilt(l.def.at(dir)), faults...)
	}
	for _, f := range faults {
		if base := path.Base(f.Where.File); strings.TrimSuffix(base, path.Ext(base)) == stem {
			return f
		}
	}
	return nil
}

// unbuilt are sources that lie where modules are looked for, without their
// .wasm (S1-13): in a directory of tools, and in the manifest's roots.
func (p *Project) unbuilt(dir location) fault.List {
	var names []string
	for _, ext := range ToolSources {
		if l := dir.at(path.Join(dir.name, "tools"+ext)); p.exists(l) {
			names = append(names, l.String())
		}
	}
	names = append(names, p.filesIn(dir.at(path.Join(dir.name, "tools")), isToolSource)...)
	if dir.name == "." {
		for _, root := range p.toolRoots(dir) {
			names = append(names, p.filesIn(root, isToolSource)...)
		}
	}
	var faults fault.List
	for _, name := range slices.Compact(names) {
		stem := strings.TrimSuffix(name, path.Ext(name))
		if !p.exists(dir.shown(stem + ".wasm")) {
			faults = append(faults, sourceFault(name).At(name, 1, 1))
		}
	}
	return faults
}

// passedOver are files where modules are looked for that look like part of one
// and are not used: a module whose name does not end in .wasm as it must be
// written, and a description with no module beside it.
func (p *Project) passedOver(dir location) fault.List {
	const sidecar = ".tools.yaml"
	dirs := []location{dir.at(path.Join(dir.name, "tools"))}
	if dir.name == "." {
		dirs = append(dirs, p.toolRoots(dir)...)
	}
	var faults fault.List
	for _, name := range p.filesIn(dir, func(name string) bool { return name == "tools"+sidecar }) {
		faults = append(faults, p.lonely(name, sidecar)...)
	}
	for _, dir := range slices.Compact(dirs) {
		for _, name := range p.filesIn(dir, func(string) bool { return true }) {
			switch ext := path.Ext(name); {
			case strings.HasSuffix(name, sidecar):
				faults = append(faults, p.lonely(name, sidecar)...)
			case ext != ".wasm" && strings.EqualFold(ext, ".wasm"):
				faults = append(faults, fault.Warn(fault.ToolContract, "%s cannot be a tool module: its name does not end in .wasm", name).
					At(name, 1, 1).Hinting("rename it to %s.wasm", strings.TrimSuffix(name, ext)))
			}
		}
	}
	return faults
}

// lonely is a description that nothing reads. Where the source is there, the
// fault that tells to build it is enough.
func (p *Project) lonely(name, sidecar string) fault.List {
	stem := strings.TrimSuffix(name, sidecar)
	for _, ext := range append([]string{".wasm"}, ToolSources...) {
		if p.exists(p.place(stem + ext)) {
			return nil
		}
	}
	return fault.List{fault.Warn(fault.ToolContract, "%s describes a module that does not exist: there is no %s.wasm", name, stem).
		At(name, 1, 1).Hinting("give it the name of its module, or remove it")}
}

// Warnings returns what a run of w leaves out although it does not fail: tools whose
// source code was not built. With --no-import-tools it returns none.
func (p *Project) Warnings(w *Worker) fault.List {
	p.mu.Lock()
	defer p.mu.Unlock()
	got := p.byWorker[w]
	if p.src.Flags.NoImportTools || got == nil || p.withoutTools(got) {
		return nil
	}
	faults := p.unbuilt(got.def.at("."))
	if dir := got.ownDir(); dir != "" {
		faults = append(faults, p.unbuilt(got.def.at(dir))...)
	}
	for i, f := range faults {
		c := *f
		c.Severity = fault.Warning
		faults[i] = &c
	}
	faults.Sort()
	return faults
}
