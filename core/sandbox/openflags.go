package sandbox

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"sync"
	"time"

	"github.com/hack-pad/hackpadfs"
)

// File is an open file that can be written, as os.File can. Other readers see
// the new content only after Sync or Close, which replace the file's content as
// a whole. It is safe for concurrent use.
type File interface {
	hackpadfs.File
	io.ReadWriteSeeker
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	Sync() error
}

// OpenFile opens a file of any tree with the flags of os.OpenFile
// (hackpadfs.Flag…), for code that reads and writes a file piece by piece. For
// reading only, it is the same as Open. Otherwise it returns a File that holds
// the content in memory, at most 1 GiB, and that the caller must close. A new
// file exists after Sync or Close; with FlagExclusive it exists at once, but
// creating it is not atomic. If a file is open for writing twice, the content of
// the one that is closed last remains. perm is ignored. Parents are not created.
func OpenFile(f FS, name string, flag int, perm fs.FileMode) (fs.File, error) {
	access := flag & (hackpadfs.FlagWriteOnly | hackpadfs.FlagReadWrite)
	if access == hackpadfs.FlagReadOnly && flag&(hackpadfs.FlagCreate|hackpadfs.FlagTruncate) == 0 {
		return f.Open(name)
	}
	info, err := fs.Stat(f, name)
	switch isNew := errors.Is(err, fs.ErrNotExist); {
	case isNew && flag&hackpadfs.FlagCreate != 0:
		if err := creatable(f, name, flag&hackpadfs.FlagExclusive != 0); err != nil {
			return nil, perr("open", name, plain(err))
		}
		info = Info{Base: path.Base(name), Perm: 0o644, When: time.Now()}
	case err != nil:
		return nil, perr("open", name, plain(err))
	case flag&hackpadfs.FlagExclusive != 0 && flag&hackpadfs.FlagCreate != 0:
		return nil, perr("open", name, fs.ErrExist)
	case info.IsDir():
		return nil, perr("open", name, ErrIsDir)
	}
	w := &written{fs: f, name: name, info: info, dirty: err != nil, reads: access != hackpadfs.FlagWriteOnly, writes: access != 0, appends: flag&hackpadfs.FlagAppend != 0}
	if w.dirty {
		return w, nil
	}
	if flag&hackpadfs.FlagTruncate != 0 {
		w.dirty = info.Size() > 0
	} else if w.data, err = ReadFile(f, name, maxWhole); err != nil {
		return nil, perr("open", name, plain(err))
	}
	return w, nil
}

// creatable returns an error if the name cannot become a file. With once, it
// creates the file.
func creatable(f FS, name string, once bool) error {
	if err := ValidNew(name); err != nil {
		return err
	}
	switch info, err := fs.Stat(f, path.Dir(name)); {
	case err != nil:
		return err
	case !info.IsDir():
		return ErrNotDir
	}
	if err := CanWrite(f, name); err != nil || !once {
		return err
	}
	return f.WriteFile(name, nil)
}

// MkdirAll creates a directory and its missing parents. An existing directory
// is not an error.
func MkdirAll(f FS, name string, perm fs.FileMode) error {
	info, err := fs.Stat(f, name)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return perr("mkdir", name, ErrNotDir)
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrNotDir):
		return perr("mkdir", name, plain(err))
	}
	if parent := path.Dir(name); parent != name {
		if err := MkdirAll(f, parent, perm); err != nil {
			return err
		}
	}
	if err := f.Mkdir(name, perm); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// written is an open File.
type written struct {
	fs                     FS
	name                   string
	reads, writes, appends bool

	mu     sync.Mutex
	info   fs.FileInfo
	data   []byte
	at     int64
	dirty  bool // data has changed and is not in the tree yet
	closed bool
}

var _ File = (*written)(nil)

// checkOpenFor returns an error if the file is closed, or was not opened for this
// operation. The caller holds mu.
func (w *written) checkOpenFor(op string, allowed bool) error {
	switch {
	case w.closed:
		return perr(op, w.name, fs.ErrClosed)
	case !allowed:
		return perr(op, w.name, errNotOpenedFor)
	}
	return nil
}

