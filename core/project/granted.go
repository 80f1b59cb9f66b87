package project

import (
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/yamltree"
)

// Said is one setting of the project's files with its position. Trust lists such
// settings: those that reach beyond the project's sandbox (SPEC §3).
type Said struct {
	File string // "main.worker"
	Path string // dotted key path in File
	Key  string // the last key of the path: a stem, a header's name
	// Value is the value as JSON, or the bare text of a string.
	Value        string
	Line, Column int
}

func said(n *yamltree.Node, path, key string) Said {
	value := n.Text
	if n.Kind != yamltree.Scalar || n.Tag != yamltree.TagText {
		raw, err := n.JSON()
		if err != nil {
			raw = []byte(fault.Of(err, fault.Config).Message)
		}
		value = string(raw)
	}
	return Said{File: n.Pos.File, Path: path, Key: key, Value: value, Line: n.Pos.Line, Column: n.Pos.Column}
}

// Hosts returns the hosts that w's configuration allows tool modules to reach, one
// Said for each host; Key is the module's stem.
func (p *Project) Hosts(w *Worker) []Said {
	modules := w.eff.Path("toolsets", "custom", "modules")
	if modules == nil {
		return nil
	}
	var out []Said
	for _, f := range modules.Fields {
		hosts := f.Value.Get("allowed_hosts")
		if hosts == nil {
			continue
		}
		for _, h := range hosts.Items {
			out = append(out, said(h, "toolsets.custom.modules."+f.Name+".allowed_hosts", f.Name))
		}
	}
	return out
}

// LibraryFiles returns the grants of files to tool modules that a library's own
// files give; Key is the module's stem. They count only if a person trusts them.
func (p *Project) LibraryFiles(w *Worker) []Said {
	modules := w.eff.Path("toolsets", "custom", "modules")
	if modules == nil {
		return nil
	}
	var out []Said
	for _, f := range modules.Fields {
		if n := f.Value.Get("fs"); lent(n) && p.OfLibrary(n.Pos.File) != "" {
			out = append(out, said(n, "toolsets.custom.modules."+f.Name+".fs", f.Name))
		}
	}
	return out
}

// lent reports whether a value of fs grants a module any files.
func lent(fs *yamltree.Node) bool {
	return fs != nil && (fs.Flag() || fs.Kind == yamltree.Mapping)
}

// Directories is the grant of some directories to one tool module.
type Directories struct {
	Said
	Dirs map[string]sandbox.Mode // by virtual path
}

// Directories returns the grants of directories to w's tool modules, one for each
// module; Key is the module's stem. A module that is granted all files is not among
// them.
func (p *Project) Directories(w *Worker) []Directories {
	modules := w.eff.Path("toolsets", "custom", "modules")
	if modules == nil || p.src.Flags.NoImportTools {
		return nil
	}
	var out []Directories
	for _, f := range modules.Fields {
		n := f.Value.Get("fs")
		if n == nil || n.Kind != yamltree.Mapping {
			continue
		}
		d := Directories{said(n, "toolsets.custom.modules."+f.Name+".fs", f.Name), map[string]sandbox.Mode{}}
		for _, dir := range n.Fields {
			d.Dirs[dir.Name] = sandbox.Mode(dir.Value.Text)
		}
		out = append(out, d)
	}
	return out
}

// CommandGrants returns what the worker's toolset shell may reach beyond the project:
// the network, further directories, variables, the system's shell. Key is the option.
func (p *Project) CommandGrants(w *Worker) []Said {
	shell := w.eff.Path("toolsets", "shell")
	if shell == nil || shell.Kind != yamltree.Mapping {
		return nil
	}
	var out []Said
	for _, f := range shell.Fields {
		at := "toolsets.shell." + f.Name
		switch {
		case f.Name == "approval":
		case f.Value.Kind == yamltree.List:
			for _, item := range f.Value.Items {
				out = append(out, said(item, at, f.Name))
			}
		case f.Value.Tag != yamltree.TagBool || f.Value.Flag():
			out = append(out, said(f.Value, at, f.Name))
		}
	}
	return out
}

// OfLibrary returns the name of the library that a file belongs to, "" if it belongs to
// none. file is the file's name in faults and origins.
func (p *Project) OfLibrary(file string) string { return p.sourceOf(p.place(file)).library }

// ProviderKeys returns the settings that the manifest has for a provider, one Said
// for each key; of headers and other mappings, one for each field. nil if the
// manifest does not mention the provider.
func (p *Project) ProviderKeys(name string) []Said {
	row := p.settings.Path("providers", name)
	if row == nil {
		return nil
	}
	var out []Said
	for _, f := range row.Fields {
		at := "providers." + name + "." + f.Name
		if f.Value.Kind != yamltree.Mapping {
			out = append(out, said(f.Value, at, f.Name))
			continue
		}
		for _, inner := range f.Value.Fields {
			out = append(out, said(inner.Value, at+"."+inner.Name, f.Name))
		}
	}
	return out
}

// ModuleImports returns the manifest's tools.allow_module_imports, which lets
// workers name modules outside the project; ok is false if it is not true.
func (p *Project) ModuleImports() (s Said, ok bool) {
	n := p.settings.Path("tools", "allow_module_imports")
	if n == nil || !n.Flag() {
		return Said{}, false
	}
	return said(n, "tools.allow_module_imports", "allow_module_imports"), true
}

// FromHome reports whether a module is in $GOLEM_HOME/tools, outside the project.
func (m Module) FromHome() bool { return strings.HasPrefix(m.Path, homePrefix) }

// ModuleConfig returns the configuration that w's files give to tool modules, one Said
// for each key; Key is the name of the key. It leaves out values that a person keeps
// (Secrets).
func (p *Project) ModuleConfig(w *Worker) []Said {
	modules := w.eff.Path("toolsets", "custom", "modules")
	if modules == nil {
		return nil
	}
	var out []Said
	for _, f := range modules.Fields {
		config := f.Value.Get("config")
		if config == nil {
			continue
		}
		for _, c := range config.Fields {
			if c.Value.Kind == yamltree.Scalar {
				out = append(out, said(c.Value, "toolsets.custom.modules."+f.Name+".config."+c.Name, c.Name))
			}
		}
	}
	return out
}
