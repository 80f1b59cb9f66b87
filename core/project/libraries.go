package project

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/yamltree"
)

// LibraryRoot is a directory of libraries: each lies in NAME@VERSION/ or NAME/
// (S1-52).
type LibraryRoot struct {
	Label string // for messages: "--lib libs", "$GOLEM_HOME/libs"
	FS    fs.FS  // nil: the directory does not exist
}

// need is a dependency that a project or library declares.
type need struct {
	config.Dependency
	at yamltree.Pos
}

// openLibraries finds the libraries that the project declares, and those that they
// declare in turn. It reads each lib.yaml and nothing else (S1-34, S1-92, S1-94). With
// faults, no worker can run, because it is not known what a name means.
func (t *Trees) openLibraries() fault.List {
	own := t.all
	g := &libraryGraph{trees: t, roots: t.setup.Libraries, pins: map[string]string{}}
	for {
		t.all, t.Own().Needs = slices.Clone(own), nil
		g.faults, g.chosen, g.again = nil, map[string]chosen{}, false
		g.require(t.Own(), cmp.Or(t.Own().Manifest.Name, t.setup.Name, "the project"), nil)
		if !g.again {
			return g.faults
		}
	}
}

// Libraries returns the directories of the libraries that the project declares, and of
// those that they declare.
func (t *Trees) Libraries() []fs.FS {
	var out []fs.FS
	for _, s := range t.all {
		if s.Library != "" {
			out = append(out, s.FS)
		}
	}
	return out
}

// LibraryDirs returns the directories of Libraries by the names that they have in a
// LibraryRoot: NAME@VERSION, or NAME without a version.
func (t *Trees) LibraryDirs() map[string]fs.FS {
	out := map[string]fs.FS{}
	for _, s := range t.all {
		if s.Library != "" {
			out[s.nameVersion()] = s.FS
		}
	}
	return out
}

// libraryGraph walks the dependencies, depth first and in the order in which they
// are declared.
type libraryGraph struct {
	trees  *Trees
	roots  []LibraryRoot
	faults fault.List
	chosen map[string]chosen // by folded name
	// pins are the versions that some library requires exactly. Where any version will
	// do, golem takes that one, and begins the walk again if necessary (again).
	pins  map[string]string
	again bool
}

// chosen is a library that was found for a name.
type chosen struct {
	library *Tree // nil while it cannot be used
	need    need
	by      string // who required it
}

// require opens the libraries that a tree declares. chain has the libraries above it,
// outermost first.
func (g *libraryGraph) require(tree *Tree, by string, chain []*Tree) {
	for _, n := range tree.needed() {
		if g.again {
			return
		}
		key := sandbox.Fold(n.Name)
		if first, known := g.chosen[key]; known {
			g.compareChosen(first, n, by, chain)
			if first.library != nil && first.library.Library == n.Name {
				tree.Needs = append(tree.Needs, first.library.Name)
			}
			continue
		}
		if n.Version == "" {
			n.Version = g.pins[key]
		}
		s, faults := g.find(n)
		if len(faults) > 0 {
			g.fail(n, faults...)
			g.chosen[key] = chosen{need: n, by: by}
			continue
		}
		g.chosen[key] = chosen{s, n, by}
		g.trees.all = append(g.trees.all, s)
		tree.Needs = append(tree.Needs, s.Name)
		g.require(s, s.nameVersion(), append(chain[:len(chain):len(chain)], s))
	}
}

// compareChosen compares a dependency with the library that was already chosen for its name.
func (g *libraryGraph) compareChosen(first chosen, n need, by string, chain []*Tree) {
	s := first.library
	if s == nil {
		return
	}
	if s.Library != n.Name {
		g.fail(n, fault.New(fault.Config, "%s and %s are the same library on systems that ignore case", fault.Quoted(s.Library), fault.Quoted(n.Name)).
			Hinting("write %s", s.Library))
		return
	}
	if i := slices.Index(chain, s); i >= 0 {
		var names []string
		for _, one := range append(chain[i:len(chain):len(chain)], s) {
			names = append(names, one.Library)
		}
		g.fail(n, fault.New(fault.LibraryCycle, "Circular dependency detected: %s", strings.Join(names, " → ")).
			Hinting("remove one of these dependencies"))
		return
	}
	if n.Version == "" || config.SameVersion(n.Version, s.Manifest.Version) {
		return
	}
	if first.need.Version == "" {
		g.pins[sandbox.Fold(n.Name)], g.again = n.Version, true
		return
	}
	g.fail(n, fault.New(fault.LibraryConflict, "two versions of %s are required: %s requires %s, and %s requires %s",
		n.Name, first.by, config.NameVersion(n.Name, first.need.Version), by, config.NameVersion(n.Name, n.Version)).
		Hinting("make both require the same version"))
}

func (g *libraryGraph) fail(n need, faults ...*fault.Fault) {
	for _, f := range faults {
		if f.Where == nil {
			f = f.At(n.at.File, n.at.Line, n.at.Column)
		}
		g.faults = append(g.faults, f)
	}
}

// needed returns the dependencies of a tree, as it declares them.
func (s *Tree) needed() []need {
	list := s.Keys.Get("dependencies")
	if list == nil {
		return nil
	}
	var out []need
	for _, item := range list.Items {
		if d, problem := config.ParseDependency(item.Text); problem == "" {
			out = append(out, need{d, item.Pos})
		}
	}
	return out
}

