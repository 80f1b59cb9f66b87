package project

import (
	"io/fs"
	"slices"
	"strings"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/yamltree"
)

// HasManifest reports whether a directory has a project file in its root.
func HasManifest(fsys fs.FS) bool {
	return slices.ContainsFunc(config.ManifestNames, func(name string) bool {
		_, err := fs.Lstat(fsys, name)
		return err == nil
	})
}

// readManifest finds and reads the project file. Only the root is looked at,
// never a parent. blind is the file's name if it cannot be read at all.
func (t *Trees) readManifest() (blind string, faults fault.List) {
	own := t.Own()
	own.Manifest = config.NewManifest(t.setup.WorkersRoot)
	if t.setup.Options.NoProject {
		return "", nil
	}
	found, shape := t.manifests(""), config.ManifestShape
	if len(found) == 0 && t.Exists(Location{Name: config.LibraryFile}) {
		found, shape = []string{config.LibraryFile}, config.LibraryShape // a library that is looked at by itself
	}
	if len(found) == 0 {
		return "", nil
	}
	if len(found) > 1 {
		faults = fault.List{yamltree.At(found[1], 1, 1).Fault(fault.MultipleManifests, "more than one project file: %s", strings.Join(found, ", ")).
			Hinting("keep one of them")}
		for _, other := range found[1:] { // a check goes on with the first
			faults = append(faults, t.manifestOf(&Tree{FS: own.FS, ProjectFile: config.ProjectFile{Manifest: config.NewManifest("")}}, other, shape)...)
		}
	}
	bad := t.manifestOf(own, found[0], shape)
	if own.Raw == nil && bad.Err() != nil {
		blind = found[0]
	}
	return blind, append(faults, bad...)
}

// manifests returns the names of the project files in the root of a source.
func (t *Trees) manifests(source string) []string {
	var found []string
	for _, name := range config.ManifestNames {
		if t.Exists(Location{source, name}) {
			found = append(found, name)
		}
	}
	return found
}

// manifestOf reads the project file or lib.yaml of a source into it.
func (t *Trees) manifestOf(s *Tree, file string, shape *yamltree.Shape) fault.List {
	l := Location{s.Name, file}
	data, f := t.read(l, config.MaxFile)
	if f != nil {
		return fault.List{f}
	}
	s.Manifest.File = file
	return s.ProjectFile.Read(l.String(), data, shape, t.setup.Options.AllowOutside && s.Library == "")
}

// engines are the platforms that have each tool engine (SPEC §6).
var engines = map[string][]string{"auto": {"native", "browser"}, "wazero": {"native", "browser"}, "browser": {"browser"}}

// EngineFault returns a fault if a platform does not have the engine that the manifest
// names.
func (ws *Workers) EngineFault(platform string) *fault.Fault {
	n := ws.trees.Own().Keys.Path("tools", "engine")
	if n == nil || platform == "" || slices.Contains(engines[n.Text], platform) {
		return nil
	}
	return n.Pos.Fault(fault.Platform, "the tool engine %s does not exist on platform %s, only on %s", n.Text, fault.Quoted(platform), strings.Join(engines[n.Text], ", ")).
		Hinting("write tools.engine: auto")
}

// Is reports whether a directory is a project: it has a manifest, a main.worker, a directory
// of workers or a lib.yaml.
func Is(fsys fs.FS) bool {
	return HasManifest(fsys) || slices.ContainsFunc([]string{"main.worker", "workers", "lib.yaml"}, func(name string) bool {
		_, err := fs.Stat(fsys, name)
		return err == nil
	})
}
