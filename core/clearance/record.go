package clearance

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sorting"
	"golem/core/state"
)

// Record is the recorder of one run's direct writes: it keeps the content that they
// replace, so that a person can undo the run. It writes each change to the journal of an
// item before the file is changed. It is safe for concurrent use. Without a store it
// keeps nothing.
type Record struct {
	Store  *Store // a store with Undo
	Run    string
	Worker string // the root worker
	Root   string // source of the project's root, see sandbox.SourceOf
	Host   Host   // nil: nobody is told of troubles, and waits do not end

	mu      sync.Mutex
	entries map[string]*recorded // by Change.Name
	blind   []string
	opened  map[string]sandbox.FS
	bytes   int64
	files   int
	told    bool // Trouble was told of a file that was not kept
	off     bool // nothing can be kept
	parts   parts

	id      string // the run's item; "": none yet
	slot    int
	begun   time.Time
	log     *state.Log // nil: it is not open
	release func()
}

// parts are the items of a run before its current one.
type parts struct {
	next bool     // the next change begins a new item
	ids  []string // of those before it
}

// recorded is a line of the journal: a file with its old content (Digest) and the content
// that the run gave it (Base).
type recorded struct {
	Change
	Lost bool   `json:"lost,omitempty"` // its old content was not kept
	Tool string `json:"tool,omitempty"` // instead of a file: a tool that golem cannot see write
}

// replay applies a line of a journal to an item. last has the last change of each file.
func (i *Item) replay(last map[string]Change, r recorded) {
	name := r.Name()
	switch {
	case r.Tool != "":
		i.Blind = append(i.Blind, r.Tool)
	case r.Lost:
		if i.lost[name] == nil {
			i.Lost = append(i.Lost, name)
		}
		i.lost[name] = &r.Change
		delete(last, name)
	default: // also after a change of a lost file that failed
		i.Lost = slices.DeleteFunc(i.Lost, func(n string) bool { return n == name })
		delete(i.lost, name)
		last[name] = r.Change
		i.had[name] = append(i.had[name], r.Base)
	}
}

// Before records a change before it is made. It is the function for
// sandbox.ViewSpec.Record.
func (r *Record) Before(w sandbox.Write) (failed func(), err error) {
	if !r.Store.Kept() {
		return nil, nil
	}
	failed, err = r.note(w, false)
	if errors.Is(err, errOthers) {
		failed, err = r.note(w, true)
	}
	return failed, err
}

func (r *Record) note(w sandbox.Write, apart bool) (failed func(), err error) {
	r.mu.Lock()
	if r.parts.next && r.log == nil {
		if r.id != "" {
			r.parts.ids = append(r.parts.ids, r.id)
		}
		r.id, r.entries, r.parts.next = "", nil, false
	}
	r.mu.Unlock()
	unlock, err := r.begin(apart)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if r.off {
		return nil, nil
	}
	b := batch{r: r, id: r.id}
	err = b.gather(w)
	if err == nil {
		err = b.write()
	}
	if errors.Is(err, fs.ErrNotExist) && len(b.lines) == 0 {
		err = nil // the change itself will return this error
	}
	return b.failed, err
}

// digestOfRemoved and digestOfDirectory return the new digest of a file that is removed and of a directory that
// is created.
func digestOfRemoved() (string, error)   { return "", nil }
func digestOfDirectory() (string, error) { return folder, nil }

// Blind records the name of a tool that can write files without golem seeing which.
func (r *Record) Blind(tool string) {
	r.mu.Lock()
	if slices.Contains(r.blind, tool) {
		r.mu.Unlock()
		return
	}
	r.blind = append(r.blind, tool)
	closed := r.id != "" && r.log == nil
	if r.log != nil {
		_ = r.blindLines(tool) // Close writes the tools too
	}
	r.mu.Unlock()
	if !closed {
		return // without an item of the run there is nothing to undo
	}
	if unlock, err := r.begin(false); err == nil {
		unlock()
	}
}

// blindLines appends a line for each tool to the journal. The caller holds mu.
func (r *Record) blindLines(tools ...string) error {
	if len(tools) == 0 {
		return nil
	}
	b := batch{r: r}
	for _, tool := range tools {
		b.lines = append(b.lines, &recorded{Tool: tool})
	}
	return b.append()
}

// changeAt returns the place of a file as a Change: in the project, or in a mounted directory
// outside it.
func (r *Record) changeAt(mount, source string) Change {
	if tree, below := placeIn(r.Root, source); tree == "." {
		return Change{Source: ".", Path: below}
	}
	if below, ok := strings.CutPrefix(source, strings.TrimSuffix(mount, "/")+"/"); ok {
		return Change{Source: mount, Path: below}
	}
	return Change{Source: path.Dir(source), Path: path.Base(source)}
}

func (r *Record) tell(f *fault.Fault) {
	if r.Host != nil {
		r.Host.Trouble(f)
	}
}

