package project

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"golem/core/config"
	"golem/core/fault"
)

// Names finds out which worker a name means.
type Names struct {
	trees *Trees

	mu    sync.Mutex
	scans map[string]*Scan // by the name of a tree
}

// Resolve finds the definition file of a reference in a file of the source from,
// without opening or scanning anything (S2-42). entry allows a leading workers/ before
// an ID.
func (ns *Names) Resolve(from, ref string, entry bool) (Location, *fault.Fault) {
	r, f := parseReference(ref)
	switch {
	case f != nil:
		return Location{}, f
	case r.lib != "":
		return ns.resolveLibrary(from, r, entry)
	case r.path != "":
		return ns.resolvePath(ns.trees.Tree(from), r)
	}
	return ns.resolveName(ns.trees.Scope(from), r, entry)
}

// resolveLibrary finds lib:id. The source that has the reference must declare the
// library, and the library must export the worker (S1-35).
func (ns *Names) resolveLibrary(from string, r reference, entry bool) (l Location, f *fault.Fault) {
	s, f := ns.trees.declared(from, r.lib, r.text)
	if f != nil {
		return Location{}, f
	}
	if r.path != "" {
		l, f = ns.resolvePath(s, r)
	} else {
		l, f = ns.resolveName([]*Tree{s}, r, entry)
	}
	if f == nil && !ns.exported(l) {
		f = fault.New(fault.NotExported, "%s does not export %s", s.nameVersion(), fault.Quoted(strings.TrimPrefix(r.text, r.lib+":"))).
			Hinting("it exports %s", brief(s.Manifest.Exports))
	}
	return l, f
}

