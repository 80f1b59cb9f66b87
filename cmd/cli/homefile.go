package main

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"golem/core/fault"
)

// readHomeFile reads a regular file of GOLEM_HOME; nil if there is none.
func readHomeFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && !info.Mode().IsRegular():
		err = errors.New("it is not a regular file")
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(name)
	}
	var data []byte
	if err == nil {
		defer f.Close()
		data, err = io.ReadAll(io.LimitReader(f, maxHomeFile+1))
	}
	if err == nil && len(data) > maxHomeFile {
		err = errors.New("it is too long")
	}
	if err != nil {
		return nil, fault.New(fault.Config, "%s in GOLEM_HOME cannot be read: %s", filepath.Base(name), cause(err)).
			Hinting("repair the file, or remove it")
	}
	return data, nil
}

// writeAtomic writes a file so that even after a crash it has either the old or the new
// content, never a mix (SECURITY 5).
func writeAtomic(name string, data []byte) error {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return replace(name, unfinishedName(name), data, (*os.File).Sync)
}

// replace writes data to a new file beside name, calls done with it before closing it,
// and renames it to name. After an error the old file is unchanged. Where the system can,
// the new file has no name until it is complete, so that it is gone if golem is killed
// while it writes.
func replace(name, pattern string, data []byte, done func(*os.File) error) error {
	tmp, give, err := nameless(filepath.Dir(name))
	if err != nil {
		if tmp, err = os.CreateTemp(filepath.Dir(name), pattern); err != nil {
			return err
		}
		give = func(string) error { return nil }
	}
	_, err = tmp.Write(data)
	if err == nil {
		err = done(tmp)
	}
	temporary := tmp.Name()
	if strings.HasSuffix(temporary, namelessFile) {
		temporary = filepath.Join(filepath.Dir(name), strings.Replace(pattern, "*", rand.Text(), 1))
	}
	if err == nil {
		err = give(temporary)
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(temporary, name)
	}
	if err != nil {
		if rerr := os.Remove(temporary); !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
	}
	return err
}

// namelessFile is the end of the name that an *os.File without a name in its directory
// has.
const namelessFile = " (no name yet)"

// unfinishedName returns the pattern for the temporary file of a file in GOLEM_HOME.
func unfinishedName(name string) string { return "." + filepath.Base(name) + "-*.tmp" }

// leftovers removes the temporary files that killed processes left of a file. The caller
// holds the file's lock, so that no other process is writing it.
func leftovers(dir, base string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if of, ok := unfinishedOf(e.Name()); ok && of == base && e.Type().IsRegular() {
			_ = os.Remove(filepath.Join(dir, e.Name())) // the next change tries again
		}
	}
}

// unfinishedOf returns the file of GOLEM_HOME whose temporary file has this name.
func unfinishedOf(name string) (base string, ok bool) {
	rest, dot := strings.CutPrefix(name, ".")
	rest, tmp := strings.CutSuffix(rest, ".tmp")
	n := strings.LastIndexByte(rest, '-')
	if !dot || !tmp || n < 1 {
		return "", false
	}
	return rest[:n], true
}

// sweepHome removes what killed processes left in GOLEM_HOME, because it may be a copy of
// secrets. It spares what a living process is writing: that one has the lock, or its file
// is not old.
func sweepHome(home string) {
	for _, dir := range []string{home, filepath.Join(home, "history")} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			base, ok := unfinishedOf(e.Name())
			if !e.Type().IsRegular() || !ok && !strings.HasPrefix(e.Name(), ".golem-") { // the names of older versions
				continue
			}
			name, lock := filepath.Join(dir, e.Name()), filepath.Join(dir, base+".lock")
			if _, err := os.Stat(lock); ok && err == nil {
				sweepUnder(lock, name)
			} else if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > staleTemp {
				_ = os.Remove(name) // the next process tries again
			}
		}
	}
}

// sweepUnder removes a file if nobody holds the lock.
func sweepUnder(lock, name string) {
	l := flock.New(lock)
	if got, err := l.TryLock(); err != nil || !got {
		return
	}
	defer l.Close()
	_ = os.Remove(name) // the next process tries again
}
