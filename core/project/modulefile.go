package project

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"strings"

	"golem/core/fault"
)

// tree returns the file system of a module and the module's name there; home is true
// for one in Source.ToolFiles.
func (p *Project) tree(m Module) (fsys fs.FS, l location, home bool) {
	if name, ok := strings.CutPrefix(m.Path, homePrefix); ok {
		return p.src.ToolFiles, location{name: name}, true
	}
	l = p.place(m.Path)
	return p.sourceOf(l).fs, l, false
}

// importTrusted returns E_TRUST for a module from outside the project that only the
// manifest allows, unless a person trusts that (SPEC §3).
func (p *Project) importTrusted(m Module) *fault.Fault {
	if !m.FromHome() || p.src.Flags.AllowModuleImports {
		return nil
	}
	said, ok := p.ModuleImports()
	if ok && p.src.TrustsImports != nil && p.src.TrustsImports(said) {
		return nil
	}
	return fault.New(fault.Trust, "%s is outside the project, and nobody trusted the project to use it", m.Path).
		Hinting("run golem trust, or give --allow-module-imports for this run").At(said.File, said.Line, said.Column)
}

// OpenModule opens a module that Modules returned. The caller must close it. Opened
// then includes it.
func (p *Project) OpenModule(m Module) (fs.File, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.importTrusted(m); f != nil {
		return nil, f
	}
	fsys, l, home := p.tree(m)
	if !home && p.leaves(l) {
		return nil, leavesFault().At(m.Path, 1, 1)
	}
	file, f := openRegular(fsys, l.name)
	if f != nil {
		return nil, f.At(m.Path, 1, 1)
	}
	if !home {
		p.linked(l)
	}
	if file, f = p.pinnedModule(m, l, file); f != nil {
		return nil, f
	}
	p.opened[m.Path] = true
	p.defining(m.Path)
	return file, nil
}

// Sidecar reads NAME.tools.yaml, the description beside the module NAME.wasm;
// fs.ErrNotExist if there is none.
func (p *Project) Sidecar(m Module) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.importTrusted(m); f != nil {
		return nil, f
	}
	fsys, l, home := p.tree(m)
	name := strings.TrimSuffix(l.name, ".wasm") + toolSidecar
	shown := strings.TrimSuffix(m.Path, ".wasm") + toolSidecar
	if home {
		if _, f := statRegular(fsys, name); f != nil && f.Code == fault.NotFound {
			return nil, fs.ErrNotExist
		}
		data, f := readRegular(fsys, name, maxFile)
		if f != nil {
			return nil, f.At(shown, 1, 1)
		}
		sum := sha256.Sum256(data)
		if f := p.compare("", shown, shown, hex.EncodeToString(sum[:])); f != nil {
			return nil, f
		}
		p.opened[shown] = true
		p.defining(shown)
		return data, nil
	}
	if !p.exists(l.at(name)) {
		return nil, fs.ErrNotExist
	}
	data, f := p.read(l.at(name), maxFile)
	if f != nil {
		return nil, f
	}
	return data, nil
}
