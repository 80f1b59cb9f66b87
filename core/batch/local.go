package batch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"slices"
	"sync"

	"golem/core/fault"
	"golem/core/state"
	"golem/core/trace"
)

// Head describes a batch. Its file is batch.json.
type Head struct {
	Golem string `json:"golem"` // "batch"
	V     int    `json:"v"`
	Name  string `json:"name"`
	// Pack is the digest of the packed project, which identifies it, and Project its name.
	Pack    string `json:"pack"`
	Project string `json:"project"`
	Entry   string `json:"entry,omitempty"` // --entry
	Key     string `json:"key,omitempty"`   // --key
	Inputs  string `json:"inputs"`          // the path of the inputs; "-": standard input
	Out     string `json:"out"`             // the directory of the outputs
	// Place is the directory of the project, if it has one.
	Place string `json:"place,omitempty"`
	// OutChosen says that the person chose Out: another one is E_CONFLICT. Otherwise a batch goes
	// on where it began.
	OutChosen bool   `json:"-"`
	Begun     string `json:"begun"`           // RFC 3339
	Items     string `json:"items,omitempty"` // the file with the items
	Next      int    `json:"next"`            // Item.N of the next new item
}

// Version is that of the files of a batch.
const Version = 1

const headFile = "batch.json"

// segmentItems is how many items share the files of a segment.
const segmentItems = 1000

// Local is the Queue on the files of one machine: those of a state.Store, whose directory is
// the batch's. One process has it at a time.
type Local struct {
	Head  Head
	store *state.Store

	mu       sync.Mutex
	lock     io.Closer // of the process that runs the batch; nil: it is only read
	entries  []entry
	byN      map[int]int // index in entries
	waiting  []int       // indexes of open items that nobody holds
	held     int         // items with a holder
	alone    bool        // the item that was given last runs alone
	segments map[int]*segment
	answers  []Answer
	answered int64              // bytes of the answers' file that were read
	kept     map[string]fs.File // open files that are read several times; nil: none is kept
}

var _ Queue = (*Local)(nil)

// entry is what is known of an item without reading its files.
type entry struct {
	n        int
	key      string
	status   Status
	attempts int
	barren   int // holders in a row that appended nothing and did not give it back
	failures int // how often it failed and was given back with Retry
	held     bool
	question string // Question.Key of a parked item
	item     span   // in the file of items
	mark     span   // of its last mark, in the segment
	log      []span // of its log
	lines    int
	blobs    map[string]span
	spent    *trace.Usage // by the attempts before the item was opened again
}

// OpenLocal opens the batch of a store to run it. If there is none, it begins one. A batch of
// that name with another pack, worker or key is E_CONFLICT; one that another process runs,
// E_BUSY. The caller closes it.
func OpenLocal(s *state.Store, h Head) (*Local, error) {
	release, err := takeBatch(s, h.Name)
	if err != nil {
		return nil, err
	}
	l := &Local{Head: h, store: s, lock: closing(release), segments: map[int]*segment{}}
	l.Head.Golem, l.Head.V = "batch", Version
	if err = l.begin(h); err == nil {
		err = l.load()
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// ReadLocal reads the batch of a store, which another process may run meanwhile. Nothing of it
// can be changed.
func ReadLocal(s *state.Store) (*Local, error) {
	l := &Local{store: s, segments: map[int]*segment{}}
	var err error
	if l.Head, err = readHead(s); err != nil {
		return nil, err
	}
	return l, l.load()
}

func readHead(s *state.Store) (h Head, err error) {
	data, err := fs.ReadFile(s.Files, headFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return h, noBatch()
	case err != nil:
		return h, err
	case json.Unmarshal(data, &h) != nil || h.Golem != "batch" || h.V < 1:
		return h, fault.New(fault.Config, "%s of the batch is damaged", headFile).Hinting("remove the directory of the batch, and run it anew")
	case h.V > Version:
		return h, fault.New(fault.Config, "the batch was made by a newer golem").Hinting("use a newer golem; nothing was changed")
	}
	return h, nil
}

// begin reads the head of the batch, or writes it.
func (l *Local) begin(h Head) error {
	old, err := readHead(l.store)
	if errors.Is(err, fault.NotFound) {
		if err := clearRest(l.store); err != nil { // of a batch that was removed
			return err
		}
		return l.writeHead()
	}
	if err != nil {
		return err
	}
	differs := ""
	switch {
	case old.Pack != h.Pack:
		differs = "another content of the project"
	case old.Entry != h.Entry:
		differs = "another --entry"
	case old.Key != h.Key:
		differs = "another --key"
	case old.Out != h.Out && h.OutChosen:
		differs = "another --out, " + old.Out
	}
	if differs != "" {
		return fault.New(fault.Conflict, "the batch %s has %s: it began on %s", h.Name, differs, old.Begun).
			Hinting("start another batch with --name, or go on with what it began with: golem batch attach %s", h.Name).InPage("", "start another batch with another name")
	}
	old.Inputs, old.Place = h.Inputs, h.Place
	l.Head = old
	return nil
}

func (l *Local) writeHead() error {
	data, err := json.Marshal(l.Head)
	if err != nil {
		return err
	}
	return l.store.Files.WriteFile(headFile, append(data, '\n'))
}

// load reads how far the items are.
func (l *Local) load() error {
	l.entries, l.byN, l.waiting, l.held, l.alone = nil, map[int]int{}, nil, 0, false
	if l.Head.Items == "" {
		return nil
	}
	err := l.eachLine(l.Head.Items, func(at span, line []byte) error {
		var i Item
		if json.Unmarshal(line, &i) != nil {
			return fault.New(fault.Config, "the file of the batch's items is damaged").Hinting("run the batch anew under another --name")
		}
		if i.Gone {
			return nil
		}
		l.byN[i.N] = len(l.entries)
		l.entries = append(l.entries, entry{n: i.N, key: i.Key, status: Open, item: at})
		return nil
	})
	if err != nil {
		return err
	}
	for number := range segmentsOf(l.Head) {
		if err := l.loadSegment(number); err != nil {
			return err
		}
	}
	if err := readAnswers(l); err != nil {
		return err
	}
	l.waiting = nil
	for _, barren := range []bool{false, true} { // what golem ended on comes last, so that it stops nothing else
		for i := range l.entries {
			if e := &l.entries[i]; e.status == Open && (e.barren > 0) == barren {
				l.waiting = append(l.waiting, i)
			}
		}
	}
	return nil
}

// eachLine calls do with the complete lines of a file, and where they are. A file that is not there
// has none.
func (l *Local) eachLine(name string, do func(at span, line []byte) error) error {
	f, err := l.store.Files.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	r, at := bufio.NewReaderSize(f, 256<<10), int64(0)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil { // the last line is not complete, or there is none
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if err := do(span{at, len(line)}, line); err != nil {
				return err
			}
		}
		at += int64(len(line))
	}
}

// lockName is the lock of the process that runs the batch.
const lockName = "batch"

// Held reports whether a process runs the batch.
func (l *Local) Held() bool { return l.store.Held(lockName) }

// Close ends the use of the batch. Items that are held stay open.
func (l *Local) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.segments {
		s.close()
	}
	clear(l.segments)
	if l.lock != nil {
		_ = l.lock.Close() // it cannot fail
		l.lock = nil
	}
}

