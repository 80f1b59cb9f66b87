package sandbox

import (
	"io/fs"
	"slices"
	"time"

	"github.com/hack-pad/hackpadfs"
)

// Info is a simple fs.FileInfo for implementations of FS.
type Info struct {
	Base  string
	Bytes int64
	Perm  fs.FileMode // including the type bits
	When  time.Time
}

// Name returns the base name, "." for a root.
func (i Info) Name() string { return i.Base }

// Size returns the size in bytes.
func (i Info) Size() int64 { return i.Bytes }

// Mode returns the type and permission bits.
func (i Info) Mode() fs.FileMode { return i.Perm }

// ModTime returns the time when the file was last written.
func (i Info) ModTime() time.Time { return i.When }

// IsDir reports whether this is a directory.
func (i Info) IsDir() bool { return i.Perm.IsDir() }

// Sys always returns nil.
func (i Info) Sys() any { return nil }

// Errors of an FS in addition to those of io/fs. Their texts are the same on every
// platform. errors.Is also matches them with hackpadfs's errors, which are the
// system's error numbers.
var (
	ErrIsDir error = &mismatch{"is a directory", []error{hackpadfs.ErrIsDir}}
	// ErrNotDir is the error for a file where a directory is needed, and for
	// every name below a file. It is not fs.ErrNotExist, because nothing can be
	// created there.
	ErrNotDir   error = &mismatch{"a part of the path is a file, not a directory", []error{hackpadfs.ErrNotDir}}
	ErrNotEmpty error = &mismatch{"the directory is not empty", []error{hackpadfs.ErrNotEmpty}}
	// ErrInvalid is the error for an invalid argument, and for a call that the file or
	// the tree does not support.
	ErrInvalid error = &mismatch{"invalid argument", []error{fs.ErrInvalid, hackpadfs.ErrInvalid}}
)

// mismatch is an error with a text of its own that errors.Is also matches with kinds.
type mismatch struct {
	text  string
	kinds []error
}

func (m *mismatch) Error() string        { return m.text }
func (m *mismatch) Is(target error) bool { return slices.Contains(m.kinds, target) }
