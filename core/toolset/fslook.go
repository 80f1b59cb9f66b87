package toolset

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync"

	"golem/core/fault"
	"golem/core/sandbox"
)

// looks remembers what the previews of calls saw, so that a call can compare
// when it runs. The zero value is empty and ready; it may be used from several
// goroutines.
type looks struct {
	mu    sync.Mutex
	seen  map[string]string // call id → mark of the file
	order []string          // ids, oldest first
}

// maxLooks bounds what is remembered of calls that were denied and thus never
// made. It is far above what one worker can have under way at once.
const maxLooks = 1024

// keep remembers a call's mark in place of an earlier one.
func (l *looks) keep(id, mark string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen == nil {
		l.seen = map[string]string{}
	}
	if _, again := l.seen[id]; !again {
		l.order = append(l.order, id)
	}
	l.seen[id] = mark
	if len(l.order) > maxLooks {
		delete(l.seen, l.order[0])
		l.order = slices.Delete(l.order, 0, 1)
	}
}

// take returns a call's mark and forgets it.
func (l *looks) take(id string) (mark string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if mark, ok = l.seen[id]; ok {
		delete(l.seen, id)
		l.order = slices.DeleteFunc(l.order, func(o string) bool { return o == id })
	}
	return mark, ok
}

// unchanged compares a mark with what the call's preview saw; a call that had
// none is its own first look.
func (f *files) unchanged(id, name, mark string) error {
	if saw, ok := f.looks.take(id); ok && saw != mark {
		return fault.New(fault.Conflict, "%s changed while the call waited for approval; nothing was written", sandbox.Abs(name)).
			Hinting("read the file again and repeat the call")
	}
	return nil
}

// place is what is at a path: nothing, a directory or a file.
type place struct {
	info   fs.FileInfo // nil: nothing is there
	data   []byte      // of a file of at most maxFile bytes
	digest string      // of data, hex
}

func (p place) isDir() bool { return p.info != nil && p.info.IsDir() }

// mark is equal as long as nothing changes at the place.
func (p place) mark() string {
	switch {
	case p.info == nil:
		return ""
	case p.isDir():
		return "directory"
	case p.digest == "":
		return fmt.Sprint(p.info.Size(), " ", p.info.ModTime().UnixNano())
	}
	return p.digest
}

// look tells what is at a path. Nothing there is no error, and neither is a
// file too large to be held. A path below a file is one.
func (f *files) look(name string) (p place, err error) {
	info, err := fs.Stat(f.fs, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p, nil
	case errors.Is(err, sandbox.ErrNotDir):
		return p, isFile(f.fileAbove(name))
	case err != nil:
		return p, explain(err)
	}
	p.info = info
	if info.IsDir() || info.Size() > maxFile {
		return p, nil
	}
	p.data, err = sandbox.ReadFile(f.fs, name, maxFile)
	if err != nil {
		return p, explain(err)
	}
	p.digest = digestOf(p.data)
	return p, nil
}

// fileAbove is the file that a name is below: nothing can ever be there.
func (f *files) fileAbove(name string) string {
	for at := path.Dir(name); at != "."; at = path.Dir(at) {
		if info, err := fs.Stat(f.fs, at); err == nil && !info.IsDir() {
			return at
		}
	}
	return name
}

// current is a file's content and digest; neither if it does not exist.
func (f *files) current(name string) (data []byte, digest string, err error) {
	p, err := f.look(name)
	switch {
	case err != nil:
		return nil, "", err
	case p.isDir():
		return nil, "", fault.New(fault.Tool, "%s is a directory", sandbox.Abs(name)).Hinting("list_files shows what is in it")
	case p.info != nil && p.digest == "":
		return nil, "", fault.New(fault.Limit, "%s has %d bytes; only files of at most %d bytes can be changed", sandbox.Abs(name), p.info.Size(), maxFile).
			Hinting("write to another file, or delete this one first")
	}
	return p.data, p.digest, nil
}

func missing(name, remedy string) error {
	return fault.New(fault.NotFound, "there is no %s", sandbox.Abs(name)).Hinting("%s", remedy)
}
