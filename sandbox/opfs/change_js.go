package opfs

import (
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
)

// tempPrefix begins the names of temporary files of unfinished writes. They are
// never listed, and workers cannot use them, as on a disk.
const tempPrefix = ".golem-tmp-"

// WriteFile replaces a file: it writes a temporary file, flushes it and moves
// it to its name. It creates missing parents. Filling changes how it writes.
func (f *FS) WriteFile(name string, data []byte) error {
	if err := target(name, true); err != nil {
		return failed("write", name, err)
	}
	if f.next != nil {
		if err := f.next(); err != nil {
			return err
		}
	}
	how := "write"
	if f.filled {
		how = "lay"
	}
	if !f.direct || len(data) < big {
		return f.change("write", name, how, name, arrayOf(data))
	}
	err := f.change("write", name, how, name, nil, address(data), len(data))
	runtime.KeepAlive(data)
	return err
}

// Filling returns the same directory with a faster WriteFile, for a caller that fills
// a new directory and removes it if that fails. WriteFile then writes each file under
// its own name, without a temporary file and without a flush, in half the time.
func (f *FS) Filling() *FS {
	c := *f
	c.filled = true
	return &c
}

// Telling returns the same directory with a WriteFile that first calls next, for
// example to report progress. If next returns an error, WriteFile returns it and
// writes nothing. Nested trees do not call next.
func (f *FS) Telling(next func() error) *FS {
	c := *f
	c.next = next
	return &c
}

// Remove deletes a file or an empty directory.
func (f *FS) Remove(name string) error {
	if err := target(name, false); err != nil {
		return failed("remove", name, err)
	}
	return f.change("remove", name, "remove", name, false)
}

// RemoveAll deletes a file, or a directory with everything in it.
func (f *FS) RemoveAll(name string) error {
	if err := target(name, false); err != nil {
		return failed("remove", name, err)
	}
	return f.change("remove", name, "remove", name, true)
}

// Mkdir creates one directory; its parent must exist. perm is ignored.
func (f *FS) Mkdir(name string, _ fs.FileMode) error {
	if err := target(name, true); err != nil {
		return failed("mkdir", name, err)
	}
	return f.change("mkdir", name, "mkdir", name)
}

// Rename moves a file or directory and replaces an existing file. The files of
// a directory are moved one by one: if the tab dies meanwhile, some are at the
// old place and some at the new one, and every file is complete.
func (f *FS) Rename(oldName, newName string) error {
	if err := target(oldName, false); err != nil {
		return failed("rename", oldName, err)
	}
	if err := target(newName, true); err != nil {
		return failed("rename", newName, err)
	}
	if oldName != newName && sandbox.Within(newName, oldName) {
		return failed("rename", newName, sandbox.ErrInvalid)
	}
	err := f.change("rename", oldName, "rename", oldName, newName)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, sandbox.ErrIsDir) || errors.Is(err, sandbox.ErrNotDir) && f.exists(oldName) {
		return failed("rename", newName, plainly(err)) // the new name cannot be made
	}
	return err
}

func (f *FS) exists(name string) bool {
	_, err := f.Stat(name)
	return err == nil
}

// plainly returns the cause of an fs.PathError.
func plainly(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

func (f *FS) change(op, name, call string, args ...any) error {
	if a := f.bridge.call(f.tree, call, args...); a.failure != "" {
		return f.failed(op, name, a)
	}
	return nil
}

// readable returns an error for names that cannot exist, and fs.ErrNotExist for
// unfinished writes.
func readable(name string) error {
	if err := sandbox.Valid(name); err != nil {
		return err
	}
	if temporary(name) {
		return fs.ErrNotExist
	}
	return nil
}

// target returns an error for names that may not be changed or, if made is set,
// created.
func target(name string, made bool) error {
	err := sandbox.Valid(name)
	if made {
		err = sandbox.ValidNew(name)
	}
	switch {
	case err != nil:
		return err
	case name == ".":
		return fault.New(fault.ReadOnly, "the root of a sandbox cannot be changed")
	case temporary(name):
		return fault.New(fault.Path, "names that begin with %s are reserved for golem", tempPrefix)
	}
	return nil
}

func temporary(name string) bool {
	return strings.Contains(name, tempPrefix) && slices.ContainsFunc(strings.Split(name, "/"), func(e string) bool {
		return strings.HasPrefix(e, tempPrefix)
	})
}

// OpenFile opens a file for reading and writing, as sandbox.OpenFile describes.
func (f *FS) OpenFile(name string, flag int, perm fs.FileMode) (fs.File, error) {
	return sandbox.OpenFile(f, name, flag, perm)
}

// MkdirAll creates a directory and its parents, as sandbox.MkdirAll describes.
func (f *FS) MkdirAll(name string, perm fs.FileMode) error { return sandbox.MkdirAll(f, name, perm) }
