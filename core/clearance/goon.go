package clearance

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sorting"
)

// Resume shows the run what an earlier part of its conversation staged and nobody has
// decided on, and goes on with it: the last item of what the run changed is continued,
// any other stays an item of its own. Call it before anything is staged.
func (w *Work) Resume() error {
	if !w.Store.Kept() {
		return nil
	}
	items, err := w.Store.List()
	w.take(items)
	w.mu.Lock()
	trees := maps.Clone(w.trees)
	w.mu.Unlock()
	for key, tree := range trees { // without mu: a tree calls Keep, which takes it
		w.restore(key, tree)
	}
	return err
}

// take finds the items to go on with, and what they change.
func (w *Work) take(items []Item) {
	w.mu.Lock()
	defer w.mu.Unlock()
	items = slices.DeleteFunc(items, func(i Item) bool {
		return i.Run != w.Run || i.Err != nil || i.State != Pending && i.State != Deferred
	})
	// What stage took is in an item of the run too, unless it was changed since.
	rank := func(i Item) int {
		if i.Type == StagedCommit {
			return 0
		}
		return 1
	}
	sorting.By(items, func(a, b Item) int { return rank(a) - rank(b) })
	for n, it := range items {
		last := n == len(items)-1 && it.Type != StagedCommit
		if last {
			w.closed = it.ID
		}
		for _, c := range it.Changes {
			if it.Type == StagedCommit && !c.Staged {
				continue
			}
			if w.entries == nil {
				w.entries = map[string]*entry{}
			}
			tree, name := ".", c.Name()
			if outside(c.Source) {
				tree, name = c.Source, c.Path
			}
			w.entries[c.Name()] = &entry{Change: c, tree: tree, name: name, item: it.ID, own: !last}
		}
	}
}

// restore shows in a tree what Resume found of it. Where the files have become others
// meanwhile a change may not be shown; it stays in its item. Nobody else works with
// the tree or w.entries yet.
func (w *Work) restore(key string, tree sandbox.StagingFS) {
	for full, e := range w.entries {
		if e.tree != key {
			if e.tree == "." || key == "." || !sandbox.Inside(e.tree, key) {
				continue
			}
			e.tree, e.name = key, path.Join(under(e.tree, key), e.name)
		}
		var read func() (fs.File, error)
		if e.Digest != "" {
			read = w.reader(full, func() (fs.File, error) {
				real, err := w.Store.Mount(e.tree)
				if err != nil {
					return nil, err
				}
				return real.Open(e.name)
			})
		}
		_ = tree.Restore(e.name, read, e.Size, e.Perm)
	}
}

// shared is placeIn with the tree that shows the source already: two paths to one
// place show the same.
func (w *Work) shared(source string) (tree, below string, err error) {
	tree, below = placeIn(w.Root, source)
	w.mu.Lock()
	defer w.mu.Unlock()
	for key := range w.trees {
		switch {
		case tree == "." || key == "." || key == source:
		case sandbox.Inside(source, key):
			return key, under(source, key), nil
		case sandbox.Inside(key, source):
			return "", "", fault.New(fault.Path, "two staged mounts outside the project lie one in the other: %s and %s", source, key).
				Hinting("mount the outer one alone, or give it the name that comes first")
		}
	}
	return tree, below, nil
}

// under is a source relative to one that contains it.
func under(source, outer string) string {
	return path.Clean(strings.TrimPrefix(strings.TrimPrefix(source, outer), "/"))
}
