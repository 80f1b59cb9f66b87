package sandbox

import (
	"io/fs"
)

// Rename copies a file or a directory into the overlay and hides the old name. If not
// everything can be copied, the old name stays as it is.
func (o *overlay) Rename(oldName, newName string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, info, err := o.layer("rename", oldName)
	if err != nil {
		return err
	}
	if err := ValidNew(newName); err != nil {
		return perr("rename", newName, err)
	}
	_, there, terr := o.layer("rename", newName)
	switch {
	case oldName == "." || newName == ".":
		return perr("rename", oldName, fs.ErrPermission)
	case oldName == newName:
		return nil
	case info.IsDir() && Within(newName, oldName):
		return perr("rename", newName, ErrInvalid)
	case terr == nil && (there.IsDir() || info.IsDir()):
		return perr("rename", newName, fs.ErrExist)
	}
	if err := o.checkParents("rename", newName); err != nil {
		return err
	}
	if info.IsDir() {
		if err := o.linkless(oldName); err != nil {
			return err
		}
	}
	if err := o.duplicate(oldName, newName, info.IsDir()); err != nil {
		if info.IsDir() {
			_ = o.removeAll(newName) // the complete directory is under its old name
		}
		return err
	}
	return o.removeAll(oldName)
}

// linkless returns an error if the directory contains a link, because moving it
// would copy what the link points to.
func (o *overlay) linkless(dir string) error {
	entries, _, err := o.entries(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := join(dir, e.Name())
		if e.Type()&fs.ModeSymlink != 0 {
			return perr("rename", name, errThroughLink)
		}
		if e.IsDir() {
			if err := o.linkless(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// duplicate copies a file, or a directory with everything in it.
func (o *overlay) duplicate(from, to string, dir bool) error {
	if !dir {
		in, _, err := o.layer("rename", from)
		if err != nil {
			return err
		}
		data, err := ReadFile(in, o.spelledIn(in, from), maxWhole)
		if err != nil {
			return err
		}
		return o.write(to, data, o.perm(from))
	}
	entries, _, err := o.entries(from)
	if err != nil {
		return err
	}
	if err := o.mkdirs(to); err != nil {
		return err
	}
	for _, e := range entries {
		if err := o.duplicate(join(from, e.Name()), join(to, e.Name()), e.IsDir()); err != nil {
			return err
		}
	}
	return nil
}

// removeAll removes a file, or a directory with everything in it.
func (o *overlay) removeAll(name string) error {
	_, info, err := o.layer("remove", name)
	if err != nil {
		return err
	}
	if info.IsDir() {
		entries, _, err := o.entries(name)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := o.removeAll(join(name, e.Name())); err != nil {
				return err
			}
		}
	}
	return o.remove(name)
}
