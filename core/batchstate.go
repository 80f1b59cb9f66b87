package core

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"

	"golem/core/batch"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/options"
	"golem/core/sandbox"
	"golem/core/state"
)

// atomicValue is a value that several goroutines set and get.
type atomicValue[T any] struct {
	mu    sync.Mutex
	value T
}

func (a *atomicValue[T]) set(v T) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.value = v
}

func (a *atomicValue[T]) get() T {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.value
}

// itemBatch is what items know of their batch.
type itemBatch struct {
	name    string
	host    state.Host
	doubt   string // see BatchSetup.Doubt
	staging BatchStaging
}

// itemState is what an item has beside its input: its files, over those of the pack, and the
// files that golem keeps of its conversation. Both are in memory; the item's log has each line
// of the conversation, and its blobs the contents of the files that calls changed, so that
// another process can go on.
type itemState struct {
	ctx     context.Context
	stop    batch.Canceller
	of      itemBatch
	lease   *batch.Lease
	base    sandbox.FS // the files of the pack
	files   sandbox.FS
	kept    sandbox.FS // as .golem
	id      string     // of the conversation
	resumes bool
	anew    string // why the item begins anew, although its log has a conversation; "": it does not
	before  int    // lines with which a conversation before got further, which are no progress now

	mu       sync.Mutex
	known    int          // lines of the log
	gathered []batch.Line // that are not in the log yet
	failed   error        // why nothing more is kept
}

func newItemState(ctx context.Context, stop batch.Canceller, of itemBatch, l *batch.Lease, base sandbox.FS) *itemState {
	return &itemState{
		ctx: ctx, stop: stop, of: of, lease: l, base: base, files: sandbox.Overlay(base), kept: sandbox.Memory(), id: itemID(l),
	}
}

// itemLine is a line of an item's log: what a conversation's file got.
type itemLine struct {
	MAC  string          `json:"mac"` // hex, of Body under the item's identity
	Body json.RawMessage `json:"body"`
}

type itemBody struct {
	At   int    `json:"at"` // the number of the line
	File string `json:"file"`
	Text string `json:"text"`
}

var itemFormat = state.Format{Kind: "batch-line", Version: 1}

// store returns the store of the item's conversation.
func (s *itemState) store() state.Store {
	return state.Store{Files: s.kept, Project: state.ItemIdentity(s.of.name, s.lease.Item.Dir()), Host: itemHost{s}}
}

// restore brings the item's conversation to where the log ends, with the contents of the files
// that its calls changed.
func (s *itemState) restore() error {
	store, texts, last := s.store(), map[string][]byte{}, ""
	further := map[string]int{}
	for n, line := range s.lease.Log {
		var l itemLine
		var b itemBody
		err := json.Unmarshal(line, &l)
		if err == nil {
			err = s.genuine(&store, l)
		}
		if err == nil {
			err = json.Unmarshal(l.Body, &b)
		}
		if err != nil || b.At != n {
			return errors.Join(err, fault.New(fault.Trust, "the log of the item is not what golem wrote on this machine").Hinting("golem batch retry runs the item anew"))
		}
		texts[b.File], last = append(texts[b.File], b.Text...), b.File
		if _, progress := effectAndProgress([]byte(b.Text)); progress {
			further[b.File]++
		}
	}
	s.known = len(s.lease.Log)
	if last == "" {
		return nil
	}
	if err := s.kept.WriteFile(last, texts[last]); err != nil {
		return err
	}
	id, ok := strings.CutSuffix(path.Base(last), ".jsonl")
	if !ok {
		return nil
	}
	k, err := conversation.Read(&store, id)
	if err != nil || k.Err != nil || k.Messages() == 0 {
		return nil // it begins anew
	}
	why := k.NotKept()
	switch {
	case (why != nil || k.ArgsNotKept()) && (k.Repeatable() || s.of.doubt == options.DoubtRepeat):
		s.anew = "what it had written, or the arguments of a call, has a secret"
		if why != nil {
			s.anew = why.Message
		}
		for _, n := range further {
			s.before = max(s.before, n)
		}
		return s.kept.Remove(last)
	case why != nil:
		return fault.New(fault.Conflict, "golem cannot go on with the item: %s; and it does not begin anew by itself, because calls of the item reached further than its files", why.Message).
			Hinting("golem batch retry %s runs it anew, and --doubt repeat always does", s.of.name)
	}
	s.id, s.resumes = id, true
	return s.fetch(k.Files())
}

