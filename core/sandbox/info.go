package sandbox

import (
	"errors"
	"io/fs"
	"time"
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

var (
	errIsDir    = errors.New("is a directory")
	errNotDir   = errors.New("is not a directory")
	errNotEmpty = errors.New("the directory is not empty")
)
