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

// looks keeps what the previews of calls saw, so that a call can find out whether a file
// changed since its preview. The zero value is ready for use and safe for concurrent use.
type looks struct {
	mu    sync.Mutex
	seen  map[string]string // call id → mark of the file
	order []string          // ids, oldest first
}

// maxLooks is how many marks are kept, because calls that are denied never take theirs. A
// worker has far fewer calls at the same time.
const maxLooks = 1024

// keep keeps a call's mark and replaces an earlier one.
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

// removeMark returns a call's mark and removes it.
func (l *looks) removeMark(id string) (mark string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if mark, ok = l.seen[id]; ok {
		delete(l.seen, id)
		l.order = slices.DeleteFunc(l.order, func(o string) bool { return o == id })
	}
	return mark, ok
}

// unchanged returns E_CONFLICT if the mark differs from the one of the call's preview. A
// call without a preview has nothing to compare.
func (f *files) unchanged(id, name, mark string) error {
	if saw, ok := f.looks.removeMark(id); ok && saw != mark {
		return fault.New(fault.Conflict, "%s changed while the call waited for approval; nothing was written", sandbox.Abs(name)).
			Hinting("read the file again and repeat the call")
	}
	return nil
}

// place describes what is at a path: nothing, a directory or a file.
type place struct {
	info   fs.FileInfo // nil: nothing is there
	data   []byte      // of a file of at most maxFile bytes
	digest string      // of data, hex
}

func (p place) isDir() bool { return p.info != nil && p.info.IsDir() }

// mark returns a text that changes when the place changes.
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

// look returns what is at a path. It is no error if nothing is there, or if a file is too
// large to be read. A path below a file is an error.
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

// fileAbove returns the file among the parents of a name, or the name if there is none.
func (f *files) fileAbove(name string) string {
	for at := path.Dir(name); at != "."; at = path.Dir(at) {
		if info, err := fs.Stat(f.fs, at); err == nil && !info.IsDir() {
			return at
		}
	}
	return name
}

// current returns a file's content and its digest. Both are empty if it does not exist.
func (f *files) current(name string) (data []byte, digest string, err error) {
	p, err := f.look(name)
	switch {
	case err != nil:
		return nil, "", err
	case p.isDir():
		return nil, "", fault.New(fault.Tool, "%s is a directory", sandbox.Abs(name)).Hinting("list_files shows what is in it")
	case p.info != nil && p.info.Mode().Perm()&0o200 == 0:
		return nil, "", fault.New(fault.ReadOnly, "%s is read-only: its owner took away the right to write it", sandbox.Abs(name)).
			Hinting("leave it as it is, or ask its owner; chmod u+w makes it writable")
	case p.info != nil && p.digest == "":
		return nil, "", fault.New(fault.Limit, "%s has %d bytes; only files of at most %d bytes can be changed", sandbox.Abs(name), p.info.Size(), maxFile).
			Hinting("write to another file, or delete this one first")
	}
	return p.data, p.digest, nil
}

func missing(name, remedy string) error {
	return fault.New(fault.NotFound, "there is no %s", sandbox.Abs(name)).Hinting("%s", remedy)
}
