package sandbox

import (
	"cmp"
	"io/fs"
)

// Placed is an open file, or its info, that knows where it is in its tree after
// links were followed. A view checks this place again after opening, so that a
// link that somebody creates at the last moment gives no access (SECURITY 2).
// "" means unknown.
type Placed interface {
	Place() string
}

// Linked is the info of a file that knows how many names (hard links) the file
// has. 0 means unknown.
type Linked interface {
	Links() uint64
}

// list returns the entries of a directory and where it is in its tree, if the
// tree knows.
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