// begin locks mu and makes sure that an item of the run is open; with apart, a new one. If
// none can be opened and the run had none before, nothing of the run is kept, and Trouble
// is told; otherwise begin returns the error. It does not hold mu while it waits for the
// lock of the store, which another golem may have.
func (r *Record) begin(apart bool) (unlock func(), err error) {
	r.mu.Lock()
	if r.off || r.log != nil && !apart {
		return r.mu.Unlock, nil
	}
	r.mu.Unlock()
	ctx := alive(r.Host)
	release, err := r.Store.shelf().lock(ctx)
	if err == nil {
		defer release()
	}
	r.mu.Lock()
	if err == nil {
		err = r.open(apart)
	}
	switch {
	case err == nil || r.off:
	case apart || r.id != "" && r.release != nil || ctx.Err() != nil: // an item that exists must stay complete
		r.mu.Unlock()
		return nil, err
	default:
		r.off = true
		r.tell(fault.New(fault.Of(err, fault.Config).Code, "what this run writes cannot be undone: %s", fault.Of(err, fault.Config).Message))
	}
	return r.mu.Unlock, nil
}

// open opens the run's item, or with apart a new one, which keeps content that somebody
// else has written over the run's changes. The limits apply to both items together. The
// caller holds mu and the lock of the store.
func (r *Record) open(apart bool) error {
	if apart {
		if err := r.close(nil); err != nil {
			return err
		}
		r.id, r.entries = "", nil
	}
	err := r.goOn()
	if err == nil && r.log == nil {
		err = r.newItem()
	}
	return err
}

// goOn opens the run's item again if an earlier exchange has closed it, or if its journal
// was closed because it could not be written.
func (r *Record) goOn() error {
	if r.id == "" || r.log != nil {
		return nil
	}
	it, err := r.Store.shelf().load(r.id)
	if err == nil && it.Err == nil && (it.State == Pending || it.State == Open) {
		if r.release == nil {
			if r.release, err = r.Store.State.TryHold(r.Store.shelf().lockOf(r.slot)); err != nil {
				return r.forget(it, nil) // another golem has its lock
			}
		}
		record, err := r.Store.State.ReadLog(journalFormat, r.Store.shelf().path(r.id, journalFile))
		if err == nil && it.State == Pending {
			err = r.Store.State.Files.Remove(r.Store.shelf().path(r.id, itemFile))
		}
		if err == nil {
			r.log, err = r.Store.State.Reopen(journalFormat, r.Store.shelf().path(r.id, journalFile), record)
		}
		if err == nil {
			err = r.blindLines(slices.DeleteFunc(slices.Clone(r.blind), func(tool string) bool { return slices.Contains(it.Blind, tool) })...)
		}
		return err
	}
	return r.forget(it, err)
}

// forget makes the run begin a new item, because its item was undone, no longer exists or
// is in use by another golem.
func (r *Record) forget(it Item, err error) error {
	if r.release != nil {
		r.release()
	}
	if err == nil && it.State == Undone {
		err = r.Store.shelf().remove(it.ID) // a redo would no longer fit, because the run writes again
	}
	r.id, r.entries, r.bytes, r.files, r.release = "", nil, 0, 0, nil
	return err
}

// newItem begins a new item.
func (r *Record) newItem() (err error) {
	r.Store.prune(r.Run)
	r.begun = r.Store.now()
	head := journal{Run: r.Run, Worker: r.Worker, Created: r.begun}
	if r.id, r.log, r.release, err = r.Store.shelf().reserve(&head); err != nil {
		return err
	}
	r.slot = head.Slot
	return r.blindLines(r.blind...)
}

// Close closes the item at the end of an exchange, so that it can be undone. It waits at
// most atMost for another golem, and less if ctx has ended.
func (r *Record) Close(ctx context.Context) error {
	r.mu.Lock()
	open := r.release != nil
	r.mu.Unlock()
	if !open {
		return nil
	}
	release, busy := r.Store.shelf().lockToClose(ctx)
	if busy == nil {
		defer release()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.close(busy)
}

// Next makes the next change begin a new item, so that each exchange can be undone by
// itself. Call it after Close.
func (r *Record) Next() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.parts.next = true
}

// Items returns the items of the run, the oldest first.
func (r *Record) Items() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := slices.Clone(r.parts.ids)
	if r.id != "" {
		out = append(out, r.id)
	}
	return out
}

// close closes the item. busy is the error of taking the lock of the store: if it is not
// nil, close leaves the item open and returns it.
func (r *Record) close(busy error) error {
	if r.release == nil {
		return nil
	}
	defer func() { r.release(); r.release = nil }()
	err := busy
	if r.log != nil { // the next change opens it again, with the item's lock
		err = errors.Join(busy, r.log.Close())
		r.log = nil
	}
	if err != nil {
		return err
	}
	it := Item{ID: r.id, Type: Replaced, State: Pending, Run: r.Run, Worker: r.Worker, Created: r.begun, Blind: r.blind}
	for _, e := range r.entries {
		switch {
		case e.Lost:
			it.Lost = append(it.Lost, e.Name())
		case e.Digest != e.Base:
			it.Changes = append(it.Changes, e.Change)
		}
	}
	sorting.By(it.Changes, inOrder)
	slices.Sort(it.Lost)
	it.Message = describe(it.Changes)
	if len(it.Changes)+len(it.Lost) == 0 {
		id := r.id
		r.id, r.entries, r.bytes, r.files = "", nil, 0, 0
		return r.Store.shelf().remove(id)
	}
	return r.Store.shelf().put(it)
}
