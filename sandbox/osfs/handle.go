package osfs

import (
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"golem/core/sandbox"
)

// handle is an open file. It lends no more of the os.File than reading, whose
// errors and Name would show a host path.
type handle struct {
	file        *os.File
	name, place string
}

var _ sandbox.Placed = (*handle)(nil)

// Place is where the file lay in the tree when it was opened, links followed.
func (h *handle) Place() string { return h.place }

// Stat describes what was opened, even if the name has moved on.
func (h *handle) Stat() (fs.FileInfo, error) {
	i, err := h.file.Stat()
	if err != nil {
		return nil, failed("stat", h.name, err)
	}
	return newInfo(i, h.file, h.name, h.place), nil
}

// Read reads on.
func (h *handle) Read(b []byte) (int, error) {
	n, err := h.file.Read(b)
	return n, h.failed("read", err)
}

// ReadAt reads at an offset.
func (h *handle) ReadAt(b []byte, off int64) (int, error) {
	n, err := h.file.ReadAt(b, off)
	return n, h.failed("read", err)
}

// Seek moves where Read reads on.
func (h *handle) Seek(offset int64, whence int) (int64, error) {
	n, err := h.file.Seek(offset, whence)
	return n, h.failed("seek", err)
}

// Close frees the handle.
func (h *handle) Close() error { return h.failed("close", h.file.Close()) }

func (h *handle) failed(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return failed(op, h.name, err)
}

// dir is an open directory whose listing leaves out what is not for workers.
type dir struct {
	*handle
	fs   *FS
	rest []fs.DirEntry
	read bool
}

// ReadDir gives the next n entries, sorted by name, or all that are left.
func (d *dir) ReadDir(n int) ([]fs.DirEntry, error) {
	if _, err := d.file.Stat(); err != nil { // os says of a closed directory what errors.Is does not know
		return nil, failed("readdir", d.name, err)
	}
	if !d.read {
		entries, err := d.file.ReadDir(-1)
		if err != nil {
			return nil, failed("readdir", d.name, err)
		}
		if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return isTemp(e.Name()) }) {
			d.fs.sweepAt(d.place)
		}
		d.rest = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
			t := e.Type()
			return isTemp(e.Name()) || !t.IsRegular() && !t.IsDir() && t&fs.ModeSymlink == 0
		})
		for i, e := range d.rest {
			d.rest[i] = entry{e, path.Join(d.name, e.Name()), path.Join(d.place, e.Name())}
		}
		slices.SortFunc(d.rest, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		d.read = true
	}
	return take(&d.rest, n)
}

// entry is one name of a listing; its Info keeps the host path out of errors.
type entry struct {
	fs.DirEntry
	name, place string
}

// Info describes the entry itself, a link as a link.
func (e entry) Info() (fs.FileInfo, error) {
	i, err := e.DirEntry.Info()
	if err != nil {
		return nil, failed("stat", e.name, err)
	}
	return newInfo(i, nil, e.name, e.place), nil
}
