package project

import (
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// Said is one value that the project's files give, with its place, for the
// list of what they widen (SPEC §3, Trust).
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

// Hosts returns the hosts that w's configuration grants to tool modules, one
// value a host, the module's stem as Key.
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

// ProviderKeys returns what the manifest says of a row of the provider table,
// one value a key; of headers and other maps one a field. none if it says
// nothing of the row.
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

// ModuleImports returns the manifest's word that modules from outside the
// project may be named; ok is false if it does not say so.
func (p *Project) ModuleImports() (s Said, ok bool) {
	n := p.settings.Path("tools", "allow_module_imports")
	if n == nil || !n.Flag() {
		return Said{}, false
	}
	return said(n, "tools.allow_module_imports", "allow_module_imports"), true
}

// FromHome tells whether a module lies outside the project, in
// $GOLEM_HOME/tools.
func (m Module) FromHome() bool { return strings.HasPrefix(m.Path, homePrefix) }

// ModuleConfig returns the configuration values that w's file gives its tool
// modules, one value a key.
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
			out = append(out, said(c.Value, "toolsets.custom.modules."+f.Name+".config."+c.Name, c.Name))
		}
	}
	return out
}
