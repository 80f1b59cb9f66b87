package clearance

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"time"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sorting"
	"golem/core/state"
)

// shelf has the items of a store as files of the project's state. Whoever changes an item
// holds the lock of the shelf.
type shelf struct {
	state *state.Store
	undo  bool // see Store.Undo
}

// The formats of the files.
var (
	itemFormat    = state.Format{Kind: "clearance-item", Version: 1}
	journalFormat = state.Format{Kind: "clearance-journal", Version: 1}
	noteFormat    = state.Format{Kind: "clearance-note", Version: 1}
	nextFormat    = state.Format{Kind: "clearance-next", Version: 1}
)

const (
	notesDir    = "clearance/notes"
	nextFile    = "next" // the number of the next item
	itemFile    = "item"
	journalFile = "journal"
	maxItem     = 64 << 20 // the most bytes of the file "item"
)

// maxID is above every valid number of an item. A clone may contain any number.
const maxID = 1_000_000_000

// maxFile is the most bytes of one staged file, the same as for any file of a view.
const maxFile = 1 << 30

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

func (s shelf) kept() bool { return s.state != nil && s.state.Kept() }

// dir returns the directory of the store's items, which is also the name of its lock.
func (s shelf) dir() string {
	if s.undo {
		return "undo"
	}
	return "clearance"
}

func (s shelf) path(id string, name ...string) string {
	return path.Join(append([]string{s.dir(), id}, name...)...)
}

func (s shelf) lockOf(slot int) string { return s.dir() + "-" + strconv.Itoa(slot) }

// typeOf returns the type of an item with the changes of a run.
func (s shelf) typeOf(changes []Change) Type {
	if s.undo {
		return Replaced
	}
	if slices.ContainsFunc(changes, func(c Change) bool { return c.Binary }) {
		return BinaryOutput
	}
	return PendingExport
}

