//go:build !unix

package osfs

import "path/filepath"

// move renames by names below the root, because this system cannot rename
// between open directories.
func (f *FS) move(from, to *spot) error {
	return f.root.Rename(filepath.FromSlash(from.realPlace()), filepath.FromSlash(to.realPlace()))
}
