package osfs

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"golem/core/fault"
	"golem/core/sandbox"
)

// tempPrefix marks files that a write has not finished. They are never listed.
const tempPrefix = ".golem-tmp-"

func isTemp(name string) bool { return strings.HasPrefix(name, tempPrefix) }

// WriteFile replaces a file atomically: a temporary file in the same
// directory, fsync, rename, fsync of the directory. A crash leaves the old
// file or the new one. The old file's permissions are kept.
func (f *FS) WriteFile(name string, data []byte) error {
	if err := f.target(name); err != nil {
		return failed("write", name, err)
	}
	perm := fs.FileMode(0)
	info, err := f.root.Lstat(local(name))
	switch {
	case err == nil && info.IsDir():
		return failed("write", name, syscall.EISDIR)
	case err == nil:
		perm = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return failed("write", name, err)
	}
	if err := f.parents(name); err != nil {
		return failed("write", name, err)
	}
	f.sweep(path.Dir(name))
	temp, err := f.writeTemp(path.Dir(name), data, perm)
	if err != nil {
		return failed("write", name, err)
	}
	if err := f.root.Rename(local(temp), local(name)); err != nil {
		_ = f.root.Remove(local(temp)) // what matters is why the write failed
		return failed("write", name, err)
	}
	f.syncDir(path.Dir(name))
	return nil
}

// writeTemp writes and syncs a temporary file in dir; perm 0 is a new file's.
func (f *FS) writeTemp(dir string, data []byte, perm fs.FileMode) (string, error) {
	var nonce [8]byte
	if _, err := rand.Read(nonce[:]); err != nil {
		return "", err
	}
	temp := path.Join(dir, tempPrefix+hex.EncodeToString(nonce[:]))
	file, err := f.root.OpenFile(local(temp), os.O_WRONLY|os.O_CREATE|os.O_EXCL, cmp.Or(perm, 0o644))
	if err != nil {
		return "", err
	}
	_, err = file.Write(data)
	if err == nil && perm != 0 && !windows {
		err = file.Chmod(perm) // the old file's, whatever the umask says
	}
	if err == nil {
		err = file.Sync()
	}
	if cerr := file.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = f.root.Remove(local(temp))
		return "", err
	}
	return temp, nil
}

// target refuses names that may not be written: invalid ones, the root, a
// link anywhere on the way, a special file.
func (f *FS) target(name string) error {
	if err := cmp.Or(valid(name), sandbox.ValidNew(name)); err != nil {
		return err
	}
	if name == "." {
		return fault.New(fault.ReadOnly, "the root of a sandbox cannot be changed")
	}
	if slices.ContainsFunc(strings.Split(name, "/"), isTemp) {
		return fault.New(fault.Path, "names that begin with %s are golem's own", tempPrefix)
	}
	for at := name; at != "."; at = path.Dir(at) {
		info, err := f.root.Lstat(local(at))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			return errLink
		case regular(info) != nil:
			return errSpecial
		}
	}
	return nil
}

// parents makes the directories above a name.
func (f *FS) parents(name string) error {
	dir := path.Dir(name)
	if dir == "." {
		return nil
	}
	return f.root.MkdirAll(local(dir), 0o755)
}

// syncDir makes a rename last; where a platform cannot sync a directory the
// rename is still atomic, so that a failure here is no failure of the write.
func (f *FS) syncDir(dir string) {
	if windows {
		return
	}
	d, err := f.root.Open(local(dir))
	if err != nil {
		return
	}
	_ = d.Sync()
	_ = d.Close()
}

// Remove deletes a file or an empty directory. A link is not removed: what is
// behind it may be meant.
func (f *FS) Remove(name string) error {
	if err := f.existing(name); err != nil {
		return failed("remove", name, err)
	}
	if info, err := f.root.Lstat(local(name)); err == nil && info.IsDir() {
		f.sweep(name)
	}
	if err := f.root.Remove(local(name)); err != nil {
		return failed("remove", name, err)
	}
	f.syncDir(path.Dir(name))
	return nil
}

// existing is target for a name that is there already, however it is spelled.
func (f *FS) existing(name string) error {
	if err := valid(name); err != nil {
		return err
	}
	if _, err := f.root.Lstat(local(name)); err != nil {
		return err
	}
	if sandbox.ValidNew(name) != nil {
		return nil // a name Windows cannot hold may still be removed or moved away
	}
	return f.target(name)
}

// Rename moves a file or directory, replacing a file that is there, and makes
// missing parents.
func (f *FS) Rename(oldName, newName string) error {
	if err := f.existing(oldName); err != nil {
		return failed("rename", oldName, err)
	}
	if err := f.target(newName); err != nil {
		return failed("rename", newName, err)
	}
	from, err := f.root.Lstat(local(oldName))
	if err != nil {
		return failed("rename", oldName, err)
	}
	if to, err := f.root.Lstat(local(newName)); err == nil && (to.IsDir() || from.IsDir()) && oldName != newName {
		return failed("rename", newName, fs.ErrExist)
	}
	if from.IsDir() && oldName != newName && sandbox.Within(newName, oldName) {
		return failed("rename", newName, fs.ErrInvalid)
	}
	if err := f.parents(newName); err != nil {
		return failed("rename", newName, err)
	}
	if err := f.root.Rename(local(oldName), local(newName)); err != nil {
		return failed("rename", oldName, err)
	}
	f.syncDir(path.Dir(newName))
	f.syncDir(path.Dir(oldName))
	return nil
}

// Mkdir makes one directory.
func (f *FS) Mkdir(name string, perm fs.FileMode) error {
	if err := f.target(name); err != nil {
		return failed("mkdir", name, err)
	}
	if err := f.root.Mkdir(local(name), perm|0o700); err != nil {
		return failed("mkdir", name, err)
	}
	return nil
}

// sweep removes the temporary files in a directory that a dead writer left
// more than an hour ago. It looks at a directory once.
func (f *FS) sweep(dir string) {
	if _, done := f.swept.LoadOrStore(dir, true); done {
		return
	}
	d, err := f.root.Open(local(dir))
	if err != nil {
		return
	}
	defer func() { _ = d.Close() }()
	for {
		entries, err := d.ReadDir(256)
		for _, e := range entries {
			if !isTemp(e.Name()) {
				continue
			}
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > time.Hour {
				_ = f.root.Remove(local(path.Join(dir, e.Name())))
			}
		}
		if err != nil {
			return
		}
	}
}

// take is the next n of a listing, or all of it.
func take(rest *[]fs.DirEntry, n int) ([]fs.DirEntry, error) {
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
