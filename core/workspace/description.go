package workspace

import (
	"io/fs"

	"golem/core/fault"
	"golem/core/project"
)

// libraryFile describes a library (SPEC §4).
const libraryFile = "lib.yaml"

// described reads what a library says of itself.
func described(tree fs.FS) (Library, error) {
	_, err := fs.Stat(tree, libraryFile)
	own := err == nil
	if own {
		tree = asManifest{tree}
	}
	p, err := project.Load(project.Source{FS: tree, Name: "library"})
	if err != nil {
		return Library{}, err
	}
	m := p.Manifest()
	switch {
	case m.File == "":
		return Library{}, fault.New(fault.Config, "this is not a library: there is no lib.yaml, and no project file with name: and exports:").
			Hinting("write lib.yaml with name: and version:")
	case m.Name == "" || !own && m.Exports == nil:
		return Library{}, fault.New(fault.Config, "this project is not a library: its project file needs name: and exports:").
			Hinting("write both, or a lib.yaml beside it")
	}
	return Library{Name: m.Name, Version: m.Version, Description: m.Description, Exports: m.Exports, Dependencies: m.Dependencies}, nil
}

// asManifest shows lib.yaml as project.yaml.
type asManifest struct{ fs.FS }

func (a asManifest) Open(name string) (fs.File, error) {
	if name == "project.yaml" {
		name = libraryFile
	}
	return a.FS.Open(name)
}