// fetch puts the contents of changed files beside the conversation.
func (s *itemState) fetch(changes []conversation.Change) error {
	for _, c := range changes {
		if c.SHA256 == "" || c.Left != "" {
			continue
		}
		data, err := s.lease.Blob(s.ctx, c.SHA256)
		if err == nil {
			err = s.kept.WriteFile(conversation.ContentFile(s.id, c), data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// genuine returns E_TRUST for a line that golem did not write for this item.
func (s *itemState) genuine(store *state.Store, l itemLine) error {
	want, err := store.Sum(itemFormat, "log", l.Body)
	if err == nil && hex.EncodeToString(want) != l.MAC {
		err = fault.New(fault.Trust, "a line has another MAC")
	}
	return err
}

// putBlobs puts the contents of the files that lines of the conversation name into blobs, before
// the lines are appended. The caller holds mu.
func (s *itemState) putBlobs(text []byte) error {
	for line := range bytes.Lines(text) {
		var l struct{ Line conversation.Entry }
		if !bytes.Contains(line, []byte(`"changed"`)) || json.Unmarshal(line, &l) != nil {
			continue
		}
		for _, c := range l.Line.Changed {
			if c.SHA256 == "" || c.Left != "" {
				continue
			}
			name := conversation.ContentFile(s.id, c)
			data, err := fs.ReadFile(s.kept, name)
			if errors.Is(err, fs.ErrNotExist) {
				continue // it is a blob already
			}
			if err == nil {
				_, err = s.lease.PutBlob(context.WithoutCancel(s.ctx), data)
			}
			if err == nil {
				err = s.kept.Remove(name)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// append adds to the item's log what a file of the conversation gets. Lines that are nothing
// without an answer or a call wait for the next one that is.
func (s *itemState) append(file string, text []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return s.failed
	}
	err := s.putBlobs(text)
	var line batch.Line
	if err == nil {
		line, err = s.sealed(itemBody{At: s.known + len(s.gathered), File: file, Text: string(text)})
	}
	if err == nil {
		s.gathered = append(s.gathered, line)
		effect, progress := effectAndProgress(text)
		if progress && s.before > 0 {
			s.before--
			effect, progress = true, false
		}
		switch {
		case progress:
			err = s.lease.Append(context.WithoutCancel(s.ctx), s.known, s.gathered...)
		case effect:
			err = s.lease.Note(context.WithoutCancel(s.ctx), s.known, s.gathered...)
		default:
			return nil
		}
	}
	if err != nil {
		s.failed = err
		s.stop.Cancel(err)
		return err
	}
	s.known, s.gathered = s.known+len(s.gathered), nil
	return nil
}

// sealed returns a line of the item's log.
func (s *itemState) sealed(b itemBody) (batch.Line, error) {
	var l itemLine
	var err error
	if l.Body, err = json.Marshal(b); err != nil {
		return nil, err
	}
	store := s.store()
	mac, err := store.Sum(itemFormat, "log", l.Body)
	if err != nil {
		return nil, err
	}
	l.MAC = hex.EncodeToString(mac)
	return json.Marshal(l)
}

// effectAndProgress reports whether lines of a conversation must be in the item's log before golem goes on
// (effect), and whether with them the item got further than the process before (progress).
func effectAndProgress(text []byte) (effect, progress bool) {
	for line := range bytes.Lines(text) {
		var l struct {
			Line struct{ T string }
		}
		if json.Unmarshal(line, &l) != nil {
			continue
		}
		switch l.Line.T {
		case conversation.AnswerEntry, conversation.CodeEntry, conversation.CompactEntry, conversation.EndEntry:
			return true, true
		case conversation.StartEntry, conversation.LostEntry:
			effect = true
		}
	}
	return effect, false
}

// err returns why nothing more could be kept; nil: all is kept.
func (s *itemState) err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// write writes the files that the item changed to its directory of the outputs, and returns
// their names. What it changed in staged mounts is returned instead.
func (s *itemState) write(out sandbox.FS) (names []string, staged []batch.Change, err error) {
	dir := s.lease.Item.Dir()
	if err := sandbox.Carry(out, dir, true, nil); err != nil {
		return nil, nil, err
	}
	for _, c := range sandbox.ChangedIn(s.files) {
		waits := s.of.staging.contains(c.Name)
		if c.Removed && !waits {
			continue
		}
		change := batch.Change{Name: c.Name, Removed: c.Removed}
		if !c.Removed {
			if change.Data, err = fs.ReadFile(s.files, c.Name); err != nil {
				return nil, nil, err
			}
			if old, err := fs.ReadFile(s.base, c.Name); err == nil && bytes.Equal(old, change.Data) {
				continue
			}
		}
		if waits {
			staged = append(staged, change)
			continue
		}
		if err := out.WriteFile(path.Join(dir, c.Name), change.Data); err != nil {
			return nil, nil, err
		}
		names = append(names, c.Name)
	}
	return names, staged, nil
}

// itemHost is the host of an item's store. Nobody else uses the store, so locks are free.
type itemHost struct{ of *itemState }

var _ state.Host = itemHost{}

// Key returns the key of the machine.
func (h itemHost) Key() ([]byte, error) { return h.of.of.host.Key() }

// Lock returns at once.
func (itemHost) Lock(context.Context, string) (release func(), err error) { return func() {}, nil }

// Held returns false.
func (itemHost) Held(string) bool { return false }

// Append opens a file in memory. What is written to that of the conversation goes to the item's
// log first.
func (h itemHost) Append(name string) (io.WriteCloser, error) {
	w, err := state.Whole(h.of.kept, name)
	if err != nil || path.Dir(name) != conversation.Dir {
		return w, err
	}
	return &itemFile{w, h.of, name}, nil
}

// itemFile is the open file of an item's conversation.
type itemFile struct {
	io.WriteCloser
	of   *itemState
	name string
}

// Write appends to the item's log and to the file.
func (f *itemFile) Write(data []byte) (int, error) {
	if err := f.of.append(f.name, data); err != nil {
		return 0, err
	}
	return f.WriteCloser.Write(data)
}

// itemID returns the name of an item's run and conversation.
func itemID(l *batch.Lease) string { return fmt.Sprintf("%s.%d", l.Item.Dir(), cmp.Or(l.Attempt, 1)) }
