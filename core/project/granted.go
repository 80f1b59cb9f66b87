package project

import (
	"strings"

	"golem/core/fault"
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

func (n *node) said(path, key string) Said {
	value := n.text
	if n.kind != scalar || n.tag != tagText {
		raw, err := n.json()
		if err != nil {
			raw = []byte(fault.Of(err, fault.Config).Message)
		}
		value = string(raw)
	}
	return Said{File: n.at.file, Path: path, Key: key, Value: value, Line: n.at.line, Column: n.at.column}
}

// Hosts returns the hosts that w's configuration grants to tool modules, one
// value a host, the module's stem as Key.
func (p *Project) Hosts(w *Worker) []Said {
	modules := w.eff.path("toolsets", "custom", "modules")
	if modules == nil {
		return nil
	}
	var out []Said
	for _, f := range modules.fields {
		hosts := f.value.get("allowed_hosts")
		if hosts == nil {
			continue
		}
		for _, h := range hosts.items {
			out = append(out, h.said("toolsets.custom.modules."+f.name+".allowed_hosts", f.name))
		}
	}
	return out
}

// ProviderKeys returns what the manifest says of a row of the provider table,
// one value a key; of headers and other maps one a field. none if it says
// nothing of the row.
func (p *Project) ProviderKeys(name string) []Said {
	row := p.settings.path("providers", name)
	if row == nil {
		return nil
	}
	var out []Said
	for _, f := range row.fields {
		at := "providers." + name + "." + f.name
		if f.value.kind != dict {
			out = append(out, f.value.said(at, f.name))
			continue
		}
		for _, inner := range f.value.fields {
			out = append(out, inner.value.said(at+"."+inner.name, f.name))
		}
	}
	return out
}

// ModuleImports returns the manifest's word that modules from outside the
// project may be named; ok is false if it does not say so.
func (p *Project) ModuleImports() (s Said, ok bool) {
	n := p.settings.path("tools", "allow_module_imports")
	if n == nil || !n.flag() {
		return Said{}, false
	}
	return n.said("tools.allow_module_imports", "allow_module_imports"), true
}

// FromHome tells whether a module lies outside the project, in
// $GOLEM_HOME/tools.
func (m Module) FromHome() bool { return strings.HasPrefix(m.Path, homePrefix) }

// ModuleConfig returns the configuration values that w's file gives its tool
// modules, one value a key.
func (p *Project) ModuleConfig(w *Worker) []Said {
	modules := w.eff.path("toolsets", "custom", "modules")
	if modules == nil {
		return nil
	}
	var out []Said
	for _, f := range modules.fields {
		config := f.value.get("config")
		if config == nil {
			continue
		}
		for _, c := range config.fields {
			out = append(out, c.value.said("toolsets.custom.modules."+f.name+".config."+c.name, c.name))
		}
	}
	return out
}
