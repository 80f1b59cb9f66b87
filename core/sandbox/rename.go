package sandbox

import (
	"errors"
	"io/fs"
	"strings"

	"golem/core/fault"
)

// Rename moves a file or directory within one mount. Between mounts it copies a
// file and then removes the old one.
func (v *view) Rename(oldName, newName string) error {
	from, err := v.target("rename", oldName)
	if err != nil {
		return perr("rename", oldName, plain(err))
	}
	to, err := v.target("rename", newName)
	if err == nil {
		err = ValidNew(newName)
	}
	if err != nil {
		return perr("rename", newName, plain(err))
	}
	info, err := fs.Stat(from.mount.fs, from.rel)
	if err != nil {
		return renamed(err, "rename", oldName)
	}
	if !info.IsDir() {
		if err := v.identity(from.mount.fs, info, oldName); err != nil {
			return perr("rename", oldName, err)
		}
		if err := to.mount.limits(to, info.Size()); err != nil {
			return perr("rename", newName, err)
		}
		if from.mount.fs != to.mount.fs {
			if sameFile(from, to, info) { // to remove the old name would remove the file
				return perr("rename", newName, fault.New(fault.Conflict, "%s and %s are the same file", Abs(oldName), Abs(newName)))
			}
			return v.move(from, to)
		}
	} else if err := v.movable(from, to); err != nil {
		return perr("rename", oldName, plain(err))
	}
	err = v.change(Write{Op: OpRename}, from, to, func() error { return from.mount.fs.Rename(from.rel, to.rel) })
	var failed *fs.PathError
	if errors.As(err, &failed) && failed.Path == Abs(to.rel) { // the new name cannot be made
		return renamed(err, "rename", newName)
	}
	return renamed(err, "rename", oldName)
}

// move copies a file to another mount and then removes the old one.
func (v *view) move(from, to place) error {
	data, err := v.ReadFile(from.name)
	if err != nil {
		return err
	}
	if err := v.write(to.name, data, PermOf(from.mount.fs, from.rel)); err != nil {
		return err
	}
	return v.Remove(from.name)
}

// sameFile reports whether two mounts show one file under two names. info describes from.
func sameFile(from, to place, info fs.FileInfo) bool {
	a, b := from.source(), to.source()
	if a == "" || a == b {
		return a != ""
	}
	id, ok := from.mount.fs.(Identifier)
	there, err := fs.Stat(to.mount.fs, to.rel)
	return ok && err == nil && Fold(a) == Fold(b) && id.SameFile(info, there) // a disk that ignores case
}

// movable returns an error for a directory that contains a protected file or
// more than maxMoved files, or that would move to another mount.
func (v *view) movable(from, to place) error {
	if from.mount.fs != to.mount.fs {
		return fault.New(fault.Path, "the directory %s cannot be moved to another mount", Abs(from.name)).Hinting("move its files one by one")
	}
	seen := 0
	return fs.WalkDir(from.mount.fs, from.rel, func(rel string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if seen++; seen > maxMoved {
			return fault.New(fault.Limit, "the directory %s has more than %d files, too many to move", Abs(from.name), maxMoved)
		}
		there := to.rel + strings.TrimPrefix(rel, from.rel)
		for _, p := range []place{{from.name, from.mount, rel}, {to.name, to.mount, there}} {
			if err := v.spec.Protection.write(p); err != nil {
				return err
			}
			if err := v.spec.Protection.read(p); err != nil {
				return err
			}
		}
		if e.IsDir() {
			return nil
		}
		info, err := e.Info()
		if err == nil {
			err = v.identity(from.mount.fs, info, from.name)
		}
		if err != nil {
			return err
		}
		return to.mount.limits(place{to.name + strings.TrimPrefix(rel, from.rel), to.mount, there}, info.Size())
	})
}

// maxMoved is the most files of a directory that can be moved.
const maxMoved = 10_000
