package main

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/batch"
	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sorting"
	"golem/core/state"
	"golem/sandbox/opfs"
)

// batchesDir is the directory of a project's state that has one directory for each batch.
const batchesDir = "batches"

// batchShelf has the batches of a project. They are in the project's state, so that they go with
// it when it is renamed or deleted, and that no import brings any.
type batchShelf struct {
	stores  *stores
	files   *opfs.FS // of the project
	project string
}

var _ batch.Shelf = batchShelf{}

func batchDir(name string) string { return path.Join(sandbox.StateDir, batchesDir, name) }

// Batches returns the names of the batches.
func (s batchShelf) Batches() (names []string, err error) {
	entries, err := fs.ReadDir(s.files, path.Join(sandbox.StateDir, batchesDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if e.IsDir() && batch.IsName(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// Batch returns the store of a batch, with the key of the project's state. Its directory need not
// exist. Below it the files have the same paths as in $GOLEM_HOME/batches/NAME.
func (s batchShelf) Batch(name string) (state.Store, error) {
	at := batchDir(name)
	return state.Store{
		Files: sandbox.Lazy(s.files, at), Project: "batch:" + name,
		Host: &stateHost{s.files, at, state.Remember(func() ([]byte, error) { return s.stores.stateKey(s.project) })},
	}, nil
}

// Emptied removes the directory of a batch that has no files any more.
func (s batchShelf) Emptied(name string) { _ = s.files.Remove(batchDir(name)) } // what is not empty stays

// list lists the batches, the newest first.
func (s batchShelf) list() ([]batch.Listing, error) {
	names, err := s.Batches()
	if err != nil {
		return nil, err
	}
	out := []batch.Listing{}
	for _, name := range names {
		store, err := s.Batch(name)
		var q *batch.Local
		if err == nil {
			q, err = batch.ReadLocal(&store)
		}
		switch {
		case errors.Is(err, fault.NotFound): // a directory without a batch
		case err != nil:
			out = append(out, batch.Listing{Head: batch.Head{Name: name}, Error: fault.Of(err, fault.Config)})
		default:
			out = append(out, batch.Listed(q))
		}
	}
	sorting.By(out, func(a, b batch.Listing) int { return strings.Compare(b.Begun, a.Begun) })
	return out, nil
}

// stagedHere knows the batches of a project of which something waits in clearance.
type stagedHere struct{ store *clearance.Store }

// Waits implements batch.Waiting. What cannot be read may wait.
func (s stagedHere) Waits(h batch.Head) bool {
	items, err := s.store.List()
	return err != nil || slices.ContainsFunc(items, func(i clearance.Item) bool { return path.Dir(i.Run) == h.Name })
}