// closing is an io.Closer that calls a function.
type closing func()

// Close calls the function.
func (c closing) Close() error {
	c()
	return nil
}

// Lease implements Queue.
func (l *Local) Lease(_ context.Context, worker string) (*Lease, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		i, found := nextWaiting(l)
		if !found {
			return nil, nil
		}
		e := &l.entries[i]
		item, err := l.item(e)
		if err != nil {
			return nil, err
		}
		if e.barren >= mostBarren {
			why := fault.New(fault.Interrupted, "golem ended %d times in a row while it worked on this item, before anything new was kept", e.barren).
				Hinting("look at the input, then golem batch retry %s", l.Head.Name)
			if err := l.end(i, Result{Item: e.key, Status: Failed, Error: why, Attempt: e.attempts}); err != nil {
				return nil, err
			}
			continue
		}
		log, err := l.log(e)
		if err != nil {
			return nil, err
		}
		e.attempts++
		if err := l.append(e, record{N: e.n, Lease: e.attempts, Worker: worker}); err != nil {
			return nil, err
		}
		l.alone = suspect(e)
		setHeld(l, e, true)
		e.barren++
		return &Lease{Item: item, Attempt: e.attempts, Failures: e.failures, Log: log, Holder: &localHolder{l, i, e.attempts}}, nil
	}
}

// mostBarren is how many holders in a row an item has that append nothing, before it fails.
const mostBarren = 3

// suspect reports whether an item runs alone: if golem ends on it once more it fails, and only
// what it does itself may count against it.
func suspect(e *entry) bool { return e.barren == mostBarren-1 }

// nextWaiting removes the next item that can run from those that wait. The caller holds mu.
func nextWaiting(l *Local) (index int, found bool) {
	if l.alone && l.held > 0 {
		return 0, false
	}
	for n := 0; n < len(l.waiting); {
		i := l.waiting[n]
		e := &l.entries[i]
		gone := e.status != Open || e.held
		if !gone && suspect(e) && l.held > 0 {
			n++
			continue
		}
		if n == 0 {
			l.waiting = l.waiting[1:]
		} else {
			l.waiting = slices.Delete(l.waiting, n, n+1)
		}
		if !gone {
			return i, true
		}
	}
	return 0, false
}

// setHeld notes whether an item has a holder. The caller holds mu.
func setHeld(l *Local, e *entry, held bool) {
	if e.held == held {
		return
	}
	if e.held = held; held {
		l.held++
	} else {
		l.held--
	}
}

// item reads an item.
func (l *Local) item(e *entry) (i Item, err error) {
	data, err := l.read(l.Head.Items, e.item)
	if err == nil {
		err = json.Unmarshal(data, &i)
	}
	return i, err
}

// Answers implements Queue.
func (l *Local) Answers(context.Context) ([]Answer, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.answers, nil
}
