// Package sandbox is the virtual file system that one worker run sees: the
// one door to files (SECURITY 1). FS is the interface every platform
// implements; views (mounts, restrictions, modes, protection, limits) wrap an
// FS and only ever narrow it (S0-42..51).
//
// Names are io/fs names everywhere in Go ("a/b", "." for the root); models
// and people write virtual paths ("/a/b"). Clean and Abs translate.
package sandbox

import (
	"io/fs"
)

// FS is one tree. Reading is io/fs: Open returns fs.File; a directory's file
// is an fs.ReadDirFile. All names are valid per fs.ValidPath and per Valid.
// Implementations are safe for concurrent use and also provide
// fs.StatFS, fs.ReadDirFS and fs.ReadFileFS where they can do better than
// the io/fs fallbacks. golem's own also satisfy HackpadFS.
//
// Errors satisfy errors.Is with fs.ErrNotExist, fs.ErrExist, fs.ErrPermission
// as the os package's do, or are *fault.Fault with E_PATH, E_READONLY,
// E_PROTECTED, E_LIMIT, E_QUOTA; they name virtual paths, never host paths.
type FS interface {
	fs.FS
	// WriteFile replaces name atomically (old or new content, never a mix),
	// creating missing parents.
	WriteFile(name string, data []byte) error
	// Remove deletes a file or an empty directory.
	Remove(name string) error
	// Rename moves a file or directory, replacing an existing file and
	// creating missing parents of the new name.
	Rename(oldName, newName string) error
	// Mkdir makes one directory. perm is advice; platforms without modes ignore it.
	Mkdir(name string, perm fs.FileMode) error
}

// SubFS is an FS that can hand out a directory as a nested handle, so that a
// restriction is a handle and not a string (SECURITY 2).
type SubFS interface {
	FS
	SubFS(dir string) (FS, error)
}

// Asked is an FS that knows itself what CanWrite wants to know: a view that
// lies elsewhere.
type Asked interface {
	FS
	CanWrite(name string) error
}

// Identifier is an FS that can tell whether two names are one file (hard
// links, case-folding). Protection uses it; without it names are folded.
type Identifier interface {
	SameFile(a, b fs.FileInfo) bool
}

// Mode is what a mount permits.
type Mode string

// Modes of SPEC §8. Staged is copy-on-write into clearance.
const (
	ReadOnly  Mode = "ro"
	ReadWrite Mode = "rw"
	Staged    Mode = "staged"
)
