package sandbox

import (
	"bytes"
	"io"
	"io/fs"
)

// opened is what open files and directories held in memory have in common.
type opened struct {
	info   fs.FileInfo
	closed bool
}

// Stat describes what was opened.
func (o *opened) Stat() (fs.FileInfo, error) {
	if o.closed {
		return nil, perr("stat", o.info.Name(), fs.ErrClosed)
	}
	return o.info, nil
}

// Close frees nothing, but a closed file is not read any more.
func (o *opened) Close() error {
	if o.closed {
		return perr("close", o.info.Name(), fs.ErrClosed)
	}
	o.closed = true
	return nil
}

// openedBytes is an open file: it reads the bytes it was opened on, whatever
// the file becomes. Like an os.File it is for one goroutine at a time.
type openedBytes struct {
	opened
	bytes *bytes.Reader
}

var (
	_ io.ReaderAt = (*openedBytes)(nil)
	_ io.Seeker   = (*openedBytes)(nil)
	_ io.WriterTo = (*openedBytes)(nil)
)

func openBytes(info fs.FileInfo, data []byte) fs.File {
	return &openedBytes{opened: opened{info: info}, bytes: bytes.NewReader(data)}
}

func (f *openedBytes) failed(op string, err error) error {
	switch {
	case f.closed:
		return perr(op, f.info.Name(), fs.ErrClosed)
	case err != nil && err != io.EOF:
		return perr(op, f.info.Name(), ErrInvalid) // an offset before the start
	}
	return err
}

// Read reads on.
func (f *openedBytes) Read(b []byte) (n int, err error) {
	if !f.closed {
		n, err = f.bytes.Read(b)
	}
	return n, f.failed("read", err)
}

// ReadAt reads at an offset.
func (f *openedBytes) ReadAt(b []byte, off int64) (n int, err error) {
	if !f.closed {
		n, err = f.bytes.ReadAt(b, off)
	}
	return n, f.failed("read", err)
}

// Seek moves where Read reads on.
func (f *openedBytes) Seek(offset int64, whence int) (n int64, err error) {
	if !f.closed {
		n, err = f.bytes.Seek(offset, whence)
	}
	return n, f.failed("seek", err)
}

// WriteTo gives w the rest of the bytes.
func (f *openedBytes) WriteTo(w io.Writer) (int64, error) {
	if f.closed {
		return 0, f.failed("read", nil)
	}
	return f.bytes.WriteTo(w)
}

// openedDir is an open directory. It has no bytes, so it offers neither ReadAt
// nor Seek.
type openedDir struct {
	opened
	entries []fs.DirEntry // what ReadDir has not given yet
	at      string
}

var (
	_ fs.ReadDirFile = (*openedDir)(nil)
	_ Placed         = (*openedDir)(nil)
)

// openDir is an open directory with these entries, in their order.
func openDir(info fs.FileInfo, entries []fs.DirEntry) *openedDir {
	return &openedDir{opened: opened{info: info}, entries: entries}
}

// Place is where the directory lies in its tree; "" if that is not known.
func (d *openedDir) Place() string { return d.at }

// Read fails: a directory has no bytes.
func (d *openedDir) Read([]byte) (int, error) {
	if d.closed {
		return 0, perr("read", d.info.Name(), fs.ErrClosed)
	}
	return 0, perr("read", d.info.Name(), ErrIsDir)
}

// ReadDir gives the next n entries, or all that are left.
func (d *openedDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if d.closed {
		return nil, perr("readdir", d.info.Name(), fs.ErrClosed)
	}
	if n <= 0 {
		out := d.entries
		d.entries = nil
		return out, nil
	}
	if len(d.entries) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.entries))
	out := d.entries[:n:n]
	d.entries = d.entries[n:]
	return out, nil
}
