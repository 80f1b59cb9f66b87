package clearance

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
)

// batch collects the journal lines for one change of a run.
type batch struct {
	r     *Record
	id    string // the item that gets the lines
	lines []*recorded
}

// errOthers is the error of a batch whose change replaces content that somebody else has
// written after the run. The item does not have that content, so another item must begin.
var errOthers = errors.New("changed by somebody else")

// open finds the file of a change in the real files.
func (b *batch) open(c Change) (step, error) {
	if b.r.opened == nil {
		b.r.opened = map[string]sandbox.FS{}
	}
	st := step{Change: c, below: c.Path}
	err := openTrees{b.r.Store.Real, b.r.opened}.find(&st, c.Source)
	return st, err
}

// gather adds the lines for a change to the batch.
func (b *batch) gather(w sandbox.Write) error {
	at := b.r.changeAt(w.Mount, w.Name)
	switch w.Op {
	case sandbox.OpWrite:
		b.parents(at)
		return b.put(at, func() (string, error) { return digest(w.Data), nil })
	case sandbox.OpMkdir:
		return b.put(at, digestOfDirectory)
	case sandbox.OpRename:
		to := b.r.changeAt(w.ToMount, w.To)
		b.parents(to)
		return b.move(at, to)
	}
	return b.put(at, digestOfRemoved)
}

// parents adds lines for the missing directories that a write creates.
func (b *batch) parents(c Change) {
	for c.Path = path.Dir(c.Path); c.Path != "."; c.Path = path.Dir(c.Path) {
		st, err := b.open(c)
		if err != nil {
			return
		}
		if _, err := fs.Stat(st.fs, st.name); !errors.Is(err, fs.ErrNotExist) {
			return
		}
		_ = b.put(c, digestOfDirectory) // an error may be ignored: a directory has no old content to keep
	}
}

// put adds a line for a file; after returns the digest of its new content.
func (b *batch) put(c Change, after func() (string, error)) error {
	_, err := b.note(c, after)
	return err
}

// note adds a line for a file and returns it. If it is the run's first change of the file,
// note also keeps the old content.
func (b *batch) note(c Change, after func() (string, error)) (*recorded, error) {
	next, err := after()
	if err != nil {
		return nil, err
	}
	e := b.r.entries[c.Name()]
	switch {
	case e == nil:
		e = &recorded{Change: c}
		b.keepOld(e)
	case e.Lost:
		return e, nil
	case !b.asLeft(e):
		return nil, errOthers
	}
	now := *e
	now.Base = next
	b.lines = append(b.lines, &now)
	return &now, nil
}

// asLeft reports whether a file still has the content that the run gave it.
func (b *batch) asLeft(e *recorded) bool {
	st, err := b.open(e.Change)
	if err != nil {
		return false
	}
	now, err := digestAt(st.fs, st.name)
	return err == nil && now == e.Base
}

// keepOld stores the current content of a file in the item, before the run changes it.
func (b *batch) keepOld(e *recorded) {
	st, err := b.open(e.Change)
	var info fs.FileInfo
	if err == nil {
		info, err = fs.Stat(st.fs, st.name)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, sandbox.ErrNotDir):
		return
	case err != nil:
		b.lose(e, err)
		return
	}
	if err := sandbox.ValidNew(st.name); err != nil { // an undo could not write it
		b.lose(e, err)
		return
	}
	e.Perm = sandbox.PermOf(st.fs, st.name)
	if info.IsDir() {
		e.Digest = folder
		return
	}
	e.Size = info.Size()
	if e.Size > keptBytes-b.r.bytes || b.r.files >= keptFiles {
		b.lose(e, fault.New(fault.Limit, "one run keeps at most %d MB of old content, in %d files", keptBytes>>20, keptFiles))
		return
	}
	data, err := sandbox.ReadFile(st.fs, st.name, keptBytes)
	if err == nil {
		e.Digest, e.Size = digest(data), int64(len(data))
		err = b.r.Store.shelf().blob(b.r.id, e.Digest, data)
	}
	if err != nil {
		b.lose(e, err)
		return
	}
	b.r.bytes += e.Size
	b.r.files++
}

// lose marks a file whose old content is not kept, and tells the first one to
// Host.Trouble.
func (b *batch) lose(e *recorded, why error) {
	e.Lost = true
	if !b.r.told {
		b.r.told = true
		b.r.tell(fault.New(fault.Of(why, fault.Limit).Code, "golem undo will not be able to put %s back as it was: %s", e.Name(), fault.Of(why, fault.Limit).Message).
			Hinting("golem undo --list says how many files that is at the end"))
	}
}

// move adds lines for a file or directory that is moved, and for everything in it.
func (b *batch) move(from, to Change) error {
	st, err := b.open(from)
	if err != nil {
		return err
	}
	return fs.WalkDir(st.fs, st.name, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		old, next := from, to
		rest := strings.TrimPrefix(name, st.name)
		old.Path, next.Path = path.Join(from.Path, rest), path.Join(to.Path, rest)
		was, err := b.note(old, digestOfRemoved)
		if err != nil {
			return err
		}
		e, err := b.note(next, func() (string, error) {
			if d.IsDir() {
				return folder, nil
			}
			return digestAt(st.fs, name)
		})
		if err == nil && was.Lost {
			e.Lost = true // otherwise an undo would remove the only copy
		}
		return err
	})
}

// write appends the lines to the journal and then updates Record.entries.
func (b *batch) write() error {
	if len(b.lines) == 0 || b.r.log == nil {
		return nil
	}
	if err := b.append(); err != nil {
		return err
	}
	b.enter()
	return nil
}

// enter updates Record.entries, from which the item is made.
func (b *batch) enter() {
	if b.r.entries == nil {
		b.r.entries = map[string]*recorded{}
	}
	for _, e := range b.lines {
		b.r.entries[e.Name()] = e
	}
}

func (b *batch) append() error {
	var lines [][]byte
	for _, e := range b.lines {
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		lines = append(lines, line)
	}
	err := b.r.log.Append(lines...)
	if err != nil {
		_ = b.r.log.Close()
		b.r.log = nil // the next change opens it again
	}
	return err
}

// failed corrects the journal after a change that failed: it appends lines with the
// content that the files have now. A file whose old content was not kept, and is still
// there, counts as not touched.
func (b *batch) failed() {
	b.r.mu.Lock()
	defer b.r.mu.Unlock()
	if b.id != b.r.id {
		return // its item was closed meanwhile
	}
	var untouched []string
	for n, e := range b.lines {
		st, err := b.open(e.Change)
		now := *e
		if err == nil {
			now.Base, err = digestAt(st.fs, st.name)
		}
		if err != nil {
			continue
		}
		if now.Lost && now.Digest != "" && now.Base == now.Digest {
			now.Lost = false
			untouched = append(untouched, now.Name())
		}
		b.lines[n] = &now
	}
	if b.r.log != nil {
		_ = b.append() // if this fails and golem is killed, closing the item looks at the files
	}
	b.enter()
	for _, name := range untouched {
		delete(b.r.entries, name) // its next change tries to keep it again
	}
}
