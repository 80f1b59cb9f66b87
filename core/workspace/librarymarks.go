package workspace

import (
	"io/fs"
	"path"
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

// replace puts what lies whole beside a marked library in its place. It can be
// begun again until the mark is gone.
func (l Libraries) replace(dir string) error {
	beside := l.Tree(installing + dir)
	nodes := []node{{name: dir, dir: true}}
	err := fs.WalkDir(beside, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(beside, name)
		nodes = append(nodes, node{name: path.Join(dir, name), data: data})
		return err
	})
	if err == nil {
		err = l.Root.RemoveAll(dir)
	}
	if err == nil {
		err = write(l.Root, nodes)
	}
	if err != nil {
		return l.notWritten(dir, err)
	}
	if err := l.unmark(dir); err != nil {
		return err
	}
	_ = l.Root.RemoveAll(installing + dir) // what stays is removed by the next change
	return nil
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
