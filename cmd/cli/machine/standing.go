package machine

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"golem/core/sandbox"
	"golem/core/workspace"
	"golem/sandbox/osfs"
)

// standing is a directory of libraries for a reader that holds no lock: a library that an
// update has just moved away, or whose update was killed then, is read where it was moved
// to. So there is always the old library or the new one.
type standing struct{ *osfs.FS }

// standingTries bounds how often a name is looked for in both places, while an update
// moves the library from one to the other.
const standingTries = 100

// retried calls f with the name, and with the place to which an update moves it.
func retried[T any](name string, f func(string) (T, error)) (T, error) {
	for range standingTries {
		got, err := f(name)
		if top, _, _ := strings.Cut(name, "/"); !errors.Is(err, fs.ErrNotExist) || strings.HasPrefix(top, ".") {
			return got, err
		}
		if moved, merr := f(workspace.MovedAway + name); merr == nil {
			return moved, nil
		}
		if again, err := f(name); err == nil {
			return again, nil
		}
		if _, missing := f(workspace.MovedAway + name); errors.Is(missing, fs.ErrNotExist) {
			return f(name)
		}
	}
	return f(name)
}

// Open opens a file or directory.
func (s standing) Open(name string) (fs.File, error) { return retried(name, s.FS.Open) }

// ReadFile reads a file.
func (s standing) ReadFile(name string) ([]byte, error) { return retried(name, s.FS.ReadFile) }

// Stat describes a file or directory.
func (s standing) Stat(name string) (fs.FileInfo, error) {
	return retried(name, s.FS.Stat)
}

// SubFS returns the tree of one library. It stays readable while an update moves it.
func (s standing) SubFS(dir string) (sandbox.FS, error) {
	return retried(dir, s.FS.SubFS)
}

// ReadDir lists a directory. Among the libraries it names those that were moved away.
func (s standing) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := retried(name, s.FS.ReadDir)
	if name != "." || err != nil {
		return entries, err
	}
	there := map[string]bool{}
	for _, e := range entries {
		there[e.Name()] = true
	}
	for _, e := range slices.Clone(entries) {
		if dir, ok := strings.CutPrefix(e.Name(), workspace.MovedAway); ok && !there[dir] {
			if info, err := s.Stat(dir); err == nil {
				entries = append(entries, movedEntry{fs.FileInfoToDirEntry(info), dir})
			}
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// movedEntry is the entry of a library that was moved away, under its own name.
type movedEntry struct {
	fs.DirEntry
	name string
}

// Name returns the name that the library has for its readers.
func (m movedEntry) Name() string { return m.name }
