package project

import (
	"strings"

	"golem/core/config"
	"golem/core/sandbox"
	"golem/core/yamltree"
)

// modules returns what w's configuration says of each tool module.
func (w *Worker) modules() []yamltree.Field {
	if modules := w.eff.Path("toolsets", "custom", "modules"); modules != nil {
		return modules.Fields
	}
	return nil
}

// Hosts returns the hosts that w's configuration allows tool modules to reach, one
// Said for each host; Key is the module's stem.
func (w *Worker) Hosts() []config.Said {
	var out []config.Said
	for _, f := range w.modules() {
		hosts := f.Value.Get("allowed_hosts")
		if hosts == nil {
			continue
		}
		for _, h := range hosts.Items {
			out = append(out, config.NewSaid(h, "toolsets.custom.modules."+f.Name+".allowed_hosts", f.Name))
		}
	}
	return out
}

// LibraryFiles returns the grants of files to tool modules that a library's own
// files give; Key is the module's stem. They count only if a person trusts them.
func (p *Project) LibraryFiles(w *Worker) []config.Said {
	var out []config.Said
	for _, f := range w.modules() {
		if n := f.Value.Get("fs"); config.Lends(n) && p.Trees.OfLibrary(n.Pos.File) != "" {
			out = append(out, config.NewSaid(n, "toolsets.custom.modules."+f.Name+".fs", f.Name))
		}
	}
	return out
}

// Directories returns the grants of directories to w's tool modules, one for each
// module; Key is the module's stem. A module that is granted all files is not among
// them.
func (ms *Modules) Directories(w *Worker) []config.Directories {
	if ms.setup.Options.NoImportTools {
		return nil
	}
	var out []config.Directories
	for _, f := range w.modules() {
		n := f.Value.Get("fs")
		if n == nil || n.Kind != yamltree.Mapping {
			continue
		}
		d := config.Directories{Said: config.NewSaid(n, "toolsets.custom.modules."+f.Name+".fs", f.Name), Dirs: map[string]sandbox.Mode{}}
		for _, dir := range n.Fields {
			d.Dirs[dir.Name] = sandbox.Mode(dir.Value.Text)
		}
		out = append(out, d)
	}
	return out
}

// CommandGrants returns what the worker's toolset shell may reach beyond the project:
// the network, further directories, variables, the system's shell. Key is the option.
func (w *Worker) CommandGrants() []config.Said {
	shell := w.eff.Path("toolsets", "shell")
	if shell == nil || shell.Kind != yamltree.Mapping {
		return nil
	}
	var out []config.Said
	for _, f := range shell.Fields {
		at := "toolsets.shell." + f.Name
		switch {
		case f.Name == "approval":
		case f.Value.Kind == yamltree.List:
			for _, item := range f.Value.Items {
				out = append(out, config.NewSaid(item, at, f.Name))
			}
		case f.Value.Tag != yamltree.TagBool || f.Value.Flag():
			out = append(out, config.NewSaid(f.Value, at, f.Name))
		}
	}
	return out
}

// OfLibrary returns the name of the library that a file belongs to, "" if it belongs to
// none. file is the file's name in faults and origins.
func (t *Trees) OfLibrary(file string) string { return t.TreeOf(t.Location(file)).Library }

// FromHome reports whether a module is in $GOLEM_HOME/tools, outside the project.
func (m Module) FromHome() bool { return strings.HasPrefix(m.Path, config.HomePrefix) }

// ModuleConfig returns the configuration that w's files give to tool modules, one Said
// for each key; Key is the name of the key. It leaves out values that a person keeps
// (Secrets).
func (w *Worker) ModuleConfig() []config.Said {
	var out []config.Said
	for _, f := range w.modules() {
		values := f.Value.Get("config")
		if values == nil {
			continue
		}
		for _, c := range values.Fields {
			if c.Value.Kind == yamltree.Scalar {
				out = append(out, config.NewSaid(c.Value, "toolsets.custom.modules."+f.Name+".config."+c.Name, c.Name))
			}
		}
	}
	return out
}
