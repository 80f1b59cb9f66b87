package project

import (
	"io/fs"
	"strings"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/yamltree"
)

// Library is the description of a library, from its lib.yaml or from a project file
// with name and exports.
type Library struct {
	Name         string
	Version      string // "" if it has none
	Description  string
	Exports      []string // references of its workers; nil: every worker
	Dependencies []string // as written
}

// ReadLibrary reads the description of the library in a directory. It opens no
// worker and looks for no other library. Every fault is in the error.
func ReadLibrary(dir fs.FS) (Library, error) {
	t := newTrees(&Setup{FS: dir})
	s := t.Own()
	faults := t.describe(s)
	if err := faults.Err(); err != nil {
		return Library{}, err
	}
	m := s.Manifest
	return Library{m.Name, m.Version, m.Description, m.Exports, m.Dependencies}, nil
}

// describe reads the lib.yaml of a source, or else its project file, which has to
// have a library's keys. s.Manifest is never nil afterwards.
func (t *Trees) describe(s *Tree) fault.List {
	s.Manifest = config.NewManifest("")
	file, shape := config.LibraryFile, config.LibraryShape
	if !t.Exists(Location{s.Name, file}) {
		found := t.manifests(s.Name)
		if len(found) > 1 {
			return fault.List{yamltree.At(s.Name+found[1], 1, 1).Fault(fault.MultipleManifests, "more than one project file: %s", strings.Join(found, ", ")).
				Hinting("keep one of them, or write lib.yaml")}
		}
		if len(found) == 0 {
			return fault.List{fault.New(fault.Config, "this is not a library: there is no lib.yaml, and no project file with name: and exports:").
				Hinting("write lib.yaml with name: and version:").At(s.Name+config.LibraryFile, 1, 1)}
		}
		file, shape = found[0], config.ManifestShape
	}
	faults := t.manifestOf(s, file, shape)
	if len(faults) > 0 {
		return faults
	}
	m := s.Manifest
	if shape == config.ManifestShape && (m.Name == "" || m.Exports == nil) {
		return fault.List{yamltree.At(s.Name+file, 1, 1).Fault(fault.Config, "this project is not a library: its project file needs name: and exports:").
			Hinting("write both, or a lib.yaml beside it")}
	}
	if problem := config.LibraryNameProblem(m.Name); problem != "" {
		where := yamltree.At(s.Name+file, 1, 1)
		if n := s.Keys.Get("name"); n != nil {
			where = n.Pos
		}
		return fault.List{where.Fault(fault.Config, "name: %s", problem)}
	}
	return nil
}

// MissingLibraries returns a warning for each dependency of a library that no root has.
func MissingLibraries(dependencies []string, roots []LibraryRoot) (missing fault.List) {
	g := &libraryGraph{trees: newTrees(&Setup{NoLock: true}), roots: roots} // there is no project, so no golem.lock
	for _, text := range dependencies {
		d, problem := config.ParseDependency(text)
		if problem != "" {
			continue
		}
		_, faults := g.find(need{Dependency: d})
		for _, f := range faults {
			if f.Code == fault.LibraryNotFound {
				w := *f
				w.Severity = fault.Warning
				missing = append(missing, &w)
			}
		}
	}
	return missing
}
