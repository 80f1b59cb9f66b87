package project

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"golem/core/config"
	"golem/core/fault"
)

// Tree is one tree of files that workers, prompts and schemas are read from.
// All sources are used in the same way: the project's own directory (a directory
// of GOLEM_PATH is opened as one), the workers that are built into golem, and
// each library.
type Tree struct {
	Name    string   // the beginning of the paths that messages show: "" for the project, "utils:" for a library
	Label   string   // what Worker.Source and Listing.Source say
	FS      fs.FS    // never nil
	Roots   []string // directories below which files have IDs; the first that has an ID wins
	Prompts string   // directory of the prompt files
	apart   string   // a directory below the roots that holds no workers; "" for none
	trusted bool     // built into golem: no person has to trust its settings
	Bare    bool     // its workers get no toolset, mount or tool module from the manifest

	realDir     nameSet // directories known not to be reached through a link
	findDotEnvs sync.Once
	dotEnvs     []fs.FileInfo // its .env files

	Library            string   // the name of a library, "" for the others
	config.ProjectFile          // the project file, or the description of a library
	Needs              []string // the sources of the libraries that it declares, in order
}

// builtin is the name of the source of the built-in workers. It ends in a colon, as the
// name of a library's source does; see valid.
const builtin = "builtin:"

// builtinLabel is the value of Worker.Source for built-in workers.
const builtinLabel = "built-in"

// open completes the project's own tree with what the manifest says, and adds the others.
// The faults are those of libraries.
func (t *Trees) open() fault.List {
	own := t.Own()
	own.Roots, own.Prompts = own.Manifest.WorkersRoots, own.Manifest.PromptsRoot
	if t.setup.Builtin != nil {
		t.all = append(t.all, &Tree{
			Name: builtin, Label: builtinLabel, FS: t.setup.Builtin, Roots: []string{"."}, Prompts: config.DefaultPrompts, apart: config.DefaultPrompts, trusted: true, Bare: true,
		})
	}
	return append(t.openLibraries(), wordFaults(t)...)
}

// TreeOf returns the source of a location.
func (t *Trees) TreeOf(l Location) *Tree { return t.Tree(l.Tree) }

// Tree returns the source with a name.
func (t *Trees) Tree(name string) *Tree {
	i := slices.IndexFunc(t.all, func(s *Tree) bool { return s.Name == name })
	return t.all[max(i, 0)] // names are those of sources: i is never -1
}

// Scope returns the sources in which golem looks for a name without a library that is
// in a file of the source from: its own files, its libraries in the order in which it
// declares them, and the built-in workers. In a library's files, a name never means a
// worker, template or tool of the project that uses it.
func (t *Trees) Scope(from string) []*Tree {
	own := t.Tree(from)
	out := []*Tree{own}
	for _, name := range own.Needs {
		out = append(out, t.Tree(name))
	}
	if from != builtin && t.setup.Builtin != nil {
		out = append(out, t.Tree(builtin))
	}
	return out
}

// Location names one file or directory. It can be a map's key. The zero value
// is not a file.
type Location struct {
	Tree string // source.name
	Name string // io/fs name in the source
}

// String returns the path that messages and traces show: "workers/a.worker" in the
// project, "utils:workers/a.worker" in a library, "builtin:a.worker".
func (l Location) String() string { return l.Tree + l.Name }

// InProject reports whether it is one of the project's own files. The project's ignore
// files, include: and exclude:, '*' and golem's conventions for names apply only to
// these.
func (l Location) InProject() bool { return l.Tree == "" }

// In returns the location of another name in the same source.
func (l Location) In(name string) Location { return Location{l.Tree, name} }

// Parse returns the location in the same source whose String is path.
func (l Location) Parse(path string) Location { return l.In(strings.TrimPrefix(path, l.Tree)) }

