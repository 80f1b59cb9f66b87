package project

import (
	"maps"
	"path"
	"slices"
	"sync"

	"golem/core/sandbox"
	"golem/core/started"
)

// Trees are the trees of files of a project: its own directory, the workers that are built
// into golem, and the libraries. They read files, compare what golem.lock pins, and know
// which files define the project.
type Trees struct {
	setup *Setup
	all   []*Tree // in the order in which IDs are looked for, the project first; fixed by Load

	opened  nameSet // the files that were read
	defines nameSet // folded paths, see Defines
	starts  nameSet // folded paths, see Starts
	pins    pins
}

func newTrees(o *Setup) *Trees {
	return &Trees{setup: o, all: []*Tree{{Label: "project", FS: o.FS}}}
}

// Own returns the project's own tree.
func (t *Trees) Own() *Tree { return t.all[0] }

// All returns every tree, the project's own first. Callers must not change the list.
func (t *Trees) All() []*Tree { return t.all }

// Opened returns the files that were read so far, sorted. It leaves out files that were
// only tested for existence.
func (t *Trees) Opened() []string { return t.opened.sorted() }

// Defines reports whether a file is part of the project's definition (SPEC §8):
// the project was read from it, or the manifest or a loaded worker names it as
// script, recording or tool source. The path is folded with sandbox.Fold. Workers
// that are not loaded yet do not count: a run does not search for workers.
func (t *Trees) Defines(folded string) bool { return t.defines.covers(folded) }

// Starts reports whether a file of the directory that workers work on is started by a
// setting of a loaded worker: a worker that could write it would choose what a person's
// trusted setting runs (SPEC §3). The path is folded, as for Defines. In a project that
// is itself that directory, Defines reports these files, too.
func (t *Trees) Starts(folded string) bool { return t.starts.covers(folded) }

// Started protects files that a trusted setting starts, also if the worker with the
// setting is not loaded.
func (t *Trees) Started(names []string) {
	for _, name := range names {
		t.starts.add(sandbox.Fold(path.Clean(name)))
	}
}

// Work returns the directory in which the project's command lines are started.
func (t *Trees) Work() started.Tree { return t.setup.Work }

// nameSet is a set of names that several goroutines may use.
type nameSet struct {
	mu    sync.Mutex
	names map[string]bool
}

func (s *nameSet) add(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names == nil {
		s.names = map[string]bool{}
	}
	s.names[name] = true
}

func (s *nameSet) has(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names[name]
}

// covers reports whether the set has a path or a directory above it.
func (s *nameSet) covers(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for at := name; at != "." && at != "/"; at = path.Dir(at) {
		if s.names[at] {
			return true
		}
	}
	return false
}

func (s *nameSet) sorted() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.names))
}
