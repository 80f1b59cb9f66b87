package osfs

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"golem/core/fault"
)

// tempPrefix begins the names of temporary files of unfinished writes. They are
// never listed.
const tempPrefix = ".golem-tmp-"

func isTemp(name string) bool { return strings.HasPrefix(name, tempPrefix) }

// temporary reports whether a name is an unfinished write, or is below one.
func temporary(name string) bool {
	return strings.Contains(name, tempPrefix) && slices.ContainsFunc(elements(name), isTemp)
}

// temp is a new file that a write fills and then moves to its final name. It is
// locked while it is open, so that other processes see that its writer is alive
// (see sweep).
type temp struct {
	dir  *os.Root
	name string
	file *os.File
}

// newTemp creates an empty temporary file; perm 0 means the permissions of a
// new file.
func newTemp(dir *os.Root, perm fs.FileMode) (*temp, error) {
	for range maxTries {
		var nonce [8]byte
		if _, err := rand.Read(nonce[:]); err != nil {
			return nil, err
		}
		name := tempPrefix + hex.EncodeToString(nonce[:])
		file, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, cmp.Or(perm, 0o644))
		if err != nil {
			return nil, err
		}
		t := &temp{dir, name, file}
		// Another process that cleans up may remove the file between its
		// creation and its locking.
		free, known := Hold(file)
		if !known || free && t.isOurs() {
			return t, nil
		}
		t.discard()
	}
	return nil, errTaken
}

var errTaken = fault.New(fault.Busy, "another program removed the temporary file with the new content several times").
	Hinting("stop the other program that works in this directory")

// isOurs reports whether the name still belongs to this file.
func (t *temp) isOurs() bool {
	mine, err := t.file.Stat()
	if err != nil {
		return false
	}
	now, err := t.dir.Lstat(t.name)
	return err == nil && os.SameFile(mine, now)
}

// fill writes and syncs the content. perm is the old file's permissions, which
// are set whatever the umask is, or 0 if there is no old file.
func (t *temp) fill(data []byte, perm fs.FileMode) error {
	_, err := t.file.Write(data)
	if err == nil && perm != 0 && !windows {
		err = t.file.Chmod(perm)
	}
	if err == nil {
		err = t.file.Sync()
	}
	return err
}

// moveTo moves the file to the name base. The file stays locked until then,
// except on Windows, which cannot rename an open file.
func (t *temp) moveTo(base string) error {
	if windows {
		if err := t.file.Close(); err != nil {
			return err
		}
	}
	if err := t.dir.Rename(t.name, base); err != nil {
		return err
	}
	if !windows {
		_ = t.file.Close() // everything is on the disk
	}
	return nil
}

// discard removes the file. It ignores errors, because the failed write is
// already reported.
func (t *temp) discard() {
	_ = t.file.Close()
	_ = t.dir.Remove(t.name)
}

// leftover is the age after which the writer of a temporary file counts as dead
// if the file system has no locks.
const leftover = time.Hour

// sweep removes the temporary files that dead writers left in a directory.
func sweep(dir *os.Root) {
	d, err := dir.Open(".")
	if err != nil {
		return
	}
	defer func() { _ = d.Close() }()
	for {
		entries, err := d.ReadDir(256)
		for _, e := range entries {
			if isTemp(e.Name()) && e.Type().IsRegular() {
				removeIfDead(dir, e.Name())
			}
		}
		if err != nil {
			return
		}
	}
}

// removeIfDead removes a temporary file if its writer is dead, that is, if the file can be
// locked. A living writer either has the lock or notices, before it writes, that
// its file is gone.
func removeIfDead(dir *os.Root, name string) {
	file, err := dir.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil && !errors.Is(err, fs.ErrPermission) {
		return
	}
	free, known := false, false
	info, lerr := dir.Lstat(name)
	if lerr != nil || !info.Mode().IsRegular() {
		return
	}
	if err == nil {
		defer func() { _ = file.Close() }()
		free, known = Hold(file)
		if !(&temp{dir, name, file}).isOurs() {
			return // its writer has moved it to its final name meanwhile
		}
	}
	if free || !known && time.Since(info.ModTime()) > leftover {
		_ = dir.Remove(name)
	}
}

// sweepOnce sweeps a directory the first time that this FS opens it as its root or
// writes a file in it.
func (f *FS) sweepOnce(dir *os.Root, name string) {
	if _, done := f.swept.LoadOrStore(name, true); !done {
		sweep(dir)
	}
}

// sweepAt sweeps a directory whose listing contains a temporary file.
func (f *FS) sweepAt(place string) {
	s, err := f.walk(place, still)
	if err != nil {
		return
	}
	defer s.close()
	if s.info == nil || !s.info.IsDir() {
		return
	}
	if d, err := enter(s.dir(), s.base, s.info); err == nil {
		sweep(d)
		_ = d.Close()
	}
}
