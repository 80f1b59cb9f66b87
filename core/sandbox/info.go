package sandbox

import (
	"io/fs"
	"slices"
	"time"

	"github.com/hack-pad/hackpadfs"
)

// Info is a plain fs.FileInfo, for implementations of FS.
type Info struct {
	Base  string
	Bytes int64
	Perm  fs.FileMode // with the type bits
	When  time.Time
}

// Name is the base name; "." for a root.
func (i Info) Name() string { return i.Base }

// Size is in bytes.
func (i Info) Size() int64 { return i.Bytes }

// Mode holds type and permission bits.
func (i Info) Mode() fs.FileMode { return i.Perm }

// ModTime is when the file was written last.
func (i Info) ModTime() time.Time { return i.When }

// IsDir is Mode().IsDir().
func (i Info) IsDir() bool { return i.Perm.IsDir() }

// Sys is nil.
func (i Info) Sys() any { return nil }

// What an FS says, beside the errors of io/fs, when something does not fit. The
// words are the same on every platform; errors.Is also knows them as
// hackpadfs's, which are the system's numbers.
var (
	ErrIsDir error = &mismatch{"is a directory", []error{hackpadfs.ErrIsDir}}
	// ErrNotDir is for a file where a directory is needed, and for every name
	// below a file: nothing can be there, so it is not fs.ErrNotExist.
	ErrNotDir   error = &mismatch{"a part of the path is a file, not a directory", []error{hackpadfs.ErrNotDir}}
	ErrNotEmpty error = &mismatch{"the directory is not empty", []error{hackpadfs.ErrNotEmpty}}
	// ErrInvalid is for a call that no file or tree can do.
	ErrInvalid error = &mismatch{"invalid argument", []error{fs.ErrInvalid, hackpadfs.ErrInvalid}}
)

type mismatch struct {
	text  string
	kinds []error
}

func (m *mismatch) Error() string        { return m.text }
func (m *mismatch) Is(target error) bool { return slices.Contains(m.kinds, target) }
