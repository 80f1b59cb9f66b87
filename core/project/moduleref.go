package project

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/yamltree"
)

// ToolSources are the extensions of the languages in which tools are written. Those of
// config.SourceExtensions need not be built.
var ToolSources = []string{".py", ".ts", ".js", ".mjs", ".mts", ".go", ".rs", ".c", ".zig", ".cs", ".hs"}

// builders says how to build a tool, by the extension of its source code.
var builders = map[string]string{
	".py":  "extism-py SOURCE -o MODULE, if it is written with the Extism PDK; other source, such as a tool of llm-do, has to be ported: golem tool new DIR writes a tool to begin with",
	".go":  "GOOS=wasip1 GOARCH=wasm go build -o MODULE SOURCE",
	".rs":  "cargo build --release --target wasm32-wasip1, and copy the result to MODULE",
	".c":   "clang --target=wasm32-wasi -O2 -o MODULE SOURCE",
	".zig": "zig build-exe -target wasm32-wasi -femit-bin=MODULE SOURCE",
	".cs":  "dotnet publish with the Extism PDK, and copy the result to MODULE",
	".hs":  "wasm32-wasi-ghc -o MODULE SOURCE",
}

var moduleRegister = regexp.MustCompile(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*$`)

// toolModuleFaults returns a fault for each module that a worker or the manifest names
// (S2-33) and that does not exist, is not in the project or was not built.
func (ms *Modules) toolModuleFaults(l *Loaded) fault.List {
	if ms.setup.Options.NoImportTools || ms.withoutTools(l) {
		return nil
	}
	var faults fault.List
	for _, item := range l.moduleRefs(ms.trees) {
		if _, f := ms.find(l.Definition.In("."), item.Text); f != nil {
			f = ms.hintBeside(l, strings.TrimSuffix(item.Text, path.Ext(item.Text)), f)
			faults = append(faults, f.At(item.File, item.Line, item.Column))
		}
	}
	return faults
}

// find finds the file of a reference, from the root of a project or library:
// `./math-tools`, or the path of a source, which means the module beside it.
func (ms *Modules) find(root Location, ref string) (string, *fault.Fault) {
	if moduleRegister.MatchString(ref) {
		return ms.homeModule(ref)
	}
	name, ok := config.Inside(ref)
	if !ok {
		if slices.Contains(strings.Split(ref, "/"), "..") {
			return "", fault.New(fault.Path, "Parent directory references not allowed: %s", fault.Quoted(ref))
		}
		return "", fault.New(fault.Path, "the tool module %s is not inside the project", fault.Quoted(ref))
	}
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	if ext != ".wasm" && !slices.Contains(ToolSources, ext) {
		stem = name
	}
	if l := root.In(stem + ".wasm"); ms.trees.Exists(l) {
		return l.String(), nil
	}
	switch sources := ms.sourcesOf(root.In(stem).String()); {
	case slices.Contains(sources, root.In(name).String()):
		return root.In(name).String(), nil
	case len(sources) > 1:
		return "", fault.New(fault.Ambiguous, "%s can be %s and %s", fault.Quoted(ref), sources[0], sources[1]).Hinting("write the extension, too")
	case len(sources) == 1:
		return sources[0], nil
	}
	for _, ext := range ToolSources {
		if l := root.In(stem + ext); ms.trees.Exists(l) && needsBuilding(path.Base(l.Name)) {
			return "", sourceFault(l.String())
		}
	}
	return "", fault.New(fault.NotFound, "no tool module %s (looked for %s.wasm)", fault.Quoted(ref), root.In(stem))
}

// named replaces the reference in toolsets.custom.module by the path of its file.
// If there is no such file it changes nothing; discover reports the fault.
func (ms *Modules) named(root Location, custom *yamltree.Node) *yamltree.Node {
	n := custom.Get("module")
	if n == nil || bareStem(n.Text) {
		return custom
	}
	name, f := ms.find(root, n.Text)
	if f != nil {
		return custom
	}
	c := *n
	c.Text = name
	return custom.With("module", &c)
}

// sourceFault returns the fault that a tool is only source code, with a hint how to
// build it.
func sourceFault(name string) *fault.Fault {
	ext := path.Ext(name)
	module := strings.TrimSuffix(name, ext) + ".wasm"
	return fault.New(fault.ToolLanguage, "%s is source code, and there is no %s", name, module).
		Hinting("build it: %s", strings.NewReplacer("MODULE", module, "SOURCE", name).Replace(builders[ext]))
}

// homeModule finds pkg.mod:register among the modules that a person keeps
// outside every project.
func (ms *Modules) homeModule(ref string) (string, *fault.Fault) {
	allowed := ms.setup.Options.AllowModuleImports || ms.trees.Own().Keys.Path("tools", "allow_module_imports").Flag()
	if !allowed {
		return "", fault.New(fault.ToolDisallowed, "%s names a module outside the project", fault.Quoted(ref)).
			Hinting("allow it with --allow-module-imports, or copy the module into the project").InPage("", "copy the module into the project")
	}
	pkg, _, _ := strings.Cut(ref, ":")
	stem := strings.ReplaceAll(pkg, ".", "/")
	for _, ext := range append([]string{".wasm"}, config.SourceExtensions...) {
		if ms.setup.ToolFiles == nil {
			break
		}
		if checkRegular(ms.setup.ToolFiles, stem+ext) == nil {
			return config.HomePrefix + stem + ext, nil
		}
	}
	return "", fault.New(fault.NotFound, "no tool module %s (looked for %s.wasm under $GOLEM_HOME/tools)", fault.Quoted(ref), stem)
}

// hintBeside adds a hint to the fault of a missing file if that file is beside the worker
// that names it: golem's paths begin at the project's root.
func (ms *Modules) hintBeside(l *Loaded, stem string, f *fault.Fault) *fault.Fault {
	if l.Definition == nil || !l.Definition.InProject() || f.Code != fault.NotFound {
		return f
	}
	stem = path.Join(path.Dir(l.Definition.Name), stem)
	if from := ms.sourcesOf(stem); len(from) > 0 && !ms.trees.Exists(Location{Name: stem + ".wasm"}) {
		return f.Hinting("paths begin at the project's root: write ./%s", from[0])
	}
	for _, ext := range append([]string{".wasm"}, ToolSources...) {
		if ms.trees.Exists(Location{Name: stem + ext}) {
			return f.Hinting("paths begin at the project's root: write ./%s", stem+".wasm")
		}
	}
	return f
}
