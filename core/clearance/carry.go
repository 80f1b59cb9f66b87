package clearance

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"

	"golem/core/fault"
	"golem/core/sandbox"
)

// goOn finishes or takes back a push that had begun when golem was stopped.
func (s *Store) goOn(it Item) (Item, error) {
	if it.Commit != "" {
		return s.advance(it)
	}
	steps, err := s.steps(it, "")
	if err != nil {
		return it, err
	}
	return s.carryOut(it, steps)
}

// carryOut writes the files of a pushing item. If a write fails, or a file has neither
// its old nor its new content, carryOut takes back what it has written.
func (s *Store) carryOut(it Item, steps []step) (Item, error) {
	failed := s.shelf().write(it, steps)
	if failed == nil {
		it.State = Pushed
		return it, s.desk().finish(it)
	}
	if err := s.shelf().takeBack(it, steps); err != nil {
		return it, fault.Of(failed, fault.Conflict).Hinting("writing the files of %s is half done (%v): the next golem command in this project finishes it or takes it back", it.name(), err)
	}
	it.takenBack()
	if err := s.desk().end(it); err != nil {
		return it, fault.Of(failed, fault.Conflict).Hinting("the files of %s are as they were, and golem could not note that (%v): the next golem command in this project tries again", it.name(), err)
	}
	return it, failed
}

func (s shelf) write(it Item, steps []step) error {
	for _, st := range steps {
		now, err := digestAt(st.fs, st.name)
		switch {
		case err != nil:
			return err
		case now == st.want, now == folder && st.want == "" && slices.Contains(it.Made, st.name):
			continue // done, and a directory may have taken its place
		case now != st.base && !(now == "" && st.swaps()):
			return conflict(st)
		}
		if err := s.set(it.ID, st, now, st.want); err != nil {
			return err
		}
	}
	return nil
}

// swaps reports whether a file replaces a directory, or a directory a file.
func (st step) swaps() bool {
	return st.base != "" && st.want != "" && (st.base == folder) != (st.want == folder)
}

// set gives a file the content with the digest sum, or removes it if sum is "". now is
// the digest that it has. A directory that is to be removed but is not empty stays.
func (s shelf) set(id string, st step, now, sum string) error {
	if sum == "" || now != "" && st.swaps() {
		err := st.tree.Remove(st.name)
		if sum == "" && errors.Is(err, sandbox.ErrNotEmpty) {
			return nil
		}
		if err != nil || sum == "" {
			return err
		}
	}
	perm := st.Perm
	if sum != st.want {
		perm = st.BasePerm
	}
	if sum == folder {
		return sandbox.MkdirAll(st.tree, st.name, cmp.Or(perm, 0o755))
	}
	data, err := s.content(id, sum)
	if err != nil {
		return err
	}
	return sandbox.WritePerm(st.tree, st.name, data, perm)
}

// takeBack gives the files that were written their old content, and removes the
// directories that the push created.
func (s shelf) takeBack(it Item, steps []step) error {
	for _, st := range slices.Backward(steps) {
		now, err := digestAt(st.fs, st.name)
		if err == nil && now == folder && st.base != folder && slices.Contains(it.Made, st.name) {
			removeMade(it, st.tree, st.name)
			now, err = digestAt(st.fs, st.name)
		}
		if err == nil && now != st.base && (now == st.want || now == "" && st.swaps()) {
			err = s.set(it.ID, st, now, st.base)
		}
		if err != nil {
			return err
		}
	}
	if len(steps) > 0 {
		removeMade(it, steps[0].tree, ".")
	}
	return nil
}

// removeMade removes the directories at and below name that a push has made. One that has
// other files stays.
func removeMade(it Item, tree sandbox.FS, name string) {
	for _, d := range it.Made { // the deepest come first
		if info, err := fs.Stat(tree, d); err == nil && info.IsDir() && sandbox.Within(d, name) {
			_ = tree.Remove(d)
		}
	}
}
