package clearance

import (
	"context"
	"slices"
	"strconv"
	"time"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
)

// RealFiles are the files to which items are pushed. The platform provides them.
type RealFiles interface {
	// Mount opens "." or a directory outside the project, which a person must have
	// allowed.
	Mount(source string) (sandbox.FS, error)
	// Branch opens the branch of a target. It is ErrNoGit if the platform has
	// no repositories.
	Branch(Target) (Branch, error)
	// Guard judges the place of a file in the project or outside it: it returns an error
	// if golem never writes the file, and definition if the file defines the project.
	Guard(place string) (definition bool, err error)
}

// Store is the set of items of one project. It keeps nothing in memory, so that every
// golem that works on the project sees the same items.
type Store struct {
	State   *state.Store
	Real    RealFiles
	Targets map[string]Target
	Remote  Remote           // nil: a push to a target with a remote sends nothing and says so
	Now     func() time.Time // nil: time.Now
	// Undo makes it the store of what runs replaced. Pushing an item of this store puts
	// files back as they were before a run; the item stays, so that it can be redone.
	Undo bool
}

// Kept reports whether the platform can store items at all.
func (s *Store) Kept() bool { return s != nil && s.shelf().kept() }

func (s *Store) shelf() shelf { return shelf{s.State, s.Undo} }

// desk returns what a decision on an item of this store does.
func (s *Store) desk() desk {
	if s.Undo {
		return replaced{s.shelf()}
	}
	return staged{s.shelf()}
}

func notFound(id string) error {
	return fault.New(fault.NotFound, "there is no item %s", fault.Brief(id)).
		Hinting("golem clearance list shows what is there; an item that its run has changed since has a new number")
}

// List returns the items that wait for a person, the oldest first: those that are open,
// pending, deferred, pushing or undone, and those that may only be shown (Item.Err).
func (s *Store) List() ([]Item, error) {
	if !s.Kept() {
		return nil, nil
	}
	ids, err := s.shelf().ids()
	if err != nil {
		return nil, err
	}
	var out []Item
	replaced := map[string]bool{}
	for _, id := range ids {
		it, err := s.shelf().load(id)
		if err != nil || it.State == Pushed && it.Err == nil || it.State == Discarded && it.Err == nil || it.State == Open && it.Err == nil && len(it.Changes)+len(it.Lost) == 0 {
			continue // there is no item, or it is decided or empty
		}
		if it.Err == nil && it.Replaces != "" {
			replaced[it.Replaces] = true
		}
		out = append(out, it)
	}
	return slices.DeleteFunc(out, func(i Item) bool { return replaced[i.ID] && i.Err == nil }), nil
}

// Waiting returns the items of List that are pending or pushing and can be pushed.
func (s *Store) Waiting() ([]Item, error) {
	all, err := s.List()
	return slices.DeleteFunc(all, func(i Item) bool {
		return i.Err != nil || i.State != Pending && i.State != Pushing
	}), err
}

// Get returns one item. It returns E_NOT_FOUND if the item does not exist or was pushed
// or discarded.
func (s *Store) Get(id string) (Item, error) {
	if n, err := strconv.Atoi(id); !s.Kept() || err != nil || n < 1 || strconv.Itoa(n) != id {
		return Item{}, notFound(id)
	}
	it, err := s.shelf().load(id)
	if err == nil && it.Err == nil && (it.State == Pushed || it.State == Discarded) {
		err = notFound(id)
	}
	return it, err
}

// alive returns the context of the call that changes a file. When it ends, the wait for a
// lock ends.
func alive(h Host) context.Context {
	if h == nil {
		return context.Background()
	}
	return h.Life()
}

func (s *Store) now() time.Time {
	if s.Now == nil {
		return time.Now().UTC()
	}
	return s.Now().UTC()
}
