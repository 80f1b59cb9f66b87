package workspace

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"time"

	"github.com/hack-pad/hackpadfs"
	"github.com/spf13/afero"

	"golem/core/fault"
	"golem/core/sandbox"
)

// Over presents a sandbox.FS (a directory of the disk behind an os.Root, of
// OPFS, or in memory) as an afero.Fs. Names are "/a/b" or "a/b", and no name
// leads out of the tree. Use it for all names that come from an archive or a
// library, because afero's own trees of the disk follow links to places outside
// (afero.BasePathFs). Permissions, owners and times cannot be set: those calls
// do nothing.
func Over(f sandbox.FS) afero.Fs { return over{f} }

type over struct{ fs sandbox.FS }

var _ afero.Fs = over{}

// Name returns "golem"; afero uses it in its messages.
func (o over) Name() string { return "golem" }

// clean returns the name in the form that the sandbox uses, or a path error.
func clean(op, name string) (string, error) {
	out, err := sandbox.Clean(name)
	if err != nil {
		return "", &fs.PathError{Op: op, Path: name, Err: err}
	}
	return out, nil
}

// Open opens a file or directory for reading.
func (o over) Open(name string) (afero.File, error) {
	return o.OpenFile(name, hackpadfs.FlagReadOnly, 0)
}

// Create opens a file for reading and writing, and empties it if it exists.
func (o over) Create(name string) (afero.File, error) {
	return o.OpenFile(name, hackpadfs.FlagReadWrite|hackpadfs.FlagCreate|hackpadfs.FlagTruncate, 0o666)
}

// OpenFile opens a file as sandbox.OpenFile does: other readers see what was
// written after Sync or Close.
func (o over) OpenFile(name string, flag int, perm fs.FileMode) (afero.File, error) {
	at, err := clean("open", name)
	if err != nil {
		return nil, err
	}
	f, err := sandbox.OpenFile(o.fs, at, flag, perm)
	if err != nil {
		return nil, err
	}
	return &opened{File: f, name: name}, nil
}

// Mkdir creates one directory.
func (o over) Mkdir(name string, perm fs.FileMode) error {
	at, err := clean("mkdir", name)
	if err != nil {
		return err
	}
	return o.fs.Mkdir(at, perm)
}

// MkdirAll creates a directory and its missing parents.
func (o over) MkdirAll(name string, perm fs.FileMode) error {
	at, err := clean("mkdir", name)
	if err != nil {
		return err
	}
	return sandbox.MkdirAll(o.fs, at, perm)
}

// Remove deletes a file or an empty directory.
func (o over) Remove(name string) error {
	at, err := clean("remove", name)
	if err != nil {
		return err
	}
	return o.fs.Remove(at)
}

// RemoveAll deletes a file, or a directory with everything in it. It neither
// follows nor deletes links. A name that does not exist is not an error.
func (o over) RemoveAll(name string) error {
	at, err := clean("remove", name)
	if err != nil {
		return err
	}
	entries, err := fs.ReadDir(o.fs, at)
	if err != nil && !errors.Is(err, sandbox.ErrNotDir) && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if err := o.RemoveAll(path.Join(at, e.Name())); err != nil {
			return err
		}
	}
	if at == "." {
		return nil
	}
	if err := o.fs.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Rename moves a file or directory.
func (o over) Rename(oldName, newName string) error {
	from, err := clean("rename", oldName)
	if err != nil {
		return err
	}
	to, err := clean("rename", newName)
	if err != nil {
		return err
	}
	return o.fs.Rename(from, to)
}

// Stat describes a file or directory.
func (o over) Stat(name string) (fs.FileInfo, error) {
	at, err := clean("stat", name)
	if err != nil {
		return nil, err
	}
	return fs.Stat(o.fs, at)
}

// Chmod does nothing.
func (o over) Chmod(string, fs.FileMode) error { return nil }

// Chown does nothing.
func (o over) Chown(string, int, int) error { return nil }

// Chtimes does nothing.
func (o over) Chtimes(string, time.Time, time.Time) error { return nil }

// opened is an open file in the form that afero needs.
type opened struct {
	fs.File
	name string
}

var _ afero.File = (*opened)(nil)

// cannot returns the error for an operation that the file does not support,
// such as writing to a directory or to a file opened for reading.
func (o *opened) cannot(op string) error {
	return &fs.PathError{Op: op, Path: o.name, Err: fault.New(fault.Path, "the file was not opened for this operation")}
}

// Name returns the name that the file was opened with.
func (o *opened) Name() string { return o.name }

// ReadAt reads from an offset, in bytes.
func (o *opened) ReadAt(b []byte, off int64) (int, error) {
	if r, ok := o.File.(io.ReaderAt); ok {
		return r.ReadAt(b, off)
	}
	return 0, o.cannot("readat")
}

// Seek sets the position of the next Read or Write.
func (o *opened) Seek(offset int64, whence int) (int64, error) {
	if s, ok := o.File.(io.Seeker); ok {
		return s.Seek(offset, whence)
	}
	return 0, o.cannot("seek")
}

// Write writes at the current position.
func (o *opened) Write(b []byte) (int, error) {
	if w, ok := o.File.(sandbox.File); ok {
		return w.Write(b)
	}
	return 0, o.cannot("write")
}

// WriteString writes at the current position.
func (o *opened) WriteString(s string) (int, error) { return o.Write([]byte(s)) }

// WriteAt writes at an offset, in bytes.
func (o *opened) WriteAt(b []byte, off int64) (int, error) {
	if w, ok := o.File.(sandbox.File); ok {
		return w.WriteAt(b, off)
	}
	return 0, o.cannot("writeat")
}

// Truncate makes the file size bytes long; new bytes are zero.
func (o *opened) Truncate(size int64) error {
	if w, ok := o.File.(sandbox.File); ok {
		return w.Truncate(size)
	}
	return o.cannot("truncate")
}

// Sync stores what was written, so that other readers of the tree see it.
func (o *opened) Sync() error {
	if w, ok := o.File.(sandbox.File); ok {
		return w.Sync()
	}
	return nil
}

// ReadDir returns the next n entries of a directory, or all if n is not
// positive.
func (o *opened) ReadDir(n int) ([]fs.DirEntry, error) {
	if d, ok := o.File.(fs.ReadDirFile); ok {
		return d.ReadDir(n)
	}
	return nil, o.cannot("readdir")
}

// Readdir returns the fs.FileInfo of the next n entries.
func (o *opened) Readdir(n int) ([]fs.FileInfo, error) {
	entries, err := o.ReadDir(n)
	out := make([]fs.FileInfo, 0, len(entries))
	for _, e := range entries {
		info, ierr := e.Info()
		if errors.Is(ierr, fs.ErrNotExist) {
			continue // it was deleted in the meantime
		}
		if ierr != nil {
			return out, ierr
		}
		out = append(out, info)
	}
	return out, err
}

// Readdirnames returns the names of the next n entries.
func (o *opened) Readdirnames(n int) ([]string, error) {
	entries, err := o.ReadDir(n)
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i] = e.Name()
	}
	return out, err
}
