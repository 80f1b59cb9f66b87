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

// tempPrefix marks files that a write has not finished. They are never listed.
const tempPrefix = ".golem-tmp-"

func isTemp(name string) bool { return strings.HasPrefix(name, tempPrefix) }

// temporary reports whether a name is, or lies below, an unfinished write.
func temporary(name string) bool {
	return strings.Contains(name, tempPrefix) && slices.ContainsFunc(elements(name), isTemp)
}

// temp is a new file that a write fills and then puts in its place. While it
// is open it is locked, which tells others that its writer lives (see sweep).
type temp struct {
	dir  *os.Root
	name string
	file *os.File
}

// newTemp makes an empty one; perm 0 is a new file's.
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
		// Between making and locking it, someone who sweeps may have taken it
		// for a dead writer's.
		free, known := hold(file)
		if !known || free && t.there() {
			return t, nil
		}
		t.discard()
	}
	return nil, errTaken
}

var errTaken = fault.New(fault.Busy, "another program removed the temporary file with the new content several times").
	Hinting("stop the other program that works in this directory")

// there tells whether the name still is this file.
func (t *temp) there() bool {
	mine, err := t.file.Stat()
	if err != nil {
		return false
	}
	now, err := t.dir.Lstat(t.name)
	return err == nil && os.SameFile(mine, now)
}

// fill writes and syncs the content; perm is the old file's, whatever the
// umask says, and 0 if there is none.
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

// place puts the file in the place of base. It is locked until it is there;
// windows renames no open file.
func (t *temp) place(base string) error {
	if windows {
		if err := t.file.Close(); err != nil {
			return err
		}
	}
	if err := t.dir.Rename(t.name, base); err != nil {
		return err
	}
	if !windows {
		_ = t.file.Close() // all of it is on the disk
	}
	return nil
}

// discard removes the file. Errors do not matter: a write failed, which is told.
func (t *temp) discard() {
	_ = t.file.Close()
	_ = t.dir.Remove(t.name)
}

// leftover is the age from which an unfinished write is a dead one's, where
// locks do not tell.
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
				bury(dir, e.Name())
			}
		}
		if err != nil {
			return
		}
	}
}

// bury removes a temporary file if its writer is dead: then it can be locked.
// A writer that lives has it locked, or finds that it has lost it before it
// writes anything.
func bury(dir *os.Root, name string) {
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
		free, known = hold(file)
		if !(&temp{dir, name, file}).there() {
			return // it was put in its place meanwhile
		}
	}
	if free || !known && time.Since(info.ModTime()) > leftover {
		_ = dir.Remove(name)
	}
}

// sweepOnce sweeps a directory the first time that this FS changes something in it.
func (f *FS) sweepOnce(dir *os.Root, name string) {
	if _, done := f.swept.LoadOrStore(name, true); !done {
		sweep(dir)
	}
}

// sweepAt sweeps a directory in whose listing there is an unfinished write.
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
