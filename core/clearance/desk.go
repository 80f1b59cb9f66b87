package clearance

import (
	"errors"
	"io/fs"
	"slices"

	"golem/core/sandbox"
	"golem/core/sorting"
)

// desk is what a person's decision on an item does to the item. The caller holds the lock
// of the shelf.
type desk interface {
	begin(Item) error // the item is written to the real files from now on
	end(Item) error   // that was taken back
	// finish ends an item that was pushed or discarded. Its first write makes the decision
	// final; if golem is stopped afterwards, Settle does the rest.
	finish(Item) error
	unsettled() (ids []string, err error) // the items that Settle must look at
	settled()                             // Settle has settled them
}

// staged is the desk of staged changes: of a decided item only a note is left.
type staged struct{ shelf }

func (s staged) begin(it Item) error { return s.put(it) }

func (s staged) end(it Item) error { return s.put(it) }

func (s staged) finish(it Item) error {
	if err := s.put(it); err != nil {
		return err
	}
	if err := s.note(it); err != nil {
		return err
	}
	return s.remove(it.ID)
}

func (s staged) unsettled() ([]string, error) { return s.ids() }

func (s staged) settled() {}

// replaced is the desk of what runs replaced: an item stays, and its next push does the
// opposite.
type replaced struct{ shelf }

// nowFile is a file with the number of the item that is being pushed, so that Settle of
// an undo store need not read all items.
const nowFile = "now"

func (r replaced) begin(it Item) error {
	if err := r.state.Files.WriteFile(r.path(nowFile), []byte(it.ID)); err != nil {
		return err
	}
	return r.put(it)
}

func (r replaced) end(it Item) error {
	err := r.put(it)
	if err == nil {
		r.settled() // if this fails, Settle does it
	}
	return err
}

// finish ends an undo or a redo. It exchanges the old and the new content of the item's
// changes, so that the next push of the item does the opposite.
func (r replaced) finish(it Item) error {
	it.State = Undone
	if it.Was == Undone {
		it.State = Pending
	}
	it.Was, it.Made, it.Changes = "", nil, slices.Clone(it.Changes)
	for n := range it.Changes {
		c := &it.Changes[n]
		c.Digest, c.Base, c.Size = c.Base, c.Digest, 0
		c.Perm, c.BasePerm = c.BasePerm, c.Perm
		if info, err := fs.Stat(r.state.Files, r.path(it.ID, c.Digest)); err == nil && c.Digest != "" {
			c.Size = info.Size()
		}
	}
	sorting.By(it.Changes, inOrder)
	return r.end(it)
}

// unsettled returns only the item that is being pushed; items that a killed run left open
// are settled by Runs.
func (r replaced) unsettled() ([]string, error) {
	data, err := sandbox.ReadFile(r.state.Files, r.path(nowFile), 32)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	ids, lerr := r.ids()
	return slices.DeleteFunc(ids, func(id string) bool { return id != string(data) }), errors.Join(err, lerr)
}

func (r replaced) settled() { _ = r.state.Files.Remove(r.path(nowFile)) }
