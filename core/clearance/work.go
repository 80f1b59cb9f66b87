package clearance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sorting"
	"golem/core/state"
)

// Work is what one run stages: one overlay for the project's root and one for each
// directory outside it, shared by all workers of the run. It is safe for
// concurrent use. Without a store, changes are kept in memory and end with the run.
type Work struct {
	Store  *Store
	Run    string                     // the conversation's
	Worker string                     // the root's
	Root   string                     // source of the project's root, see sandbox.SourceOf
	Base   func() (sandbox.FS, error) // opens the project's root as workers see it
	Life   func() context.Context     // of what changes a file now: no lock is waited for longer; nil: without end

	mu      sync.Mutex
	trees   map[string]sandbox.StagingFS // by root: "." or a directory outside
	mounts  []string                     // sources of staged mounts: in the project, or absolute
	entries map[string]*entry            // by Change.Name
	closed  string                       // the item of an earlier exchange; "": none
	bytes   int64                        // what was stored so far
	files   int

	open struct { // the item that grows now; id "": none
		id      string
		log     *state.Log
		release func()
	}
}

// entry is one changed file of a run.
type entry struct {
	Change
	tree string // key of trees
	name string // in the tree
	item string // which has its content
	was  string // its content in an item that was closed before; "": in none
	in   string // that item
	own  bool   // it was staged as an item of its own
}

// bounds of what one run stages.
const (
	maxStaged = 1 << 30 // bytes
	maxFiles  = 100_000
)

// Stage returns the tree in which a staged mount shows and keeps changes: base is
// the mount's directory and source where that is (ViewSpec.Stage).
func (w *Work) Stage(base sandbox.FS, source string) (sandbox.FS, error) {
	key, below, err := w.shared(source)
	if err != nil {
		return nil, err
	}
	tree, err := w.tree(key, below, base)
	if err != nil {
		return nil, err
	}
	return sandbox.NestLater(tree, below)
}

func (w *Work) tree(key, below string, base sandbox.FS) (sandbox.StagingFS, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if mount := path.Join(key, below); !slices.Contains(w.mounts, mount) {
		w.mounts = append(w.mounts, mount)
	}
	tree, ok := w.trees[key]
	if !ok {
		if key == "." {
			root, err := w.Base()
			if err != nil {
				return nil, err
			}
			base = root
		}
		tree = sandbox.Staging(base, keeper{w, key})
		if w.trees == nil {
			w.trees = map[string]sandbox.StagingFS{}
		}
		if w.entries == nil {
			w.entries = map[string]*entry{}
		}
		w.trees[key] = tree
		w.restore(key, tree)
	}
	return tree, nil
}

// placeIn splits a source into the root of its tree and the rest. root is the source
// of the project's.
func placeIn(root, source string) (tree, below string) {
	switch {
	case source == root:
		return ".", "."
	case root != "." && strings.HasPrefix(source, strings.TrimSuffix(root, "/")+"/"):
		return ".", source[len(strings.TrimSuffix(root, "/"))+1:]
	case outside(source):
		return source, "."
	}
	return ".", path.Clean(source)
}

// change is a file of a tree as items name it: by the innermost staged mount.
func (w *Work) change(tree, name string) Change {
	full, best := path.Join(tree, name), ""
	for _, m := range w.mounts {
		if (m == "." && !outside(full) || strings.HasPrefix(full, m+"/")) && len(m) >= len(best) {
			best = m
		}
	}
	best = cmp.Or(best, path.Dir(full))
	if best == "." {
		return Change{Source: ".", Path: full}
	}
	return Change{Source: best, Path: strings.TrimPrefix(full, best+"/")}
}

// book counts what is stored against the bounds.
func (w *Work) book(size int64) error {
	if w.bytes += size; w.bytes > maxStaged {
		return fault.New(fault.Quota, "one run can stage at most %d MB", maxStaged>>20).Hinting("push or discard what is staged, and start another run")
	}
	if w.files++; w.files > maxFiles {
		return fault.New(fault.Quota, "one run can stage at most %d changes", maxFiles).Hinting("push or discard what is staged, and start another run")
	}
	return nil
}

// begin takes mu, with an item open. For the lock of the store, which another golem can
// have, it waits without mu.
func (w *Work) begin() (unlock func(), err error) {
	w.mu.Lock()
	if w.open.id != "" {
		return w.mu.Unlock, nil
	}
	w.mu.Unlock()
	release, err := w.Store.hold(alive(w.Life))
	if err != nil {
		return nil, err
	}
	defer release()
	w.mu.Lock()
	if w.open.id == "" {
		w.open.id, w.open.log, w.open.release, err = w.Store.reserve(&journal{Run: w.Run, Worker: w.Worker, Created: w.Store.now()})
	}
	if err != nil {
		w.mu.Unlock()
	}
	return w.mu.Unlock, err
}

