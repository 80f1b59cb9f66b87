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
	Level  int    // 0 is the worker's own directory, 1 its project or library, then each library that this one declares; the lower one wins
	Locked bool   // there is a tools.lock, and Digest is what it says
	Digest string // SHA-256 (hex) the file must have; "" if the lock does not name it
}

// Levels of modules; the declared libraries have those after projectLevel.
const (
	ownLevel     = 0
	projectLevel = 1
)

// homePrefix begins the path of a module outside the project.
const homePrefix = "home:"

// Stem returns the file's name without .wasm, which is its key in
// toolsets.custom.modules.
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
	if err := faults.Err(); err != nil && !p.src.Part {
		return nil, err
	}
	return found, nil
}

// WithoutModules reports whether --no-import-tools was given: golem then looks for no
// tool module.
func (p *Project) WithoutModules() bool { return p.src.Flags.NoImportTools }

// modules does the work of Modules, once per worker. p.mu must be held.
func (p *Project) modules(got *loaded) ([]Module, fault.List) {
	if got.discovered == nil {
		d := p.discover(got)
		got.discovered = &d
	}
	return got.discovered.modules, got.discovered.faults
}

// discovery is the result of looking for one worker's modules.
type discovery struct {
	modules []Module
	faults  fault.List
}

// add adds modules that were not added before, so that each has the nearest of its
// levels.
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
		if p.src.Part && len(faults) > 0 {
			lock = nil // what it says is not known
		}
		for i := range d.modules {
			m := &d.modules[i]
			m.Locked, m.Digest = lock != nil, lock[m.Path]
		}
	}
	d.faults = append(d.faults, p.grantFaults(got, d.modules)...)
	d.faults.Sort()
	return d
}

// withoutTools reports whether toolsets.custom is false, or the worker is one of
// golem's own.
func (p *Project) withoutTools(l *loaded) bool {
	n := l.eff.Path("toolsets", "custom")
	return n != nil && n.Kind == yamltree.Scalar || l.def != nil && p.sourceOf(l.def.location).bare
}

// ownDir returns the directory of a worker in directory form, "" for any other.
func (l *loaded) ownDir() string {
	if !strings.HasSuffix(l.def.name, "/worker.worker") {
		return ""
	}
	return path.Dir(l.def.name)
}

// settingsOf returns the settings of the project file, or of the library, that a worker
// belongs to.
func (p *Project) settingsOf(l location) *yamltree.Node {
	if l.inProject() {
		return p.settings
	}
	return p.sourceOf(l).settings
}

// toolRoots returns the directories of tool modules of a source, other than tools/.
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

// moduleRefs returns the references to modules: in the manifest, in the worker's
// imports and in toolsets.custom.module.
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

// bareStem reports whether a value of toolsets.custom.module is the stem of a module
// that was found, and not the path of a file.
func bareStem(s string) bool { return !strings.ContainsAny(s, "/:.") }

// wasmIn returns the modules of a directory: tools.wasm and those in tools/, not deeper
// (S1-48).
func (p *Project) wasmIn(dir location) []string {
	var out []string
	if l := dir.at(path.Join(dir.name, "tools.wasm")); p.exists(l) {
		out = append(out, l.String())
	}
	return append(out, p.filesIn(dir.at(path.Join(dir.name, "tools")), isModule)...)
}

// isModule reports whether a file's name is that of a module: *.wasm. A hidden file
// does not count, because people would not see what golem offers.
func isModule(name string) bool { return path.Ext(name) == ".wasm" && !strings.HasPrefix(name, ".") }

func isToolSource(name string) bool {
	return slices.Contains(ToolSources, path.Ext(name)) && name != "__init__.py"
}

// filesIn returns the files of a directory that match, sorted; none if there is no such
// directory, or if it is reached through a link that leads out.
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

// grantFaults returns a fault for each name in toolsets.custom that no module has,
// because a grant without effect is a mistake, and for each name that two modules at
// one level have.
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

// notBuilt returns the fault of source code with this stem that was not built, if there
// is any where golem looks for the worker's modules; otherwise nil.
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

// unbuilt returns a fault for each file of source code without a .wasm file beside it
// (S1-13), where golem looks for modules: in a directory of tools, and in the
// manifest's roots.
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

// passedOver returns a warning for each file that golem does not use although it looks
// like part of a module: a module whose name ends in another spelling of .wasm, and a
// description with no module beside it.
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

// lonely returns a warning if a description has no module. It returns none if there is
// source code, because the fault that tells to build it is enough.
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
