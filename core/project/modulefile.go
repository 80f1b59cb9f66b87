package project

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"strings"

	"golem/core/config"
	"golem/core/fault"
)

// fileOf returns the file system of a module and the module's name there; home is true
// for one in Options.ToolFiles.
func (ms *Modules) fileOf(m Module) (fsys fs.FS, l Location, home bool) {
	if name, ok := strings.CutPrefix(m.Path, config.HomePrefix); ok {
		return ms.setup.ToolFiles, Location{Name: name}, true
	}
	l = ms.trees.Location(m.Path)
	return ms.trees.TreeOf(l).FS, l, false
}

// importTrusted returns E_TRUST for a module from outside the project that only the
// manifest allows, unless a person trusts that (SPEC §3).
func (ms *Modules) importTrusted(m Module) *fault.Fault {
	if !m.FromHome() || ms.setup.Options.AllowModuleImports {
		return nil
	}
	said, ok := ms.trees.Own().ModuleImports()
	if ok && ms.setup.Trust != nil && ms.setup.Trust.Imports(said) {
		return nil
	}
	return fault.New(fault.Trust, "%s is outside the project, and nobody trusted the project to use it", m.Path).
		Hinting("run golem trust, or give --allow-module-imports for this run").At(said.File, said.Line, said.Column).
		InPage("", "say yes when golem asks before a run")
}

// Open opens a module that Modules returned, and links a source. The caller must close it.
// Opened then includes it.
func (ms *Modules) Open(m Module) (fs.File, error) {
	if f := ms.importTrusted(m); f != nil {
		return nil, f
	}
	if m.IsSource() {
		return ms.linkedModule(m)
	}
	fsys, l, home := ms.fileOf(m)
	if !home && ms.trees.TreeOf(l).leaves(l.Name) {
		return nil, leavesFault().At(m.Path, 1, 1)
	}
	file, f := openRegular(fsys, l.Name)
	if f != nil {
		return nil, f.At(m.Path, 1, 1)
	}
	if !home {
		ms.trees.linked(l)
	}
	if file, f = ms.pinnedModule(m, l, file); f != nil {
		return nil, f
	}
	ms.trees.opened.add(m.Path)
	ms.trees.defining(m.Path)
	return file, nil
}

// Sidecar reads NAME.tools.yaml, the description beside the module NAME.wasm;
// fs.ErrNotExist if there is none. A source describes its tools itself.
func (ms *Modules) Sidecar(m Module) ([]byte, error) {
	if m.IsSource() {
		return nil, fs.ErrNotExist
	}
	if f := ms.importTrusted(m); f != nil {
		return nil, f
	}
	fsys, l, home := ms.fileOf(m)
	name := config.ModuleStem(l.Name) + config.ToolSidecar
	shown := config.ModuleStem(m.Path) + config.ToolSidecar
	if home {
		if f := checkRegular(fsys, name); f != nil && f.Code == fault.NotFound {
			return nil, fs.ErrNotExist
		}
		data, f := readRegular(fsys, name, config.MaxFile)
		if f != nil {
			return nil, f.At(shown, 1, 1)
		}
		sum := sha256.Sum256(data)
		if f := ms.trees.Compare("", shown, shown, hex.EncodeToString(sum[:])); f != nil {
			return nil, f
		}
		ms.trees.opened.add(shown)
		ms.trees.defining(shown)
		return data, nil
	}
	if !ms.trees.Exists(l.In(name)) {
		return nil, fs.ErrNotExist
	}
	data, f := ms.trees.read(l.In(name), config.MaxFile)
	if f != nil {
		return nil, f
	}
	return data, nil
}
