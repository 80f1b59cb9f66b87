package opfs

import (
	"io"
	"io/fs"
	"path"
	"syscall/js"

	"golem/core/sandbox"
)

// chunk is the number of bytes of a big file that one call to JavaScript reads.
const chunk = 1 << 20

// file is an open file. It shows the content that the file had when it was
// opened.
type file struct {
	fs     *FS
	name   string
	info   sandbox.Info
	blob   js.Value // the browser's snapshot of the file
	window []byte   // the bytes that were read last
	start  int64    // where the window begins in the file
	at     int64    // the position of the next Read
	closed bool
}

var (
	_ io.ReaderAt = (*file)(nil)
	_ io.Seeker   = (*file)(nil)
)

// Stat describes the open file.
func (f *file) Stat() (fs.FileInfo, error) {
	if f.closed {
		return nil, failed("stat", f.name, fs.ErrClosed)
	}
	return f.info, nil
}

// Close releases the snapshot.
func (f *file) Close() error {
	if f.closed {
		return failed("close", f.name, fs.ErrClosed)
	}
	f.closed, f.blob, f.window = true, js.Undefined(), nil
	return nil
}

// Read reads at the current position.
func (f *file) Read(b []byte) (int, error) {
	n, err := f.read(b, f.at)
	f.at += int64(n)
	return n, err
}

// ReadAt reads at an offset. It fills b unless the file ends before.
func (f *file) ReadAt(b []byte, off int64) (int, error) {
	if off < 0 {
		return 0, failed("read", f.name, sandbox.ErrInvalid)
	}
	total := 0
	for total < len(b) {
		n, err := f.read(b[total:], off+int64(total))
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// read copies bytes from the window, and moves the window if necessary.
func (f *file) read(b []byte, off int64) (int, error) {
	switch {
	case f.closed:
		return 0, failed("read", f.name, fs.ErrClosed)
	case f.info.IsDir():
		return 0, failed("read", f.name, failures["IsDirectory"])
	case len(b) == 0:
		return 0, nil
	case off >= f.info.Bytes:
		return 0, io.EOF
	}
	if off < f.start || off >= f.start+int64(len(f.window)) {
		a := f.fs.bridge.call(f.fs.tree, "slice", f.blob, off, min(off+chunk, f.info.Bytes))
		if a.failure != "" {
			return 0, f.fs.failed("read", f.name, a)
		}
		f.window, f.start = bytesOf(a.value), off
	}
	return copy(b, f.window[off-f.start:]), nil
}

// Seek sets the position of the next Read.
func (f *file) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += f.info.Bytes
	case io.SeekStart:
	default:
		offset = -1
	}
	if offset < 0 || f.closed {
		return 0, failed("seek", f.name, sandbox.ErrInvalid)
	}
	f.at = offset
	return offset, nil
}

// dir is an open directory.
type dir struct {
	*file
	rest []fs.DirEntry
}

// ReadDir returns the next n entries, sorted by name, or all remaining ones if
// n is not positive.
func (d *dir) ReadDir(n int) ([]fs.DirEntry, error) {
	if d.closed {
		return nil, failed("readdir", d.name, fs.ErrClosed)
	}
	if n <= 0 {
		n = len(d.rest)
	} else if len(d.rest) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.rest))
	out := d.rest[:n:n]
	d.rest = d.rest[n:]
	return out, nil
}

// entry is one entry of a listing. Its size and time are read only on request,
// because OPFS returns them file by file.
type entry struct {
	fs        *FS
	dir, name string
	isDir     bool
}

// Name returns the base name.
func (e entry) Name() string { return e.name }

// IsDir reports whether the entry is a directory; otherwise it is a file.
func (e entry) IsDir() bool { return e.isDir }

// Type returns fs.ModeDir or 0.
func (e entry) Type() fs.FileMode {
	if e.isDir {
		return fs.ModeDir
	}
	return 0
}

// Info describes the entry as it is now.
func (e entry) Info() (fs.FileInfo, error) { return e.fs.Stat(path.Join(e.dir, e.name)) }
