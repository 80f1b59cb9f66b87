package project

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/yamltree"
)

// libraryFile describes a library (S1-50, S1-51).
const libraryFile = "lib.yaml"

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
	p := newProject(Source{FS: dir})
	s := &p.sources[0]
	faults := p.describe(s)
	if err := faults.Err(); err != nil {
		return Library{}, err
	}
	m := s.manifest
	return Library{m.Name, m.Version, m.Description, m.Exports, m.Dependencies}, nil
}

// describe reads the lib.yaml of a source, or else its project file, which has to
// have a library's keys. s.manifest is never nil afterwards.
func (p *Project) describe(s *source) fault.List {
	s.manifest = newManifest("")
	file, shape := libraryFile, libraryShape
	if !p.exists(location{s.name, file}) {
		found := p.manifests(s.name)
		if len(found) > 1 {
			return fault.List{yamltree.At(s.name+found[1], 1, 1).Fault(fault.MultipleManifests, "more than one project file: %s", strings.Join(found, ", ")).
				Hinting("keep one of them, or write lib.yaml")}
		}
		if len(found) == 0 {
			return fault.List{fault.New(fault.Config, "this is not a library: there is no lib.yaml, and no project file with name: and exports:").
				Hinting("write lib.yaml with name: and version:").At(s.name+libraryFile, 1, 1)}
		}
		file, shape = found[0], manifestShape
	}
	faults := p.manifestOf(s, file, shape)
	if len(faults) > 0 {
		return faults
	}
	m := s.manifest
	if shape == manifestShape && (m.Name == "" || m.Exports == nil) {
		return fault.List{yamltree.At(s.name+file, 1, 1).Fault(fault.Config, "this project is not a library: its project file needs name: and exports:").
			Hinting("write both, or a lib.yaml beside it")}
	}
	if problem := libraryNameProblem(m.Name); problem != "" {
		where := yamltree.At(s.name+file, 1, 1)
		if n := s.settings.Get("name"); n != nil {
			where = n.Pos
		}
		return fault.List{where.Fault(fault.Config, "name: %s", problem)}
	}
	return nil
}

// libraryShape has the keys of lib.yaml.
var libraryShape = newLibraryShape()

func newLibraryShape() *yamltree.Shape {
	s := yamltree.KeysOf(map[string]*yamltree.Shape{
		"name": yamltree.Text(libraryNameProblem), "version": yamltree.ScalarOf("text", libraryVersionProblem),
		"description": yamltree.Text(nil), "exports": exportsShape(), "dependencies": dependenciesShape(),
	})
	s.Musts = []string{"name"}
	s.Foreign = func(key string) string {
		switch {
		case key == "workers" || key == "export":
			return "write exports: [ID, …]; workers are found in workers/"
		case key == "libraries" || key == "requires":
			return "write dependencies: [NAME, NAME@VERSION]"
		case manifestShape.Keys[key] != nil || workerShape.Keys[key] != nil:
			return key + " is set in a worker file, or in the project file of the project that uses the library"
		}
		return ""
	}
	return s
}

func exportsShape() *yamltree.Shape { return yamltree.ListOf(yamltree.Text(yamltree.NameProblem)) }

// libraryVersionProblem checks a library's version, which must be text, because YAML
// reads 1.0 as a number.
func libraryVersionProblem(n *yamltree.Node) (problem, hint string) {
	if n.Tag != yamltree.TagText {
		return "expected text, found " + n.Found(), "put it in quotes: \"" + fault.Brief(n.Text) + "\""
	}
	return versionNumber(n.Text)
}

var libraryName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}[A-Za-z0-9]$`)

// reservedNames are no names of libraries: home and builtin begin the paths of other
// sources, and the others are devices on Windows.
var reservedNames = []string{"home", "builtin", "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "lpt1", "lpt2", "lpt3"}

// libraryNameProblem returns what is wrong with a library's name. It must be valid as
// the name of a directory on every system, and before the colon of lib:id.
func libraryNameProblem(s string) string {
	if problem := yamltree.NameProblem(s); problem != "" {
		return problem
	}
	stem, _, _ := strings.Cut(sandbox.Fold(s), ".")
	if !libraryName.MatchString(s) || strings.Contains(s, "..") || slices.Contains(reservedNames, stem) {
		return fault.Quoted(s) + " cannot be the name of a library: use 2 to 64 letters, digits and - _ . between them, such as text-tools"
	}
	return ""
}

// dependency is one item of dependencies: (S1-21, S1-53).
type dependency struct {
	text    string
	name    string
	version string // "" for any
	git     bool   // text is the address of a repository
}

// parseDependency reads NAME, NAME@VERSION or git+URL[@TAG]. For a repository, the name
// of the library is the last element of the address.
func parseDependency(s string) (d dependency, problem string) {
	if problem := yamltree.NameProblem(s); problem != "" {
		return d, problem
	}
	d.text = s
	last := s
	if rest, ok := strings.CutPrefix(s, "git+"); ok {
		scheme, address, ok := strings.Cut(rest, "://")
		if host, _, _ := strings.Cut(address, "/"); scheme != "ssh" && strings.Contains(host, "@") {
			return d, "the address of the repository has a user name or key in it, which the project would give to everybody: write it without, clone the repository with git and install the directory"
		}
		if !ok || scheme == "" {
			return d, fault.Quoted(s) + " is not the address of a repository, such as git+https://example.com/utils.git@v1.0"
		}
		d.git, last = true, rest[strings.LastIndexByte(rest, '/')+1:]
	}
	name, version, versioned := strings.Cut(last, "@")
	switch plain := strings.TrimPrefix(version, "v"); {
	case d.git: // a tag is v1.0 by custom; another word is a branch or a commit
		name = strings.TrimSuffix(name, ".git")
		if semantic.MatchString(plain) {
			d.version = plain
		}
	case versioned && !semantic.MatchString(version):
		return d, fault.Quoted(version) + " is not a version number, such as 1.0"
	default:
		d.version = version
	}
	if problem := libraryNameProblem(name); problem != "" {
		return d, problem
	}
	d.name = name
	return d, ""
}

func nameVersion(name, version string) string {
	if version == "" {
		return name
	}
	return name + "@" + version
}

func dependenciesShape() *yamltree.Shape {
	list := yamltree.ListOf(yamltree.Text(func(s string) string {
		_, problem := parseDependency(s)
		return problem
	}))
	return &yamltree.Shape{Any: true, Rewrite: func(c *yamltree.Conformer, n *yamltree.Node, path string) *yamltree.Node {
		if n = c.Conform(n, list, path); n == nil {
			return nil
		}
		first := map[string]string{}
		for _, item := range n.Items {
			d, _ := parseDependency(item.Text)
			key := sandbox.Fold(d.name)
			if other, twice := first[key]; twice {
				c.Fail(item.Pos, "remove one of them", "%s: %s and %s are the same library", path, fault.Quoted(other), fault.Quoted(item.Text))
			}
			first[key] = item.Text
		}
		return n
	}}
}

// MissingLibraries returns a warning for each dependency of a library that no root has.
func MissingLibraries(dependencies []string, roots []LibraryRoot) (missing fault.List) {
	p := &Project{src: Source{Libraries: roots}}
	for _, text := range dependencies {
		d, problem := parseDependency(text)
		if problem != "" {
			continue
		}
		_, faults := p.findLibrary(need{dependency: d})
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
