package project

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// source is one tree of files that workers, prompts and schemas are read from.
// All sources are used in the same way: the project's own directory (a directory
// of GOLEM_PATH is opened as one), the workers that are built into golem, and
// later each library.
type source struct {
	name    string   // "" for the project; any other name begins the paths that messages show
	label   string   // what Worker.Source and Listing.Source say
	fs      fs.FS    // never nil
	roots   []string // directories below which files have IDs; the first that has an ID wins
	prompts string   // directory of the prompt files
	apart   string   // a directory below the roots that holds no workers; "" for none
	trusted bool     // built into golem: no person has to trust its settings
	bare    bool     // its workers get no toolset, mount or tool module from the manifest
}

// builtin is the name of the source of the built-in workers.
const builtin = "builtin"

// builtinLabel is what Worker.Source says of them.
const builtinLabel = "built-in"

// openSources completes the project's source with what the manifest says, and
// adds the others.
func (p *Project) openSources() {
	p.sources[0].roots, p.sources[0].prompts = p.manifest.WorkersRoots, p.manifest.PromptsRoot
	if p.src.Builtin != nil {
		p.sources = append(p.sources, source{
			name: builtin, label: builtinLabel, fs: p.src.Builtin, roots: []string{"."}, prompts: defaultPrompts, apart: defaultPrompts, trusted: true, bare: true,
		})
	}
}

// sourceOf is the source that a location lies in.
func (p *Project) sourceOf(l location) *source {
	i := slices.IndexFunc(p.sources, func(s source) bool { return s.name == l.source })
	return &p.sources[max(i, 0)] // locations are made of sources: i is never -1
}

// location names one file or directory. It can be a map's key. The zero value
// is no file.
type location struct {
	source string // source.name
	name   string // io/fs name in the source
}

// String is the path that messages and traces show: "workers/a.worker" in the
// project, "builtin/a.worker" in another source.
func (l location) String() string { return l.prefix() + l.name }

func (l location) prefix() string {
	if l.source == "" {
		return ""
	}
	return l.source + "/"
}

// inProject reports whether it is one of the project's own files. What the
// project's ignore files, include: and exclude: choose, '*' and golem's
// conventions for names are about these only.
func (l location) inProject() bool { return l.source == "" }

// at is another name in the same source.
func (l location) at(name string) location { return location{l.source, name} }

// shown is the location in the same source whose String is path.
func (l location) shown(path string) location { return l.at(strings.TrimPrefix(path, l.prefix())) }

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

// roots are the workers roots of all sources, first wins.
func (p *Project) roots() []location {
	var out []location
	for _, s := range p.sources {
		for _, root := range s.roots {
			out = append(out, location{s.name, root})
		}
	}
	return out
}
