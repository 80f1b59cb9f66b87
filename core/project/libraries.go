package project

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

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
	dependency
	at yamltree.Pos
}

// openLibraries finds the libraries that the project declares, and those that they
// declare in turn. It reads each lib.yaml and nothing else (S1-34, S1-92, S1-94). With
// faults, no worker can run, because it is not known what a name means.
func (p *Project) openLibraries() fault.List {
	own := p.sources
	g := &libraryGraph{p: p, pins: map[string]string{}}
	for {
		p.sources = slices.Clone(own)
		g.faults, g.chosen, g.again = nil, map[string]chosen{}, false
		g.require(0, p.requirer(), nil)
		if !g.again {
			return g.faults
		}
	}
}

// Libraries returns the directories of the libraries that the project declares, and of
// those that they declare.
func (p *Project) Libraries() []fs.FS {
	var out []fs.FS
	for _, s := range p.sources {
		if s.library != "" {
			out = append(out, s.fs)
		}
	}
	return out
}

// LibraryDirs returns the directories of Libraries by the names that they have in a
// LibraryRoot: NAME@VERSION, or NAME without a version.
func (p *Project) LibraryDirs() map[string]fs.FS {
	out := map[string]fs.FS{}
	for i := range p.sources {
		if s := &p.sources[i]; s.library != "" {
			out[s.nameVersion()] = s.fs
		}
	}
	return out
}

// requirer returns the name of the project for messages about what requires a library.
func (p *Project) requirer() string {
	switch {
	case p.manifest.Name != "":
		return p.manifest.Name
	case p.src.Name != "":
		return p.src.Name
	}
	return "the project"
}

// libraryGraph walks the dependencies, depth first and in the order in which they
// are declared.
type libraryGraph struct {
	p      *Project
	faults fault.List
	chosen map[string]chosen // by folded name
	// pins are the versions that some library requires exactly. Where any version will
	// do, golem takes that one, and begins the walk again if necessary (again).
	pins  map[string]string
	again bool
}

// chosen is a library that was found for a name.
type chosen struct {
	source string // "" while it cannot be used
	need   need
	by     string // who required it
}

// require opens the libraries that the source at an index declares. chain has the
// sources of the libraries above it, outermost first.
func (g *libraryGraph) require(at int, by string, chain []string) {
	p := g.p
	for _, n := range p.needsOf(at) {
		if g.again {
			return
		}
		key := sandbox.Fold(n.name)
		if first, known := g.chosen[key]; known {
			g.meet(first, n, by, chain)
			if first.source != "" && p.source(first.source).library == n.name {
				p.sources[at].needs = append(p.sources[at].needs, first.source)
			}
			continue
		}
		if n.version == "" {
			n.version = g.pins[key]
		}
		s, faults := p.findLibrary(n)
		if len(faults) > 0 {
			g.fail(n, faults...)
			g.chosen[key] = chosen{need: n, by: by}
			continue
		}
		g.chosen[key] = chosen{s.name, n, by}
		p.sources = append(p.sources, *s)
		index := len(p.sources) - 1
		p.sources[at].needs = append(p.sources[at].needs, s.name)
		g.require(index, s.nameVersion(), append(chain[:len(chain):len(chain)], s.name))
	}
}

