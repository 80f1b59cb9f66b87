package project

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golem/core/config"
	"golem/core/fault"
)

// privateDirs of a directory-form worker hold no workers (SPEC §3).
var privateDirs = []string{"tools", "templates", "schemas"}

const maxScanned = 200_000

// Scan is the list of the worker files below the workers roots. To make it, golem
// opens only the ignore files. It is for listing, checking and '*' (S2-41).
type Scan struct {
	Patterns config.IgnorePatterns // those of the ignore files
	Found    map[string][]Location // by ID, in the order of the roots: the first wins
	IDs      []string              // sorted
	Faults   fault.List            // unreadable directories, ambiguous IDs
}

// Scan lists the worker files of a source; it walks through the source only once.
func (ns *Names) Scan(from string) *Scan {
	ns.mu.Lock()
	defer ns.mu.Unlock()
	if done := ns.scans[from]; done != nil {
		return done
	}
	s := &Scan{Found: map[string][]Location{}}
	ns.scans[from] = s
	if from == "" { // the ignore files apply only to the project's own files
		s.Patterns, s.Faults = ns.ignores()
	}
	seen := map[Location]bool{} // roots may be nested
	left := maxScanned
	for _, root := range rootsOf([]*Tree{ns.trees.Tree(from)}) {
		ns.walk(s, root, seen, &left)
	}
	s.IDs = slices.Sorted(maps.Keys(s.Found))
	return s
}

func (ns *Names) walk(s *Scan, root Location, seen map[Location]bool, left *int) {
	if root.InProject() && root.Name != "." && s.Patterns.Ignored(root.Name, true) {
		return
	}
	here := map[string][]Location{}
	err := fs.WalkDir(ns.trees.TreeOf(root).FS, root.Name, func(name string, e fs.DirEntry, err error) error {
		l := root.In(name)
		if *left--; *left < 0 {
			return errEnough
		}
		if err != nil {
			if name == root.Name && errors.Is(err, fs.ErrNotExist) {
				return nil // no workers root: no workers
			}
			s.Faults = append(s.Faults, fault.New(fault.Config, "cannot be read: %s", reason(err)).At(l.String(), 1, 1))
			return fs.SkipDir
		}
		if name == root.Name {
			return nil
		}
		if root.InProject() && s.Patterns.Skips(name, e.IsDir()) || e.IsDir() && ns.isPrivate(l) {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if e.IsDir() || !config.IsWorkerFile(name) || strings.HasSuffix(name, config.ToolSidecar) || seen[l] {
			return nil
		}
		below, _ := ns.trees.TreeOf(l).belowRoot(l.Name)
		if root.InProject() && !ns.listed(name, below) {
			return nil
		}
		seen[l] = true
		id, _ := ns.trees.TreeOf(l).identity(l.Name)
		here[id] = append(here[id], l)
		return nil
	})
	if errors.Is(err, errEnough) {
		s.Faults = append(s.Faults, fault.New(fault.Config, "there are more than %d files in the directories of workers", maxScanned).
			At(root.String(), 1, 1).Hinting("leave some of them out with a .golemignore file"))
	}
	for id, hits := range here {
		if len(hits) > 1 {
			s.Faults = append(s.Faults, ambiguous(id, hits).At(hits[1].String(), 1, 1))
		}
		s.Found[id] = append(s.Found[id], hits...)
	}
}

// isPrivate reports whether a directory is one of a directory-form worker's own, which
// has no workers.
func (ns *Names) isPrivate(dir Location) bool {
	src := ns.trees.TreeOf(dir)
	if src.apart != "" && dir.Name == src.apart {
		return true
	}
	parent := path.Dir(dir.Name)
	if !slices.Contains(privateDirs, path.Base(dir.Name)) || parent == "." || slices.Contains(src.Roots, parent) {
		return false
	}
	return ns.trees.Exists(dir.In(path.Join(parent, "worker.worker")))
}

// neverWorker reports whether a file can never be a worker, even if a reference names it
// (SPEC §3).
func (ns *Names) neverWorker(l Location) bool {
	if strings.HasSuffix(l.Name, config.ToolSidecar) {
		return true
	}
	for i, r := range l.Name {
		if r == '/' && ns.isPrivate(l.In(l.Name[:i])) {
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
func (ws *Workers) List() ([]Listing, fault.List) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	var faults fault.List
	out := []Listing{}
	main := Location{Name: "main.worker"}
	found := map[string][]Location{}
	for _, src := range ws.trees.Scope("") {
		s := ws.names.Scan(src.Name)
		faults = append(faults, s.Faults...)
		for id, hits := range s.Found {
			if src.Name == "" || id != "main" && ws.names.exported(hits[0]) {
				found[id] = append(found[id][:len(found[id]):len(found[id])], hits...)
			}
		}
	}
	if ws.trees.Exists(main) && !slices.Contains(found["main"], main) {
		found["main"] = append([]Location{main}, found["main"]...)
	}
	if l, f := ws.EntryFile(); f == nil {
		if id, rooted := ws.trees.TreeOf(l).identity(l.Name); !rooted && l != main {
			found[id] = append([]Location{l}, found[id]...)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(found)) {
		first, shadowed := found[id][0], []string{}
		for _, l := range found[id][1:] {
			shadowed = append(shadowed, l.String())
		}
		got := ws.load(first)
		row := Listing{ID: id, Path: first.String(), Source: ws.trees.TreeOf(first).Label, Shadowed: shadowed}
		if got.Worker != nil {
			row.Description = got.Worker.Description
		} else {
			faults = append(faults, got.Faults...)
		}
		out = append(out, row)
	}
	faults.Sort()
	return out, faults
}

// Everyone returns the workers that '*' allows: those of the project or the library
// that the worker belongs to, without the worker itself.
func (ns *Names) Everyone(self Location) ([]Location, fault.List) {
	var out []Location
	s := ns.Scan(self.Tree)
	faults := slices.Clone(s.Faults)
	for _, id := range s.IDs {
		if l := s.Found[id][0]; l.Tree == self.Tree && l != self {
			out = append(out, l)
		}
	}
	return out, faults
}
