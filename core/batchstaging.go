package core

import (
	"context"
	"strings"

	"golem/core/batch"
	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/sandbox"
)

// batchStaging is where the changes of items in staged mounts go: an item works on files of its
// own, and at its end what it changed in these mounts becomes an item of clearance.
type batchStaging struct {
	store  *clearance.Store
	entry  string
	places []string // sources of the staged mounts, in the project
}

// BeforeStaging checks, before the first item, what a batch of the project stages. A worker that
// stages is E_PLATFORM if nothing can be kept for a person: store is nil or keeps nothing, the
// mount is outside the project, or the worker has the tool stage, which takes snapshots.
func BeforeStaging(i *Instance, store *clearance.Store) error {
	_, err := newBatchStaging(i, store)
	return err
}

func newBatchStaging(i *Instance, store *clearance.Store) (batchStaging, error) {
	s := batchStaging{store: store}
	entry, err := i.Entry()
	if err != nil {
		return s, err
	}
	s.entry = entry.ID
	closure, err := i.project.Workers.Closure(entry)
	if err != nil {
		return s, err
	}
	for _, w := range closure {
		for _, t := range w.Toolsets {
			if t.Name == "clearance" {
				return s, fault.New(fault.Platform, "%s uses the toolset clearance, and the items of a batch take no snapshots: their files are in memory", w.ID).At(t.File, t.Line, 0).
					Hinting("use a mount with mode: staged: what an item changes there waits for you after its end")
			}
		}
		for _, m := range w.Sandbox.Mounts {
			switch {
			case m.Mode != sandbox.Staged:
			case !store.Kept():
				return s, fault.New(fault.Platform, "%s has the mount %s with mode: staged (%s), and nothing here keeps what the items stage", w.ID, m.Target, m.Origin).
					Hinting("run the batch in the project's directory; a packed project has none: use mode: rw, and what items write is in the directory of outputs")
			case outsideProject(m.Source):
				return s, fault.New(fault.Platform, "%s has the mount %s with mode: staged (%s) outside the project, and the items of a batch see only the packed project", w.ID, m.Target, m.Origin).
					Hinting("stage in a directory of the project")
			default:
				s.places = append(s.places, m.Source)
			}
		}
	}
	return s, nil
}

func outsideProject(source string) bool {
	return strings.HasPrefix(source, "/") || source == ".." || strings.HasPrefix(source, "../") || len(source) > 1 && source[1] == ':'
}

// contains reports whether a file is in a staged mount.
func (s batchStaging) contains(name string) bool {
	for _, place := range s.places {
		if place == "." || name == place || strings.HasPrefix(name, place+"/") {
			return true
		}
	}
	return false
}

// bring makes an item of clearance of what an item of the batch staged.
func (s batchStaging) bring(ctx context.Context, l *batch.Lease, of string, changes []clearance.BroughtChange) error {
	if len(changes) == 0 {
		return nil
	}
	return clearance.Bring(ctx, s.store, clearance.Brought{Run: of + "/" + l.Item.Dir(), Worker: s.entry, Changes: changes, Again: l.Attempt > 1})
}
