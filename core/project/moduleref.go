package project

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// ToolSources are the extensions of the languages in which tools are written before they are built.
var ToolSources = []string{".py", ".ts", ".js", ".mjs", ".go", ".rs", ".c", ".zig", ".cs", ".hs"}

// builders says how to build a tool, by the extension of its source code.
var builders = map[string]string{
	".py":  "extism-py SOURCE -o MODULE, if it is written with the Extism PDK; other source, such as a tool of llm-do, has to be ported: golem tool new DIR writes a tool to begin with",
	".ts":  "bundle it to JavaScript, then extism-js BUNDLE -o MODULE, if it is written with the Extism PDK; other source, such as a tool of golem-forge, has to be ported: golem tool new DIR writes a tool to begin with",
	".js":  "extism-js SOURCE -o MODULE",
	".mjs": "extism-js SOURCE -o MODULE",
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
func (p *Project) toolModuleFaults(l *loaded) fault.List {
	if p.src.Flags.NoImportTools || p.withoutTools(l) {
		return nil
	}
	var faults fault.List
	for _, item := range l.moduleRefs(p) {
		if _, f := p.module(l.def.at("."), item.Text); f != nil {
			f = p.beside(l, strings.TrimSuffix(item.Text, path.Ext(item.Text)), f)
			faults = append(faults, f.At(item.File, item.Line, item.Column))
		}
	}
	return faults
}

// module finds the file of a reference, from the root of a project or library:
// `./math-tools`, or the path of a source, which means the module beside it.
func (p *Project) module(root location, ref string) (string, *fault.Fault) {
	if moduleRegister.MatchString(ref) {
		return p.homeModule(ref)
	}
	name, ok := inside(ref)
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
	if l := root.at(stem + ".wasm"); p.exists(l) {
		return l.String(), nil
	}
	for _, ext := range ToolSources {
		if l := root.at(stem + ext); p.exists(l) {
			return "", sourceFault(l.String())
		}
	}
	return "", fault.New(fault.NotFound, "no tool module %s (looked for %s.wasm)", fault.Quoted(ref), root.at(stem))
}

// moduleNamed replaces the reference in toolsets.custom.module by the path of its file.
// If there is no such file it changes nothing; discover reports the fault.
func (p *Project) moduleNamed(root location, custom *yamltree.Node) *yamltree.Node {
	n := custom.Get("module")
	if n == nil || bareStem(n.Text) {
		return custom
	}
	name, f := p.module(root, n.Text)
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
func (p *Project) homeModule(ref string) (string, *fault.Fault) {
	allowed := p.src.Flags.AllowModuleImports || p.settings.Path("tools", "allow_module_imports").Flag()
	if !allowed {
		return "", fault.New(fault.ToolDisallowed, "%s names a module outside the project", fault.Quoted(ref)).
			Hinting("allow it with --allow-module-imports, or copy the module into the project")
	}
	pkg, _, _ := strings.Cut(ref, ":")
	name := strings.ReplaceAll(pkg, ".", "/") + ".wasm"
	if p.src.ToolFiles != nil {
		if _, f := statRegular(p.src.ToolFiles, name); f == nil {
			return homePrefix + name, nil
		}
	}
	return "", fault.New(fault.NotFound, "no tool module %s (looked for %s under $GOLEM_HOME/tools)", fault.Quoted(ref), name)
}
