package batch

import (
	"cmp"
	"errors"
	"io/fs"
	"time"

	"golem/core/fault"
	"golem/core/sorting"
	"golem/core/state"
)

// KeptCount is how many batches that have ended a machine keeps.
const KeptCount = 200

// Shelf has the batches of a machine.
type Shelf interface {
	// Batches returns the names of the batches, also of those of which only a part is left.
	Batches() ([]string, error)
	Batch(name string) (state.Store, error)
	// Emptied removes the directory of a batch that has no files any more, if nobody uses it.
	Emptied(name string)
}

// Waiting knows what of a batch waits for a person outside of its files.
type Waiting interface{ Waits(h Head) bool }

// locksDir is the directory in which a host keeps the locks of a store.
const locksDir = "locks"

// Remove removes a batch. A process that is killed meanwhile leaves the batch as it was, or none:
// the head goes first, and files without a head are no batch. A batch that a process runs is
// E_BUSY.
func Remove(s Shelf, name string) error {
	store, err := s.Batch(name)
	if err != nil {
		return err
	}
	if _, err := fs.Stat(store.Files, "."); errors.Is(err, fs.ErrNotExist) {
		return noBatch()
	}
	release, err := takeBatch(&store, name)
	if err != nil {
		return err
	}
	err = store.Files.Remove(headFile)
	if errors.Is(err, fs.ErrNotExist) {
		err = noBatch()
	}
	rest := clearRest(&store)
	release()
	s.Emptied(name)
	return cmp.Or(err, rest)
}

func takeBatch(s *state.Store, name string) (release func(), err error) {
	release, err = s.TryHold(lockName)
	if errors.Is(err, fault.Busy) {
		return nil, fault.New(fault.Busy, "another golem runs the batch %s", name).Hinting("golem batch attach %s shows how far it is", name)
	}
	return release, err
}

func noBatch() error {
	return fault.New(fault.NotFound, "there is no such batch").Hinting("golem batch list shows those that there are")
}

// clearRest removes what a batch without a head left. The caller holds its lock.
func clearRest(s *state.Store) error {
	var names []string
	err := fs.WalkDir(s.Files, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == locksDir && d.IsDir():
			return fs.SkipDir
		case name != ".":
			names = append(names, name)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for n := len(names) - 1; n >= 0 && err == nil; n-- { // what is in a directory, before it
		if err = s.Files.Remove(names[n]); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	return err
}

// Prune removes the batches that have ended, except the KeptCount ones that were written last and
// those of which something waits for a person. What a killed process left of a batch goes too. A
// batch that cannot be read stays.
func Prune(s Shelf, w Waiting) error {
	names, err := s.Batches()
	if err != nil {
		return err
	}
	kept := make([]keptBatch, 0, len(names))
	var failed error // the others go all the same
	for _, name := range names {
		one, err := lookAt(s, name)
		if err != nil {
			continue // it is damaged, or somebody else's: a person removes it
		}
		if one.head.Name != "" {
			kept = append(kept, one)
		} else {
			failed = cmp.Or(failed, clearRemains(s, name))
		}
	}
	if len(kept) <= KeptCount {
		return failed
	}
	sorting.By(kept, func(a, b keptBatch) int { return b.wrote.Compare(a.wrote) })
	ended := 0
	for _, one := range kept {
		if !one.settled && !allEnded(&one.store) {
			continue
		}
		if ended++; ended <= KeptCount || w.Waits(one.head) {
			continue
		}
		if err := removeEnded(s, one); !errors.Is(err, fault.Busy) {
			failed = cmp.Or(failed, err)
		}
	}
	return failed
}

// keptBatch is a batch of a Shelf.
type keptBatch struct {
	name  string
	store state.Store
	head  Head
	wrote time.Time // when a file of it was written last
	// settled says that the names of its files look as if all its items have ended.
	settled bool
}

// lookAt looks at the files of a batch. A batch without a head has no name.
func lookAt(s Shelf, name string) (b keptBatch, err error) {
	b.name = name
	if b.store, err = s.Batch(name); err != nil {
		return b, err
	}
	b.head, err = readHead(&b.store)
	if errors.Is(err, fault.NotFound) {
		return b, nil
	}
	if err != nil {
		return b, err
	}
	b.head.Name = name
	entries, err := fs.ReadDir(b.store.Files, ".")
	there := map[string]bool{}
	for _, e := range entries {
		there[e.Name()] = true
		if info, err := e.Info(); err == nil && e.Type().IsRegular() && info.ModTime().After(b.wrote) {
			b.wrote = info.ModTime()
		}
	}
	b.settled = b.head.Items != ""
	for number := range segmentsOf(b.head) {
		b.settled = b.settled && there[fileOf(number, marksKind)] && !there[fileOf(number, logsKind)]
	}
	return b, err
}

// allEnded reports whether all items of a batch have ended.
func allEnded(s *state.Store) bool {
	l, err := ReadLocal(s)
	if err != nil {
		return false
	}
	defer l.Close()
	n := l.Counts()
	return l.Head.Items != "" && n.Done() == n.Total
}

// removeEnded removes a batch if all its items have ended, whatever happened since it was looked
// at.
func removeEnded(s Shelf, b keptBatch) error {
	release, err := takeBatch(&b.store, b.name)
	if err != nil {
		return err
	}
	if !allEnded(&b.store) {
		release()
		return nil
	}
	err = b.store.Files.Remove(headFile)
	if err == nil {
		err = clearRest(&b.store)
	}
	release()
	s.Emptied(b.name)
	return err
}

// clearRemains removes what is left of a batch without a head, unless a process begins it.
func clearRemains(s Shelf, name string) error {
	store, err := s.Batch(name)
	if err != nil {
		return err
	}
	release, err := takeBatch(&store, name)
	if errors.Is(err, fault.Busy) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err = readHead(&store); errors.Is(err, fault.NotFound) {
		err = clearRest(&store)
	}
	release()
	s.Emptied(name)
	return err
}
