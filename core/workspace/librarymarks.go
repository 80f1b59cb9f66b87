package workspace

import (
	"io/fs"
	"slices"
	"strings"
)

// unmark removes the mark of a finished change. A mark that stays would undo it.
func (l Libraries) unmark(dir string) error {
	if err := l.Root.Remove(marked + dir); err != nil {
		return l.notWritten(dir, err)
	}
	return nil
}

// drop removes what is marked, and then the mark.
func (l Libraries) drop(dir string) error {
	if err := l.Root.RemoveAll(dir); err != nil {
		return l.notWritten(dir, err)
	}
	return l.unmark(dir)
}

// Whole shows a directory of libraries without those whose change is not
// finished; see Libraries.Marks. It looks for marks once.
func Whole(root fs.FS) (fs.FS, error) {
	entries, err := fs.ReadDir(root, ".")
	half := map[string]bool{}
	for _, e := range entries {
		if dir, ok := strings.CutPrefix(e.Name(), marked); ok {
			half[dir] = true
		}
	}
	if len(half) == 0 {
		return root, err
	}
	return wholeOnly{root, half}, err
}

type wholeOnly struct {
	fs   fs.FS
	half map[string]bool
}

// Open opens a file of a library that is whole.
func (w wholeOnly) Open(name string) (fs.File, error) {
	if top, _, _ := strings.Cut(name, "/"); w.half[top] {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return w.fs.Open(name)
}

// ReadDir lists a directory.
func (w wholeOnly) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(w.fs, name)
	if name == "." {
		entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return w.half[e.Name()] })
	}
	return entries, err
}
