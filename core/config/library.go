package config

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/yamltree"
)

// LibraryFile describes a library (S1-50, S1-51).
const LibraryFile = "lib.yaml"

// LibraryShape has the keys of lib.yaml.
var LibraryShape = newLibraryShape()

func newLibraryShape() *yamltree.Shape {
	s := yamltree.KeysOf(map[string]*yamltree.Shape{
		"name": key("The name of the library and of its directory.", yamltree.Text(LibraryNameProblem)), "version": key("Such as 1.2.0; put it in quotes if it has no second dot.", inJSON(`{"type": "string"}`, yamltree.ScalarOf("text", libraryVersionProblem))),
		"description": key("What the library is for.", yamltree.Text(nil)), "exports": key("The workers that others may use, by ID; without it all of them.", exportsShape()), "dependencies": key("The libraries that this one uses: NAME, NAME@VERSION or git+URL@TAG.", dependenciesShape()),
	})
	s.Musts = []string{"name"}
	s.Foreign = func(key string) string {
		switch {
		case key == "workers" || key == "export":
			return "write exports: [ID, …]; workers are found in workers/"
		case key == "libraries" || key == "requires":
			return "write dependencies: [NAME, NAME@VERSION]"
		case ManifestShape.Keys[key] != nil || WorkerShape.Keys[key] != nil:
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

var libraryName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}[A-Za-z0-9]$`) })

// reservedNames are no names of libraries: home and builtin begin the paths of other
// sources, and the others are devices on Windows.
var reservedNames = []string{"home", "builtin", "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "lpt1", "lpt2", "lpt3"}

// LibraryNameProblem returns what is wrong with a library's name. It must be valid as
// the name of a directory on every system, and before the colon of lib:id.
func LibraryNameProblem(s string) string {
	if problem := yamltree.NameProblem(s); problem != "" {
		return problem
	}
	stem, _, _ := strings.Cut(sandbox.Fold(s), ".")
	if !libraryName().MatchString(s) || strings.Contains(s, "..") || slices.Contains(reservedNames, stem) {
		return fault.Quoted(s) + " cannot be the name of a library: use 2 to 64 letters, digits and - _ . between them, such as text-tools"
	}
	return ""
}

// Dependency is one item of dependencies: (S1-21, S1-53).
type Dependency struct {
	Text    string
	Name    string
	Version string // "" for any
	Git     bool   // text is the address of a repository
}

// ParseDependency reads NAME, NAME@VERSION or git+URL[@TAG]. For a repository, the name
// of the library is the last element of the address.
func ParseDependency(s string) (d Dependency, problem string) {
	if problem := yamltree.NameProblem(s); problem != "" {
		return d, problem
	}
	d.Text = s
	last := s
	if rest, ok := strings.CutPrefix(s, "git+"); ok {
		scheme, address, ok := strings.Cut(rest, "://")
		if host, _, _ := strings.Cut(address, "/"); scheme != "ssh" && strings.Contains(host, "@") {
			return d, "the address of the repository has a user name or key in it, which the project would give to everybody: write it without, clone the repository with git and install the directory"
		}
		if !ok || scheme == "" {
			return d, fault.Quoted(s) + " is not the address of a repository, such as git+https://example.com/utils.git@v1.0"
		}
		d.Git, last = true, rest[strings.LastIndexByte(rest, '/')+1:]
	}
	name, version, versioned := strings.Cut(last, "@")
	switch plain := strings.TrimPrefix(version, "v"); {
	case d.Git: // a tag is v1.0 by custom; another word is a branch or a commit
		name = strings.TrimSuffix(name, ".git")
		if Semantic(plain) {
			d.Version = plain
		}
	case versioned && !Semantic(version):
		return d, fault.Quoted(version) + " is not a version number, such as 1.0"
	default:
		d.Version = version
	}
	if problem := LibraryNameProblem(name); problem != "" {
		return d, problem
	}
	d.Name = name
	return d, ""
}

// NameVersion returns NAME@VERSION, the name of a library's directory; NAME if there is no
// version.
func NameVersion(name, version string) string {
	if version == "" {
		return name
	}
	return name + "@" + version
}

func dependenciesShape() *yamltree.Shape {
	list := yamltree.ListOf(yamltree.Text(func(s string) string {
		_, problem := ParseDependency(s)
		return problem
	}))
	return &yamltree.Shape{Any: true, Of: list, Rewrite: func(c *yamltree.Conformer, n *yamltree.Node, path string) *yamltree.Node {
		if n = c.Conform(n, list, path); n == nil {
			return nil
		}
		first := map[string]string{}
		for _, item := range n.Items {
			d, _ := ParseDependency(item.Text)
			key := sandbox.Fold(d.Name)
			if other, twice := first[key]; twice {
				c.Fail(item.Pos, "remove one of them", "%s: %s and %s are the same library", path, fault.Quoted(other), fault.Quoted(item.Text))
			}
			first[key] = item.Text
		}
		return n
	}}
}
