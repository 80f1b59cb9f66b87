package project

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
)

// resolve finds the definition file of a reference without opening or
// scanning anything (S2-42). entry admits a leading workers/ before an ID.
func (p *Project) resolve(ref string, entry bool) (location, *fault.Fault) {
	r, f := parseReference(ref)
	if f != nil {
		return location{}, f
	}
	if r.path != "" {
		return p.resolvePath(r)
	}
	if r.id == "main" {
		if l := (location{name: "main.worker"}); p.exists(l) {
			return l, nil
		}
	}
	l, searched, f := p.resolveID(r.id)
	if rest, ok := strings.CutPrefix(r.id, "workers/"); ok && entry && f == nil && l.name == "" {
		if rest == "main" && p.exists(location{name: "workers/main.worker"}) {
			return location{name: "workers/main.worker"}, nil
		}
		var more []string
		l, more, f = p.resolveID(rest)
		searched = append(searched, more...)
	}
	if f != nil || l.name != "" {
		return l, f
	}
	if r.id == "main" {
		searched = append([]string{"main.worker"}, searched...)
	}
	return location{}, p.notFound(ref, searched)
}

// resolveID looks through the workers roots, then the built-in workers; the
// first that has the ID wins, and two forms in one are ambiguous.
func (p *Project) resolveID(id string) (l location, searched []string, f *fault.Fault) {
	for _, root := range p.roots() {
		hits, tried := p.present(p.forms(root, id))
		if !p.sourceOf(root).bare { // nobody can put a file there
			searched = append(searched, tried...)
		}
		switch len(hits) {
		case 0:
			continue
		case 1:
			return hits[0], searched, nil
		}
		return location{}, searched, ambiguous(id, hits)
	}
	return location{}, searched, nil
}

func (p *Project) present(candidates []location) (hits []location, tried []string) {
	for _, l := range candidates {
		if p.never(l) {
			continue
		}
		tried = append(tried, l.String())
		there, broken := p.look(l)
		if broken {
			return []location{l}, tried // whether others are there cannot be told either
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

// resolvePath finds ./path, as file and then as directory (S1-36): no
// fallback search.
func (p *Project) resolvePath(r reference) (location, *fault.Fault) {
	candidates := []location{{name: r.path}}
	if !workerFile(r.path) {
		candidates = candidates[:0]
		for _, name := range append(stems(r.path), path.Join(r.path, "worker.worker")) {
			candidates = append(candidates, location{name: name})
		}
	}
	hits, tried := p.present(candidates)
	switch {
	case len(hits) == 0:
		return location{}, p.notFound(r.text, tried)
	case len(hits) > 1:
		return location{}, ambiguous(r.text, hits)
	}
	if id, rooted := p.identity(hits[0]); rooted {
		rest, _ := p.below(hits[0])
		root := strings.TrimSuffix(strings.TrimSuffix(hits[0].name, rest), "/")
		if all, _ := p.present(p.forms(location{name: root}, id)); len(all) > 1 {
			return location{}, ambiguous(id, all)
		}
	}
	return hits[0], nil
}

// notFound lists where was looked, and the workers that may be meant: those
// with the same base name, else the nearest name (S1-38). Only here a
// directory is listed, and nothing in it opened.
func (p *Project) notFound(ref string, searched []string) *fault.Fault {
	f := fault.New(fault.WorkerNotFound, "no worker %s (looked for %s)", fault.Quoted(ref), strings.Join(searched, ", "))
	if len(searched) == 0 {
		return fault.New(fault.WorkerNotFound, "%s cannot be a worker: it is in a worker's tools, templates or schemas directory, or it describes tools", fault.Quoted(ref))
	}
	ids := p.someIDs()
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

// someIDs are the IDs below the workers roots, sorted; of a huge tree only a part.
func (p *Project) someIDs() []string {
	var ids []string
	left := 20_000
	for _, root := range p.roots() {
		_ = fs.WalkDir(p.sourceOf(root).fs, root.name, func(name string, e fs.DirEntry, err error) error {
			if left--; left < 0 {
				return errEnough
			}
			if err != nil || e.IsDir() || !workerFile(name) || p.never(root.at(name)) {
				return nil
			}
			id, _ := p.identity(root.at(name))
			ids = append(ids, id)
			return nil
		})
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
