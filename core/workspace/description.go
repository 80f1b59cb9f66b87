package workspace

import (
	"io/fs"

	"golem/core/project"
)

// described reads what a library says of itself, by the rules by which a project
// finds it.
func described(tree fs.FS) (Library, error) {
	m, err := project.ReadLibrary(tree)
	if err != nil {
		return Library{}, err
	}
	return Library{Name: m.Name, Version: m.Version, Description: m.Description, Exports: m.Exports, Dependencies: m.Dependencies}, nil
}
