package project

import (
	"path"
	"slices"
	"strings"
	"sync"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/yamltree"
)

// Module is one file with tools for a worker (SPEC §6, S1-45..47): a .wasm file, or a
// JavaScript or TypeScript source. Project has not read it; see Modules.Open.
type Module struct {
	Path   string // from the project root; "utils:tools/a.wasm" of a library, "home:pkg/mod.wasm" for one of Options.ToolFiles
	Level  int    // 0 is the worker's own directory, 1 its project or library, then each library that this one declares; the lower one wins
	Locked bool   // there is a tools.lock, and Digest is what it says
	Digest string // SHA-256 (hex) the module must have; "" if the lock does not name it
	Named  bool   // a worker or the manifest names this file
}

// Levels of modules; the declared libraries have those after projectLevel.
const (
	ownLevel     = 0
	projectLevel = 1
)

// Stem returns the file's name without its extension, which is its key in
// toolsets.custom.modules.
func (m Module) Stem() string {
	return config.ModuleStem(path.Base(strings.TrimPrefix(m.Path, config.HomePrefix)))
}

// Modules finds and opens the modules of tools that workers may use.
type Modules struct {
	setup *Setup
	trees *Trees

	mu    sync.Mutex
	found map[*Loaded]discovery // of the workers that were asked for

	readLock sync.Once
	lock     config.ToolLock // what tools.lock says
}

// Of returns the tool modules that w may use, in a fixed order, those of the
// nearest directory first. It lists directories and opens no module. With
// --no-import-tools, or toolsets.custom: false, there are none.
func (ms *Modules) Of(w *Worker) ([]Module, error) {
	got := w.loaded
	if got == nil {
		return nil, fault.New(fault.WorkerNotFound, "worker %s does not belong to this project", fault.Quoted(w.ID))
	}
	found, faults := ms.discovered(got)
	if err := faults.Err(); err != nil && !ms.setup.Part {
		return nil, err
	}
	return found, nil
}

// WithoutModules reports whether --no-import-tools was given: golem then looks for no
// tool module.
func (ms *Modules) WithoutModules() bool { return ms.setup.Options.NoImportTools }

// discovered returns the modules that a worker may use, with their faults. It looks for them
// once for each worker.
func (ms *Modules) discovered(got *Loaded) ([]Module, fault.List) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	d, done := ms.found[got]
	if !done {
		d = ms.discover(got)
		ms.found[got] = d
	}
	return d.modules, d.faults
}