// load reads an item. If the item cannot be read or trusted, Item.Err says why. The
// returned error is only for an item that does not exist.
func (s shelf) load(id string) (Item, error) {
	it := Item{ID: id}
	data, err := sandbox.ReadFile(s.state.Files, s.path(id, itemFile), maxItem)
	if errors.Is(err, fs.ErrNotExist) {
		it, _, err := s.replay(id)
		return it, err
	}
	if err != nil {
		it.Err = err
		return it, nil
	}
	body, err := s.state.Unseal(itemFormat, s.path(id, itemFile), data)
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

// replay reads an open item and the first line of its journal.
func (s shelf) replay(id string) (it Item, head journal, err error) {
	it = Item{ID: id, State: Open}
	if s.state.Blank(s.path(id, journalFile)) { // its run was killed, or the disk was full, before it had begun
		return it, head, notFound(id)
	}
	log, err := s.state.ReadLog(journalFormat, s.path(id, journalFile))
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

// ids returns the numbers of all items, the oldest first.
func (s shelf) ids() ([]string, error) {
	entries, err := fs.ReadDir(s.state.Files, s.dir())
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

// put writes an item's file. This is the atomic step from one state to another.
func (s shelf) put(it Item) error {
	body, err := json.Marshal(it)
	if err != nil {
		return err
	}
	name := s.path(it.ID, itemFile)
	if len(body) > maxItem-1024 {
		return fault.New(fault.Limit, "the item has too many files: its list is larger than %d MB", maxItem>>20).Hinting("stage fewer files at once")
	}
	sealed, err := s.state.Seal(itemFormat, name, body)
	if err != nil {
		return err
	}
	return s.state.Files.WriteFile(name, sealed)
}

// next returns the number of the next item. It skips numbers that a clone has brought;
// only numbers that this machine has written decide where to begin.
func (s shelf) next() (int, error) {
	n := s.noted()
	if _, err := fs.Stat(s.state.Files, s.path(strconv.Itoa(n))); !errors.Is(err, fs.ErrNotExist) {
		entries, err := fs.ReadDir(s.state.Files, s.dir())
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
func (s shelf) noted() int {
	name := s.path(nextFile)
	if data, err := sandbox.ReadFile(s.state.Files, name, 1024); err == nil {
		if body, err := s.state.Unseal(nextFormat, name, data); err == nil {
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
func (s shelf) reserve(head *journal) (id string, log *state.Log, release func(), err error) {
	next, err := s.next()
	if err != nil {
		return "", nil, nil, err
	}
	id = strconv.Itoa(next)
	sealed, err := s.state.Seal(nextFormat, s.path(nextFile), []byte(strconv.Itoa(next+1)))
	if err == nil {
		err = s.state.Files.WriteFile(s.path(nextFile), sealed)
	}
	if err != nil {
		return "", nil, nil, err
	}
	// The slot begins at the item's own number, so that a later item does not take its lock.
	for head.Slot = next; ; head.Slot++ {
		if release, err = s.state.TryHold(s.lockOf(head.Slot)); err == nil {
			break
		}
		if !errors.Is(err, fault.Busy) || head.Slot == next+maxSlots {
			return "", nil, nil, err
		}
	}
	first, err := json.Marshal(head)
	if err == nil {
		if log, err = s.state.NewLog(journalFormat, s.path(id, journalFile)); err == nil {
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
func (s shelf) sweep(id string) {
	if s.state.Blank(s.path(id, journalFile)) {
		_ = s.state.Files.Remove(s.path(id, journalFile))
	}
	_ = s.state.Files.Remove(s.path(id)) // a full directory stays
}

// blob stores content in an item's directory, under its digest sum.
func (s shelf) blob(id, sum string, data []byte) error {
	if _, err := fs.Stat(s.state.Files, s.path(id, sum)); err == nil {
		return nil
	}
	return s.state.Files.WriteFile(s.path(id, sum), data)
}

// content returns the content with the digest sum from an item, after checking the digest.
func (s shelf) content(id, sum string) ([]byte, error) {
	data, err := sandbox.ReadFile(s.state.Files, s.path(id, sum), maxFile)
	if errors.Is(err, fs.ErrNotExist) || err == nil && digest(data) != sum {
		err = fault.New(fault.Conflict, "the content of item %s is missing or was changed after it was staged", id).
			Hinting("discard the item and let the worker stage it again")
	}
	return data, err
}

// remove deletes an item's directory. The file "item" is removed last, so that a removal
// that was stopped can be repeated.
func (s shelf) remove(id string) error {
	entries, err := fs.ReadDir(s.state.Files, s.path(id))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	order := func(e fs.DirEntry) int { return map[string]int{journalFile: 1, itemFile: 2}[e.Name()] }
	sorting.By(entries, func(a, b fs.DirEntry) int { return order(a) - order(b) })
	for _, e := range entries {
		if err := s.state.Files.Remove(s.path(id, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := s.state.Files.Remove(s.path(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// atMost is how long the end of an exchange waits for the lock of the store, and
// interrupted how long it waits after ctx has ended. An item that cannot be closed in
// this time stays as it would after a kill.
const (
	atMost      = 10 * time.Second
	interrupted = time.Second / 2
)

// lock locks the store against every other golem of the project.
func (s shelf) lock(ctx context.Context) (func(), error) {
	if !s.kept() {
		return nil, fault.New(fault.Platform, "golem cannot keep staged changes here").
			Hinting("run it where .golem can be written and GOLEM_HOME is set")
	}
	return s.state.Hold(ctx, s.dir())
}

// lockToClose takes the lock of the store at the end of an exchange, within these times.
func (s shelf) lockToClose(ctx context.Context) (func(), error) {
	wait, stop := context.WithTimeout(context.WithoutCancel(ctx), atMost)
	defer stop()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(interrupted, stop) })()
	return s.lock(wait)
}

func (s shelf) note(it Item) error {
	body, err := json.Marshal(note{it.ID, it.Type, it.State, it.Message, it.Target, it.Run, changesSum(it.Changes)})
	if err != nil {
		return err
	}
	name := path.Join(notesDir, it.ID)
	sealed, err := s.state.Seal(noteFormat, name, body)
	if err != nil {
		return err
	}
	return s.state.Files.WriteFile(name, sealed)
}
