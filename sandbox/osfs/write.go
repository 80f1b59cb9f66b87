package osfs

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"golem/core/fault"
	"golem/core/sandbox"
)

// WriteFile replaces a file atomically: it writes a temporary file in the same
// directory, syncs it, renames it and syncs the directory. A crash leaves the
// old or the new file. The permissions of the old file are kept.
func (f *FS) WriteFile(name string, data []byte) error { return f.WritePerm(name, data, 0) }

// PermOf returns the permissions of a file or directory. It returns 0 if it cannot read
// them, and always on Windows, which has no such permissions.
func (f *FS) PermOf(name string) fs.FileMode {
	info, err := f.Stat(name)
	if err != nil || windows {
		return 0
	}
	return info.Mode().Perm()
}

// WritePerm replaces a file as WriteFile does and sets its permissions, unless perm is 0.
func (f *FS) WritePerm(name string, data []byte, perm fs.FileMode) error {
	s, err := f.target(name, making)
	if err != nil {
		return failed("write", name, err)
	}
	defer s.close()
	if s.info != nil {
		if s.info.IsDir() {
			return failed("write", name, syscall.EISDIR)
		}
		perm = cmp.Or(perm, s.info.Mode().Perm())
	}
	f.sweepOnce(s.dir(), s.parent())
	t, err := newTemp(s.dir(), perm)
	if err != nil {
		return failed("write", name, err)
	}
	err = t.fill(data, perm)
	if err == nil {
		err = t.moveTo(s.base)
	}
	if err != nil {
		t.discard()
		return failed("write", name, err)
	}
	syncDir(s.dir())
	return nil
}

// Create writes a new file atomically, as WriteFile does. If the name exists, it returns
// fs.ErrExist. On a disk without hard links Create is not atomic: others may see a part
// of the content, and a crash can leave the file incomplete.
func (f *FS) Create(name string, data []byte) error {
	s, err := f.target(name, making)
	if err != nil {
		return failed("create", name, err)
	}
	defer s.close()
	t, err := newTemp(s.dir(), 0)
	if err != nil {
		return failed("create", name, err)
	}
	defer t.discard()
	if err := t.fill(data, 0); err != nil {
		return failed("create", name, err)
	}
	err = s.dir().Link(t.name, s.base)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = createPlain(s.dir(), s.base, data)
	}
	if err != nil {
		return failed("create", name, err)
	}
	syncDir(s.dir())
	return nil
}

// createPlain creates a file without a temporary file, for disks without hard links.
func createPlain(dir *os.Root, name string, data []byte) error {
	file, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	t := &temp{dir, name, file}
	if err := t.fill(data, 0); err != nil {
		t.discard()
		return err
	}
	return file.Close()
}

// target finds the place of a name that is to be written. It returns an error for
// names that cannot be created, the root, links anywhere on the path and special
// files. The caller closes the spot.
func (f *FS) target(name string, how way) (*spot, error) {
	if err := cmp.Or(valid(name), sandbox.ValidNew(name)); err != nil {
		return nil, err
	}
	return f.changeable(name, how)
}

// changeable finds a place as target does, but without the rules for new names, so
// that an existing file whose name Windows cannot store can be removed or renamed.
func (f *FS) changeable(name string, how way) (*spot, error) {
	if err := valid(name); err != nil {
		return nil, err
	}
	if name == "." {
		return nil, fault.New(fault.ReadOnly, "the root of a sandbox cannot be changed")
	}
	if temporary(name) {
		return nil, fault.New(fault.Path, "names that begin with %s are reserved for golem", tempPrefix)
	}
	s, err := f.walk(name, how)
	if err != nil {
		return nil, err
	}
	if s.info != nil && regular(s.info) != nil {
		s.close()
		return nil, errSpecial
	}
	return s, nil
}

// existing finds a place as changeable does. If the name does not exist, it returns
// fs.ErrNotExist.
func (f *FS) existing(name string) (*spot, error) {
	s, err := f.changeable(name, still)
	if err == nil && s.info == nil {
		s.close()
		err = fs.ErrNotExist
	}
	return s, err
}

