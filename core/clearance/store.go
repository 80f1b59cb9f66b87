package clearance

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sorting"
	"golem/core/state"
)

// Store is the set of items of one project. It keeps nothing in memory, so that every
// golem that works on the project sees the same items.
type Store struct {
	State *state.Store
	// Mount opens "." or a directory outside the project, which a person must have
	// allowed.
	Mount   func(source string) (sandbox.FS, error)
	Targets map[string]Target
	// Git opens the branch of a target; nil: the platform has no repositories.
	Git func(Target) (Branch, error)
	// Guard judges the place of a file in the project or outside it: it returns an error
	// if golem never writes the file, and definition if the file defines the project.
	// nil: every file may be written.
	Guard func(source string) (definition bool, err error)
	Now   func() time.Time // nil: time.Now
	// Undo makes it the store of what runs replaced. Pushing an item of this store puts
	// files back as they were before a run; the item stays, so that it can be redone.
	Undo bool
}

// Kept reports whether the platform can store items at all.
func (s *Store) Kept() bool { return s != nil && s.State != nil && s.State.Kept() }

// load reads an item. If the item cannot be read or trusted, Item.Err says why. The
// returned error is only for an item that does not exist.
func (s *Store) load(id string) (Item, error) {
	it := Item{ID: id}
	data, err := sandbox.ReadFile(s.State.Files, s.at(id, itemFile), maxItem)
	if errors.Is(err, fs.ErrNotExist) {
		return s.loadOpen(id)
	}
	if err != nil {
		it.Err = err
		return it, nil
	}
	body, err := s.State.Unseal(itemFormat, s.at(id, itemFile), data)
	it.Err = err
	if body == nil {
		return it, nil
	}
	if err := json.Unmarshal(body, &it); err != nil {
		it.Err = cmp.Or(it.Err, error(fault.New(fault.Config, "the item %s is damaged: %w", id, err)))
	}
	if it.ID != id && it.Err == nil {
		it.Err = fault.New(fault.Config, "the file of the item %s contains the item %s: it was copied or renamed", id, it.ID).
			Hinting("move it back, or delete its directory in .golem/clearance")
	}
	it.ID = id
	return it, nil
}

// journal is the first line of a journal.
type journal struct {
	Commit  bool      `json:"commit,omitempty"` // of the tool stage: removed if it was not closed
	Slot    int       `json:"slot"`             // the run has the lock of this number while it lives
	Run     string    `json:"run,omitempty"`
	Worker  string    `json:"worker,omitempty"`
	Created time.Time `json:"created"`
}

// maxSlots is how many lock numbers reserve tries: the most open items at a time.
const maxSlots = 1000

// loadOpen reads an open item from its journal.
func (s *Store) loadOpen(id string) (Item, error) {
	it, _, err := s.replay(id)
	return it, err
}

