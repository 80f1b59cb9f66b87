package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"path"

	"golem/core/fault"
	"golem/core/project"
)

// Details is the information that golem lib info shows about an installed library.
type Details struct {
	Library
	Workers []project.Listing `json:"workers"`
	Modules []ModuleFile      `json:"modules"` // sorted by path
	Changed bool              `json:"changed"` // its files differ from those that were installed
}

// ModuleFile is a tool module in a library.
type ModuleFile struct {
	Path   string `json:"path"`
	Digest string `json:"sha256"` // hex
}

// Details reads all files of an installed library and returns its details. It runs none
// of its code.
func (l Libraries) Details(lib Library) (Details, error) {
	d := Details{Library: lib, Workers: []project.Listing{}, Modules: []ModuleFile{}}
	c, err := l.content(lib.Dir)
	if err != nil {
		return d, err
	}
	d.Changed = lib.Origin.Digest != "" && lib.Origin.Digest != c.digest()
	for _, f := range c.files {
		if path.Ext(f.name) == ".wasm" {
			sum := sha256.Sum256(f.data)
			d.Modules = append(d.Modules, ModuleFile{f.name, hex.EncodeToString(sum[:])})
		}
	}
	p, err := project.Load(project.Source{FS: c.tree(), Name: lib.Dir})
	if p == nil {
		return d, fault.Of(err, fault.Config)
	}
	d.Workers, _ = p.List()
	return d, nil
}