// Close closes the item at the end of an exchange and returns it; nil if the
// exchange staged nothing that differs from the real files. An undecided item of an
// earlier exchange is continued by the new one, which replaces it. The wait for another
// golem is bounded, and shorter once ctx has ended.
func (w *Work) Close(ctx context.Context) (*Item, error) {
	w.mu.Lock()
	open := w.open.id != ""
	w.mu.Unlock()
	if !open {
		return nil, nil
	}
	release, err := w.Store.holdToClose(ctx)
	if err != nil {
		return nil, err
	}
	it, drop, err := w.close()
	release()
	for _, forget := range drop {
		forget()
	}
	return it, err
}

// close returns also what the overlays are to forget, which they do without mu and
// without the lock of the store, which the caller holds.
func (w *Work) close() (closed *Item, drop []func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open.id == "" {
		return nil, nil, nil
	}
	w.settle()
	drop = w.decided()
	it := Item{ID: w.open.id, State: Pending, Run: w.Run, Worker: w.Worker, Created: w.Store.now()}
	for _, e := range w.entries {
		if e.own || e.Digest == e.Base {
			continue
		}
		if e.item != it.ID && e.Digest != "" {
			data, err := w.Store.content(e.item, e.Digest)
			if err == nil {
				err = w.Store.blob(it.ID, e.Digest, data)
			}
			if err != nil {
				return nil, drop, err
			}
		}
		it.Changes = append(it.Changes, e.Change)
	}
	sorting.By(it.Changes, byName)
	it.Type, it.Replaces, it.Message = w.Store.typeOf(it.Changes), w.closed, describe(it.Changes)
	bases := w.Store.bases()
	for n := range it.Changes {
		it.Changes[n].Bases = bases(it.Changes[n].Path)
	}
	if err := w.end(it); err != nil || len(it.Changes) == 0 {
		return nil, drop, err
	}
	return &it, drop, nil
}

// settle finishes the push of the item before, if a golem was stopped in it. An item
// that cannot be settled stays, and is not replaced. The caller holds mu and the lock of
// the store.
func (w *Work) settle() {
	if w.closed == "" {
		return
	}
	it, err := w.Store.load(w.closed)
	if err == nil && it.Err == nil && it.State == Pushing && w.Store.settleOne(w.closed) != nil {
		w.closed = ""
	}
}

// describe names the first files of what a run changed.
func describe(changes []Change) string {
	var names []string
	for n, c := range changes {
		if n == 3 {
			return oneLine(fmt.Sprintf("%s and %d more", strings.Join(names, ", "), len(changes)-n))
		}
		names = append(names, c.Name())
	}
	return oneLine(strings.Join(names, ", "))
}

// end writes the closed item and removes the one that it replaces. Without changes
// there is no item.
func (w *Work) end(it Item) error {
	if len(it.Changes) > 0 {
		if err := w.Store.put(it); err != nil {
			return err
		}
	}
	err := w.open.log.Close()
	w.open.release()
	w.open.id, w.open.log, w.open.release = "", nil, nil
	for _, e := range w.entries {
		if !e.own {
			e.item = it.ID
		}
	}
	if w.closed != "" {
		err = errors.Join(err, w.Store.remove(w.closed))
	}
	if w.closed = it.ID; len(it.Changes) == 0 {
		w.closed = ""
		err = errors.Join(err, w.Store.remove(it.ID))
	}
	return err
}

// Refresh lets the overlays show what a person decided meanwhile: what was pushed
// or discarded is forgotten. Call it before each exchange.
func (w *Work) Refresh() {
	w.mu.Lock()
	var drop []func()
	if w.Store.Kept() && len(w.entries) > 0 {
		drop = w.decided()
	}
	w.mu.Unlock()
	for _, forget := range drop {
		forget()
	}
}

// decided forgets the changes of items that are no longer there. The caller holds
// mu, and calls the result without it.
func (w *Work) decided() (drop []func()) {
	known := map[string]bool{"": false, w.open.id: false}
	gone := func(item string) bool {
		if _, ok := known[item]; !ok {
			_, err := w.Store.Get(item)
			known[item] = errors.Is(err, fault.NotFound)
		}
		return known[item]
	}
	if gone(w.closed) {
		w.closed = ""
	}
	for key, e := range w.entries {
		if gone(e.item) {
			delete(w.entries, key)
			tree, name := w.trees[e.tree], e.name
			drop = append(drop, func() { tree.Drop(name) })
		} else if gone(e.in) {
			if now, err := w.real(e); err == nil && now == e.was {
				e.Base = now // it was pushed, and changed again
			}
			e.was, e.in = "", ""
		}
	}
	return drop
}

// real is the digest of an entry's file as it is without the overlay.
func (w *Work) real(e *entry) (string, error) {
	fsys, err := w.Store.Mount(e.tree)
	if err != nil {
		return "", err
	}
	return digestAt(fsys, e.name)
}
