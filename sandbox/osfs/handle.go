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

// handle is an open file. It exposes only reading, because other methods and
// errors of os.File would show a host path.
type handle struct {
	file        *os.File
	name, place string
}

var _ sandbox.Placed = (*handle)(nil)

// Place returns where the file was in the tree when it was opened, after links
// were followed.
func (h *handle) Place() string { return h.place }

// Stat describes the open file, even if its name now belongs to another file.
func (h *handle) Stat() (fs.FileInfo, error) {
	i, err := h.file.Stat()
	if err != nil {
		return nil, failed("stat", h.name, err)
	}
	return newInfo(i, h.file, h.name, h.place), nil
}

// Read reads at the current position.
func (h *handle) Read(b []byte) (int, error) {
	n, err := h.file.Read(b)
	return n, h.failed("read", err)
}

// ReadAt reads at an offset.
func (h *handle) ReadAt(b []byte, off int64) (int, error) {
	n, err := h.file.ReadAt(b, off)
	return n, h.failed("read", err)
}

// Seek sets the position of the next Read.
func (h *handle) Seek(offset int64, whence int) (int64, error) {
	n, err := h.file.Seek(offset, whence)
	return n, h.failed("seek", err)
}

// Close closes the file.
func (h *handle) Close() error { return h.failed("close", h.file.Close()) }

func (h *handle) failed(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return failed(op, h.name, err)
}

// dir is an open directory. Its listing leaves out files that workers must not
// see.
type dir struct {
	*handle
	fs   *FS
	rest []fs.DirEntry
	read bool
}

// ReadDir returns the next n entries, sorted by name, or all remaining ones if
// n is not positive.
func (d *dir) ReadDir(n int) ([]fs.DirEntry, error) {
	if _, err := d.file.Stat(); err != nil { // os returns an error for a closed directory that errors.Is does not recognise
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
		d.rest = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return isTemp(e.Name()) || special(e) })
		for i, e := range d.rest {
			d.rest[i] = entry{e, path.Join(d.name, e.Name()), path.Join(d.place, e.Name())}
		}
		slices.SortFunc(d.rest, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		d.read = true
	}
	return nextEntries(&d.rest, n)
}

// special reports whether an entry is neither a file, a directory nor a link.
func special(e fs.DirEntry) bool {
	t := e.Type()
	return !t.IsRegular() && !t.IsDir() && t&fs.ModeSymlink == 0
}

// Specials returns the paths of the FIFOs, sockets and devices in a directory, sorted, which
// ReadDir leaves out. It returns none if the directory cannot be read.
func (f *FS) Specials(name string) (out []string) {
	opened, err := f.Open(name)
	if err != nil {
		return nil
	}
	defer opened.Close()
	d, ok := opened.(*dir)
	if !ok {
		return nil
	}
	entries, _ := d.file.ReadDir(-1) // what cannot be read is not known
	for _, e := range entries {
		if special(e) {
			out = append(out, path.Join(name, e.Name()))
		}
	}
	slices.Sort(out)
	return out
}

// entry is one entry of a listing. Its Info keeps host paths out of errors.
type entry struct {
	fs.DirEntry
	name, place string
}

// Info describes the entry itself; a link is described as a link.
func (e entry) Info() (fs.FileInfo, error) {
	i, err := e.DirEntry.Info()
	if err != nil {
		return nil, failed("stat", e.name, err)
	}
	return newInfo(i, nil, e.name, e.place), nil
}