// exported reports whether other sources may use a worker: its library exports it, or
// it is not of a library. It opens no file.
func (ns *Names) exported(l Location) bool {
	s := ns.trees.TreeOf(l)
	if s.Library == "" || s.Manifest.Exports == nil {
		return true
	}
	id, rooted := ns.trees.TreeOf(l).identity(l.Name)
	w := Worker{ID: id, File: l.Name, Source: "project"}
	return slices.ContainsFunc(s.Manifest.Exports, func(ref string) bool {
		if rest, ok := strings.CutPrefix(ref, "workers/"); ok && rooted && rest == id {
			return true
		}
		return (rooted || l.Name == "main.worker" || strings.Contains(ref, ".")) && w.Named(ref)
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
func (ns *Names) resolveName(sources []*Tree, r reference, entry bool) (Location, *fault.Fault) {
	own := sources[0].Name
	main := Location{own, "main.worker"}
	if r.id == "main" {
		if ns.trees.Exists(main) {
			return main, nil
		}
		sources = sources[:1] // main is a source's own
	}
	l, searched, hidden, f := ns.resolveID(sources, r.id)
	if rest, ok := strings.CutPrefix(r.id, "workers/"); ok && entry && f == nil && l.Name == "" {
		if at := (Location{own, "workers/main.worker"}); rest == "main" && ns.trees.Exists(at) {
			return at, nil
		}
		var more []string
		l, more, hidden, f = ns.resolveID(sources, rest)
		searched = append(searched, more...)
	}
	if f != nil || l.Name != "" {
		return l, f
	}
	if r.id == "main" {
		searched = append([]string{main.String()}, searched...)
	}
	f = ns.notFound(sources, r, searched)
	if hidden != nil {
		f = f.Hinting("%s has it and does not export it", hidden.nameVersion())
	}
	return Location{}, f
}

// resolveID looks through the workers roots of sources; the first that has the
// ID wins, and two forms in one are ambiguous. Of the libraries after the first
// source, only what they export counts: hidden is one that has the ID and does not
// export it.
func (ns *Names) resolveID(sources []*Tree, id string) (l Location, searched []string, hidden *Tree, f *fault.Fault) {
	for _, root := range rootsOf(sources) {
		hits, tried := ns.present(ns.forms(root, id))
		s := ns.trees.TreeOf(root)
		if !s.Bare { // nobody can put a file there
			searched = append(searched, tried...)
		}
		if s != sources[0] && len(hits) > 0 && !ns.exported(hits[0]) {
			hidden = s
			continue
		}
		switch len(hits) {
		case 0:
			continue
		case 1:
			return hits[0], searched, hidden, nil
		}
		return Location{}, searched, hidden, ambiguous(id, hits)
	}
	return Location{}, searched, hidden, nil
}

func (ns *Names) present(candidates []Location) (hits []Location, tried []string) {
	for _, l := range candidates {
		if ns.neverWorker(l) {
			continue
		}
		tried = append(tried, l.String())
		there, broken := ns.trees.look(l)
		if broken {
			return []Location{l}, tried // golem cannot know whether the others exist
		}
		if there {
			hits = append(hits, l)
		}
	}
	return hits, tried
}

func ambiguous(id string, hits []Location) *fault.Fault {
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
func (ns *Names) resolvePath(s *Tree, r reference) (Location, *fault.Fault) {
	candidates := []Location{{s.Name, r.path}}
	if !config.IsWorkerFile(r.path) {
		candidates = candidates[:0]
		for _, name := range append(stems(r.path), path.Join(r.path, "worker.worker")) {
			candidates = append(candidates, Location{s.Name, name})
		}
	}
	hits, tried := ns.present(candidates)
	switch {
	case len(hits) == 0:
		return Location{}, ns.notFound(ns.trees.Scope(s.Name), r, tried)
	case len(hits) > 1:
		return Location{}, ambiguous(r.text, hits)
	}
	if id, rooted := ns.trees.TreeOf(hits[0]).identity(hits[0].Name); rooted {
		rest, _ := ns.trees.TreeOf(hits[0]).belowRoot(hits[0].Name)
		root := strings.TrimSuffix(strings.TrimSuffix(hits[0].Name, rest), "/")
		if all, _ := ns.present(ns.forms(hits[0].In(root), id)); len(all) > 1 {
			return Location{}, ambiguous(id, all)
		}
	}
	return hits[0], nil
}

// notFound returns the fault that there is no such worker. It names the places where
// golem looked, and the workers that may be meant: those with the same base name,
// otherwise the nearest name (S1-38). Only here golem lists a directory; it opens no
// file in it.
func (ns *Names) notFound(sources []*Tree, r reference, searched []string) *fault.Fault {
	ref := r.text
	f := fault.New(fault.WorkerNotFound, "no worker %s (looked for %s)", fault.Quoted(ref), strings.Join(searched, ", "))
	if len(searched) == 0 {
		return fault.New(fault.WorkerNotFound, "%s cannot be a worker: it is in a worker's tools, templates or schemas directory, or it describes tools", fault.Quoted(ref))
	}
	ids := ns.someIDs(sources, r.lib)
	want := strings.TrimSuffix(path.Base(ref), path.Ext(ref))
	if !config.IsWorkerFile(ref) {
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
func (ns *Names) someIDs(sources []*Tree, lib string) []string {
	var ids []string
	left := 20_000
	for _, root := range rootsOf(sources) {
		_ = fs.WalkDir(ns.trees.TreeOf(root).FS, root.Name, func(name string, e fs.DirEntry, err error) error {
			if left--; left < 0 {
				return errEnough
			}
			if err != nil || e.IsDir() || !config.IsWorkerFile(name) || ns.neverWorker(root.In(name)) {
				return nil
			}
			id, _ := ns.trees.TreeOf(root).identity(name)
			if lib != "" {
				id = lib + ":" + id
			}
			if root.Tree == sources[0].Name && lib == "" || ns.exported(root.In(name)) {
				ids = append(ids, id)
			}
			return nil
		})
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Has reports whether a name is the ID of a worker, or the name of a worker's
// tool (a/b is a__b there). It opens no file and lists no directory.
func (ns *Names) Has(name string) bool {
	for _, id := range []string{name, strings.ReplaceAll(name, "__", "/")} {
		if r, f := parseReference(id); f == nil && r.id != "" && r.lib == "" {
			if l, _, _, f := ns.resolveID(ns.trees.Scope(""), id); f != nil || l.Name != "" {
				return true
			}
		}
	}
	return false
}

// forms lists the files that could define an ID below a root, in the order of
// SPEC §2.
func (ns *Names) forms(root Location, id string) []Location {
	var out []Location
	for _, name := range append(stems(path.Join(root.Name, id)), path.Join(root.Name, id, "worker.worker")) {
		l := root.In(name)
		if got, rooted := ns.trees.TreeOf(l).identity(l.Name); rooted && got == id {
			out = append(out, l)
		}
	}
	return out
}