var (
	errNotOpenedFor = errors.New("the file was not opened for this operation")
	errNegative     = errors.New("negative offset")
)

// Stat describes the file as it is in memory now.
func (w *written) Stat() (fs.FileInfo, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.checkOpenFor("stat", true); err != nil {
		return nil, err
	}
	return Info{Base: w.info.Name(), Bytes: int64(len(w.data)), Perm: w.info.Mode(), When: w.info.ModTime()}, nil
}

// Read reads at the current position.
func (w *written) Read(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.readAt(b, w.at)
	w.at += int64(n)
	return n, err
}

// ReadAt reads at an offset. It fills b unless the file ends before.
func (w *written) ReadAt(b []byte, off int64) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.readAt(b, off)
	if err == nil && n < len(b) {
		err = io.EOF
	}
	return n, err
}

func (w *written) readAt(b []byte, off int64) (int, error) {
	if err := w.checkOpenFor("read", w.reads); err != nil {
		return 0, err
	}
	switch {
	case off < 0:
		return 0, perr("readat", w.name, errNegative)
	case len(b) == 0:
		return 0, nil
	case off >= int64(len(w.data)):
		return 0, io.EOF
	}
	return copy(b, w.data[off:]), nil
}

// Write writes at the current position, or at the end of a file opened for
// appending.
func (w *written) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.appends {
		w.at = int64(len(w.data))
	}
	n, err := w.writeAt(b, w.at)
	w.at += int64(n)
	return n, err
}

// WriteAt writes at an offset. Bytes between the old end and the offset become
// zero. A file opened for appending returns ErrInvalid.
func (w *written) WriteAt(b []byte, off int64) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.appends {
		return 0, perr("write", w.name, ErrInvalid)
	}
	return w.writeAt(b, off)
}

func (w *written) writeAt(b []byte, off int64) (int, error) {
	if err := w.checkOpenFor("write", w.writes); err != nil {
		return 0, err
	}
	if off < 0 {
		return 0, perr("writeat", w.name, errNegative)
	}
	if end := off + int64(len(b)); end > int64(len(w.data)) {
		if err := w.resize(end); err != nil {
			return 0, err
		}
	}
	w.dirty = true
	return copy(w.data[off:], b), nil
}

// resize cuts the content, or extends it with zeros. The caller holds mu.
func (w *written) resize(size int64) error {
	if size > maxWhole {
		return perr("write", w.name, tooLarge(w.name, maxWhole))
	}
	if grown := size - int64(len(w.data)); grown > 0 {
		w.data = append(w.data, make([]byte, grown)...)
	}
	w.data = w.data[:size]
	return nil
}

// Truncate cuts the content, or extends it with zeros.
func (w *written) Truncate(size int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.checkOpenFor("truncate", w.writes); err != nil {
		return err
	}
	if size < 0 {
		return perr("truncate", w.name, ErrInvalid)
	}
	w.dirty = true
	return w.resize(size)
}

// Seek sets the position of the next Read or Write.
func (w *written) Seek(offset int64, whence int) (int64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.checkOpenFor("seek", true); err != nil {
		return 0, err
	}
	switch whence {
	case io.SeekCurrent:
		offset += w.at
	case io.SeekEnd:
		offset += int64(len(w.data))
	case io.SeekStart:
	default:
		offset = -1
	}
	if offset < 0 {
		return 0, perr("seek", w.name, ErrInvalid)
	}
	w.at = offset
	return offset, nil
}

// Sync replaces the file's content in the tree.
func (w *written) Sync() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.checkOpenFor("sync", true); err != nil {
		return err
	}
	return w.sync()
}

func (w *written) sync() error {
	if !w.dirty {
		return nil
	}
	if err := w.fs.WriteFile(w.name, w.data); err != nil {
		return err
	}
	w.dirty = false
	return nil
}

// Close replaces the file's content in the tree and releases the memory.
func (w *written) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.checkOpenFor("close", true); err != nil {
		return err
	}
	err := w.sync()
	w.closed, w.data = true, nil
	return err
}
