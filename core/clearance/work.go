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

// Host is what Work and Record need of the run. Its methods must be safe for concurrent use.
type Host interface {
	// Base opens the project's root as workers see it.
	Base() (sandbox.FS, error)
	// Life returns the context of the call that changes a file. It ends a wait for a lock.
	Life() context.Context
	// Trouble is called at most once to say that nothing can be kept, and at most once to
	// say that the old content of a file was not kept.
	Trouble(*fault.Fault)
}

// Work is the staging area of one run: one overlay for the project's root and one for
// each mounted directory outside it, shared by all workers of the run. It is safe for
// concurrent use. Without a store, changes are kept in memory and lost at the end of the
// run.
type Work struct {
	Store  *Store
	Run    string // the ID of the conversation
	Worker string // the root worker
	Root   string // source of the project's root, see sandbox.SourceOf
	Host   Host   // nil: the project's root cannot be staged
	// Through are the project's files where only this run sees them: without a store, changes
	// are made there. Whoever gave them brings them to a store (Bring). nil: nobody does.
	Through sandbox.FS

	mu      sync.Mutex
	trees   map[string]sandbox.StagingFS // the overlays by their root: "." or a directory outside
	mounts  []string                     // sources of staged mounts: in the project, or absolute
	entries map[string]*entry            // by Change.Name
	closed  string                       // the undecided item of an earlier exchange; "": none
	bytes   int64                        // bytes stored so far
	files   int                          // changes stored so far

	open struct { // the open item; id "": none
		id      string
		log     *state.Log
		release func()
	}
}

// entry is one changed file of a run.
type entry struct {
	Change
	tree string // key of trees
	name string // its name in the tree
	item string // the item that has its content
	was  string // the digest of its content in an earlier closed item; "": none
	in   string // that earlier item
	own  bool   // it is in a separate item of the tool stage
}

// The limits of what one run stages.
const (
	maxStaged = 1 << 30 // bytes
	maxFiles  = 100_000 // changes
)

// Stage returns the tree in which a staged mount shows and keeps its changes. base is the
// mount's directory, and source its place. It is the function for ViewSpec.Stage.
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

