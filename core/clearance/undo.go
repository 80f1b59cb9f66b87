package clearance

import (
	"context"
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/sorting"
)

// The limits of what is kept for an undo.
const (
	keptBytes = 64 << 20 // bytes of old content of one run
	keptFiles = 10_000   // files with old content of one run
	keptRuns  = 25       // runs
	keptSteps = 100      // items of one run
)

// name returns the name of an item in messages.
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

// Runs returns the items of List, the newest first. Before, it closes the open items of
// runs that were killed. An item that it cannot close, because its files cannot be read, has
// the error in Err; the other runs can still be undone.
func (s *Store) Runs(ctx context.Context) ([]Item, error) {
	all, err := s.List()
	isOpen := func(i Item) bool { return i.State == Open && i.Err == nil }
	if err == nil && slices.ContainsFunc(all, isOpen) {
		all, err = s.closeAll(ctx, slices.DeleteFunc(all, func(i Item) bool { return !isOpen(i) }))
	}
	slices.Reverse(all)
	return all, err
}

// closeAll closes open items and returns the items of List.
func (s *Store) closeAll(ctx context.Context, open []Item) ([]Item, error) {
	release, err := s.shelf().lock(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	failed := map[string]error{}
	for _, it := range open {
		if err := s.settleOne(it.ID); err != nil {
			failed[it.ID] = fault.Of(err, fault.Config)
		}
	}
	all, err := s.List()
	for n, it := range all {
		if why := failed[it.ID]; why != nil {
			all[n].Err, all[n].stuck = why, true
		}
	}
	return all, err
}

// Of returns the item of a run that is to be undone next: its newest one that was not
// undone. If run is "", it chooses the newest run that has one. With redo, it returns the
// oldest item that was undone. If the run has no such item, Of returns its newest item,
// for which Undoable says why it cannot be used. Without any item it returns E_NOT_FOUND.
func (s *Store) Of(ctx context.Context, run string, redo bool) (Item, error) {
	all, err := s.Runs(ctx)
	var found *Item
	fits := false
	for _, it := range all {
		asked := (it.State == Undone) == redo && (it.Err == nil || it.stuck)
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
	case len(all) > 0 && all[0].Err != nil:
		why := fault.Of(all[0].Err, fault.Conflict)
		err = fault.New(why.Code, "the newest run here, %s, cannot be undone: %s", fault.Brief(all[0].Run), why.Message).Hinting("%s", why.Hint)
	default:
		err = fault.New(fault.NotFound, "there is no run here that can be undone").
			Hinting("only what tools write directly into the project's files is kept; golem clearance list shows what is staged")
	}
	return Item{}, err
}

// OfRuns returns the items of runs that can be undone, in the order in which they must be:
// the newest first.
func (s *Store) OfRuns(ctx context.Context, runs []string) ([]Item, error) {
	all, err := s.Runs(ctx)
	return slices.DeleteFunc(all, func(it Item) bool {
		return it.State == Undone || it.Err != nil && !it.stuck || !slices.Contains(runs, it.Run)
	}), err
}

// Former is a file of the project as it was before a run.
type Former struct {
	Name    string // from the root of the project
	Data    []byte
	Missing bool // there was no file
	ByRun   bool // the run itself changed it, not only one after it
	Undone  bool // the run changed it, which was undone; Data and Missing are not set
}

// Since returns the files of the project that a run, and those after it, have changed, as they
// were before. Files of other directories, directories, and files whose
// content was not kept are left out.
func (s *Store) Since(ctx context.Context, run string) ([]Former, error) {
	all, err := s.Runs(ctx)
	if err != nil {
		return nil, err
	}
	found := map[string]Former{}
	for _, it := range all { // the newest first, so that the oldest content counts
		if it.Err != nil || it.Run < run || it.State == Undone && it.Run != run { // names of runs begin with the time
			continue
		}
		for _, c := range it.Changes {
			f := Former{Name: c.Name(), Missing: c.Digest == "", ByRun: found[c.Name()].ByRun || it.Run == run}
			if c.Dir() || isOutside(f.Name) {
				continue
			}
			if it.State == Undone {
				if _, other := found[f.Name]; !other {
					found[f.Name] = Former{Name: f.Name, ByRun: true, Undone: true}
				}
				continue
			}
			if !f.Missing {
				if f.Data, err = s.shelf().content(it.ID, c.Digest); err != nil {
					delete(found, f.Name)
					continue
				}
			}
			found[f.Name] = f
		}
	}
	out := slices.Collect(maps.Values(found))
	sorting.By(out, func(a, b Former) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// Undoable returns an error if an item of an undo store cannot be pushed as how says:
// its run continues, it was undone already, or its old content was not kept. For other
// items it returns Err.
func (it Item) Undoable(how Push) error {
	switch {
	case it.Err != nil:
		return it.Err
	case it.Type != Replaced:
	case it.State == Open:
		return goesOn(it)
	case it.State == Undone && !how.Redo:
		return fault.New(fault.Conflict, "%s was undone already", it.name()).Hinting("golem undo %s --redo writes its changes again", it.Run)
	case it.State != Undone && how.Redo:
		return fault.New(fault.Conflict, "%s was not undone", it.name()).Hinting("golem undo %s undoes it", it.Run)
	case len(it.Changes) == 0 || len(it.Lost) > 0 && !how.Partial && !how.Redo:
		f := fault.New(fault.Limit, "nothing was written: golem did not keep the old content of %s", firstNames(it.Lost))
		if len(it.Changes) > 0 {
			f = f.Hinting("--partial puts back the other files")
		}
		return f
	}
	return nil
}

// firstNames returns a list of the first five names.
func firstNames(names []string) string {
	if n := len(names); n > 5 {
		return strings.Join(names[:5], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// damaged returns the error for a step whose content is missing or changed.
func damaged(it Item, st step) error {
	f := fault.New(fault.Conflict, "the content of %s, which was kept for %s, is missing or was changed", st.Path, it.name())
	if it.Type != Replaced {
		f = f.Hinting("discard the item and let the worker stage it again")
	}
	return f
}

// outdated returns the error for files that were changed since the item was made.
func outdated(it Item, files []string) error {
	if it.Type == Replaced {
		return fault.New(fault.Conflict, "nothing was written: changed since %s: %s", it.name(), strings.Join(files, ", ")).
			Hinting("if later runs changed them, undo those first; golem undo %s --diff shows the differences", it.Run).
			InPage("", "if later runs changed them, undo those first")
	}
	return fault.New(fault.Conflict, "nothing was written: changed since item %s was staged: %s", it.ID, strings.Join(files, ", ")).
		Hinting("look at golem clearance diff %s; let the worker stage it again, or discard it", it.ID)
}

// asItIs corrects the changes of a run that was killed, or whose disk was full: the last
// ones may be in the journal although the run did not make them.
func (s *Store) asItIs(it *Item) error {
	if it.Type != Replaced {
		return nil
	}
	steps, err := s.steps(*it, "")
	if err != nil {
		return err
	}
	if err := s.foundAgain(it); err != nil {
		return err
	}
	it.Changes = nil
	for _, st := range steps {
		now, err := digestAt(st.fs, st.name)
		if err != nil {
			return err
		}
		if slices.Contains(it.had[st.Name()], now) || now == st.Digest {
			st.Base = now
		}
		if st.Base != st.Digest {
			it.Changes = append(it.Changes, st.Change)
		}
	}
	return nil
}

// foundAgain removes those files from Item.Lost that have the content that was not kept:
// the run did not change them.
func (s *Store) foundAgain(it *Item) error {
	lost := Item{Type: it.Type}
	for _, c := range it.lost {
		if c.Digest != "" {
			lost.Changes = append(lost.Changes, *c)
		}
	}
	steps, err := s.steps(lost, "")
	if err != nil {
		return err
	}
	for _, st := range steps {
		now, err := digestAt(st.fs, st.name)
		if err != nil {
			return err
		}
		if now == st.Digest {
			it.Lost = slices.DeleteFunc(it.Lost, func(name string) bool { return name == st.Name() })
		}
	}
	return nil
}

// prune removes the items of the oldest runs that have ended, so that keptRuns runs are
// left, including run, which is about to begin an item. The caller holds the lock of the
// store.
func (s *Store) prune(run string) {
	ids, err := s.shelf().ids()
	if err != nil || len(ids) < keptRuns {
		return
	}
	kept := map[string]bool{run: true}
	steps := map[string]int{}
	for _, id := range slices.Backward(ids) {
		it, err := s.shelf().load(id)
		switch {
		case err != nil:
			s.shelf().sweep(id)
			continue
		case it.Err != nil:
			continue // it was not written on this machine and does not count
		case (kept[it.Run] || len(kept) < keptRuns) && steps[it.Run] < keptSteps:
			kept[it.Run] = true
			steps[it.Run]++
			continue
		}
		if unfinished(it) {
			if err := s.settleOne(id); err != nil {
				continue
			}
			if it, err := s.shelf().load(id); err != nil || it.Err == nil && unfinished(it) {
				continue // its run continues
			}
		}
		_ = s.shelf().remove(id) // if this fails, the next run tries again
	}
}

// unfinished reports whether an item will still change: by its run, or by finishing an
// undo that was stopped.
func unfinished(it Item) bool { return it.State == Open || it.State == Pushing }
