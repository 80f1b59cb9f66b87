package conversation

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"strings"
	"sync"
	"time"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
)

// Journal writes a conversation while it happens. It gathers entries, and one write
// adds them before the next step depends on them. It is safe for concurrent use. A nil
// Journal keeps nothing. If something cannot be written, it reports that once, to its
// Keeper, and keeps nothing more; the run continues.
type Journal struct {
	ID string
	// KeepsFiles says that the content of files that calls change is kept beside the
	// conversation, because the files themselves end with the process. Set it before the first
	// entry.
	KeepsFiles bool

	keeper Keeper // nil: there are no secrets, and nobody is told of errors
	store  *state.Store
	from   *Origin // of a branch

	mu      sync.Mutex
	release func()
	log     *state.Log // nil: the file does not exist yet
	lines   [][]byte
	size    int
	files   int64 // bytes of the files that are kept
	ended   bool
	err     error // why it ended early
}

// Keeper is the run that a journal keeps.
type Keeper interface {
	Redact(line []byte) []byte    // removes secrets from valid JSON
	Beginning(text string) string // removes secrets from the beginning of a longer text, with an end that could be the beginning of one
	HasSecret(data []byte) bool   // reports whether a file's content has a secret that golem knows
	Now() time.Time
	Trouble(err error) // gets the first error
}

var format = state.Format{Kind: Kind, Version: Version}

// maxGathered is how many bytes of entries are gathered at most.
const maxGathered = 1 << 20

// fileOf returns the path of a conversation's file in .golem.
func fileOf(id string) string { return path.Join(Dir, id+".jsonl") }

// lockOf returns the name of a conversation's lock.
func lockOf(id string) string { return "conversation-" + id }

// hold locks a conversation against every other golem. It fails with E_BUSY if another
// one holds it.
func hold(s *state.Store, id string) (release func(), err error) {
	if release, err = s.TryHold(lockOf(id)); errors.Is(err, fault.Busy) {
		err = fault.New(fault.Busy, "the conversation %s is in use by another golem", id).Hinting("end the other run first, or go on with a copy: --at N")
	}
	return release, err
}

// validID returns E_NOT_FOUND if id cannot be the file name of a conversation.
func validID(id string) error {
	if id == "" || strings.ContainsAny(id, "/\\") || strings.HasPrefix(id, ".") || sandbox.Valid(id) != nil {
		return fault.New(fault.NotFound, "%q is not the name of a conversation", id).Hinting("golem conversations lists them")
	}
	return nil
}

// Start returns the journal of a new conversation with the name head.Run. Its file is
// created at the first write; then the oldest conversations beyond KeptCount are
// removed.
func Start(s *state.Store, k Keeper, head Entry) *Journal {
	j := &Journal{ID: head.Run, store: s, keeper: k, from: head.From}
	head.T = HeadEntry
	j.Add(head)
	return j
}

// create locks the conversation, removes the oldest ones and creates the file. The
// caller holds mu.
func (j *Journal) create() error {
	if err := validID(j.ID); err != nil {
		return err
	}
	release, err := hold(j.store, j.ID)
	if err != nil {
		return err
	}
	there := listed(j.store)
	sweep(j.store, there)
	prune(j.store, there, KeptCount-1)
	if j.log, err = j.store.NewLog(format, fileOf(j.ID)); err != nil {
		release()
		return err
	}
	j.release = release
	written(j.store, j.ID, j.from)
	return nil
}

// Add gathers an entry. Secrets in it are redacted as in the trace. An answer's calls
// whose arguments had a secret are listed in Redacted.
func (j *Journal) Add(e Entry) {
	if j == nil {
		return
	}
	if e.At == "" {
		e.At = j.now().UTC().Format(time.RFC3339)
	}
	line, err := json.Marshal(e)
	if err == nil && j.keeper != nil {
		line, err = j.redacted(e, line)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ended {
		return
	}
	if err != nil {
		j.fail(err)
		return
	}
	j.lines = append(j.lines, line)
	if j.size += len(line); j.size > maxGathered {
		if err := j.flush(); err != nil {
			j.fail(err)
		}
	}
}

func (j *Journal) now() time.Time {
	if j.keeper == nil {
		return time.Now()
	}
	return j.keeper.Now()
}

// Flush writes the gathered entries. Call it before a step that must not be lost.
func (j *Journal) Flush() {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.flush(); err != nil {
		j.fail(err)
	}
}

func (j *Journal) flush() error {
	if len(j.lines) == 0 || j.ended {
		return nil
	}
	lines := j.lines
	j.lines, j.size = nil, 0
	if j.log == nil {
		if err := j.create(); err != nil {
			return err
		}
	}
	return j.log.Append(lines...)
}

// sync returns an error if flushed lines cannot be written to the disk: in a page, a
// log gathers lines, so an error can come late.
func (j *Journal) sync() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.log == nil || j.ended {
		return nil
	}
	err := j.log.Sync()
	if err != nil {
		j.fail(err)
	}
	return err
}

// fail reports the error, and nothing more is kept. The caller holds mu.
func (j *Journal) fail(err error) {
	j.ended, j.err = true, err
	if j.keeper != nil {
		j.keeper.Trouble(err)
	}
}

// Close writes the gathered entries, unlocks the conversation and returns its name. If
// nothing was written before, there is no file, Close writes none, and the name is "".
func (j *Journal) Close() (id string) {
	if j == nil {
		return ""
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.release != nil {
		err := errors.Join(j.flush(), j.log.Close())
		if err != nil && !j.ended {
			j.fail(err)
		}
		j.ended = true
		_ = j.store.Last(Dir, state.Written{Name: j.ID}, nil) // an error costs only its place in the order
		j.release()
		j.release = nil
	}
	if j.log == nil {
		return ""
	}
	return j.ID
}

// Remove removes a conversation. It fails with E_BUSY if a golem uses it, and with
// E_NOT_FOUND if there is none.
func Remove(s *state.Store, id string) error {
	release, err := Hold(s, id)
	if err != nil {
		return err
	}
	defer release()
	if err = s.Files.Remove(fileOf(id)); errors.Is(err, fs.ErrNotExist) {
		err = fault.New(fault.NotFound, "there is no conversation %s", id).Hinting("golem conversations lists them")
	}
	if err == nil {
		removeContents(s, id)
	}
	return err
}

// Hold locks a conversation against every other golem. Call it before you read a
// conversation that you want to continue, and release when you are done, unless Resume
// takes it over. It fails with E_BUSY if a golem holds it.
func Hold(s *state.Store, id string) (release func(), err error) {
	if err := validID(id); err != nil {
		return nil, err
	}
	return hold(s, id)
}