// meet compares a dependency with the library that was already chosen for its name.
func (g *libraryGraph) meet(first chosen, n need, by string, chain []string) {
	if first.source == "" {
		return
	}
	s := g.p.source(first.source)
	if s.library != n.name {
		g.fail(n, fault.New(fault.Config, "%s and %s are the same library on systems that ignore case", fault.Quoted(s.library), fault.Quoted(n.name)).
			Hinting("write %s", s.library))
		return
	}
	if i := slices.Index(chain, s.name); i >= 0 {
		var names []string
		for _, name := range append(chain[i:len(chain):len(chain)], s.name) {
			names = append(names, g.p.source(name).library)
		}
		g.fail(n, fault.New(fault.LibraryCycle, "Circular dependency detected: %s", strings.Join(names, " → ")).
			Hinting("remove one of these dependencies"))
		return
	}
	if n.version == "" || sameVersion(n.version, s.manifest.Version) {
		return
	}
	if first.need.version == "" {
		g.pins[sandbox.Fold(n.name)], g.again = n.version, true
		return
	}
	g.fail(n, fault.New(fault.LibraryConflict, "two versions of %s are required: %s requires %s, and %s requires %s",
		n.name, first.by, nameVersion(n.name, first.need.version), by, nameVersion(n.name, n.version)).
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

// needsOf returns the dependencies of the source at an index, as it declares them.
func (p *Project) needsOf(at int) []need {
	settings := p.sources[at].settings
	if at == 0 {
		settings = p.settings
	}
	list := settings.Get("dependencies")
	if list == nil {
		return nil
	}
	var out []need
	for _, item := range list.Items {
		if d, problem := parseDependency(item.Text); problem == "" {
			out = append(out, need{d, item.Pos})
		}
	}
	return out
}

// findLibrary looks through the roots (S1-52): the first that has the library, of
// that version if one is asked for.
func (p *Project) findLibrary(n need) (*source, fault.List) {
	for _, root := range p.src.Libraries {
		if root.FS == nil {
			continue
		}
		dirs := []string{n.name}
		if n.version != "" {
			dirs = append([]string{nameVersion(n.name, n.version), n.name}, versionsOf(root.FS, n)...)
		} else if !isThere(root.FS, n.name) {
			dirs = versionsOf(root.FS, n)
		}
		for _, dir := range dirs {
			if !isThere(root.FS, dir) {
				continue
			}
			s, faults := p.openLibrary(root.FS, dir, n.name)
			if len(faults) > 0 || n.version == "" || sameVersion(n.version, s.manifest.Version) {
				return s, faults
			}
		}
	}
	return nil, fault.List{p.libraryNotFound(n)}
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
		version, ok := strings.CutPrefix(e.Name(), n.name+"@")
		if !ok || !semantic.MatchString(version) || n.version != "" && !sameVersion(n.version, version) {
			continue
		}
		if best == "" || early(version) == early(best) && compareVersions(version, best) > 0 || early(best) && !early(version) {
			best = version
		}
	}
	if best == "" {
		return nil
	}
	return []string{nameVersion(n.name, best)}
}

// early reports whether a version is a pre-release, as 2.0-rc.1.
func early(version string) bool {
	numbers, _, _ := strings.Cut(version, "+")
	return strings.Contains(numbers, "-")
}

// sameVersion reports whether two versions are one: 1.0 is 1.0.0. What follows + must be
// the same.
func sameVersion(a, b string) bool {
	_, build, _ := strings.Cut(a, "+")
	_, other, _ := strings.Cut(b, "+")
	return build == other && compareVersions(a, b) == 0
}

// compareVersions orders semantic versions. Numbers that are left out at the end are 0,
// and a pre-release (with -) comes before its release.
func compareVersions(a, b string) int {
	a, _, _ = strings.Cut(a, "+")
	b, _, _ = strings.Cut(b, "+")
	a, before, isBefore := strings.Cut(a, "-")
	b, other, isOther := strings.Cut(b, "-")
	if c := compareParts(filled(a), filled(b)); c != 0 || !isBefore && !isOther {
		return c
	}
	if isBefore != isOther {
		return map[bool]int{true: -1, false: 1}[isBefore]
	}
	return compareParts(before, other)
}

// filled adds the numbers that a version leaves out.
func filled(numbers string) string { return numbers + ".0.0"[min(4, 2*strings.Count(numbers, ".")):] }

// compareParts compares the parts between dots: numbers by value, and before words.
func compareParts(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		if i == len(as) || i == len(bs) {
			return len(as) - len(bs)
		}
		x, errX := strconv.Atoi(as[i])
		y, errY := strconv.Atoi(bs[i])
		c := strings.Compare(as[i], bs[i])
		switch {
		case errX == nil && errY == nil:
			c = x - y
		case errX == nil:
			c = -1
		case errY == nil:
			c = 1
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// openLibrary reads the description of the library in a directory of a root. It must
// agree with the directory's name (S1-50).
func (p *Project) openLibrary(root fs.FS, dir, name string) (*source, fault.List) {
	s := &source{name: name + ":", library: name}
	where := s.name + libraryFile
	info, err := fs.Lstat(root, dir)
	if err == nil && !info.IsDir() {
		err = errors.New("it is not a directory")
	}
	if err == nil {
		s.fs, err = subtree(root, dir)
	}
	if err != nil {
		return nil, fault.List{fault.New(fault.Path, "the library %s cannot be read: %s", fault.Quoted(dir), reason(err)).
			Hinting("a library is a directory; one that is reached through a link is not used")}
	}
	p.sources = append(p.sources, *s) // locations lead to it
	faults := p.describe(&p.sources[len(p.sources)-1])
	*s = p.sources[len(p.sources)-1]
	p.sources = p.sources[:len(p.sources)-1]
	if len(faults) > 0 {
		return nil, faults
	}
	m := s.manifest
	if n := s.settings.Get("name"); n != nil {
		where = n.Pos.File
	}
	_, version, versioned := strings.Cut(dir, "@")
	switch {
	case m.Name != name:
		return nil, fault.List{fault.New(fault.Config, "the directory of the library is %s, and its name is %s", fault.Quoted(dir), fault.Quoted(m.Name)).
			Hinting("a library lies in a directory with its name").At(where, 1, 1)}
	case versioned && !sameVersion(m.Version, version):
		return nil, fault.List{fault.New(fault.Config, "the directory of the library is %s, and its version is %s", fault.Quoted(dir), fault.Quoted(m.Version)).
			Hinting("name the directory %s", nameVersion(name, m.Version)).At(where, 1, 1)}
	}
	s.label = "lib " + s.nameVersion()
	s.roots, s.prompts = m.WorkersRoots, m.PromptsRoot
	return s, nil
}

// subtree returns a directory of a tree as a tree of its own.
func subtree(root fs.FS, dir string) (fs.FS, error) {
	if tree, ok := root.(sandbox.SubFS); ok {
		return tree.SubFS(dir)
	}
	return fs.Sub(root, dir)
}

func (s *source) nameVersion() string { return nameVersion(s.library, s.manifest.Version) }

// libraryNotFound returns the fault that says where golem looked for a library and how
// to get it.
func (p *Project) libraryNotFound(n need) *fault.Fault {
	what := n.name + "/"
	if n.version != "" {
		what = nameVersion(n.name, n.version) + "/ and " + n.name + "/"
	}
	var labels []string
	for _, root := range p.src.Libraries {
		labels = append(labels, root.Label)
	}
	where := "no directory of libraries is known"
	if len(labels) > 0 {
		where = fmt.Sprintf("looked for %s in %s", what, strings.Join(labels, ", "))
	}
	f := fault.New(fault.LibraryNotFound, "the library %s is not installed (%s)", fault.Quoted(n.text), where)
	if n.git {
		return f.Hinting("run golem lib install %s", fault.Brief(n.text))
	}
	if near := fault.Nearest(nameVersion(n.name, n.version), p.installed(n.name)); near != "" {
		return f.Hinting("did you mean %s", near)
	}
	return f.Hinting("install it with golem lib install, or name the directory that has it with --lib")
}

// installed returns the names of libraries in the roots, with and without versions, for
// hints.
func (p *Project) installed(but string) []string {
	var out []string
	for _, root := range p.src.Libraries {
		if root.FS == nil {
			continue
		}
		entries, _ := fs.ReadDir(root.FS, ".")
		for _, e := range entries[:min(len(entries), 1000)] {
			if d, problem := parseDependency(e.Name()); problem == "" && e.IsDir() {
				out = append(out, e.Name())
				if d.name != but {
					out = append(out, d.name)
				}
			}
		}
	}
	return out
}
