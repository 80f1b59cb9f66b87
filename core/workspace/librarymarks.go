package workspace

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// unmark removes the mark of a finished change. If the mark stayed, the next Recover
// would undo the change.
func (l Libraries) unmark(dir string) error {
	if err := l.Root.Remove(marked + dir); err != nil {
		return l.notWritten(dir, err)
	}
	return nil
}

// drop removes a marked library and then its mark.
func (l Libraries) drop(dir string) error {
	if err := l.Root.RemoveAll(dir); err != nil {
		return l.notWritten(dir, err)
	}
	return l.unmark(dir)
}

// replace replaces a marked library by the complete new version beside it. Until the
// mark is removed, replace can be called again after a crash.
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
	_ = l.Root.RemoveAll(installing + dir) // if this fails, the next change removes the rest
	return nil
}

// Whole returns a directory of libraries without those whose change is not finished;
// see Libraries.Marks. It reads the marks only once, when it is called.
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

// wholeOnly is a directory of libraries that hides the marked ones.
type wholeOnly struct {
	fs   fs.FS
	half map[string]bool
}

// Open opens a file. Files of marked libraries do not exist.
func (w wholeOnly) Open(name string) (fs.File, error) {
	if top, _, _ := strings.Cut(name, "/"); w.half[top] {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return w.fs.Open(name)
}

// ReadDir lists a directory, without marked libraries.
func (w wholeOnly) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(w.fs, name)
	if name == "." {
		entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return w.half[e.Name()] })
	}
	return entries, err
}
