package sandbox

import (
	"io/fs"
	"maps"
	"path"
	"slices"

	"golem/core/sorting"
)

// Change is a file of an overlay that differs from the tree below it.
type Change struct {
	Name    string
	Removed bool // the name, with all below it, is not there any more
	// Version differs after each change of the file; two equal ones are the same content. It
	// counts only in this process.
	Version any
}

// ChangedIn returns the changes in a tree of Overlay, sorted by name: removals first, so that
// carrying them out in this order on the tree below gives the same files. It returns nil for
// another tree. A file that was written with the content that it had is a change.
func ChangedIn(fsys FS) []Change {
	o, ok := fsys.(*overlay)
	if !ok || o.at != "." {
		return nil
	}
	o.mu.RLock()
	defer o.mu.RUnlock()
	var out []Change
	for _, name := range slices.Sorted(maps.Keys(o.gone)) {
		out = append(out, Change{Name: name, Removed: true})
	}
	o.upper.mu.RLock()
	defer o.upper.mu.RUnlock()
	removed := len(out)
	o.upper.root.changed(".", &out)
	sorting.By(out[removed:], func(a, b Change) int {
		switch {
		case a.Name < b.Name:
			return -1
		case a.Name > b.Name:
			return 1
		}
		return 0
	})
	return out
}

func (n *node) changed(name string, out *[]Change) {
	for base, child := range n.entries {
		at := join(name, base)
		if child.isDir() {
			child.changed(at, out)
			continue
		}
		*out = append(*out, Change{Name: at, Version: child})
	}
}

// Carry carries out a change on a tree of Overlay: it removes the name, with all below it, or
// writes the file.
func Carry(fsys FS, name string, removed bool, data []byte) error {
	if !removed {
		return fsys.WriteFile(name, data)
	}
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil // it is not there
	}
	if info.IsDir() {
		entries, err := fs.ReadDir(fsys, name)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := Carry(fsys, path.Join(name, e.Name()), true, nil); err != nil {
				return err
			}
		}
	}
	return fsys.Remove(name)
}
