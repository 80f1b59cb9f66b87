package gitrepo

import (
	"compress/zlib"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// Disk is a reader of the objects of a repository. It runs no program of git and uses
// nothing of the repository's configuration.
type Disk struct {
	*filesystem.Storage
	git fs.FS
	max int64 // the most bytes of an object

	indexes []packIndex // the indexes of the packs; nil until they are needed
}

var _ storer.EncodedObjectStorer = (*Disk)(nil)

// NewDisk returns a reader of the repository in git, the directory with objects and refs.
// An object of more than max bytes is an error.
func NewDisk(git fs.FS, max int64) *Disk {
	return &Disk{Storage: filesystem.NewStorage(gitFiles{git}, cache.NewObjectLRU(16*cache.MiByte)), git: git, max: max}
}

// EncodedObjectSize returns the size of an object in bytes, as the repository says it.
func (d *Disk) EncodedObjectSize(h plumbing.Hash) (int64, error) {
	if err := d.chain(h); err != nil {
		return 0, err
	}
	return d.Storage.EncodedObjectSize(h)
}

// EncodedObject returns an object after checking its real size, because the size that the
// repository says may be wrong. It checks both a loose object and one in a pack: if there
// are both, the library reads the one in the pack.
func (d *Disk) EncodedObject(t plumbing.ObjectType, h plumbing.Hash) (plumbing.EncodedObject, error) {
	hex := h.String()
	file, err := d.git.Open("objects/" + hex[:2] + "/" + hex[2:])
	if err == nil {
		defer file.Close()
		in, err := zlib.NewReader(file)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		if n, err := io.Copy(io.Discard, io.LimitReader(in, d.max+64)); err != nil {
			return nil, err
		} else if n == d.max+64 {
			return nil, faultOf("a file has more than %d bytes", d.max)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := d.chain(h); err != nil {
		return nil, err
	}
	return d.Storage.EncodedObject(t, h)
}

// gitFiles is the directory of a repository as a read-only file system for go-git.
type gitFiles struct{ fs fs.FS }

var _ billy.Filesystem = gitFiles{}

func (g gitFiles) name(s string) string { return path.Clean(strings.TrimPrefix(s, "/")) }

// Open opens a file.
func (g gitFiles) Open(name string) (billy.File, error) {
	f, err := g.fs.Open(g.name(name))
	if err != nil {
		return nil, err
	}
	return gitFile{f, name}, nil
}

// OpenFile opens a file for reading.
func (g gitFiles) OpenFile(name string, flag int, _ fs.FileMode) (billy.File, error) {
	if flag != 0 {
		return nil, billy.ErrReadOnly
	}
	return g.Open(name)
}

// Stat describes a file.
func (g gitFiles) Stat(name string) (fs.FileInfo, error) { return fs.Stat(g.fs, g.name(name)) }

// Lstat describes a file.
func (g gitFiles) Lstat(name string) (fs.FileInfo, error) { return g.Stat(name) }

// Join joins names.
func (g gitFiles) Join(elem ...string) string { return path.Join(elem...) }

// ReadDir lists a directory.
func (g gitFiles) ReadDir(name string) ([]fs.FileInfo, error) {
	entries, err := fs.ReadDir(g.fs, g.name(name))
	var out []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			out = append(out, info)
		}
	}
	return out, err
}

// Root returns the name of the tree.
func (g gitFiles) Root() string { return "/" }

// Chroot returns billy.ErrNotSupported.
func (g gitFiles) Chroot(string) (billy.Filesystem, error) { return nil, billy.ErrNotSupported }

// Create returns billy.ErrReadOnly.
func (g gitFiles) Create(string) (billy.File, error) { return nil, billy.ErrReadOnly }

// Rename returns billy.ErrReadOnly.
func (g gitFiles) Rename(string, string) error { return billy.ErrReadOnly }

// Remove returns billy.ErrReadOnly.
func (g gitFiles) Remove(string) error { return billy.ErrReadOnly }

// TempFile returns billy.ErrReadOnly.
func (g gitFiles) TempFile(string, string) (billy.File, error) { return nil, billy.ErrReadOnly }

// MkdirAll returns billy.ErrReadOnly.
func (g gitFiles) MkdirAll(string, fs.FileMode) error { return billy.ErrReadOnly }

// Symlink returns billy.ErrReadOnly.
func (g gitFiles) Symlink(string, string) error { return billy.ErrReadOnly }

// Readlink returns billy.ErrNotSupported.
func (g gitFiles) Readlink(string) (string, error) { return "", billy.ErrNotSupported }

// gitFile is an open file of gitFiles.
type gitFile struct {
	fs.File
	name string
}

// Name returns the name with which the file was opened.
func (f gitFile) Name() string { return f.name }

// ReadAt reads from an offset.
func (f gitFile) ReadAt(p []byte, at int64) (int, error) {
	if r, ok := f.File.(io.ReaderAt); ok {
		return r.ReadAt(p, at)
	}
	return 0, billy.ErrNotSupported
}

// Seek sets the position of the next Read.
func (f gitFile) Seek(at int64, whence int) (int64, error) {
	if s, ok := f.File.(io.Seeker); ok {
		return s.Seek(at, whence)
	}
	return 0, billy.ErrNotSupported
}

// Write returns billy.ErrReadOnly.
func (f gitFile) Write([]byte) (int, error) { return 0, billy.ErrReadOnly }

// Truncate returns billy.ErrReadOnly.
func (f gitFile) Truncate(int64) error { return billy.ErrReadOnly }

// Lock does nothing, because the file is read-only.
func (f gitFile) Lock() error { return nil }

// Unlock does nothing.
func (f gitFile) Unlock() error { return nil }
