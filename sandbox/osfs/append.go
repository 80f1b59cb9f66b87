package osfs

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"golem/core/fault"
	"golem/core/sandbox"
)

// Append opens a file for appending. It creates a missing file, which only its owner can
// read (0600), and missing parents. Each Write is one write call of the operating system.
// The returned file also has Sync() error. The caller closes it.
func (f *FS) Append(name string) (io.WriteCloser, error) {
	file, err := f.openRaw("append", name, os.O_WRONLY|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	return &appended{file, name}, nil
}

// appended is a file that was opened by Append. Its errors contain no host path.
type appended struct {
	file *os.File
	name string
}

func (a *appended) Write(b []byte) (int, error) {
	n, err := a.file.Write(b)
	return n, a.failed("write", err)
}

// Sync writes the file to the disk.
func (a *appended) Sync() error { return a.failed("sync", a.file.Sync()) }

func (a *appended) Close() error { return a.failed("close", a.file.Close()) }

func (a *appended) failed(op string, err error) error {
	if err == nil {
		return nil
	}
	return failed(op, a.name, err)
}

// openRaw opens a regular file as an os.File, never through a link.
func (f *FS) openRaw(op, name string, flag int) (*os.File, error) {
	s, err := f.target(name, making)
	if err != nil {
		return nil, failed(op, name, err)
	}
	defer s.close()
	if s.info != nil && s.info.IsDir() {
		return nil, failed(op, name, sandbox.ErrIsDir)
	}
	file, err := s.dir().OpenFile(s.base, flag|nonblock, 0o600)
	if err != nil {
		return nil, failed(op, name, err)
	}
	opened := temp{s.dir(), s.base, file}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || !opened.isOurs() {
		return nil, errors.Join(failed(op, name, errSwapped), file.Close())
	}
	return file, nil
}

// TryLock takes the lock of that name without waiting. The lock is a file, which TryLock
// creates and release removes. While it is taken, every other TryLock, in this process or
// in another one, returns taken == false. The system frees the lock when its process
// ends. If the file system has no locks, TryLock returns E_PLATFORM.
func (f *FS) TryLock(name string) (release func(), taken bool, err error) {
	for range maxTries {
		file, err := f.openRaw("lock", name, os.O_RDWR|os.O_CREATE)
		if errors.Is(err, errSwapped) || errors.Is(err, fs.ErrNotExist) {
			continue // the owner removed the file meanwhile
		}
		if err != nil {
			return nil, false, err
		}
		free, known := lockFile(file)
		switch {
		case !known:
			return nil, false, errors.Join(failed("lock", name, errNoLocks), file.Close())
		case !free:
			return nil, false, file.Close()
		case f.names(name, file):
			return func() {
				_ = f.Remove(name) // before Close, so that no other owner's file can be removed
				_ = file.Close()
			}, true, nil
		}
		_ = file.Close() // the previous owner has removed this file
	}
	return nil, false, failed("lock", name, errSwapped)
}

// Locked reports whether the lock of that name is taken now. If its file exists and
// nobody has the lock, because the owner died, Locked takes and releases the lock, which
// removes the file.
func (f *FS) Locked(name string) bool {
	if _, err := f.Stat(name); err != nil {
		return false
	}
	release, taken, err := f.TryLock(name)
	if taken {
		release()
	}
	return err == nil && !taken
}

// names reports whether the name still belongs to this open file.
func (f *FS) names(name string, file *os.File) bool {
	s, err := f.walk(name, still)
	if err != nil {
		return false
	}
	defer s.close()
	mine, err := file.Stat()
	return err == nil && s.info != nil && os.SameFile(mine, s.info)
}

var errNoLocks = fault.New(fault.Platform, "this file system has no locks, so another golem could change the same files").
	Hinting("keep the project on a local disk")