// find looks through the roots (S1-52): the first that has the library, of
// that version if one is asked for.
func (g *libraryGraph) find(n need) (*Tree, fault.List) {
	for _, root := range g.roots {
		if root.FS == nil {
			continue
		}
		dirs := []string{n.Name}
		if n.Version != "" {
			dirs = append([]string{config.NameVersion(n.Name, n.Version), n.Name}, versionsOf(root.FS, n)...)
		} else if !isThere(root.FS, n.Name) {
			dirs = versionsOf(root.FS, n)
		}
		for _, dir := range dirs {
			if !isThere(root.FS, dir) {
				continue
			}
			s, faults := g.open(root.FS, dir, n.Name)
			if len(faults) > 0 || n.Version == "" || config.SameVersion(n.Version, s.Manifest.Version) {
				return s, faults
			}
		}
	}
	return nil, fault.List{g.notFound(n)}
}

func isThere(root fs.FS, name string) bool {
	_, err := fs.Lstat(root, name)
	return err == nil
}

// versionsOf returns the directory NAME@VERSION of a root with the required version; if
// none is required, that with the highest version, a pre-release only if there is
// nothing else.
func versionsOf(root fs.FS, n need) []string {
	entries, err := fs.ReadDir(root, ".")
	if err != nil {
		return nil
	}
	best := ""
	for _, e := range entries {
		version, ok := strings.CutPrefix(e.Name(), n.Name+"@")
		if !ok || !config.Semantic(version) || n.Version != "" && !config.SameVersion(n.Version, version) {
			continue
		}
		if best == "" || config.Early(version) == config.Early(best) && config.CompareVersions(version, best) > 0 || config.Early(best) && !config.Early(version) {
			best = version
		}
	}
	if best == "" {
		return nil
	}
	return []string{config.NameVersion(n.Name, best)}
}

// open reads the description of the library in a directory of a root. It must
// agree with the directory's name (S1-50).
func (g *libraryGraph) open(root fs.FS, dir, name string) (*Tree, fault.List) {
	s := &Tree{Name: name + ":", Library: name}
	where := s.Name + config.LibraryFile
	info, err := fs.Lstat(root, dir)
	if err == nil && !info.IsDir() {
		err = errors.New("it is not a directory")
	}
	if err == nil {
		s.FS, err = subtree(root, dir)
	}
	if err != nil {
		return nil, fault.List{fault.New(fault.Path, "the library %s cannot be read: %s", fault.Quoted(dir), reason(err)).
			Hinting("a library is a directory; one that is reached through a link is not used")}
	}
	known := g.trees.all
	g.trees.all = append(known[:len(known):len(known)], s) // locations lead to it
	faults := g.trees.describe(s)
	g.trees.all = known
	if len(faults) > 0 {
		return nil, faults
	}
	m := s.Manifest
	if n := s.Keys.Get("name"); n != nil {
		where = n.Pos.File
	}
	_, version, versioned := strings.Cut(dir, "@")
	switch {
	case m.Name != name:
		return nil, fault.List{fault.New(fault.Config, "the directory of the library is %s, and its name is %s", fault.Quoted(dir), fault.Quoted(m.Name)).
			Hinting("a library lies in a directory with its name").At(where, 1, 1)}
	case versioned && !config.SameVersion(m.Version, version):
		return nil, fault.List{fault.New(fault.Config, "the directory of the library is %s, and its version is %s", fault.Quoted(dir), fault.Quoted(m.Version)).
			Hinting("name the directory %s", config.NameVersion(name, m.Version)).At(where, 1, 1)}
	}
	s.Label = "lib " + s.nameVersion()
	s.Roots, s.Prompts = m.WorkersRoots, m.PromptsRoot
	return s, nil
}

// subtree returns a directory of a tree as a tree of its own.
func subtree(root fs.FS, dir string) (fs.FS, error) {
	if tree, ok := root.(sandbox.SubFS); ok {
		return tree.SubFS(dir)
	}
	return fs.Sub(root, dir)
}

// nameVersion returns the name of a library with its version, as config.NameVersion does.
func (s *Tree) nameVersion() string { return config.NameVersion(s.Library, s.Manifest.Version) }

// notFound returns the fault that says where golem looked for a library and how
// to get it.
func (g *libraryGraph) notFound(n need) *fault.Fault {
	what := n.Name + "/"
	if n.Version != "" {
		what = config.NameVersion(n.Name, n.Version) + "/ and " + n.Name + "/"
	}
	var labels []string
	for _, root := range g.roots {
		labels = append(labels, root.Label)
	}
	where := "no directory of libraries is known"
	if len(labels) > 0 {
		where = fmt.Sprintf("looked for %s in %s", what, strings.Join(labels, ", "))
	}
	f := fault.New(fault.LibraryNotFound, "the library %s is not installed (%s)", fault.Quoted(n.Text), where)
	if n.Git {
		return f.Hinting("run golem lib install %s", fault.Brief(n.Text)).InPage("", fmt.Sprintf("install %s in the view Projects, under Libraries", fault.Brief(n.Text)))
	}
	if near := fault.Nearest(config.NameVersion(n.Name, n.Version), g.installed(n.Name)); near != "" {
		return f.Hinting("did you mean %s", near)
	}
	return f.Hinting("install it with golem lib install, or name the directory that has it with --lib").
		InPage("", "install it in the view Projects, under Libraries")
}

// installed returns the names of libraries in the roots, with and without versions, for
// hints.
func (g *libraryGraph) installed(but string) []string {
	var out []string
	for _, root := range g.roots {
		if root.FS == nil {
			continue
		}
		entries, _ := fs.ReadDir(root.FS, ".")
		for _, e := range entries[:min(len(entries), 1000)] {
			if d, problem := config.ParseDependency(e.Name()); problem == "" && e.IsDir() {
				out = append(out, e.Name())
				if d.Name != but {
					out = append(out, d.Name)
				}
			}
		}
	}
	return out
}
