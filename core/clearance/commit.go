package clearance

import (
	"context"
	"errors"
	"path"

	"golem/core/sandbox"
	"golem/core/sorting"
	"golem/core/state"
)

// bases returns a function that returns Change.Bases for a change: its base in every
// target. A target that cannot be opened now has no base, so that a later push does not
// overwrite a file there.
func (s *Store) bases() func(Change) map[string]string {
	tips := s.tips()
	return func(c Change) map[string]string {
		var out map[string]string
		for name, to := range s.Targets {
			sum, ok := tips[name]
			if to.Git == "" {
				var err error
				sum, err = s.base(to, to.Below(c))
				ok = err == nil
			}
			if ok && out == nil {
				out = map[string]string{}
			}
			if ok {
				out[name] = sum
			}
		}
		return out
	}
}

func (s *Store) base(to Target, below string) (string, error) {
	st := step{below: below}
	if err := (openTrees{s.Real, map[string]sandbox.FS{}}).find(&st, path.Clean(to.Dir)); err != nil {
		return "", err
	}
	return digestAt(st.fs, st.name)
}

// File is a file of which the tool stage takes a snapshot.
type File struct {
	Source, Path string // see sandbox.PlaceOf
	Staged       bool   // it is in a staged mount
	Read         func() ([]byte, error)
}

// Commit makes a separate item with a snapshot of the files as they are now (S4-48). An
// unknown target is E_NOT_FOUND.
func (w *Work) Commit(ctx context.Context, files []File, message, target string) (Item, error) {
	if _, known := w.Store.Targets[target]; target != "" && !known {
		return Item{}, w.Store.noTarget(target)
	}
	if err := w.accepted(files, target); err != nil {
		return Item{}, err
	}
	it := Item{Type: StagedCommit, State: Pending, Message: oneLine(message), Lines: lined(message), Run: w.Run, Worker: w.Worker, Created: w.Store.now(), Target: target}
	log, free, err := w.reserve(ctx, &it)
	if err != nil {
		return it, err
	}
	defer free()
	var own []*entry
	bases := w.Store.bases()
	for _, f := range files {
		var c Change
		var e *entry
		if c, e, err = w.snapshot(it.ID, f); err != nil {
			break
		}
		c.Bases = bases(c)
		c.Staged = e != nil
		it.Changes = append(it.Changes, c)
		if e != nil {
			own = append(own, e)
		}
	}
	sorting.By(it.Changes, byName)
	if err = errors.Join(err, log.Close()); err == nil {
		err = w.Store.shelf().put(it)
	}
	if err != nil {
		return it, errors.Join(err, w.Store.shelf().remove(it.ID))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range own {
		e.own, e.item = true, it.ID
	}
	return it, nil
}

// accepted returns an error if the target is a branch that does not take one of the
// files. What else is wrong with the branch is told when the item is pushed.
func (w *Work) accepted(files []File, target string) error {
	to := w.Store.Targets[target]
	if to.Git == "" {
		return nil
	}
	b, err := w.Store.Real.Branch(to)
	if errors.Is(err, ErrNoGit) {
		return err
	} else if err != nil {
		return nil
	}
	names := make([]string, len(files))
	for n, f := range files {
		tree, below := placeIn(w.Root, f.Source)
		names[n] = path.Clean(to.Below(Change{Source: path.Join(tree, below), Path: f.Path}))
	}
	return b.Accepts(names)
}

// reserve gives the item a number and a journal. The caller closes log and calls free.
func (w *Work) reserve(ctx context.Context, it *Item) (log *state.Log, free func(), err error) {
	release, err := w.Store.shelf().lock(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	it.ID, log, free, err = w.Store.shelf().reserve(&journal{Commit: true, Run: it.Run, Worker: it.Worker, Created: it.Created})
	return log, free, err
}

// snapshot stores the content of one file in an item. own is the run's entry of the file
// if it has the same content, otherwise nil.
func (w *Work) snapshot(id string, f File) (c Change, own *entry, err error) {
	data, err := f.Read()
	if err != nil {
		return c, nil, err
	}
	tree, below := placeIn(w.Root, f.Source)
	c = Change{Source: path.Join(tree, below), Path: f.Path, Size: int64(len(data)), Digest: digest(data), Binary: isBinary(data)}
	w.mu.Lock()
	e := w.entries[c.Name()]
	if err = w.book(c.Size); err == nil && f.Staged && e != nil {
		c.Base = e.Base
		if e.Digest == c.Digest {
			own, c.Perm = e, e.Perm
		}
	}
	w.mu.Unlock()
	if err == nil && (!f.Staged || e == nil) {
		st := step{Change: c, below: c.Path, want: c.Digest}
		if err = (openTrees{w.Store.Real, map[string]sandbox.FS{}}).find(&st, c.Source); err == nil {
			c.Base, err = digestAt(st.fs, st.name)
		}
	}
	if err != nil {
		return c, nil, err
	}
	return c, own, w.Store.shelf().blob(id, c.Digest, data)
}