// FaultsOf returns the faults of the modules that a worker names.
func (ms *Modules) FaultsOf(got *Loaded) fault.List {
	_, faults := ms.discovered(got)
	return faults
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

// named marks a module that a file names.
func (d *discovery) named(name string) {
	for i := range d.modules {
		d.modules[i].Named = d.modules[i].Named || d.modules[i].Path == name
	}
}

// ambiguous adds a fault for each source beside another of the same name, such as a.js and
// a.ts: neither is the better one.
func (d *discovery) ambiguous() {
	first := map[string]string{}
	for _, m := range d.modules {
		if !m.IsSource() {
			continue
		}
		stem := config.ModuleStem(m.Path)
		if other := first[stem]; other != "" {
			d.faults = append(d.faults, fault.New(fault.Ambiguous, "%s and %s are sources of the same tool", other, m.Path).
				At(m.Path, 1, 1).Hinting("remove one, or move it to a directory of its own and import it"))
		}
		first[stem] = m.Path
	}
}

func (ms *Modules) discover(got *Loaded) discovery {
	var d discovery
	if ms.setup.Options.NoImportTools || ms.withoutTools(got) {
		return d
	}
	if dir := got.OwnDir(); dir != "" {
		d.add(ownLevel, ms.wasmIn(got.Definition.In(dir))...)
	}
	root := got.Definition.In(".")
	d.add(projectLevel, ms.wasmIn(root)...)
	for _, dir := range ms.toolRoots(root) {
		d.add(projectLevel, ms.modulesIn(dir)...)
	}
	for _, item := range got.moduleRefs(ms.trees) {
		name, f := ms.find(root, item.Text)
		if f != nil {
			f = ms.hintBeside(got, strings.TrimSuffix(item.Text, path.Ext(item.Text)), f)
			d.faults = append(d.faults, f.At(item.File, item.Line, item.Column))
			continue
		}
		d.add(projectLevel, name)
		d.named(name)
	}
	d.ambiguous()
	for i, needed := range ms.trees.TreeOf(root).Needs {
		d.add(projectLevel+1+i, ms.wasmIn(Location{needed, "."})...)
	}
	if len(d.modules) > 0 {
		lock := ms.lockFile()
		d.faults = append(d.faults, lock.Faults...)
		if ms.setup.Part && len(lock.Faults) > 0 {
			lock.Digests = nil // what it says is not known
		}
		for i := range d.modules {
			m := &d.modules[i]
			m.Locked, m.Digest = lock.Digests != nil, lock.Digests[m.Path]
		}
	}
	d.faults = append(d.faults, ms.grantFaults(got, d.modules)...)
	d.faults.Sort()
	return d
}

// withoutTools reports whether toolsets.custom is false, or the worker is one of
// golem's own.
func (ms *Modules) withoutTools(l *Loaded) bool {
	n := l.Keys.Path("toolsets", "custom")
	return n != nil && n.Kind == yamltree.Scalar || l.Definition != nil && ms.trees.TreeOf(l.Definition.Location).Bare
}

// OwnDir returns the directory of a worker in directory form, "" for any other.
func (l *Loaded) OwnDir() string {
	if !strings.HasSuffix(l.Definition.Name, "/worker.worker") {
		return ""
	}
	return path.Dir(l.Definition.Name)
}

// toolRoots returns the directories of tool modules of a tree, other than tools/.
func (ms *Modules) toolRoots(root Location) []Location {
	var out []Location
	for _, dir := range ms.trees.TreeOf(root).Manifest.ToolRoots {
		out = append(out, root.In(dir))
	}
	return out
}

// moduleRefs returns the references to modules: in the manifest, in the worker's
// imports and in toolsets.custom.module.
func (l *Loaded) moduleRefs(t *Trees) []*yamltree.Node {
	var out []*yamltree.Node
	if n := t.TreeOf(l.Definition.Location).Keys.Path("tools", "modules"); n != nil {
		out = append(out, n.Items...)
	}
	if n := l.Keys.Path("imports", "tools"); n != nil {
		out = append(out, n.Items...)
	}
	if n := l.Keys.Path("toolsets", "custom", "module"); n != nil && !bareStem(n.Text) {
		out = append(out, n)
	}
	return out
}

// bareStem reports whether a value of toolsets.custom.module is the stem of a module
// that was found, and not the path of a file.
func bareStem(s string) bool { return !strings.ContainsAny(s, "/:.") }

// wasmIn returns the modules of a directory: the file tools.wasm, or its source, and those in
// tools/, not deeper (S1-48).
func (ms *Modules) wasmIn(dir Location) []string {
	stem := dir.In(path.Join(dir.Name, "tools")).String()
	out := ms.sourcesOf(stem)
	if l := ms.trees.Location(stem + ".wasm"); ms.trees.Exists(l) {
		out = []string{l.String()}
	}
	return append(out, ms.modulesIn(dir.In(path.Join(dir.Name, "tools")))...)
}

// modulesIn returns the modules in a directory, and the sources without a module beside them.
func (ms *Modules) modulesIn(dir Location) []string {
	files := ms.trees.filesIn(dir, func(name string) bool { return config.IsModule(name) || config.IsToolSource(name) })
	built := map[string]bool{}
	for _, name := range files {
		if stem, ok := strings.CutSuffix(name, ".wasm"); ok {
			built[stem] = true
		}
	}
	return slices.DeleteFunc(files, func(name string) bool {
		return path.Ext(name) != ".wasm" && built[config.ModuleStem(name)]
	})
}

// needsBuilding reports whether a file is source code that golem does not run.
func needsBuilding(name string) bool {
	return slices.Contains(ToolSources, path.Ext(name)) && !slices.Contains(config.SourceExtensions, path.Ext(name)) && name != "__init__.py"
}

// grantFaults returns a fault for each name in toolsets.custom that no module has,
// because a grant without effect is a mistake, and for each name that two modules at
// one level have.
func (ms *Modules) grantFaults(l *Loaded, found []Module) fault.List {
	custom := l.Keys.Path("toolsets", "custom")
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
			if f := ms.notBuilt(l, stem); f != nil {
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
			if f := ms.notBuilt(l, item.Text); f != nil {
				faults = append(faults, f.At(item.File, item.Line, item.Column))
			}
		}
	}
	return faults
}

