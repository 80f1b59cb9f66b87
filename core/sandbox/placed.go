package sandbox

import (
	"cmp"
	"io/fs"
)

// Placed is an open file, or the info of one, that knows where it lies in its
// tree, links followed. A view judges that place once more after opening, so
// that a link put in between opens nothing (SECURITY 2). "" is unknown.
type Placed interface {
	Place() string
}

// Linked is the info of a file that knows how many names it has: hard links.
// 0 is unknown.
type Linked interface {
	Links() uint64
}

// list is a directory's entries, and where it lies, if its tree tells.
func list(fsys FS, dir string) (entries []fs.DirEntry, at string, err error) {
	f, err := fsys.Open(dir)
	if err != nil {
		return nil, "", err
	}
	if p, ok := f.(Placed); ok {
		at = p.Place()
	}
	rd, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil, "", cmp.Or(perr("readdir", dir, ErrNotDir), f.Close())
	}
	entries, err = rd.ReadDir(-1)
	return entries, at, cmp.Or(err, f.Close())
}
