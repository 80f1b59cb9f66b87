package project

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// source is one tree of files that workers, prompts and schemas are read from.
// All sources are used in the same way: the project's own directory (a directory
// of GOLEM_PATH is opened as one), the workers that are built into golem, and
// each library.
type source struct {
	name    string   // the beginning of the paths that messages show: "" for the project, "utils:" for a library
	label   string   // what Worker.Source and Listing.Source say
	fs      fs.FS    // never nil
	roots   []string // directories below which files have IDs; the first that has an ID wins
	prompts string   // directory of the prompt files
	apart   string   // a directory below the roots that holds no workers; "" for none
	trusted bool     // built into golem: no person has to trust its settings
	bare    bool     // its workers get no toolset, mount or tool module from the manifest

	dotEnvs []fs.FileInfo // its .env files; nil: not looked for yet

	library  string           // the name of a library, "" for the others
	manifest *Manifest        // of a library
	settings *yamltree.Node   // of a library: its description as it stands in its file
	defaults *yamltree.Node   // of a library: what its project file lends its workers
	said     []yamltree.Field // what a project file says under lib:NAME, by NAME
	needs    []string         // the sources of the libraries that it declares, in order
}

// builtin is the name of the source of the built-in workers. As that of a library it
// ends in a colon, so no directory of the project reads like it.
const builtin = "builtin:"

// builtinLabel is what Worker.Source says of them.
const builtinLabel = "built-in"

// openSources completes the project's source with what the manifest says, and
// adds the others. The faults are those of libraries.
func (p *Project) openSources() fault.List {
	p.sources[0].roots, p.sources[0].prompts = p.manifest.WorkersRoots, p.manifest.PromptsRoot
	if p.src.Builtin != nil {
		p.sources = append(p.sources, source{
			name: builtin, label: builtinLabel, fs: p.src.Builtin, roots: []string{"."}, prompts: defaultPrompts, apart: defaultPrompts, trusted: true, bare: true,
		})
	}
	return append(p.openLibraries(), p.wordFaults()...)
}

// sourceOf is the source that a location lies in.
func (p *Project) sourceOf(l location) *source { return p.source(l.source) }

// source is the source of a name.
func (p *Project) source(name string) *source {
	i := slices.IndexFunc(p.sources, func(s source) bool { return s.name == name })
	return &p.sources[max(i, 0)] // names are those of sources: i is never -1
}

// scope are the sources in which a name without a library is looked for, as it
// stands in a file of a source: its own files, its libraries in the order in which
// it declares them, and what is built in. A library's names never mean workers,
// templates or tools of the project that uses it.
func (p *Project) scope(from string) []*source {
	own := p.source(from)
	out := []*source{own}
	for _, name := range own.needs {
		out = append(out, p.source(name))
	}
	if from != builtin && p.src.Builtin != nil {
		out = append(out, p.source(builtin))
	}
	return out
}

// location names one file or directory. It can be a map's key. The zero value
// is not a file.
type location struct {
	source string // source.name
	name   string // io/fs name in the source
}

// String is the path that messages and traces show: "workers/a.worker" in the
// project, "utils:workers/a.worker" in a library, "builtin:a.worker".
func (l location) String() string { return l.source + l.name }

// inProject reports whether it is one of the project's own files. What the
// project's ignore files, include: and exclude: choose, '*' and golem's
// conventions for names are about these only.
func (l location) inProject() bool { return l.source == "" }

// at is another name in the same source.
func (l location) at(name string) location { return location{l.source, name} }

// shown is the location in the same source whose String is path.
func (l location) shown(path string) location { return l.at(strings.TrimPrefix(path, l.source)) }

// place is the location whose String is path.
func (p *Project) place(path string) location {
	for _, s := range p.sources[1:] {
		if name, ok := strings.CutPrefix(path, s.name); ok {
			return location{s.name, name}
		}
	}
	return location{name: path}
}

// valid reports whether a location can be that of a file: one of the project whose
// path reads like another source's ("utils:a.worker") cannot, since all that is
// checked, trusted and locked is told apart by paths.
func (p *Project) valid(l location) bool {
	path := l.String()
	return fs.ValidPath(l.name) && p.place(path) == l && !strings.HasPrefix(path, homePrefix)
}

// below is the part of the name below the workers root that the location lies
// in, of nested roots the innermost; false if it lies in none.
func (p *Project) below(l location) (string, bool) {
	best, found := "", false
	for _, root := range p.sourceOf(l).roots {
		rest, ok := l.name, root == "."
		if !ok {
			rest, ok = strings.CutPrefix(l.name, root+"/")
		}
		if ok && (!found || len(rest) < len(best)) {
			best, found = rest, true
		}
	}
	return best, found
}

// identity is the ID of a definition file and whether a workers root gives it
// (S2-27): the path below the root without extension, the directory of the
// directory form; elsewhere the file's stem.
func (p *Project) identity(l location) (id string, rooted bool) {
	rest, rooted := p.below(l)
	ext := path.Ext(rest)
	if !rooted {
		return strings.TrimSuffix(path.Base(l.name), path.Ext(l.name)), false
	}
	if dir, base := path.Split(rest); base == "worker.worker" && dir != "" {
		return strings.TrimSuffix(dir, "/"), true
	}
	return strings.TrimSuffix(rest, ext), true
}

// workerID is the ID by which the whole run knows the worker of a definition
// file: that of a library's worker begins with the library.
func (p *Project) workerID(l location) string {
	id, _ := p.identity(l)
	return p.idIn(l, id)
}

func (p *Project) idIn(l location, id string) string {
	if lib := p.sourceOf(l).library; lib != "" {
		return lib + ":" + id
	}
	return id
}

// forms lists the files that could define an ID below a root, in the order of
// SPEC §2.
func (p *Project) forms(root location, id string) []location {
	var out []location
	for _, name := range append(stems(path.Join(root.name, id)), path.Join(root.name, id, "worker.worker")) {
		l := root.at(name)
		if got, rooted := p.identity(l); rooted && got == id {
			out = append(out, l)
		}
	}
	return out
}

// rootsOf are the workers roots of sources, first wins.
func rootsOf(sources []*source) []location {
	var out []location
	for _, s := range sources {
		for _, root := range s.roots {
			out = append(out, location{s.name, root})
		}
	}
	return out
}
