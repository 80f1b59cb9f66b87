package clearance

import (
	"encoding/json"
	"errors"
	"io/fs"
)

// keeper is the sandbox.Keeper of one tree of a run.
type keeper struct {
	w    *Work
	tree string
}

// Keep stores a change in the run's open item before the overlay shows it.
func (k keeper) Keep(name string, base func() (fs.File, error), data []byte, perm fs.FileMode, removed bool) (func() (fs.File, error), error) {
	w := k.w
	switch {
	case !w.Store.Kept() && w.Through != nil && k.tree == ".":
		return w.writeThrough(name, data, removed)
	case !w.Store.Kept():
		return nil, nil
	}
	unlock, err := w.begin()
	if err != nil {
		return nil, err
	}
	defer unlock()
	c := w.change(k.tree, name)
	old := w.entries[c.Name()]
	next := entry{Change: c, tree: k.tree, name: name}
	if old != nil {
		next.Base, next.was, next.in = old.Base, old.was, old.in
		if old.item != w.open.id {
			next.was, next.in = old.Digest, old.item
		}
	} else if next.Base, err = digestOf(base); err != nil {
		return nil, err
	}
	if !removed {
		next.Digest, next.Size, next.Binary, next.Perm = digest(data), int64(len(data)), isBinary(data), perm
	}
	if next.item = w.open.id; !removed {
		if err := w.book(next.Size); err != nil {
			return nil, err
		}
		if err := w.Store.shelf().blob(next.item, next.Digest, data); err != nil {
			return nil, err
		}
	}
	line, err := json.Marshal(next.Change)
	if err == nil {
		if err = w.open.log.Append(line); err == nil {
			err = w.open.log.Sync()
		}
	}
	if err != nil {
		return nil, err
	}
	w.entries[c.Name()] = &next
	return w.reader(c.Name(), base), nil
}

// writeThrough makes the change in the files that only this run sees.
func (w *Work) writeThrough(name string, data []byte, removed bool) (func() (fs.File, error), error) {
	if removed {
		err := w.Through.Remove(name)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return func() (fs.File, error) { return nil, fs.ErrNotExist }, err
	}
	return func() (fs.File, error) { return w.Through.Open(name) }, w.Through.WriteFile(name, data)
}

// reader returns a function that opens a staged file. After a person has decided on its
// item, the function opens the real file instead.
func (w *Work) reader(name string, base func() (fs.File, error)) func() (fs.File, error) {
	return func() (fs.File, error) {
		w.mu.Lock()
		e := w.entries[name]
		var item, sum string
		if e != nil {
			item, sum = e.item, e.Digest
		}
		w.mu.Unlock()
		if e != nil {
			f, err := w.Store.State.Files.Open(w.Store.shelf().path(item, sum))
			if !errors.Is(err, fs.ErrNotExist) {
				return f, err
			}
		}
		return base()
	}
}
