package disk

import (
	"errors"
	"io/fs"
	"os"
)

// Lock locks a file of a directory against other processes, and makes it if it is not
// there. release unlocks it; so does the end of the process. Without wait, release is nil
// if another process has the lock.
//
// The directory may be one that somebody else made. So the file has to be a regular one: a
// FIFO would make golem wait, and a link would make a file elsewhere (ErrNotRegular).
func Lock(dir *os.Root, name string, wait bool) (release func(), err error) {
	file, err := openLock(dir, name)
	if err != nil {
		return nil, err
	}
	held, err := lock(file, wait)
	if err != nil || !held {
		return nil, errors.Join(err, file.Close())
	}
	return func() { file.Close() }, nil
}

// openLock opens the file for reading, because some file systems lock no other. It looks at
// the file before it opens it, and again afterwards, because it may be another one by then.
func openLock(dir *os.Root, name string) (*os.File, error) {
	if info, err := dir.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, ErrNotRegular
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	file, err := dir.OpenFile(name, os.O_RDONLY|os.O_CREATE|OpenNonblock, 0o600)
	if err != nil {
		return nil, err
	}
	is, err := file.Stat()
	now, lerr := dir.Lstat(name)
	if err = errors.Join(err, lerr); err == nil && (!is.Mode().IsRegular() || !os.SameFile(is, now)) {
		err = ErrNotRegular
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
