package project

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
)

// resolve finds the definition file of a reference in a file of the source from,
// without opening or scanning anything (S2-42). entry allows a leading workers/ before
// an ID.
func (p *Project) resolve(from, ref string, entry bool) (location, *fault.Fault) {
	r, f := parseReference(ref)
	switch {
	case f != nil:
		return location{}, f
	case r.lib != "":
		return p.resolveLibrary(from, r, entry)
	case r.path != "":
		return p.resolvePath(p.source(from), r)
	}
	return p.resolveName(p.scope(from), r, entry)
}

// resolveLibrary finds lib:id. The source that has the reference must declare the
// library, and the library must export the worker (S1-35).
func (p *Project) resolveLibrary(from string, r reference, entry bool) (l location, f *fault.Fault) {
	s, f := p.declared(from, r.lib, r.text)
	if f != nil {
		return location{}, f
	}
	if r.path != "" {
		l, f = p.resolvePath(s, r)
	} else {
		l, f = p.resolveName([]*source{s}, r, entry)
	}
	if f == nil && !p.exported(l) {
		f = fault.New(fault.NotExported, "%s does not export %s", s.nameVersion(), fault.Quoted(strings.TrimPrefix(r.text, r.lib+":"))).
			Hinting("it exports %s", brief(s.manifest.Exports))
	}
	return l, f
}

// declared returns the library that a name means in the files of the source from. ref
// is the whole reference, for the fault.
func (p *Project) declared(from, name, ref string) (*source, *fault.Fault) {
	own := p.source(from)
	var names []string
	for _, need := range own.needs {
		s := p.source(need)
		if s.library == name {
			return s, nil
		}
		names = append(names, s.library)
	}
	declared := p.manifest.Dependencies
	if own.library != "" {
		declared = own.manifest.Dependencies
	}
	for _, text := range declared {
		if d, _ := parseDependency(text); d.name == name {
			return nil, fault.New(fault.LibraryNotFound, "%s names the library %s, which cannot be used", fault.Quoted(ref), fault.Quoted(name)).
				Hinting("another message says why")
		}
	}
	f := fault.New(fault.LibraryNotFound, "%s names the library %s, which is not among the dependencies", fault.Quoted(ref), fault.Quoted(name))
	if near := fault.Nearest(name, names); near != "" {
		return nil, f.Hinting("did you mean %s", near)
	}
	file := p.manifest.File
	if own.library != "" {
		file = own.name + own.manifest.File
	}
	return nil, f.Hinting("add %s to dependencies: in %s", name, cmp.Or(file, "project.yaml"))
}

// exported reports whether other sources may use a worker: its library exports it, or
// it is not of a library. It opens no file.
func (p *Project) exported(l location) bool {
	s := p.sourceOf(l)
	if s.library == "" || s.manifest.Exports == nil {
		return true
	}
	id, rooted := p.identity(l)
	w := Worker{ID: id, File: l.name, Source: "project"}
	return slices.ContainsFunc(s.manifest.Exports, func(ref string) bool {
		if rest, ok := strings.CutPrefix(ref, "workers/"); ok && rooted && rest == id {
			return true
		}
		return (rooted || l.name == "main.worker" || strings.Contains(ref, ".")) && w.Named(ref)
	})
}

func brief(names []string) string {
	switch {
	case len(names) == 0:
		return "nothing"
	case len(names) > 8:
		names = append(names[:8:8], "…")
	}
	return fault.Brief(strings.Join(names, ", "))
}

// resolveName finds an ID in sources. The first of them is the source that has the
// reference, or the library that the reference names.
func (p *Project) resolveName(sources []*source, r reference, entry bool) (location, *fault.Fault) {
	own := sources[0].name
	main := location{own, "main.worker"}
	if r.id == "main" {
		if p.exists(main) {
			return main, nil
		}
		sources = sources[:1] // main is a source's own
	}
	l, searched, hidden, f := p.resolveID(sources, r.id)
	if rest, ok := strings.CutPrefix(r.id, "workers/"); ok && entry && f == nil && l.name == "" {
		if at := (location{own, "workers/main.worker"}); rest == "main" && p.exists(at) {
			return at, nil
		}
		var more []string
		l, more, hidden, f = p.resolveID(sources, rest)
		searched = append(searched, more...)
	}
	if f != nil || l.name != "" {
		return l, f
	}
	if r.id == "main" {
		searched = append([]string{main.String()}, searched...)
	}
	f = p.notFound(sources, r, searched)
	if hidden != nil {
		f = f.Hinting("%s has it and does not export it", hidden.nameVersion())
	}
	return location{}, f
}

