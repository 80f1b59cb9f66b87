package home

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"golem/cmd/cli/disk"
)

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

// sweep removes what killed processes left in GOLEM_HOME, because it may be a copy of
// secrets. It spares what a living process is writing: that one has the lock, or its file
// is not old.
func sweep(home string) {
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
			} else if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > disk.StaleTemp {
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