// Location returns the location whose String is path.
func (t *Trees) Location(path string) Location {
	for _, s := range t.all[1:] {
		if name, ok := strings.CutPrefix(path, s.Name); ok {
			return Location{s.Name, name}
		}
	}
	return Location{Name: path}
}

// valid reports whether a location can be that of a file. It is not if it is in the
// project and its path looks like one of another source ("utils:a.worker"), because
// checks, trust and locks identify files by their paths.
func (t *Trees) valid(l Location) bool {
	path := l.String()
	return fs.ValidPath(l.Name) && t.Location(path) == l && !strings.HasPrefix(path, config.HomePrefix)
}

// belowRoot returns the part of the name below the workers root that has the location, or
// below the innermost one of nested roots; false if no root has it.
func (s *Tree) belowRoot(name string) (string, bool) {
	best, found := "", false
	for _, root := range s.Roots {
		rest, ok := name, root == "."
		if !ok {
			rest, ok = strings.CutPrefix(name, root+"/")
		}
		if ok && (!found || len(rest) < len(best)) {
			best, found = rest, true
		}
	}
	return best, found
}

// identity returns the ID of a definition file and whether it is below a workers root
// (S2-27). There the ID is the path below the root without extension, or the directory
// for the directory form; elsewhere it is the file's stem.
func (s *Tree) identity(name string) (id string, rooted bool) {
	rest, rooted := s.belowRoot(name)
	ext := path.Ext(rest)
	if !rooted {
		return strings.TrimSuffix(path.Base(name), path.Ext(name)), false
	}
	if dir, base := path.Split(rest); base == "worker.worker" && dir != "" {
		return strings.TrimSuffix(dir, "/"), true
	}
	return strings.TrimSuffix(rest, ext), true
}

// WorkerID returns the ID that the worker of a definition file has in a run: that of a
// library's worker begins with the library.
func (t *Trees) WorkerID(l Location) string {
	tree := t.TreeOf(l)
	id, _ := tree.identity(l.Name)
	return tree.idIn(id)
}

// idIn returns the ID of one of the tree's workers in a run.
func (s *Tree) idIn(id string) string {
	if s.Library != "" {
		return s.Library + ":" + id
	}
	return id
}

// rootsOf returns the workers roots of sources, in the order in which golem looks into
// them.
func rootsOf(sources []*Tree) []Location {
	var out []Location
	for _, s := range sources {
		for _, root := range s.Roots {
			out = append(out, Location{s.Name, root})
		}
	}
	return out
}

// asReference returns a reference of SPEC §2 that finds the same file.
func (l Location) asReference(ref string) string {
	if strings.HasPrefix(ref, "./") {
		return "./" + l.Name
	}
	return ref
}

// declared returns the library that a name means in the files of the source from. ref
// is the whole reference, for the fault.
func (t *Trees) declared(from, name, ref string) (*Tree, *fault.Fault) {
	own := t.Tree(from)
	var names []string
	for _, need := range own.Needs {
		s := t.Tree(need)
		if s.Library == name {
			return s, nil
		}
		names = append(names, s.Library)
	}
	declared := t.Own().Manifest.Dependencies
	if own.Library != "" {
		declared = own.Manifest.Dependencies
	}
	for _, text := range declared {
		if d, _ := config.ParseDependency(text); d.Name == name {
			return nil, fault.New(fault.LibraryNotFound, "%s names the library %s, which cannot be used", fault.Quoted(ref), fault.Quoted(name)).
				Hinting("another message says why")
		}
	}
	f := fault.New(fault.LibraryNotFound, "%s names the library %s, which is not among the dependencies", fault.Quoted(ref), fault.Quoted(name))
	if near := fault.Nearest(name, names); near != "" {
		return nil, f.Hinting("did you mean %s", near)
	}
	file := t.Own().Manifest.File
	if own.Library != "" {
		file = own.Name + own.Manifest.File
	}
	return nil, f.Hinting("add %s to dependencies: in %s", name, cmp.Or(file, "project.yaml"))
}
