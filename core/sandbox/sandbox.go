// Package sandbox is the virtual file system that a worker sees, and its only
// access to files (SECURITY 1). FS is the interface that every platform
// implements. A view wraps an FS with mounts, restrictions, modes, protection
// and limits; it can only reduce what is visible (S0-42..51).
//
// Go code uses io/fs names ("a/b", "." for the root); models and people write
// virtual paths ("/a/b"). Clean and Abs convert between them.
package sandbox

import (
	"io/fs"
)

// FS is a tree of files. For reading it is an io/fs.FS: Open returns an
// fs.File, and for a directory an fs.ReadDirFile. Names must be valid for
// fs.ValidPath and for Valid. Implementations are safe for concurrent use, and
// also provide fs.StatFS, fs.ReadDirFS and fs.ReadFileFS if they can do better
// than the functions of io/fs. golem's own also implement HackpadFS.
//
// Errors match fs.ErrNotExist, fs.ErrExist and fs.ErrPermission with errors.Is,
// as those of package os do, or they are a *fault.Fault with E_PATH,
// E_READONLY, E_PROTECTED, E_LIMIT or E_QUOTA. They contain virtual paths,
// never paths of the host.
type FS interface {
	fs.FS
	// WriteFile replaces a file atomically, so that a reader sees the old or
	// the new content, and creates missing parents.
	WriteFile(name string, data []byte) error
	// Remove deletes a file or an empty directory.
	Remove(name string) error
	// Rename moves a file or directory, replaces an existing file, and creates
	// missing parents of the new name.
	Rename(oldName, newName string) error
	// Mkdir creates one directory. perm is advice; platforms without
	// permissions ignore it.
	Mkdir(name string, perm fs.FileMode) error
}

// SubFS is an FS that can open a directory as a nested handle, so that a
// restriction is a handle and not a comparison of strings (SECURITY 2).
type SubFS interface {
	FS
	SubFS(dir string) (FS, error)
}

// Asked is an FS that answers CanWrite itself: a proxy for a view that is in another
// web worker or process.
type Asked interface {
	FS
	CanWrite(name string) error
}

// Identifier is an FS that can tell whether two names are the same file (hard
// links, names that differ in case). Protection uses it in addition to comparing
// folded names.
type Identifier interface {
	SameFile(a, b fs.FileInfo) bool
}

// Mode says what a mount permits.
type Mode string

// The modes of SPEC §8. Staged means that changes are stored apart from the real
// files until a person pushes them (clearance).
const (
	ReadOnly  Mode = "ro"
	ReadWrite Mode = "rw"
	Staged    Mode = "staged"
)