// resolveID looks through the workers roots of sources; the first that has the
// ID wins, and two forms in one are ambiguous. Of the libraries after the first
// source, only what they export counts: hidden is one that has the ID and does not
// export it.
func (p *Project) resolveID(sources []*source, id string) (l location, searched []string, hidden *source, f *fault.Fault) {
	for _, root := range rootsOf(sources) {
		hits, tried := p.present(p.forms(root, id))
		s := p.sourceOf(root)
		if !s.bare { // nobody can put a file there
			searched = append(searched, tried...)
		}
		if s != sources[0] && len(hits) > 0 && !p.exported(hits[0]) {
			hidden = s
			continue
		}
		switch len(hits) {
		case 0:
			continue
		case 1:
			return hits[0], searched, hidden, nil
		}
		return location{}, searched, hidden, ambiguous(id, hits)
	}
	return location{}, searched, hidden, nil
}

func (p *Project) present(candidates []location) (hits []location, tried []string) {
	for _, l := range candidates {
		if p.never(l) {
			continue
		}
		tried = append(tried, l.String())
		there, broken := p.look(l)
		if broken {
			return []location{l}, tried // golem cannot know whether the others exist
		}
		if there {
			hits = append(hits, l)
		}
	}
	return hits, tried
}

func ambiguous(id string, hits []location) *fault.Fault {
	names := make([]string, len(hits))
	for i, l := range hits {
		names[i] = l.String()
	}
	slices.Sort(names)
	return fault.New(fault.Ambiguous, "%s is defined by %s", fault.Quoted(id), strings.Join(names, " and ")).
		Hinting("keep one of them")
}

// resolvePath finds ./path, which is a file or a worker in directory form (S1-36). It
// looks nowhere else.
func (p *Project) resolvePath(s *source, r reference) (location, *fault.Fault) {
	candidates := []location{{s.name, r.path}}
	if !workerFile(r.path) {
		candidates = candidates[:0]
		for _, name := range append(stems(r.path), path.Join(r.path, "worker.worker")) {
			candidates = append(candidates, location{s.name, name})
		}
	}
	hits, tried := p.present(candidates)
	switch {
	case len(hits) == 0:
		return location{}, p.notFound(p.scope(s.name), r, tried)
	case len(hits) > 1:
		return location{}, ambiguous(r.text, hits)
	}
	if id, rooted := p.identity(hits[0]); rooted {
		rest, _ := p.below(hits[0])
		root := strings.TrimSuffix(strings.TrimSuffix(hits[0].name, rest), "/")
		if all, _ := p.present(p.forms(hits[0].at(root), id)); len(all) > 1 {
			return location{}, ambiguous(id, all)
		}
	}
	return hits[0], nil
}

// notFound returns the fault that there is no such worker. It names the places where
// golem looked, and the workers that may be meant: those with the same base name,
// otherwise the nearest name (S1-38). Only here golem lists a directory; it opens no
// file in it.
func (p *Project) notFound(sources []*source, r reference, searched []string) *fault.Fault {
	ref := r.text
	f := fault.New(fault.WorkerNotFound, "no worker %s (looked for %s)", fault.Quoted(ref), strings.Join(searched, ", "))
	if len(searched) == 0 {
		return fault.New(fault.WorkerNotFound, "%s cannot be a worker: it is in a worker's tools, templates or schemas directory, or it describes tools", fault.Quoted(ref))
	}
	ids := p.someIDs(sources, r.lib)
	want := strings.TrimSuffix(path.Base(ref), path.Ext(ref))
	if !workerFile(ref) {
		want = path.Base(ref)
	}
	var same []string
	for _, id := range ids {
		if path.Base(id) == want && id != ref {
			same = append(same, id)
		}
	}
	if len(same) > 3 {
		same = same[:3]
	}
	if len(same) > 0 {
		return f.Hinting("did you mean %s", strings.Join(same, " or "))
	}
	if near := fault.Nearest(ref, ids); near != "" {
		return f.Hinting("did you mean %s", near)
	}
	return f.Hinting("golem workers lists the workers")
}

var errEnough = errors.New("enough")

// someIDs returns the IDs below the workers roots of sources, as references name them,
// sorted; for a huge tree only a part.
func (p *Project) someIDs(sources []*source, lib string) []string {
	var ids []string
	left := 20_000
	for _, root := range rootsOf(sources) {
		_ = fs.WalkDir(p.sourceOf(root).fs, root.name, func(name string, e fs.DirEntry, err error) error {
			if left--; left < 0 {
				return errEnough
			}
			if err != nil || e.IsDir() || !workerFile(name) || p.never(root.at(name)) {
				return nil
			}
			id, _ := p.identity(root.at(name))
			if lib != "" {
				id = lib + ":" + id
			}
			if root.source == sources[0].name && lib == "" || p.exported(root.at(name)) {
				ids = append(ids, id)
			}
			return nil
		})
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
