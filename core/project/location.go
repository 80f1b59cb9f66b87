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

	raw *yamltree.Node // the project file or lib.yaml as it was read, for the places of faults

	dotEnvs []fs.FileInfo // its .env files; nil: not looked for yet

	library  string           // the name of a library, "" for the others
	manifest *Manifest        // of a library
	settings *yamltree.Node   // of a library: its description as it stands in its file
	defaults *yamltree.Node   // of a library: the settings that its workers inherit
	said     []yamltree.Field // what a project file says under lib:NAME, by NAME
	needs    []string         // the sources of the libraries that it declares, in order
}

// builtin is the name of the source of the built-in workers. It ends in a colon, as the
// name of a library's source does; see valid.
const builtin = "builtin:"

// builtinLabel is the value of Worker.Source for built-in workers.
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

// sourceOf returns the source of a location.
func (p *Project) sourceOf(l location) *source { return p.source(l.source) }

// source returns the source with a name.
func (p *Project) source(name string) *source {
	i := slices.IndexFunc(p.sources, func(s source) bool { return s.name == name })
	return &p.sources[max(i, 0)] // names are those of sources: i is never -1
}

// scope returns the sources in which golem looks for a name without a library that is
// in a file of the source from: its own files, its libraries in the order in which it
// declares them, and the built-in workers. In a library's files, a name never means a
// worker, template or tool of the project that uses it.
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

// String returns the path that messages and traces show: "workers/a.worker" in the
// project, "utils:workers/a.worker" in a library, "builtin:a.worker".
func (l location) String() string { return l.source + l.name }

// inProject reports whether it is one of the project's own files. The project's ignore
// files, include: and exclude:, '*' and golem's conventions for names apply only to
// these.
func (l location) inProject() bool { return l.source == "" }

// at returns the location of another name in the same source.
func (l location) at(name string) location { return location{l.source, name} }

// shown returns the location in the same source whose String is path.
func (l location) shown(path string) location { return l.at(strings.TrimPrefix(path, l.source)) }

// place returns the location whose String is path.
func (p *Project) place(path string) location {
	for _, s := range p.sources[1:] {
		if name, ok := strings.CutPrefix(path, s.name); ok {
			return location{s.name, name}
		}
	}
	return location{name: path}
}

// valid reports whether a location can be that of a file. It is not if it is in the
// project and its path looks like one of another source ("utils:a.worker"), because
// checks, trust and locks identify files by their paths.
func (p *Project) valid(l location) bool {
	path := l.String()
	return fs.ValidPath(l.name) && p.place(path) == l && !strings.HasPrefix(path, homePrefix)
}

// below returns the part of the name below the workers root that has the location, or
// below the innermost one of nested roots; false if no root has it.
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

// identity returns the ID of a definition file and whether it is below a workers root
// (S2-27). There the ID is the path below the root without extension, or the directory
// for the directory form; elsewhere it is the file's stem.
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

// workerID returns the ID that the worker of a definition file has in a run: that of a
// library's worker begins with the library.
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

// rootsOf returns the workers roots of sources, in the order in which golem looks into
// them.
func rootsOf(sources []*source) []location {
	var out []location
	for _, s := range sources {
		for _, root := range s.roots {
			out = append(out, location{s.name, root})
		}
	}
	return out
}