// notBuilt returns the fault of source code with this stem that was not built, if there
// is any where golem looks for the worker's modules; otherwise nil.
func (ms *Modules) notBuilt(l *Loaded, stem string) *fault.Fault {
	faults := ms.Unbuilt(l.Definition.In("."))
	if dir := l.OwnDir(); dir != "" {
		faults = append(ms.Unbuilt(l.Definition.In(dir)), faults...)
	}
	for _, f := range faults {
		if base := path.Base(f.Where.File); strings.TrimSuffix(base, path.Ext(base)) == stem {
			return f
		}
	}
	return nil
}

// Unbuilt returns a fault for each file of source code without a .wasm file beside it
// (S1-13), where golem looks for modules: in a directory of tools, and in the
// manifest's roots.
func (ms *Modules) Unbuilt(dir Location) fault.List {
	var names []string
	for _, ext := range ToolSources {
		if l := dir.In(path.Join(dir.Name, "tools"+ext)); needsBuilding("tools"+ext) && ms.trees.Exists(l) {
			names = append(names, l.String())
		}
	}
	names = append(names, ms.trees.filesIn(dir.In(path.Join(dir.Name, "tools")), needsBuilding)...)
	if dir.Name == "." {
		for _, root := range ms.toolRoots(dir) {
			names = append(names, ms.trees.filesIn(root, needsBuilding)...)
		}
	}
	var faults fault.List
	for _, name := range slices.Compact(names) {
		stem := strings.TrimSuffix(name, path.Ext(name))
		if !ms.trees.Exists(dir.Parse(stem + ".wasm")) {
			faults = append(faults, sourceFault(name).At(name, 1, 1))
		}
	}
	return faults
}

// PassedOver returns a warning for each file that golem does not use although it looks
// like part of a module: a module whose name ends in another spelling of .wasm, a
// description with no module beside it, a source without tools that nothing imports, and a
// source that has changed since its module was built.
func (ms *Modules) PassedOver(dir Location) fault.List {
	const sidecar = ".tools.yaml"
	dirs := []Location{dir.In(path.Join(dir.Name, "tools"))}
	if dir.Name == "." {
		dirs = append(dirs, ms.toolRoots(dir)...)
	}
	faults := ms.outdated(dir)
	for _, name := range ms.trees.filesIn(dir, func(name string) bool { return name == "tools"+sidecar }) {
		faults = append(faults, ms.withoutModule(name, sidecar)...)
	}
	for _, dir := range slices.Compact(dirs) {
		faults = append(faults, ms.emptySources(dir)...)
		for _, name := range ms.trees.filesIn(dir, func(string) bool { return true }) {
			switch ext := path.Ext(name); {
			case strings.HasSuffix(name, sidecar):
				faults = append(faults, ms.withoutModule(name, sidecar)...)
			case ext != ".wasm" && strings.EqualFold(ext, ".wasm"):
				faults = append(faults, fault.Warn(fault.ToolContract, "%s cannot be a tool module: its name does not end in .wasm", name).
					At(name, 1, 1).Hinting("rename it to %s.wasm", strings.TrimSuffix(name, ext)))
			}
		}
	}
	return faults
}

// withoutModule returns a warning if a description has no module, or only a source that describes
// itself. It returns none if there is source code in another language, because the fault that
// tells to build it is enough.
func (ms *Modules) withoutModule(name, sidecar string) fault.List {
	stem := strings.TrimSuffix(name, sidecar)
	if from := ms.sourcesOf(stem); len(from) > 0 && !ms.trees.Exists(ms.trees.Location(stem+".wasm")) {
		return fault.List{fault.Warn(fault.ToolContract, "%s has no effect: %s describes its own tools", name, from[0]).
			At(name, 1, 1).Hinting("remove it")}
	}
	for _, ext := range append([]string{".wasm"}, ToolSources...) {
		if ms.trees.Exists(ms.trees.Location(stem + ext)) {
			return nil
		}
	}
	return fault.List{fault.Warn(fault.ToolContract, "%s describes a module that does not exist: there is no %s.wasm", name, stem).
		At(name, 1, 1).Hinting("give it the name of its module, or remove it")}
}