// syncDir syncs a directory, so that a rename survives a crash. It ignores
// errors: where a platform cannot sync a directory, the rename is still atomic.
func syncDir(dir *os.Root) {
	if windows {
		return
	}
	d, err := dir.Open(".")
	if err != nil {
		return
	}
	_ = d.Sync()
	_ = d.Close()
}

// Remove deletes a file or an empty directory. It returns E_PATH for a link,
// because the caller may mean the file that the link points to.
func (f *FS) Remove(name string) error {
	s, err := f.existing(name)
	if err != nil {
		return failed("remove", name, err)
	}
	defer s.close()
	if s.info.IsDir() {
		if d, err := enter(s.dir(), s.base, s.info); err == nil {
			sweep(d) // it may contain nothing but hidden temporary files
			_ = d.Close()
		}
	}
	if err := s.dir().Remove(s.base); err != nil {
		return failed("remove", name, err)
	}
	syncDir(s.dir())
	return nil
}

// Rename moves a file or directory, replaces an existing file, and creates
// missing parents.
func (f *FS) Rename(oldName, newName string) error {
	from, err := f.existing(oldName)
	if err != nil {
		return failed("rename", oldName, err)
	}
	defer from.close()
	if from.info.IsDir() && oldName != newName && sandbox.Within(newName, oldName) {
		return failed("rename", newName, sandbox.ErrInvalid)
	}
	to, err := f.target(newName, making)
	if err != nil {
		return failed("rename", newName, err)
	}
	defer to.close()
	if to.info != nil && (to.info.IsDir() || from.info.IsDir()) && !os.SameFile(from.info, to.info) {
		return failed("rename", newName, fs.ErrExist)
	}
	switch {
	case linked(from, to):
		err = from.dir().Remove(from.base)
	case from.parent() == to.parent():
		err = from.dir().Rename(from.base, to.base)
	default:
		err = f.move(from, to)
	}
	if err != nil {
		return failed("rename", oldName, err)
	}
	syncDir(to.dir())
	if from.parent() != to.parent() {
		syncDir(from.dir())
	}
	return nil
}

// linked reports whether two names are hard links of one file. rename(2) does nothing
// then, and leaves both names. Two spellings of one name, on a disk that ignores case, are
// no links.
func linked(a, b *spot) bool {
	return b.info != nil && os.SameFile(a.info, b.info) && links(a.info, nil) > 1 && sandbox.Fold(a.realPlace()) != sandbox.Fold(b.realPlace())
}

// Mkdir creates one directory. Its owner can always read, write and enter it.
func (f *FS) Mkdir(name string, perm fs.FileMode) error {
	s, err := f.target(name, still)
	if err != nil {
		return failed("mkdir", name, err)
	}
	defer s.close()
	switch {
	case s.info != nil:
		err = fs.ErrExist
	case len(s.rest) > 0:
		err = fs.ErrNotExist
	default:
		err = s.dir().Mkdir(s.base, perm.Perm()|0o700)
	}
	if err != nil {
		return failed("mkdir", name, err)
	}
	return nil
}

// nextEntries returns the next n entries of a listing, or all remaining ones.
func nextEntries(rest *[]fs.DirEntry, n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		out := *rest
		*rest = nil
		return out, nil
	}
	if len(*rest) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(*rest))
	out := (*rest)[:n:n]
	*rest = (*rest)[n:]
	return out, nil
}

// OpenFile opens a file for reading and writing, as sandbox.OpenFile describes.
func (f *FS) OpenFile(name string, flag int, perm fs.FileMode) (fs.File, error) {
	return sandbox.OpenFile(f, name, flag, perm)
}

// MkdirAll creates a directory and its parents, as sandbox.MkdirAll describes.
func (f *FS) MkdirAll(name string, perm fs.FileMode) error { return sandbox.MkdirAll(f, name, perm) }
