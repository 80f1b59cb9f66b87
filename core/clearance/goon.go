package clearance

import (
	"context"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sorting"
)

// Resume shows the run the staged changes of an earlier part of its conversation on
// which no person has decided yet. The last item with changes of the run is continued;
// the others stay separate items. Call it before anything is staged.
func (w *Work) Resume() error {
	if !w.Store.Kept() {
		return nil
	}
	items, err := w.Store.List()
	w.adopt(items)
	w.mu.Lock()
	trees := maps.Clone(w.trees)
	w.mu.Unlock()
	for key, tree := range trees { // without mu, because a tree calls Keep, which locks mu
		w.restore(key, tree)
	}
	return err
}

// Branch gives the run the ID of the branch with which its conversation goes on. What it
// has staged, and no person has decided on, becomes a new item of the branch, which Branch
// returns; nil if there is nothing. Call it between two exchanges. See Close for ctx.
func (w *Work) Branch(ctx context.Context, id string) (*Item, error) {
	w.mu.Lock()
	w.Run = id
	undecided := w.closed != ""
	w.mu.Unlock()
	if !undecided {
		return nil, nil
	}
	unlock, err := w.begin()
	if err != nil {
		return nil, err
	}
	unlock()
	return w.Close(ctx)
}

// adopt finds the undecided items of the run and fills w.entries with their changes.
func (w *Work) adopt(items []Item) {
	w.mu.Lock()
	defer w.mu.Unlock()
	items = slices.DeleteFunc(items, func(i Item) bool {
		return i.Run != w.Run || i.Err != nil || i.State != Pending && i.State != Deferred
	})
	// Items of the tool stage come first, so that an item with the changes of the run
	// replaces their entries if it has the same file.
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
			if isOutside(c.Source) {
				tree, name = c.Source, c.Path
			}
			w.entries[c.Name()] = &entry{Change: c, tree: tree, name: name, item: it.ID, own: !last}
		}
	}
}

// restore shows in a tree the changes in w.entries that belong to it. A change that the
// tree cannot show any more, because the real files have changed, stays in its item.
// Nobody else uses the tree or w.entries yet.
func (w *Work) restore(key string, tree sandbox.StagingFS) {
	for full, e := range w.entries {
		if e.tree != key {
			if e.tree == "." || key == "." || !sandbox.Inside(e.tree, key) {
				continue
			}
			e.tree, e.name = key, path.Join(relativeSource(e.tree, key), e.name)
		}
		var read func() (fs.File, error)
		if e.Digest != "" {
			read = w.reader(full, func() (fs.File, error) {
				real, err := w.Store.Real.Mount(e.tree)
				if err != nil {
					return nil, err
				}
				return real.Open(e.name)
			})
		}
		_ = tree.Restore(e.name, read, e.Size, e.Perm)
	}
}

// shared returns the tree of w.trees that shows a source and the path in it, like
// placeIn. If a tree already shows an outer directory, shared returns that tree, so that
// two paths to one place show the same files.
func (w *Work) shared(source string) (tree, below string, err error) {
	tree, below = placeIn(w.Root, source)
	w.mu.Lock()
	defer w.mu.Unlock()
	for key := range w.trees {
		switch {
		case tree == "." || key == "." || key == source:
		case sandbox.Inside(source, key):
			return key, relativeSource(source, key), nil
		case sandbox.Inside(key, source):
			return "", "", fault.New(fault.Path, "the staged mount of %s contains the one of %s, and both are outside the project", source, key).
				Hinting("remove the inner mount, or give the outer one a name that is earlier in the alphabet")
		}
	}
	return tree, below, nil
}

// relativeSource returns a source relative to the source outer, which contains it.
func relativeSource(source, outer string) string {
	return path.Clean(strings.TrimPrefix(strings.TrimPrefix(source, outer), "/"))
}