// tree returns the overlay with a root, and creates it if necessary.
func (w *Work) tree(key, below string, base sandbox.FS) (sandbox.StagingFS, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if mount := path.Join(key, below); !slices.Contains(w.mounts, mount) {
		w.mounts = append(w.mounts, mount)
	}
	tree, ok := w.trees[key]
	if !ok {
		if key == "." {
			root, err := w.Host.Base()
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

// placeIn splits a source into the root of its overlay and the path below it. root is the
// source of the project's root.
func placeIn(root, source string) (tree, below string) {
	switch {
	case source == root:
		return ".", "."
	case root != "." && strings.HasPrefix(source, strings.TrimSuffix(root, "/")+"/"):
		return ".", source[len(strings.TrimSuffix(root, "/"))+1:]
	case isOutside(source):
		return source, "."
	}
	return ".", path.Clean(source)
}

// change returns the Change for a file of a tree, with the source of the innermost staged
// mount that contains it.
func (w *Work) change(tree, name string) Change {
	full, best := path.Join(tree, name), ""
	for _, m := range w.mounts {
		if (m == "." && !isOutside(full) || strings.HasPrefix(full, m+"/")) && len(m) >= len(best) {
			best = m
		}
	}
	best = cmp.Or(best, path.Dir(full))
	if best == "." {
		return Change{Source: ".", Path: full}
	}
	return Change{Source: best, Path: strings.TrimPrefix(full, best+"/")}
}

// book counts one change of size bytes. It returns E_QUOTA above the limits.
func (w *Work) book(size int64) error {
	if w.bytes += size; w.bytes > maxStaged {
		return fault.New(fault.Quota, "one run can stage at most %d MB", maxStaged>>20).Hinting("push or discard what is staged, and start another run")
	}
	if w.files++; w.files > maxFiles {
		return fault.New(fault.Quota, "one run can stage at most %d changes", maxFiles).Hinting("push or discard what is staged, and start another run")
	}
	return nil
}

// begin locks mu and makes sure that an item is open. It does not hold mu while it waits
// for the lock of the store, which another golem may have.
func (w *Work) begin() (unlock func(), err error) {
	w.mu.Lock()
	if w.open.id != "" {
		return w.mu.Unlock, nil
	}
	w.mu.Unlock()
	release, err := w.Store.shelf().lock(alive(w.Host))
	if err != nil {
		return nil, err
	}
	defer release()
	w.mu.Lock()
	if w.open.id == "" {
		w.open.id, w.open.log, w.open.release, err = w.Store.shelf().reserve(&journal{Run: w.Run, Worker: w.Worker, Created: w.Store.now()})
	}
	if err != nil {
		w.mu.Unlock()
	}
	return w.mu.Unlock, err
}

// Close closes the item at the end of an exchange and returns it, or nil if nothing is
// staged that differs from the real files. The new item replaces an undecided item of an
// earlier exchange and contains its changes. Close waits at most atMost for another golem,
// and less if ctx has ended.
func (w *Work) Close(ctx context.Context) (*Item, error) {
	w.mu.Lock()
	open := w.open.id != ""
	w.mu.Unlock()
	if !open {
		return nil, nil
	}
	release, err := w.Store.shelf().lockToClose(ctx)
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

// close closes the item. The caller holds the lock of the store. It must call the
// functions in drop, which make the overlays forget decided changes, after it has freed
// that lock and without mu.
func (w *Work) close() (closed *Item, drop []func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open.id == "" {
		return nil, nil, nil
	}
	w.finishClosed()
	drop = w.decided()
	it := Item{ID: w.open.id, State: Pending, Run: w.Run, Worker: w.Worker, Created: w.Store.now()}
	for _, e := range w.entries {
		if e.own || e.Digest == e.Base {
			continue
		}
		if e.item != it.ID && e.Digest != "" {
			data, err := w.Store.shelf().content(e.item, e.Digest)
			if err == nil {
				err = w.Store.shelf().blob(it.ID, e.Digest, data)
			}
			if err != nil {
				return nil, drop, err
			}
		}
		it.Changes = append(it.Changes, e.Change)
	}
	sorting.By(it.Changes, inOrder)
	it.Type, it.Replaces, it.Message = w.Store.shelf().typeOf(it.Changes), w.closed, describe(it.Changes)
	bases := w.Store.bases()
	for n := range it.Changes {
		it.Changes[n].Bases = bases(it.Changes[n])
	}
	if err := w.end(it); err != nil || len(it.Changes) == 0 {
		return nil, drop, err
	}
	return &it, drop, nil
}

// finishClosed finishes the push of the earlier item (w.closed) if a golem was stopped in it. If
// this fails, the item stays and is not replaced. The caller holds mu and the lock of the
// store.
func (w *Work) finishClosed() {
	if w.closed == "" {
		return
	}
	it, err := w.Store.shelf().load(w.closed)
	if err == nil && it.Err == nil && it.State == Pushing && w.Store.settleOne(w.closed) != nil {
		w.closed = ""
	}
}

// describe returns a message with the names of the first three changed files.
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

// end writes the closed item and removes the one that it replaces. If it has no changes,
// end removes it.
func (w *Work) end(it Item) error {
	if len(it.Changes) > 0 {
		if err := w.Store.shelf().put(it); err != nil {
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
		err = errors.Join(err, w.Store.shelf().remove(w.closed))
	}
	if w.closed = it.ID; len(it.Changes) == 0 {
		w.closed = ""
		err = errors.Join(err, w.Store.shelf().remove(it.ID))
	}
	return err
}

// Refresh makes the overlays forget the changes of items that a person has pushed or
// discarded, so that they show the real files. Call it before each exchange.
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

// decided forgets the changes of items that no longer exist. The caller holds mu. It
// must call the returned functions without mu.
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
				e.Base = now // the earlier change was pushed, and the run has changed the file again
			}
			e.was, e.in = "", ""
		}
	}
	return drop
}

// real returns the digest of an entry's real file, without the overlay.
func (w *Work) real(e *entry) (string, error) {
	fsys, err := w.Store.Real.Mount(e.tree)
	if err != nil {
		return "", err
	}
	return digestAt(fsys, e.name)
}
