package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"golem/core/config"
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

// ModuleFile is a tool module in a library, or a JavaScript or TypeScript source that golem runs
// as one.
type ModuleFile struct {
	Path   string `json:"path"`
	Digest string `json:"sha256"` // of the file, in hex
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
	p, err := project.Load(project.Setup{FS: c.tree(), Name: lib.Dir})
	if p == nil {
		return d, fault.Of(err, fault.Config)
	}
	built := map[string]bool{} // by path without extension
	for _, f := range c.files {
		if stem, ok := strings.CutSuffix(f.name, ".wasm"); ok {
			built[stem] = true
		}
	}
	for _, f := range c.files {
		if path.Ext(f.name) == ".wasm" || runsAsTool(f.name, p.Manifest.ToolRoots) && !built[strings.TrimSuffix(f.name, path.Ext(f.name))] {
			sum := sha256.Sum256(f.data)
			d.Modules = append(d.Modules, ModuleFile{f.name, hex.EncodeToString(sum[:])})
		}
	}
	d.Workers, _ = p.Workers.List()
	return d, nil
}

// runsAsTool reports whether a file is a source in a place where golem looks for tools. The
// source may still have no tools of its own, which only its engine knows.
func runsAsTool(name string, roots []string) bool {
	base, dir := path.Base(name), path.Dir(name)
	return config.IsToolSource(base) && (config.ModuleStem(base) == "tools" || path.Base(dir) == "tools" || slices.Contains(roots, dir))
}
