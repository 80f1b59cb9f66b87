package workspace

import (
	"io/fs"

	"golem/core/project"
)

// described reads the description of a library, by the same rules as a project that
// imports it.
func described(tree fs.FS) (Library, error) {
	m, err := project.ReadLibrary(tree)
	if err != nil {
		return Library{}, err
	}
	return Library{Name: m.Name, Version: m.Version, Description: m.Description, Exports: m.Exports, Dependencies: m.Dependencies}, nil
}
