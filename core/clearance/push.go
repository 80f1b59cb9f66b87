package clearance

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sorting"
)

// Push is the set of options with which a person pushes an item.
type Push struct {
	Target string // the name of a target; "": the item's own
	// Digest is Item.Digest of the snapshot that the person saw. If the item has another
	// digest, Push returns E_CONFLICT. "" means no check.
	Digest string
	// Definitions are the places of files that define the project and that the person
	// agreed to change.
	Definitions []string

	Redo    bool // only in an undo store: write the changes of an undone run again
	Partial bool // only in an undo store: put back the kept files even if others were not kept
}

// Place is the place to which a file of an item is pushed.
type Place struct {
	Change
	To         string // relative to the project, or absolute
	Definition bool   // the file defines the project, so pushing it needs a second yes
}

// Places returns the places to which the files of an item are pushed. target replaces
// the item's own target unless it is "".
func (s *Store) Places(it Item, target string) ([]Place, error) {
	steps, err := s.steps(it, target)
	if err != nil {
		return nil, err
	}
	out := make([]Place, len(steps))
	for n, st := range steps {
		out[n] = Place{Change: st.Change, To: st.to}
		if out[n].Definition, err = s.Real.Guard(st.to); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Place returns the place to which a file of an item is pushed, without opening it.
func (s *Store) Place(it Item, c Change) string {
	if to, ok := s.Targets[it.Target]; ok {
		return path.Join(to.root(), to.Below(c))
	}
	return c.Name()
}

// steps opens the places of an item's files and returns a step for each change.
func (s *Store) steps(it Item, target string) ([]step, error) {
	target = cmp.Or(target, it.Target)
	to, known := s.Targets[target]
	if it.State == Pushing && it.To != nil {
		to, known = *it.To, true
	}
	if target != "" && !known {
		return nil, s.noTarget(target)
	}
	trees := openTrees{s.Real, map[string]sandbox.FS{}}
	var branch *branch
	if to.Git != "" {
		var err error
		if branch, err = branchOf(s.Real, to); err != nil {
			return nil, err
		}
	}
	taken := map[string]string{}
	var out []step
	for _, c := range it.Changes {
		st := step{Change: c, below: c.Path, want: c.Digest, base: c.Base}
		base := c.Source
		if target != "" {
			st.below, st.base, base = to.Below(c), c.Bases[target], to.root()
		}
		var err error
		if branch != nil {
			err = branch.open(&st, base)
		} else {
			err = trees.find(&st, path.Clean(base))
		}
		if err != nil {
			return nil, err
		}
		key := sandbox.Fold(st.to)
		if other, twice := taken[key]; twice && it.Type != Replaced {
			return nil, fault.New(fault.Conflict, "%s and %s would both go to %s", other, c.Name(), st.to).Hinting("push without --target, or discard the item")
		}
		taken[key] = c.Name()
		out = append(out, st)
	}
	return out, nil
}

func (s *Store) noTarget(target string) error {
	var names []string
	for n := range s.Targets {
		names = append(names, n)
	}
	slices.Sort(names)
	return fault.New(fault.NotFound, "there is no clearance target %s", fault.Brief(target)).
		Hinting("%s", fault.DidYouMean(target, names)+"; targets are named under clearance.targets in the manifest")
}

// Push writes an item's files to their places: all of them or, if one has changed
// since it was staged, none (E_CONFLICT). It returns E_PROTECTED if a file defines the
// project and how does not name it. After a crash, Settle finishes the push or takes it
// back. If the target has a remote, the branch is sent there at last; if that fails, the item
// is pushed all the same, and the error says so.
func (s *Store) Push(ctx context.Context, id string, how Push) (Item, error) {
	it, err := s.push(ctx, id, how)
	if err == nil {
		err = s.send(ctx, it)
	}
	return it, err
}

// push does what Push does, without sending.
func (s *Store) push(ctx context.Context, id string, how Push) (Item, error) {
	release, err := s.shelf().lock(ctx)
	if err != nil {
		return Item{}, err
	}
	defer release()
	it, err := s.decidable(id)
	if err != nil {
		return it, err
	}
	if how.Digest != "" && how.Digest != it.Digest() {
		return it, fault.New(fault.Conflict, "the item %s is not what was shown", id).Hinting("look at it again")
	}
	if err := it.Undoable(how); err != nil {
		return it, err
	}
	if how.Target != "" && how.Target != it.Target {
		own := it.Target
		it.Own, it.Target = &own, how.Target
	}
	steps, err := s.steps(it, "")
	if err != nil {
		return it, err
	}
	if err := s.ready(&it, steps, how.Definitions); err != nil {
		return it, err
	}
	if to := s.Targets[it.Target]; to.Git != "" {
		return s.commit(it, to, steps)
	}
	if steps, err = s.steps(it, ""); err != nil {
		return it, err
	}
	for _, st := range steps {
		if st.base == "" || st.base == st.want || st.base == folder {
			continue
		}
		data, err := sandbox.ReadFile(st.fs, st.name, maxFile)
		if err == nil && digest(data) != st.base {
			err = conflict(st)
		}
		if err == nil {
			err = s.shelf().blob(id, st.base, data)
		}
		if err != nil {
			return it, err
		}
	}
	it.Was, it.State = it.State, Pushing
	if err := s.desk().begin(it); err != nil {
		return it, err
	}
	return s.carryOut(it, steps)
}

// decidable returns an item if a person can decide on it now, otherwise an error. It
// settles an open item of a run that has ended, and finishes a push that had begun.
func (s *Store) decidable(id string) (Item, error) {
	it, err := s.Get(id)
	switch {
	case err != nil:
		return it, err
	case it.Err != nil:
		return it, it.Err
	case it.State == Open:
		if err := s.settleOne(id); err != nil {
			return it, err
		}
		if it, err = s.Get(id); err == nil && it.State == Open {
			err = goesOn(it)
		}
	case it.State == Pushing:
		if it, err = s.goOn(it); err == nil {
			err = fault.New(fault.Conflict, "writing the files of %s had begun when golem was stopped, and it is finished now", it.name()).Hinting("there is nothing left to decide")
		}
		return it, err
	}
	return it, err
}

func goesOn(it Item) error {
	return fault.New(fault.Busy, "%s still goes on", it.run()).Hinting("wait until the exchange has ended, or stop the run")
}

// ready checks everything that can be checked before the first write. It also fills
// it.Made and the permissions and bases of it.Changes.
func (s *Store) ready(it *Item, steps []step, agreed []string) error {
	var definitions, changed []string
	made := map[string]bool{}
	for n := range steps {
		st := steps[n]
		definition, err := s.Real.Guard(st.to)
		if err != nil {
			return err
		}
		if definition && !slices.Contains(agreed, st.to) {
			definitions = append(definitions, st.to)
		}
		now, err := digestAt(st.fs, st.name)
		if err != nil {
			return err
		}
		it.Changes[n].BasePerm = sandbox.PermOf(st.fs, st.name)
		if now == st.want && st.tree != nil {
			it.hasAlready(n, now)
		} else if now != st.want && now != st.base {
			changed = append(changed, st.to)
		}
		if st.want != "" && st.want != folder {
			if sum, err := digestAt(s.State.Files, s.shelf().path(it.ID, st.want)); err != nil || sum != st.want {
				return errors.Join(err, damaged(*it, st))
			}
		}
		if st.want != "" {
			for d := path.Dir(st.name); d != "."; d = path.Dir(d) {
				if st.tree == nil || st.tree != steps[0].tree {
					break
				}
				info, err := fs.Stat(st.fs, d)
				if errors.Is(err, fs.ErrNotExist) || errors.Is(err, sandbox.ErrNotDir) || err == nil && !info.IsDir() {
					made[d] = true // in place of a file that the item removes
				}
			}
		}
	}
	if len(changed) > 0 {
		return outdated(*it, changed)
	}
	if len(definitions) > 0 {
		return fault.New(fault.Protected, "nothing was written: these files define the project: %s", strings.Join(definitions, ", ")).
			Hinting("to write them all the same, name each: --definition %s, or definitions of the tool push", definitions[0])
	}
	it.Made = nil
	for d := range made {
		it.Made = append(it.Made, d)
	}
	sorting.By(it.Made, func(a, b string) int { return len(b) - len(a) })
	return nil
}

// hasAlready sets the base of a change whose place already has its new content, so
// that taking the push back leaves that content.
func (i *Item) hasAlready(n int, sum string) {
	i.Changes = slices.Clone(i.Changes)
	c := &i.Changes[n]
	if i.Target == "" {
		c.Base = sum
	} else if c.Bases = maps.Clone(c.Bases); c.Bases == nil {
		c.Bases = map[string]string{i.Target: sum}
	} else {
		c.Bases[i.Target] = sum
	}
}

func conflict(st step) error {
	return fault.New(fault.Conflict, "%s was changed at the moment at which golem was to write it", st.to).
		Hinting("look at it again; all files are as they were before")
}
