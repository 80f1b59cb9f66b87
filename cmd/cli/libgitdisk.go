package main

import (
	"compress/zlib"
	"context"
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

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/workspace"
	"golem/sandbox/osfs"
)

// gitDisk is a repository on this machine. No program of git is run, and nothing
// of the repository's configuration is used.
type gitDisk struct {
	*filesystem.Storage
	git   fs.FS
	max   int64 // bytes of an object
	close func()
}

var _ storer.EncodedObjectStorer = (*gitDisk)(nil)

// newGitDisk reads the repository in a directory; no object has more than max bytes.
func newGitDisk(git fs.FS, max int64) *gitDisk {
	return &gitDisk{Storage: filesystem.NewStorage(gitFiles{git}, cache.NewObjectLRU(16*cache.MiByte)), git: git, max: max}
}

// openDisk opens the repository in a directory, with or without files beside it,
// and finds what the address names.
func (a gitAddress) openDisk(ctx context.Context) (*gitDisk, plumbing.Hash, error) {
	files, err := osfs.Open(a.dir)
	if err != nil {
		return nil, plumbing.ZeroHash, fault.New(fault.NotFound, "there is no repository %s: %s", a.dir, cause(err))
	}
	disk, at, err := a.openTree(ctx, files)
	if err != nil {
		files.Close()
		return nil, at, err
	}
	disk.close = func() { files.Close() }
	return disk, at, nil
}

// openTree is openDisk of a tree.
func (a gitAddress) openTree(ctx context.Context, files sandbox.FS) (*gitDisk, plumbing.Hash, error) {
	var git fs.FS = files
	if info, err := fs.Stat(files, ".git"); err == nil {
		sub, ok := files.(sandbox.SubFS)
		if !info.IsDir() || !ok {
			return nil, plumbing.ZeroHash, gitFault("its .git is a file: it is a working tree of another repository")
		}
		if git, err = sub.SubFS(".git"); err != nil {
			return nil, plumbing.ZeroHash, err
		}
	}
	if _, err := fs.Stat(git, "HEAD"); err != nil {
		return nil, plumbing.ZeroHash, fault.New(fault.NotFound, "there is no git repository in %s", a.dir).Hinting("golem lib install DIR installs a directory that is not a repository")
	}
	if _, err := fs.Stat(git, "objects/info/alternates"); err == nil {
		return nil, plumbing.ZeroHash, gitFault("it borrows objects of another repository (objects/info/alternates)")
	}
	if err := checkPacks(ctx, git); err != nil {
		return nil, plumbing.ZeroHash, err
	}
	d := newGitDisk(git, workspace.MaxLibraryFile)
	names := []plumbing.ReferenceName{plumbing.HEAD}
	if a.ref != "" {
		names = a.refNames()
	}
	for _, name := range names {
		if ref, err := storer.ResolveReference(d.Storage, name); err == nil {
			return d, ref.Hash(), nil
		}
	}
	return nil, plumbing.ZeroHash, a.noSuchRef(d.refs())
}

func (d *gitDisk) refs() []string {
	var names []string
	refs, err := d.IterReferences()
	if err == nil {
		_ = refs.ForEach(func(r *plumbing.Reference) error { names = append(names, r.Name().String()); return nil })
	}
	return names
}

// checkPacks checks the sizes in every pack of a repository.
func checkPacks(ctx context.Context, git fs.FS) error {
	packs, err := fs.ReadDir(git, "objects/pack")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range packs {
		if path.Ext(e.Name()) != ".pack" {
			continue
		}
		file, err := git.Open("objects/pack/" + e.Name())
		if err != nil {
			return err
		}
		err = checkPack(ctx, file, 1<<40) // the history may be large: each object counts, not all together
		if cerr := file.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return err
		}
	}
	return err
}

// EncodedObject is an object whose size was checked: of one in a file of its own,
// the size that it says may be wrong.
func (d *gitDisk) EncodedObject(t plumbing.ObjectType, h plumbing.Hash) (plumbing.EncodedObject, error) {
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
			return nil, gitFault("a file has more than %d bytes", d.max)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return d.Storage.EncodedObject(t, h)
}

// gitFiles shows the directory of a repository to go-git, for reading only.
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

// Chroot is not supported.
func (g gitFiles) Chroot(string) (billy.Filesystem, error) { return nil, billy.ErrNotSupported }

// Create is refused, as is all that follows.
func (g gitFiles) Create(string) (billy.File, error) { return nil, billy.ErrReadOnly }

// Rename is refused.
func (g gitFiles) Rename(string, string) error { return billy.ErrReadOnly }

// Remove is refused.
func (g gitFiles) Remove(string) error { return billy.ErrReadOnly }

// TempFile is refused.
func (g gitFiles) TempFile(string, string) (billy.File, error) { return nil, billy.ErrReadOnly }

// MkdirAll is refused.
func (g gitFiles) MkdirAll(string, fs.FileMode) error { return billy.ErrReadOnly }

// Symlink is refused.
func (g gitFiles) Symlink(string, string) error { return billy.ErrReadOnly }

// Readlink is not supported.
func (g gitFiles) Readlink(string) (string, error) { return "", billy.ErrNotSupported }

type gitFile struct {
	fs.File
	name string
}

// Name is the name that the file was opened with.
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

// Write is refused.
func (f gitFile) Write([]byte) (int, error) { return 0, billy.ErrReadOnly }

// Truncate is refused.
func (f gitFile) Truncate(int64) error { return billy.ErrReadOnly }

// Lock does nothing: nothing is written.
func (f gitFile) Lock() error { return nil }

// Unlock does nothing.
func (f gitFile) Unlock() error { return nil }