// replay reads an open item and the first line of its journal.
func (s *Store) replay(id string) (it Item, head journal, err error) {
	it = Item{ID: id, State: Open}
	if s.State.Blank(s.at(id, journalFile)) { // its run was killed, or the disk was full, before it had begun
		return it, head, notFound(id)
	}
	log, err := s.State.ReadLog(journalFormat, s.at(id, journalFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return it, head, notFound(id)
	case err != nil:
		it.Err = err
		return it, head, nil
	}
	it.Err = log.Err
	last := map[string]Change{}
	it.had, it.lost = map[string][]string{}, map[string]*Change{}
	for n, line := range log.Lines {
		var c recorded
		if n == 0 {
			err = json.Unmarshal(line, &head)
		} else if err = json.Unmarshal(line, &c); err == nil {
			it.replay(last, c)
		}
		if err != nil {
			it.Err = cmp.Or(it.Err, error(fault.New(fault.Config, "the journal of item %s is damaged: %w", id, err)))
		}
	}
	for _, c := range last {
		if c.Digest != c.Base {
			it.Changes = append(it.Changes, c)
		}
	}
	sorting.By(it.Changes, inOrder)
	it.Run, it.Worker, it.Created, it.Type = head.Run, head.Worker, head.Created, s.typeOf(it.Changes)
	return it, head, nil
}

func notFound(id string) error {
	return fault.New(fault.NotFound, "there is no item %s", fault.Brief(id)).
		Hinting("golem clearance list shows what is there; an item that its run has changed since has a new number")
}

// maxID is above every valid number of an item. A clone may contain any number.
const maxID = 1_000_000_000

// ids returns the numbers of all items, the oldest first.
func (s *Store) ids() ([]string, error) {
	entries, err := fs.ReadDir(s.State.Files, s.dir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []int
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && n > 0 && n < maxID && e.IsDir() && strconv.Itoa(n) == e.Name() {
			out = append(out, n)
		}
	}
	sorting.By(out, cmp.Compare)
	ids := make([]string, len(out))
	for i, n := range out {
		ids[i] = strconv.Itoa(n)
	}
	return ids, err
}

// List returns the items that wait for a person, the oldest first: those that are open,
// pending, deferred, pushing or undone, and those that may only be shown (Item.Err).
func (s *Store) List() ([]Item, error) {
	if !s.Kept() {
		return nil, nil
	}
	ids, err := s.ids()
	if err != nil {
		return nil, err
	}
	var out []Item
	replaced := map[string]bool{}
	for _, id := range ids {
		it, err := s.load(id)
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
	it, err := s.load(id)
	if err == nil && it.Err == nil && (it.State == Pushed || it.State == Discarded) {
		err = notFound(id)
	}
	return it, err
}

// put writes an item's file. This is the atomic step from one state to another.
func (s *Store) put(it Item) error {
	body, err := json.Marshal(it)
	if err != nil {
		return err
	}
	name := s.at(it.ID, itemFile)
	if len(body) > maxItem-1024 {
		return fault.New(fault.Limit, "the item has too many files: its list is larger than %d MB", maxItem>>20).Hinting("stage fewer files at once")
	}
	sealed, err := s.State.Seal(itemFormat, name, body)
	if err != nil {
		return err
	}
	return s.State.Files.WriteFile(name, sealed)
}

// next returns the number of the next item. It skips numbers that a clone has brought;
// only numbers that this machine has written decide where to begin.
func (s *Store) next() (int, error) {
	n := s.noted()
	if _, err := fs.Stat(s.State.Files, s.at(strconv.Itoa(n))); !errors.Is(err, fs.ErrNotExist) {
		entries, err := fs.ReadDir(s.State.Files, s.dir())
		if err != nil {
			return 0, err
		}
		taken := map[string]bool{}
		for _, e := range entries {
			taken[e.Name()] = true
		}
		for taken[strconv.Itoa(n)] {
			n++
		}
	}
	if n >= maxID {
		return 0, fault.New(fault.Limit, "golem has made %d items in .golem/%s, and makes no more", maxID-1, s.dir()).
			Hinting("push or discard what waits, and remove the directory")
	}
	return n, nil
}

// noted returns the number after the last item that this machine made here.
func (s *Store) noted() int {
	name := s.at(nextFile)
	if data, err := sandbox.ReadFile(s.State.Files, name, 1024); err == nil {
		if body, err := s.State.Unseal(nextFormat, name, data); err == nil {
			if n, err := strconv.Atoi(string(body)); err == nil {
				return n
			}
		}
	}
	ids, _ := s.ids()
	for _, id := range slices.Backward(ids) {
		if it, err := s.load(id); err == nil && it.Err == nil {
			n, _ := strconv.Atoi(id) // ids are numbers
			return n + 1
		}
	}
	return 1
}

// reserve creates the directory of a new item, with its journal. The caller holds the
// lock of the store. It gets the lock of the item's slot, which release frees.
func (s *Store) reserve(head *journal) (id string, log *state.Log, release func(), err error) {
	next, err := s.next()
	if err != nil {
		return "", nil, nil, err
	}
	id = strconv.Itoa(next)
	sealed, err := s.State.Seal(nextFormat, s.at(nextFile), []byte(strconv.Itoa(next+1)))
	if err == nil {
		err = s.State.Files.WriteFile(s.at(nextFile), sealed)
	}
	if err != nil {
		return "", nil, nil, err
	}
	// The slot begins at the item's own number, so that a later item does not take its lock.
	for head.Slot = next; ; head.Slot++ {
		if release, err = s.State.TryHold(s.lockOf(head.Slot)); err == nil {
			break
		}
		if !errors.Is(err, fault.Busy) || head.Slot == next+maxSlots {
			return "", nil, nil, err
		}
	}
	first, err := json.Marshal(head)
	if err == nil {
		if log, err = s.State.NewLog(journalFormat, s.at(id, journalFile)); err == nil {
			if err = log.Append(first); err != nil {
				_ = log.Close() // what failed is told
			}
		}
	}
	if err != nil {
		release()
		return "", nil, nil, err
	}
	return id, log, release, nil
}

// sweep removes the directory of an item that does not exist any more, or that was not
// begun. The caller holds the lock of the store, so nobody is just beginning it.
func (s *Store) sweep(id string) {
	if s.State.Blank(s.at(id, journalFile)) {
		_ = s.State.Files.Remove(s.at(id, journalFile))
	}
	_ = s.State.Files.Remove(s.at(id)) // a full directory stays
}

// blob stores content in an item's directory, under its digest sum.
func (s *Store) blob(id, sum string, data []byte) error {
	if _, err := fs.Stat(s.State.Files, s.at(id, sum)); err == nil {
		return nil
	}
	return s.State.Files.WriteFile(s.at(id, sum), data)
}

// content returns the content with the digest sum from an item, after checking the digest.
func (s *Store) content(id, sum string) ([]byte, error) {
	data, err := sandbox.ReadFile(s.State.Files, s.at(id, sum), maxFile)
	if errors.Is(err, fs.ErrNotExist) || err == nil && digest(data) != sum {
		err = fault.New(fault.Conflict, "the content of item %s is missing or was changed after it was staged", id).
			Hinting("discard the item and let the worker stage it again")
	}
	return data, err
}

// maxFile is the most bytes of one staged file, the same as for any file of a view.
const maxFile = 1 << 30

// remove deletes an item's directory. The file "item" is removed last, so that a removal
// that was stopped can be repeated.
func (s *Store) remove(id string) error {
	entries, err := fs.ReadDir(s.State.Files, s.at(id))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	order := func(e fs.DirEntry) int { return map[string]int{journalFile: 1, itemFile: 2}[e.Name()] }
	sorting.By(entries, func(a, b fs.DirEntry) int { return order(a) - order(b) })
	for _, e := range entries {
		if err := s.State.Files.Remove(s.at(id, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := s.State.Files.Remove(s.at(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// hold locks the store against every other golem of the project.
func (s *Store) hold(ctx context.Context) (func(), error) {
	if !s.Kept() {
		return nil, fault.New(fault.Platform, "golem cannot keep staged changes here").
			Hinting("run it where .golem can be written and GOLEM_HOME is set")
	}
	return s.State.Hold(ctx, s.dir())
}

// atMost is how long the end of an exchange waits for the lock of the store, and
// interrupted how long it waits after ctx has ended. An item that cannot be closed in
// this time stays as it would after a kill.
const (
	atMost      = 10 * time.Second
	interrupted = time.Second / 2
)

// holdToClose takes the lock of the store at the end of an exchange, within these times.
func (s *Store) holdToClose(ctx context.Context) (func(), error) {
	wait, stop := context.WithTimeout(context.WithoutCancel(ctx), atMost)
	defer stop()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(interrupted, stop) })()
	return s.hold(wait)
}

// alive returns the context of the call that changes a file. When it ends, the wait for a
// lock ends.
func alive(life func() context.Context) context.Context {
	if life == nil {
		return context.Background()
	}
	return life()
}

func (s *Store) now() time.Time {
	if s.Now == nil {
		return time.Now().UTC()
	}
	return s.Now().UTC()
}
