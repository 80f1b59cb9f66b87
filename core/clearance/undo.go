package clearance

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sorting"
)

// nowFile has the number of the item that is being put back, so that Settle need not
// read all of them.
const nowFile = "now"

// Bounds of what is kept for undoing: of one run, in bytes of old content and in files
// with old content, and how many runs.
const (
	keptBytes = 64 << 20
	keptFiles = 10_000
	keptRuns  = 25
)

// name says what an item is.
func (i Item) name() string {
	if i.Type == Replaced {
		return "the run " + i.Run
	}
	return "item " + i.ID
}

func (i Item) run() string {
	if i.Type == Replaced {
		return i.name()
	}
	return "the run of " + i.name()
}

// Runs is List, the newest run first, with the items closed of runs that were killed.
func (s *Store) Runs(ctx context.Context) ([]Item, error) {
	all, err := s.List()
	if slices.ContainsFunc(all, func(i Item) bool { return i.State == Open && i.Err == nil }) {
		release, herr := s.hold(ctx)
		if herr != nil {
			return nil, herr
		}
		defer release()
		for _, it := range all {
			if it.State == Open && it.Err == nil {
				err = errors.Join(err, s.settleOne(it.ID))
			}
		}
		if err == nil {
			all, err = s.List()
		}
	}
	slices.Reverse(all)
	return all, err
}

// Of returns what can be undone of a run, its newest part first; where run is "", of the
// newest run that was not undone. With redo, it is what was undone, the oldest part first.
func (s *Store) Of(ctx context.Context, run string, redo bool) (Item, error) {
	all, err := s.Runs(ctx)
	var found *Item
	fits := false
	for _, it := range all {
		asked := (it.State == Undone) == redo && it.Err == nil
		if run == "" && asked {
			run = it.Run
		}
		if run != "" && run == it.Run && (found == nil || asked && (redo || !fits)) {
			found, fits = &it, asked
		}
	}
	if found != nil {
		return *found, err
	}
	switch {
	case err != nil:
	case run != "":
		err = fault.New(fault.NotFound, "nothing was kept that could undo the run %s", fault.Brief(run)).
			Hinting("golem undo --list shows the runs that can be undone: of the last %d that wrote files, what they replaced is kept", keptRuns)
	case redo:
		err = fault.New(fault.NotFound, "no run was undone here")
	default:
		err = fault.New(fault.NotFound, "there is no run here that can be undone").
			Hinting("only what tools write directly into the project's files is kept; golem clearance list shows what is staged")
	}
	return Item{}, err
}

// Undoable judges an item before it is put back.
func (s *Store) Undoable(it Item, how Push) error {
	switch {
	case !s.Undo:
	case it.Err != nil:
		return it.Err
	case it.State == Open:
		return goesOn(it)
	case it.State == Undone && !how.Redo:
		return fault.New(fault.Conflict, "%s was undone already", it.name()).Hinting("golem undo %s --redo writes its changes again", it.Run)
	case it.State != Undone && how.Redo:
		return fault.New(fault.Conflict, "%s was not undone", it.name()).Hinting("golem undo %s undoes it", it.Run)
	case len(it.Changes) == 0 || len(it.Lost) > 0 && !how.Partial && !how.Redo:
		f := fault.New(fault.Limit, "nothing was written: golem did not keep the old content of %s", some(it.Lost))
		if len(it.Changes) > 0 {
			f = f.Hinting("--partial puts back the other files")
		}
		return f
	}
	return nil
}

