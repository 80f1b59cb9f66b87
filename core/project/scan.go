package project

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
)

// toolSidecar ends the name of a file that describes tools, never a worker.
const toolSidecar = ".tools.yaml"

// privateDirs of a directory-form worker hold no workers (SPEC §3).
var privateDirs = []string{"tools", "templates", "schemas"}

const maxScanned = 200_000

// scanned is the list of the worker files below the workers roots. To make it, golem
// opens only the ignore files. It is for listing, checking and '*' (S2-41).
type scanned struct {
	patterns []ignorePattern       // those of the ignore files
	found    map[string][]location // by ID, in the order of the roots: the first wins
	ids      []string              // sorted
	faults   fault.List            // unreadable directories, ambiguous IDs
}

// scan lists the worker files of a source; it walks through the source only once. p.mu
// must be held.
func (p *Project) scan(from string) *scanned {
	if done := p.scans[from]; done != nil {
		return done
	}
	s := &scanned{found: map[string][]location{}}
	p.scans[from] = s
	if from == "" { // the ignore files apply only to the project's own files
		s.patterns, s.faults = p.ignores()
	}
	seen := map[location]bool{} // roots may be nested
	left := maxScanned
	for _, root := range rootsOf([]*source{p.source(from)}) {
		p.walk(s, root, seen, &left)
	}
	s.ids = slices.Sorted(maps.Keys(s.found))
	return s
}

func (p *Project) walk(s *scanned, root location, seen map[location]bool, left *int) {
	if root.inProject() && root.name != "." && s.ignored(root.name, true) {
		return
	}
	here := map[string][]location{}
	err := fs.WalkDir(p.sourceOf(root).fs, root.name, func(name string, e fs.DirEntry, err error) error {
		l := root.at(name)
		if *left--; *left < 0 {
			return errEnough
		}
		if err != nil {
			if name == root.name && errors.Is(err, fs.ErrNotExist) {
				return nil // no workers root: no workers
			}
			s.faults = append(s.faults, fault.New(fault.Config, "cannot be read: %s", reason(err)).At(l.String(), 1, 1))
			return fs.SkipDir
		}
		if name == root.name {
			return nil
		}
		if root.inProject() && s.skips(name, e.IsDir()) || e.IsDir() && p.private(l) {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if e.IsDir() || !workerFile(name) || strings.HasSuffix(name, toolSidecar) || seen[l] {
			return nil
		}
		below, _ := p.below(l)
		if root.inProject() && !p.listed(name, below) {
			return nil
		}
		seen[l] = true
		id, _ := p.identity(l)
		here[id] = append(here[id], l)
		return nil
	})
	if errors.Is(err, errEnough) {
		s.faults = append(s.faults, fault.New(fault.Config, "there are more than %d files in the directories of workers", maxScanned).
			At(root.String(), 1, 1).Hinting("leave some of them out with a .golemignore file"))
	}
	for id, hits := range here {
		if len(hits) > 1 {
			s.faults = append(s.faults, ambiguous(id, hits).At(hits[1].String(), 1, 1))
		}
		s.found[id] = append(s.found[id], hits...)
	}
}

// private reports whether a directory is one of a directory-form worker's own, which
// has no workers.
func (p *Project) private(dir location) bool {
	src := p.sourceOf(dir)
	if src.apart != "" && dir.name == src.apart {
		return true
	}
	parent := path.Dir(dir.name)
	if !slices.Contains(privateDirs, path.Base(dir.name)) || parent == "." || slices.Contains(src.roots, parent) {
		return false
	}
	return p.exists(dir.at(path.Join(parent, "worker.worker")))
}

// never reports whether a file can never be a worker, even if a reference names it
// (SPEC §3).
func (p *Project) never(l location) bool {
	if strings.HasSuffix(l.name, toolSidecar) {
		return true
	}
	for i, r := range l.name {
		if r == '/' && p.private(l.at(l.name[:i])) {
			return true
		}
	}
	return false
}

// Listing is one worker as golem workers lists it (S2-48).
type Listing struct {
	ID          string   `json:"id"`
	Path        string   `json:"path"`
	Source      string   `json:"source"` // project, lib NAME@VERSION or built-in
	Description string   `json:"description"`
	Shadowed    []string `json:"shadowed"` // files with this ID that lose to Path, never nil
}

// List returns the workers of the project, those that its libraries export, and
// the built-in ones, sorted by ID; ignore files, include: and exclude: leave
// workers out. The faults are those that make the list incomplete or ambiguous:
// files that cannot be read, and two files with one ID.
func (p *Project) List() ([]Listing, fault.List) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var faults fault.List
	out := []Listing{}
	main := location{name: "main.worker"}
	found := map[string][]location{}
	for _, src := range p.scope("") {
		s := p.scan(src.name)
		faults = append(faults, s.faults...)
		for id, hits := range s.found {
			if src.name == "" || id != "main" && p.exported(hits[0]) {
				found[id] = append(found[id][:len(found[id]):len(found[id])], hits...)
			}
		}
	}
	if p.exists(main) && !slices.Contains(found["main"], main) {
		found["main"] = append([]location{main}, found["main"]...)
	}
	if l, f := p.entry(); f == nil {
		if id, rooted := p.identity(l); !rooted && l != main {
			found[id] = append([]location{l}, found[id]...)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(found)) {
		first, shadowed := found[id][0], []string{}
		for _, l := range found[id][1:] {
			shadowed = append(shadowed, l.String())
		}
		got := p.load(first)
		row := Listing{ID: id, Path: first.String(), Source: p.sourceOf(first).label, Shadowed: shadowed}
		if got.worker != nil {
			row.Description = got.worker.Description
		} else {
			faults = append(faults, got.faults...)
		}
		out = append(out, row)
	}
	faults.Sort()
	return out, faults
}
