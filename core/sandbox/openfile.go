package sandbox

import (
	"bytes"
	"io"
	"io/fs"
)

// opened is the common part of open files and directories that are in memory.
type opened struct {
	info   fs.FileInfo
	closed bool
}

// Stat describes the file or directory.
func (o *opened) Stat() (fs.FileInfo, error) {
	if o.closed {
		return nil, perr("stat", o.info.Name(), fs.ErrClosed)
	}
	return o.info, nil
}

// Close marks the file as closed. Every later operation returns fs.ErrClosed.
func (o *opened) Close() error {
	if o.closed {
		return perr("close", o.info.Name(), fs.ErrClosed)
	}
	o.closed = true
	return nil
}

// openedBytes is an open file. It reads the content that the file had when it
// was opened, even if the file changes. Like an os.File it has one position, so
// use it from one goroutine at a time.
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

// Read reads at the current position.
func (f *openedBytes) Read(b []byte) (n int, err error) {
	if !f.closed {
		n, err = f.bytes.Read(b)
	}
	return n, f.failed("read", err)
}

// ReadAt reads at an offset, in bytes.
func (f *openedBytes) ReadAt(b []byte, off int64) (n int, err error) {
	if !f.closed {
		n, err = f.bytes.ReadAt(b, off)
	}
	return n, f.failed("read", err)
}

// Seek sets the position of the next Read.
func (f *openedBytes) Seek(offset int64, whence int) (n int64, err error) {
	if !f.closed {
		n, err = f.bytes.Seek(offset, whence)
	}
	return n, f.failed("seek", err)
}

// WriteTo writes the rest of the bytes to w.
func (f *openedBytes) WriteTo(w io.Writer) (int64, error) {
	if f.closed {
		return 0, f.failed("read", nil)
	}
	return f.bytes.WriteTo(w)
}

// openedDir is an open directory. It has no ReadAt and no Seek, because a
// directory has no bytes.
type openedDir struct {
	opened
	entries []fs.DirEntry // entries that ReadDir has not returned yet
	at      string
}

var (
	_ fs.ReadDirFile = (*openedDir)(nil)
	_ Placed         = (*openedDir)(nil)
)

// openDir returns an open directory with these entries, in this order.
func openDir(info fs.FileInfo, entries []fs.DirEntry) *openedDir {
	return &openedDir{opened: opened{info: info}, entries: entries}
}

// Place returns where the directory is in its tree, or "" if that is unknown.
func (d *openedDir) Place() string { return d.at }

// Read returns an error, because a directory has no bytes.
func (d *openedDir) Read([]byte) (int, error) {
	if d.closed {
		return 0, perr("read", d.info.Name(), fs.ErrClosed)
	}
	return 0, perr("read", d.info.Name(), ErrIsDir)
}

// ReadDir returns the next n entries, or all remaining ones if n is not
// positive.
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