// some names the first few.
func some(names []string) string {
	if n := len(names); n > 5 {
		return strings.Join(names[:5], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// damaged is a step whose content is not there.
func (s *Store) damaged(it Item, st step) error {
	f := fault.New(fault.Conflict, "the content of %s, which was kept for %s, is missing or was changed", st.Path, it.name())
	if !s.Undo {
		f = f.Hinting("discard the item and let the worker stage it again")
	}
	return f
}

// changed are files that are not as they were left.
func (s *Store) changed(it Item, files []string) error {
	if s.Undo {
		return fault.New(fault.Conflict, "nothing was written: changed since %s: %s", it.name(), strings.Join(files, ", ")).
			Hinting("if later runs changed them, undo those first; golem undo %s --diff shows the differences", it.Run)
	}
	return fault.New(fault.Conflict, "nothing was written: changed since item %s was staged: %s", it.ID, strings.Join(files, ", ")).
		Hinting("look at golem clearance diff %s; let the worker stage it again, or discard it", it.ID)
}

// begun notes that an item is being written.
func (s *Store) begun(it Item) error {
	if s.Undo {
		if err := s.State.Files.WriteFile(s.at(nowFile), []byte(it.ID)); err != nil {
			return err
		}
	}
	return s.put(it)
}

// ended notes that it no longer is.
func (s *Store) ended(it Item) error {
	err := s.put(it)
	if s.Undo && err == nil {
		_ = s.State.Files.Remove(s.at(nowFile)) // Settle removes it too
	}
	return err
}

// turned ends an undo, from which on the item does the opposite: what was put back and
// what was replaced by it are both kept.
func (s *Store) turned(it Item) error {
	it.State = Undone
	if it.Was == Undone {
		it.State = Pending
	}
	it.Was, it.Made, it.Changes = "", nil, slices.Clone(it.Changes)
	for n := range it.Changes {
		c := &it.Changes[n]
		c.Digest, c.Base, c.Size = c.Base, c.Digest, 0
		c.Perm, c.BasePerm = c.BasePerm, c.Perm
		if info, err := fs.Stat(s.State.Files, s.at(it.ID, c.Digest)); err == nil && c.Digest != "" {
			c.Size = info.Size()
		}
	}
	sorting.By(it.Changes, inOrder)
	return s.ended(it)
}

// unsettled are the items that Settle looks at. What a run that was killed left open
// is settled when somebody undoes it.
func (s *Store) unsettled() ([]string, error) {
	if !s.Undo {
		return s.ids()
	}
	data, err := sandbox.ReadFile(s.State.Files, s.at(nowFile), 32)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	ids, lerr := s.ids()
	return slices.DeleteFunc(ids, func(id string) bool { return id != string(data) }), errors.Join(err, lerr)
}

// asItIs corrects what a run that was killed noted last: it may not have written it.
func (s *Store) asItIs(it *Item) error {
	if !s.Undo {
		return nil
	}
	steps, err := s.steps(*it, "")
	if err != nil {
		return err
	}
	it.Changes = nil
	for _, st := range steps {
		now, err := digestAt(st.fs, st.name)
		if err != nil {
			return err
		}
		if slices.Contains(it.had[st.Name()], now) {
			st.Base = now
		}
		if st.Base != st.Digest {
			it.Changes = append(it.Changes, st.Change)
		}
	}
	return nil
}

// prune removes what was kept of the oldest runs that have ended, so that with run,
// which begins an item, keptRuns are left. The caller holds the lock of the store.
func (s *Store) prune(run string) {
	ids, err := s.ids()
	if err != nil || len(ids) < keptRuns {
		return
	}
	kept := map[string]bool{run: true}
	for _, id := range slices.Backward(ids) {
		it, err := s.load(id)
		switch {
		case err != nil:
			_ = s.State.Files.Remove(s.at(id)) // an empty directory
			continue
		case it.Err != nil:
			continue // a clone brought it: it takes no run's place
		case kept[it.Run] || len(kept) < keptRuns:
			kept[it.Run] = true
			continue
		}
		if unfinished(it) {
			if err := s.settleOne(id); err != nil {
				continue
			}
			if it, err := s.load(id); err != nil || it.Err == nil && unfinished(it) {
				continue // its run goes on
			}
		}
		_ = s.remove(id) // the next run tries again
	}
}

// unfinished is an item of which more is to come: by its run, or by an undo that was stopped.
func unfinished(it Item) bool { return it.State == Open || it.State == Pushing }
